/**
 * Where verifying is in a walk through snapshots and journal. Behind damage, or where the journal begins in the middle, it
 * does not know all records: then it knows only those that it has seen since.
 */
import type { JournalRecord } from "../store/journal/segment.ts";
import { KnownRecords } from "./digests.ts";

export class Walk {
  /** The number of the last change that was walked over. */
  sequence: number;
  /** That change's checksum, where it is known. */
  chain: number | undefined;
  #records: KnownRecords;
  readonly #suspects: Set<string>;

  /** @param suspects see {@link KnownRecords} */
  constructor(sequence: number, chain: number | undefined, complete: boolean, suspects: Set<string>) {
    this.sequence = sequence;
    this.chain = chain;
    this.#suspects = suspects;
    this.#records = this.noRecords(complete);
  }

  /** The records as they are behind that change. */
  get records(): KnownRecords {
    return this.#records;
  }

  /** Returns a set without records, for {@link restart}. */
  noRecords(complete: boolean): KnownRecords {
    return new KnownRecords(complete, this.#suspects);
  }

  /** Goes over a change. */
  apply(record: JournalRecord, chain: number): void {
    for (const { collection, key, after } of record.changes) this.#records.set(collection, key, after);
    this.sequence = record.sequence;
    this.chain = chain;
  }

  /** Something of the journal is missing: nothing that was known is certain any more. */
  forget(): void {
    this.#records = this.noRecords(false);
    this.chain = undefined;
  }

  /** Goes on with the records of a snapshot, which are all that there are. */
  restart(sequence: number, chain: number | undefined, records: KnownRecords): void {
    this.#records = records;
    this.sequence = sequence;
    this.chain = chain;
  }
}
