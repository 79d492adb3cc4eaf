/** Compares the records of a snapshot with those of the journal up to its change. */
import { snapshotFile } from "../store/folder/folder-names.ts";
import type { Fault } from "./fault.ts";
import type { Findings } from "./findings.ts";
import type { InspectedSnapshot, PlacedRecord } from "./inspect-snapshot.ts";
import { KnownRecords, quote } from "./known-records.ts";

/** Usage: {@link take} each record, then {@link faults} if the snapshot is sound. */
export class SnapshotComparison {
  /** The readable records. */
  readonly records = new KnownRecords();
  /** Those that have no place in the model. */
  readonly keyless: PlacedRecord[] = [];
  readonly #journal: Findings;
  /** Whether the journal has reached the snapshot. */
  readonly #isReached: boolean;
  /** Whether its records are compared: not with an earlier state, nor after damage. */
  readonly #isCompared: boolean;
  readonly #differing: Fault[] = [];
  readonly #file: string;

  constructor(journal: Findings, sequence: number) {
    this.#journal = journal;
    this.#isReached = journal.sequence === sequence;
    this.#isCompared = this.#isReached && journal.records.isComplete;
    this.#file = snapshotFile(sequence);
  }

  take(placed: PlacedRecord): void {
    const { collection, key, record, offset } = placed;
    if (key === undefined) {
      this.keyless.push(placed);
      return;
    }
    const { records } = this.#journal;
    const isEqual = this.#isCompared && records.allows(collection, key, record);
    // Equal records share their memory.
    this.records.set(collection, key, isEqual ? records.get(collection, key) : record);
    if (!this.#isCompared || isEqual) return;
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
    if (!this.#isCompared) return [];
    const missing: Fault[] = [];
    for (const [collection, key] of records.all()) {
      if (this.records.get(collection, key) !== null) continue;
      const what = `${collection} ${key} is absent in the snapshot, but not in the journal`;
      missing.push({ file, offset: 0, what, kind: "content" });
    }
    return [...this.#differing, ...missing];
  }
}
