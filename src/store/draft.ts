/**
 * Drafts: what a batch of changes would make of the collections, beside the collections themselves. A change reads
 * its own writes and those of the changes before it in the batch; nobody else sees any of it.
 */
import { isDeepStrictEqual } from "node:util";
import type { Model } from "../model.ts";
import type { Collection, Database, DraftRows, DraftView } from "./collection.ts";

/** What a change did to one record: its value before and after; null where there is none. */
export interface RecordChange {
  readonly collection: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A collection as the batch so far would have it. */
class DraftCollection<T> implements DraftRows<T> {
  readonly #base: Collection<T>;
  /** The records that the batch has touched; undefined is one that it removed. */
  readonly #records = new Map<string, T | undefined>();
  /** What the change under way has touched, with the values from before it. */
  readonly touched = new Map<string, T | undefined>();

  constructor(base: Collection<T>) {
    this.#base = base;
  }

  get(key: string): T | undefined {
    return this.#records.has(key) ? this.#records.get(key) : this.#base.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get size(): number {
    let size = this.#base.size;
    for (const [key, record] of this.#records) {
      size += Number(record !== undefined) - Number(this.#base.has(key));
    }
    return size;
  }

  *values(): Generator<T> {
    for (const record of this.#base.values()) {
      const key = this.#base.definition.key(record);
      if (!this.#records.has(key)) yield record;
      else {
        const changed = this.#records.get(key);
        if (changed !== undefined) yield changed;
      }
    }
    for (const [key, record] of this.#records) {
      if (record !== undefined && !this.#base.has(key)) yield record;
    }
  }

  find(index: string, value: string): readonly T[] {
    const { key: keyOf, indexes } = this.#base.definition;
    const found = this.#base.find(index, value).filter((record) => !this.#records.has(keyOf(record)));
    for (const record of this.#records.values()) {
      if (record !== undefined && indexes[index]?.(record) === value) found.push(record);
    }
    return found;
  }

  put(record: T): void {
    this.#set(this.#base.definition.key(record), record);
  }

  delete(key: string): void {
    if (this.has(key)) this.#set(key, undefined);
  }

  /** Takes back what the change under way has done. */
  rollback(): void {
    for (const [key, before] of this.touched) this.#records.set(key, before);
    this.touched.clear();
  }

  #set(key: string, record: T | undefined): void {
    if (!this.touched.has(key)) this.touched.set(key, this.get(key));
    this.#records.set(key, record);
  }
}

/** The draft of one batch of changes. */
export class BatchDraft<M extends Model> {
  readonly #collections: ReadonlyMap<string, DraftCollection<unknown>>;
  readonly view: DraftView<M>;

  constructor(database: Database<M>) {
    const collections = new Map<string, DraftCollection<unknown>>();
    for (const [name, base] of database.collections) collections.set(name, new DraftCollection(base));
    this.#collections = collections;
    this.view = Object.fromEntries(collections) as unknown as DraftView<M>;
  }

  /** What the change under way has really changed. */
  changes(): RecordChange[] {
    const changes: RecordChange[] = [];
    for (const [name, collection] of this.#collections) {
      for (const [key, before] of collection.touched) {
        const after = collection.get(key);
        if (isDeepStrictEqual(before, after)) continue;
        changes.push({ collection: name, key, before: before ?? null, after: after ?? null });
      }
    }
    return changes;
  }

  /** Ends the change under way: what it did is kept for the changes after it. */
  commit(): void {
    for (const collection of this.#collections.values()) collection.touched.clear();
  }

  /** Ends the change under way as if it had never been. */
  rollback(): void {
    for (const collection of this.#collections.values()) collection.rollback();
  }
}
