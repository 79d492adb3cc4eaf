/** The records at one point of the history, by collection and key. Null is an absent record. */
import { isDeepStrictEqual } from "node:util";
import { definitionOf, model } from "../domain/model.ts";
import { Database } from "../store/collection.ts";

/** Shortens the JSON of a record for a message. */
export function quote(record: unknown): string {
  if (record === null) return "absent";
  const json = JSON.stringify(record);
  return json.length <= 120 ? json : `${json.slice(0, 119)}…`;
}

/** See the head of this file. After damage, only the records that were set since are known. */
export class KnownRecords {
  readonly #records = new Map<string, Map<string, unknown>>();
  /** The known records, each as its collection and key; undefined where all are known. */
  #known: Set<string> | undefined;

  /** Whether all records are known. */
  get isComplete(): boolean {
    return this.#known === undefined;
  }

  /** Returns a record, known or not. */
  get(collection: string, key: string): unknown {
    return this.#records.get(collection)?.get(key) ?? null;
  }

  isKnown(collection: string, key: string): boolean {
    return this.#known?.has(`${collection} ${key}`) ?? true;
  }

  /** Sets a record, which is known then. */
  set(collection: string, key: string, record: unknown): void {
    let records = this.#records.get(collection);
    if (records === undefined) {
      records = new Map();
      this.#records.set(collection, records);
    }
    if (record === null) records.delete(key);
    else records.set(key, record);
    this.#known?.add(`${collection} ${key}`);
  }

  /** Returns whether a record has this value, or is unknown. */
  allows(collection: string, key: string, record: unknown): boolean {
    return !this.isKnown(collection, key) || isDeepStrictEqual(this.get(collection, key), record);
  }

  /** Marks all records as unknown: a part of the journal is missing, so they may have changed. */
  forget(): void {
    this.#known = new Set();
  }

  /** Yields every record that is not absent. */
  *all(): Generator<readonly [collection: string, key: string, record: unknown]> {
    for (const [collection, records] of this.#records) {
      for (const [key, record] of records) yield [collection, key, record];
    }
  }

  /** Returns a database with the records of the model's collections. */
  toDatabase(): Database<typeof model> {
    const database = new Database(model);
    for (const [collection, key, record] of this.all()) {
      if (definitionOf(collection) !== undefined) database.collection(collection).set(key, record);
    }
    return database;
  }
}
