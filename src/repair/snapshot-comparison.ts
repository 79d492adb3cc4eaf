/** Compares a snapshot with the records that verifying has come to: the walk goes on from it. */

import { definitionOf } from "../backup/record.ts";
import type { Fault, InspectedSnapshot, PlacedRecord } from "./inspect.ts";
import { type KnownRecords, quote, toJSON } from "./digests.ts";
import type { Walk } from "./cursor.ts";

/** A record of a snapshot that differs from what the journal makes it. */
type DifferingRecord = Pick<PlacedRecord, "collection" | "record" | "offset"> & { readonly key: string };

/** See the head of this file. Each record is given to {@link take}, then {@link end} is called if the snapshot is whole. */
export class SnapshotComparison {
  readonly #walk: Walk;
  /** Whether the snapshot is of the change that the walk has come to; of an earlier one nothing is compared. */
  readonly #isReached: boolean;
  readonly #isPassed: boolean;
  /** All records of the snapshot, unless those of the walk are corrected: they would take as much memory again. */
  readonly #anew: KnownRecords | undefined;
  /** The numbers of those records of the walk that the snapshot has. */
  readonly #seen = new Set<number>();
  readonly #differing: DifferingRecord[] = [];

  constructor(walk: Walk, sequence: number) {
    this.#walk = walk;
    this.#isReached = walk.sequence === sequence;
    this.#isPassed = walk.sequence > sequence;
    this.#anew = this.#isReached && walk.records.complete ? undefined : walk.noRecords(true);
  }

  take({ collection, record, offset, isSound }: PlacedRecord): void {
    const key = isSound ? definitionOf(collection)?.key(record) : undefined;
    if (key === undefined || this.#isPassed) return;
    this.#anew?.set(collection, key, record);
    if (!this.#isReached) return;
    const { records } = this.#walk;
    const number = records.numberOf(collection, key);
    if (number !== undefined) this.#seen.add(number);
    if (records.equals(collection, key, record) === false) {
      this.#differing.push({ collection, key, record, offset });
    }
  }

  /** Moves the walk to the snapshot. Returns what differs. */
  end(snapshot: InspectedSnapshot): Fault[] {
    if (this.#isPassed) return [];
    const walk = this.#walk;
    const lacking = this.#isReached ? [...walk.records.without(this.#seen)] : [];
    const faults = this.#isReached ? this.#faults(snapshot, lacking) : [];
    const records = this.#anew ?? walk.records;
    for (const { collection, key, record } of this.#differing) records.set(collection, key, record);
    for (const [collection, key] of lacking) records.set(collection, key, null);
    walk.restart(snapshot.sequence, snapshot.chain, records);
    return faults;
  }

  #faults(
    { file, sequence, chain }: InspectedSnapshot,
    lacking: readonly (readonly [collection: string, key: string])[],
  ): Fault[] {
    const walk = this.#walk;
    if (chain !== undefined && walk.chain !== undefined && chain !== walk.chain) {
      const what = `the journal has another change ${sequence} than it contains`;
      return [{ file, offset: 0, what, kind: "damage" }];
    }
    const differing = this.#differing.map(({ collection, key, record, offset }): Fault => {
      const known = quote(walk.records.valueOf(collection, key));
      const what = `${collection} ${key} is ${quote(toJSON(record))}, but the journal before it makes it ${known}`;
      return { file, offset, what, kind: "content" };
    });
    const missing = lacking.map(([collection, key]): Fault => {
      const what = `it lacks ${collection} ${key}, which the journal before it has`;
      return { file, offset: 0, what, kind: "content" };
    });
    return [...differing, ...missing];
  }
}
