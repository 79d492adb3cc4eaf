/** What the records of a collection are found by beside their keys. */

/** The keys of the records by one of their values. Most values are those of one record only: its key stands alone. */
export class SecondaryIndex<T> {
  readonly #indexed: (record: T) => string | undefined;
  readonly #keys = new Map<string, string | Set<string>>();

  /** @param indexed the value that a record is found by; undefined leaves it out */
  constructor(indexed: (record: T) => string | undefined) {
    this.#indexed = indexed;
  }

  /** The keys of the records that have a value, in no particular order. */
  keys(value: string): Iterable<string> {
    const keys = this.#keys.get(value);
    if (keys === undefined) return [];
    return typeof keys === "string" ? [keys] : keys;
  }

  /** Takes note of what became of the record of a key; undefined is none. */
  set(key: string, before: T | undefined, after: T | undefined): void {
    const old = before === undefined ? undefined : this.#indexed(before);
    const value = after === undefined ? undefined : this.#indexed(after);
    if (value === old) return;
    if (old !== undefined) this.#remove(old, key);
    if (value !== undefined) this.#add(value, key);
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys !== "string") keys.add(key);
    else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === key) {
      this.#keys.delete(value);
    } else if (typeof keys === "object" && keys.delete(key) && keys.size === 1) {
      for (const last of keys) this.#keys.set(value, last);
    }
  }
}
