/** The records that a verification has read, by collection and key. */
import { isDeepStrictEqual } from "node:util";
import { model } from "../domain/model.ts";
import { Database } from "../store/collection.ts";

/** Shortens the JSON of a record for a message. Null is an absent record. */
export function quote(record: unknown): string {
  if (record === null) return "absent";
  const json = JSON.stringify(record);
  return json.length <= 80 ? json : `${json.slice(0, 77)}…`;
}

/** See the head of this file. Null is the value of an absent record. */
export class KnownRecords {
  /** Whether these are all records: any other is absent. */
  readonly isComplete: boolean;
  readonly #records = new Map<string, Map<string, unknown>>();

  constructor(isComplete: boolean) {
    this.isComplete = isComplete;
  }

  /** Returns a record; undefined if unknown. */
  get(collection: string, key: string): unknown {
    const record = this.#records.get(collection)?.get(key);
    return record === undefined && this.isComplete ? null : record;
  }

  /** Sets the value of a record. */
  set(collection: string, key: string, record: unknown): void {
    let records = this.#records.get(collection);
    if (records === undefined) {
      records = new Map();
      this.#records.set(collection, records);
    }
    if (record === null && this.isComplete) records.delete(key);
    else records.set(key, record);
  }

  /** Returns whether a record has this value, or is unknown. */
  allows(collection: string, key: string, record: unknown): boolean {
    const known = this.get(collection, key);
    return known === undefined || isDeepStrictEqual(known, record);
  }

  /** Yields every record that is known and not absent, except those of some keys. */
  *without(keys: KnownRecords): Generator<readonly [collection: string, key: string]> {
    for (const [collection, records] of this.#records) {
      for (const [key, record] of records) {
        if (record !== null && keys.get(collection, key) === undefined) yield [collection, key];
      }
    }
  }

  /** Returns a database with the records, all of which must fit the model. */
  toDatabase(): Database<typeof model> {
    const database = new Database(model);
    for (const [collection, records] of this.#records) {
      for (const [key, record] of records) database.collection(collection).set(key, record ?? undefined);
    }
    return database;
  }
}
