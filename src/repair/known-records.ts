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

export class KnownRecords {
  readonly #records = new Map<string, Map<string, unknown>>();
  /** Whether all are known. They are not after damage: what cannot be read may have changed any of them. */
  isComplete = true;

  /** Returns a record, as far as it is known. */
  get(collection: string, key: string): unknown {
    return this.#records.get(collection)?.get(key) ?? null;
  }

  /** Sets a record. */
  set(collection: string, key: string, record: unknown): void {
    const records = this.#records.get(collection) ?? new Map<string, unknown>();
    this.#records.set(collection, records);
    if (record === null) records.delete(key);
    else records.set(key, record);
  }

  /** Returns whether a record has this value, as far as it is known. */
  allows(collection: string, key: string, record: unknown): boolean {
    return !this.isComplete || isDeepStrictEqual(this.get(collection, key), record);
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
