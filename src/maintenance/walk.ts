/**
 * The records as a walk through snapshots and journal knows them. Behind damage, or where the journal begins in the
 * middle, it does not know them all: then it answers only for those that it has seen since.
 */
import type { JournalRecord } from "../store/journal.ts";
import { definitionOf } from "./record.ts";

/** A record that is known: its value, null where there is none of that key. */
export interface Known {
  readonly value: unknown;
}

export class Walk {
  /** The number of the last change that was walked over. */
  sequence: number;
  /** That change's checksum, where it is known. */
  chain: number | undefined;
  /** Whether every record is known. */
  complete: boolean;
  readonly #records = new Map<string, Map<string, unknown>>();

  constructor(sequence: number, chain: number | undefined, complete: boolean) {
    this.sequence = sequence;
    this.chain = chain;
    this.complete = complete;
  }

  /** What is known of the record of a key, or undefined. */
  known(collection: string, key: string): Known | undefined {
    const records = this.#records.get(collection);
    if (records?.has(key) === true) return { value: records.get(key) };
    return this.complete ? { value: null } : undefined;
  }

  /** Every record that is known to be there. */
  *all(): Generator<readonly [collection: string, key: string, value: unknown]> {
    for (const [collection, records] of this.#records) {
      for (const [key, value] of records) if (value !== null) yield [collection, key, value];
    }
  }

  set(collection: string, key: string, value: unknown): void {
    const records = this.#records.get(collection);
    if (records === undefined) this.#records.set(collection, new Map([[key, value]]));
    else records.set(key, value);
  }

  /** Goes over a change. */
  apply(record: JournalRecord, chain: number): void {
    for (const { collection, key, after } of record.changes) this.set(collection, key, after ?? null);
    this.sequence = record.sequence;
    this.chain = chain;
  }

  /** Something of the journal is missing: nothing that was known is certain any more. */
  forget(): void {
    this.#records.clear();
    this.complete = false;
    this.chain = undefined;
  }

  /** Goes on with the records of a snapshot, which are all that there are. */
  restart(
    sequence: number,
    chain: number | undefined,
    records: Iterable<{ collection: string; record: unknown }>,
  ): void {
    this.#records.clear();
    for (const { collection, record } of records) {
      const key = definitionOf(collection)?.key(record);
      if (key !== undefined) this.set(collection, key, record);
    }
    this.sequence = sequence;
    this.chain = chain;
    this.complete = true;
  }
}
