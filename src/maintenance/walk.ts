/**
 * The records as a walk through snapshots and journal knows them. Behind damage, or where the journal begins in the
 * middle, it does not know them all: then it answers only for those that it has seen since.
 */
import type { JournalRecord } from "../store/journal.ts";

/** A record that is known: its value, null where there is none of that key. */
export interface Known {
  readonly value: unknown;
}

/** Records by collection and key. */
export class Records {
  readonly #collections = new Map<string, Map<string, unknown>>();

  /** A record; null where it is known that there is none, undefined where nothing is known. */
  get(collection: string, key: string): unknown {
    return this.#collections.get(collection)?.get(key);
  }

  set(collection: string, key: string, value: unknown): void {
    const records = this.#collections.get(collection);
    if (records === undefined) this.#collections.set(collection, new Map([[key, value]]));
    else records.set(key, value);
  }

  *[Symbol.iterator](): Generator<readonly [collection: string, key: string, value: unknown]> {
    for (const [collection, records] of this.#collections) {
      for (const [key, value] of records) yield [collection, key, value];
    }
  }
}

export class Walk {
  /** The number of the last change that was walked over. */
  sequence: number;
  /** That change's checksum, where it is known. */
  chain: number | undefined;
  /** Whether every record is known. */
  complete: boolean;
  #records = new Records();

  constructor(sequence: number, chain: number | undefined, complete: boolean) {
    this.sequence = sequence;
    this.chain = chain;
    this.complete = complete;
  }

  /** What is known of the record of a key, or undefined. */
  known(collection: string, key: string): Known | undefined {
    const value = this.#records.get(collection, key);
    if (value !== undefined) return { value };
    return this.complete ? { value: null } : undefined;
  }

  /** Every record that is known to be there. */
  *all(): Generator<readonly [collection: string, key: string]> {
    for (const [collection, key, value] of this.#records) if (value !== null) yield [collection, key];
  }

  /** Goes over a change. */
  apply(record: JournalRecord, chain: number): void {
    for (const { collection, key, after } of record.changes)
      this.#records.set(collection, key, after ?? null);
    this.sequence = record.sequence;
    this.chain = chain;
  }

  /** Something of the journal is missing: nothing that was known is certain any more. */
  forget(): void {
    this.#records = new Records();
    this.complete = false;
    this.chain = undefined;
  }

  /** Goes on with the records of a snapshot, which are all that there are. */
  restart(sequence: number, chain: number | undefined, records: Records): void {
    this.#records = records;
    this.sequence = sequence;
    this.chain = chain;
    this.complete = true;
  }
}
