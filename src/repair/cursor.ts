/**
 * The position of a verification in the sequence of changes, and the records at that point. After damage, or where the
 * journal begins in the middle, only the records seen since are known.
 */
import type { JournalRecord } from "../store/change.ts";
import { KnownRecords } from "./known-records.ts";

export class Cursor {
  /** The number of the last change. */
  sequence: number;
  /** Its checksum, if known. */
  chain: number | undefined;
  #records: KnownRecords;

  /** @param isComplete whether there are no records at that point; else none is known */
  constructor(sequence: number, chain: number | undefined, isComplete: boolean) {
    this.sequence = sequence;
    this.chain = chain;
    this.#records = new KnownRecords(isComplete);
  }

  /** The records after that change. */
  get records(): KnownRecords {
    return this.#records;
  }

  /** Advances over a change. */
  advance(record: JournalRecord, chain: number): void {
    for (const { collection, key, after } of record.changes) this.#records.set(collection, key, after);
    this.sequence = record.sequence;
    this.chain = chain;
  }

  /** Discards the records: a part of the journal is missing, so they may have changed. */
  forget(): void {
    this.#records = new KnownRecords(false);
    this.chain = undefined;
  }

  /** Moves to a snapshot, whose records are complete. */
  jump(sequence: number, chain: number | undefined, records: KnownRecords): void {
    this.#records = records;
    this.sequence = sequence;
    this.chain = chain;
  }
}
