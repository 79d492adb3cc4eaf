/** Compares a snapshot with the records at the cursor of a verification, which then moves to the snapshot. */
import { definitionOf } from "../domain/model.ts";
import type { Cursor } from "./cursor.ts";
import { quote, type RecordDigests, toJSON } from "./digests.ts";
import type { Fault } from "./fault.ts";
import type { InspectedSnapshot, PlacedRecord } from "./inspect-snapshot.ts";

/** A record of a snapshot that differs from that of the journal. */
type DifferingRecord = Pick<PlacedRecord, "collection" | "record" | "offset"> & { readonly key: string };

/** See the head of this file. Usage: {@link take} each record, then {@link end} if the snapshot is whole. */
export class SnapshotComparison {
  readonly #cursor: Cursor;
  /** Whether the cursor is at the change of the snapshot; nothing is compared with a snapshot of an earlier one. */
  readonly #isReached: boolean;
  readonly #isPassed: boolean;
  /** All records of the snapshot, unless the cursor's are corrected, which saves the memory of a second set. */
  readonly #own: RecordDigests | undefined;
  /** The indexes of those records at the cursor that the snapshot has. */
  readonly #seen = new Set<number>();
  readonly #differing: DifferingRecord[] = [];

  constructor(cursor: Cursor, sequence: number) {
    this.#cursor = cursor;
    this.#isReached = cursor.sequence === sequence;
    this.#isPassed = cursor.sequence > sequence;
    this.#own = this.#isReached && cursor.records.isComplete ? undefined : cursor.noRecords(true);
  }

  take({ collection, record, offset, isSound }: PlacedRecord): void {
    const key = isSound ? definitionOf(collection)?.key(record) : undefined;
    if (key === undefined || this.#isPassed) return;
    this.#own?.set(collection, key, record);
    if (!this.#isReached) return;
    const { records } = this.#cursor;
    const index = records.indexOf(collection, key);
    if (index !== undefined) this.#seen.add(index);
    if (records.equals(collection, key, record) === false) {
      this.#differing.push({ collection, key, record, offset });
    }
  }

  /** Moves the cursor to the snapshot. Returns the differences. */
  end(snapshot: InspectedSnapshot): Fault[] {
    if (this.#isPassed) return [];
    const cursor = this.#cursor;
    const lacking = this.#isReached ? [...cursor.records.without(this.#seen)] : [];
    const faults = this.#isReached ? this.#faults(snapshot, lacking) : [];
    const records = this.#own ?? cursor.records;
    for (const { collection, key, record } of this.#differing) records.set(collection, key, record);
    for (const [collection, key] of lacking) records.set(collection, key, null);
    cursor.jump(snapshot.sequence, snapshot.chain, records);
    return faults;
  }

  #faults(
    { file, sequence, chain }: InspectedSnapshot,
    lacking: readonly (readonly [collection: string, key: string])[],
  ): Fault[] {
    const cursor = this.#cursor;
    if (chain !== undefined && cursor.chain !== undefined && chain !== cursor.chain) {
      const what = `its change ${sequence} differs from that of the journal`;
      return [{ file, offset: 0, what, kind: "damage" }];
    }
    const differing = this.#differing.map(({ collection, key, record, offset }): Fault => {
      const expected = quote(cursor.records.valueOf(collection, key));
      const what = `${collection} ${key} is ${quote(toJSON(record))} in the snapshot, but ${expected} in the journal`;
      return { file, offset, what, kind: "content" };
    });
    const missing = lacking.map(([collection, key]): Fault => {
      const what = `${collection} ${key} is absent in the snapshot, but not in the journal`;
      return { file, offset: 0, what, kind: "content" };
    });
    return [...differing, ...missing];
  }
}
