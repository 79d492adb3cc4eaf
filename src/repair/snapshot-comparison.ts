/** Compares the records of a snapshot with those of the journal up to its change. */
import { snapshotFile } from "../store/folder/folder-names.ts";
import type { Fault } from "./fault.ts";
import type { Findings, SnapshotRecords } from "./findings.ts";
import type { InspectedSnapshot, PlacedRecord } from "./inspect-snapshot.ts";
import { KnownRecords, quote } from "./known-records.ts";

/** See the head of this file. Usage: {@link take} each record, then {@link faults} if the snapshot is sound. */
export class SnapshotComparison implements SnapshotRecords {
  readonly records = new KnownRecords();
  readonly keyless: PlacedRecord[] = [];
  readonly #journal: Findings;
  /** Whether the journal has reached the snapshot; nothing is compared with an earlier state. */
  readonly #isReached: boolean;
  readonly #differing: Fault[] = [];
  readonly #file: string;

  constructor(journal: Findings, sequence: number) {
    this.#journal = journal;
    this.#isReached = journal.sequence === sequence;
    this.#file = snapshotFile(sequence);
  }

  take(placed: PlacedRecord): void {
    const { collection, key, record, offset } = placed;
    if (key === undefined) {
      this.keyless.push(placed);
      return;
    }
    const { records } = this.#journal;
    const isEqual = this.#isReached && records.allows(collection, key, record);
    // Equal records share their memory.
    const shared = isEqual && records.isKnown(collection, key) ? records.get(collection, key) : record;
    this.records.set(collection, key, shared);
    if (!this.#isReached || isEqual) return;
    const expected = quote(records.get(collection, key));
    const what = `${collection} ${key} is ${quote(record)} in the snapshot, but ${expected} in the journal`;
    this.#differing.push({ file: this.#file, offset, what, kind: "content" });
  }

  /** Returns the differences. */
  faults({ file, sequence, chain }: InspectedSnapshot): Fault[] {
    if (!this.#isReached) return [];
    const { records, chain: expected } = this.#journal;
    if (chain !== undefined && expected !== undefined && chain !== expected) {
      const what = `its change ${sequence} differs from that of the journal`;
      return [{ file, offset: 0, what, kind: "damage" }];
    }
    const missing: Fault[] = [];
    for (const [collection, key] of records.all()) {
      if (!records.isKnown(collection, key) || this.records.get(collection, key) !== null) continue;
      const what = `${collection} ${key} is absent in the snapshot, but not in the journal`;
      missing.push({ file, offset: 0, what, kind: "content" });
    }
    return [...this.#differing, ...missing];
  }
}
