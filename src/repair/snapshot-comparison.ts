/** Compares a snapshot with the records at the cursor of a verification, which then moves to the snapshot. */
import { definitionOf } from "../domain/model.ts";
import type { Cursor } from "./cursor.ts";
import type { Fault } from "./fault.ts";
import type { InspectedSnapshot, PlacedRecord } from "./inspect-snapshot.ts";
import { KnownRecords, quote } from "./known-records.ts";

/** A record of a snapshot that differs from that of the journal. */
type DifferingRecord = Pick<PlacedRecord, "collection" | "record" | "offset"> & { readonly key: string };

/** See the head of this file. Usage: {@link take} each record, then {@link end} if the snapshot is whole. */
export class SnapshotComparison {
  readonly #cursor: Cursor;
  /** Whether the cursor is at the change of the snapshot; nothing is compared with a snapshot of an earlier one. */
  readonly #isReached: boolean;
  readonly #isPassed: boolean;
  readonly #records = new KnownRecords(true);
  readonly #seen = new KnownRecords(false);
  readonly #differing: DifferingRecord[] = [];

  constructor(cursor: Cursor, sequence: number) {
    this.#cursor = cursor;
    this.#isReached = cursor.sequence === sequence;
    this.#isPassed = cursor.sequence > sequence;
  }

  take({ collection, record, offset, isSound }: PlacedRecord): void {
    const key = isSound ? definitionOf(collection)?.key(record) : undefined;
    if (key === undefined || this.#isPassed) return;
    const known = this.#cursor.records;
    const isEqual = this.#isReached && known.allows(collection, key, record);
    // Equal records share their memory.
    this.#records.set(collection, key, (isEqual ? known.get(collection, key) : undefined) ?? record);
    if (!this.#isReached) return;
    this.#seen.set(collection, key, true);
    if (!isEqual) this.#differing.push({ collection, key, record, offset });
  }

  /** Moves the cursor to the snapshot. Returns the differences. */
  end(snapshot: InspectedSnapshot): Fault[] {
    if (this.#isPassed) return [];
    const faults = this.#isReached ? this.#faults(snapshot) : [];
    this.#cursor.jump(snapshot.sequence, snapshot.chain, this.#records);
    return faults;
  }

  #faults({ file, sequence, chain }: InspectedSnapshot): Fault[] {
    const { records, chain: known } = this.#cursor;
    if (chain !== undefined && known !== undefined && chain !== known) {
      const what = `its change ${sequence} differs from that of the journal`;
      return [{ file, offset: 0, what, kind: "damage" }];
    }
    const differing = this.#differing.map(({ collection, key, record, offset }): Fault => {
      const expected = quote(records.get(collection, key));
      const what = `${collection} ${key} is ${quote(record)} in the snapshot, but ${expected} in the journal`;
      return { file, offset, what, kind: "content" };
    });
    const missing = Array.from(records.without(this.#seen), ([collection, key]): Fault => {
      const what = `${collection} ${key} is absent in the snapshot, but not in the journal`;
      return { file, offset: 0, what, kind: "content" };
    });
    return [...differing, ...missing];
  }
}
