/** The indexes of a collection: its records by some of their values. */
import type { Indexed } from "../domain/collection.ts";

/** Returns the values by which an index finds a record. */
export function valuesOf<T>(indexed: Indexed<T>, record: T): readonly string[] {
  const values = indexed(record) ?? [];
  return typeof values === "string" ? [values] : values;
}

/** Records by some of their values. A value that only one record has maps to that record, without a set. */
export class SecondaryIndex<T> {
  readonly #indexed: Indexed<T>;
  readonly #records = new Map<string, T | Set<T>>();

  constructor(indexed: Indexed<T>) {
    this.#indexed = indexed;
  }

  /** Returns the records that have a value, in the order in which they were last set. */
  find(value: string): T[] {
    const found = this.#records.get(value);
    if (found === undefined) return [];
    return found instanceof Set ? Array.from(found) : [found];
  }

  /** Returns how many records have a value. */
  count(value: string): number {
    const found = this.#records.get(value);
    return found instanceof Set ? found.size : Number(found !== undefined);
  }

  /** Updates the index for a record that was set; undefined where there is none. */
  set(before: T | undefined, after: T | undefined): void {
    if (before !== undefined)
      for (const value of valuesOf(this.#indexed, before)) this.#remove(value, before);
    if (after !== undefined) for (const value of valuesOf(this.#indexed, after)) this.#add(value, after);
  }

  #add(value: string, record: T): void {
    const found = this.#records.get(value);
    if (found === undefined) this.#records.set(value, record);
    else if (found instanceof Set) found.add(record);
    else this.#records.set(value, new Set([found, record]));
  }

  #remove(value: string, record: T): void {
    const found = this.#records.get(value);
    if (!(found instanceof Set)) {
      this.#records.delete(value);
    } else if (found.delete(record) && found.size === 1) {
      for (const last of found) this.#records.set(value, last);
    }
  }
}
