/**
 * Collections: maps of records by key, with the secondary indexes that reads need.
 *
 * Records are immutable: a change replaces a record and never edits one. So a reader can keep a record, and a snapshot
 * can be written while changes go on.
 */
import type { CollectionDefinition, Model } from "../domain/collection.ts";
import type { JournalRecord } from "./change.ts";
import { SecondaryIndex } from "./indexes.ts";

/** The records of a collection, read-only. */
export interface Rows<T, Index extends string = string> {
  get(key: string): T | undefined;
  has(key: string): boolean;
  /** Returns all records, in the order in which they were added. */
  values(): Iterable<T>;
  readonly size: number;
  /** Returns the records that an index has for a value, in the order in which they were last set. */
  find(index: Index, value: string): readonly T[];
  /** Returns how many records `find` returns, in a time that does not depend on their number. */
  count(index: Index, value: string): number;
}

/** Is called with each record that is set: its key, its value before and after; undefined where there is none. */
export type Watcher<T> = (key: string, before: T | undefined, after: T | undefined) => void;

/** The durable records of a collection, read-only, and their changes. */
export interface DurableRows<T, Index extends string = string> extends Rows<T, Index> {
  /** Changes whenever a record is set. */
  readonly version: number;
  /** Returns the keys of records that have ended, at most so many. One comparison finds that none has. */
  ended(now: number, most?: number): string[];
  /** Calls `watcher` with every record that is set from now on, until the returned function is called. */
  watch(watcher: Watcher<T>): () => void;
}

/** The records of a collection, to read and change. */
export interface DraftRows<T, Index extends string = string> extends Rows<T, Index> {
  /** Adds the record, or replaces the one of its key. */
  put(record: T): void;
  /** Removes the record of the key, where there is one. */
  delete(key: string): void;
}

/** All collections of a model, read-only. */
export type View<M extends Model> = {
  readonly [Name in keyof M]: M[Name] extends CollectionDefinition<infer T, infer Index>
    ? Rows<T, Index>
    : never;
};

/** All collections of a store, read-only. */
export type DurableView<M extends Model> = {
  readonly [Name in keyof M]: M[Name] extends CollectionDefinition<infer T, infer Index>
    ? DurableRows<T, Index>
    : never;
};

/** All collections of a model, to read and change. */
export type DraftView<M extends Model> = {
  readonly [Name in keyof M]: M[Name] extends CollectionDefinition<infer T, infer Index>
    ? DraftRows<T, Index>
    : never;
};

/** Returns the records of a collection, by its name in the journal. */
export function rowsOf<R>(data: Readonly<Record<string, R>>, collection: string): R {
  const rows = data[collection];
  if (rows === undefined) throw new Error(`there is no collection "${collection}"`);
  return rows;
}

/** A collection in memory. Only the store's writer and recovery set records in it. */
export class Collection<T> implements DurableRows<T> {
  readonly definition: CollectionDefinition<T>;
  readonly #records = new Map<string, T>();
  readonly #indexes = new Map<string, SecondaryIndex<T>>();
  /** No record ends before. */
  #firstEnd = Number.POSITIVE_INFINITY;
  #watchers: readonly Watcher<T>[] = [];
  #version = 0;
  /** While a snapshot is being written: the earlier value of each record that changed since it began. */
  #before: Map<string, T | undefined> | undefined;

  /** @param indexes the names of those that are kept from the beginning: any other is made when it is first searched */
  constructor(definition: CollectionDefinition<T>, indexes = Object.keys(definition.indexes)) {
    this.definition = definition;
    for (const name of indexes) this.#index(name);
  }

  get size(): number {
    return this.#records.size;
  }

  get(key: string): T | undefined {
    return this.#records.get(key);
  }

  has(key: string): boolean {
    return this.#records.has(key);
  }

  get version(): number {
    return this.#version;
  }

  watch(watcher: Watcher<T>): () => void {
    this.#watchers = [...this.#watchers, watcher];
    return () => {
      this.#watchers = this.#watchers.filter((other) => other !== watcher);
    };
  }

  values(): Iterable<T> {
    return this.#records.values();
  }

  /** Returns the records with their keys. */
  entries(): Iterable<[string, T]> {
    return this.#records.entries();
  }

  find(index: string, value: string): readonly T[] {
    return this.#index(index).find(value);
  }

  count(index: string, value: string): number {
    return this.#index(index).count(value);
  }

  /** Sets the record of a key; undefined removes it. Idempotent. */
  set(key: string, record: T | undefined): void {
    const old = this.#records.get(key);
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, record);
    if (this.#before !== undefined && !this.#before.has(key)) this.#before.set(key, old);
    for (const index of this.#indexes.values()) index.set(old, record);
    if (record !== undefined) this.#firstEnd = Math.min(this.#firstEnd, this.#endOf(record));
    this.#version += 1;
    for (const watcher of this.#watchers) watcher(key, old, record);
  }

  ended(now: number, most = Number.POSITIVE_INFINITY): string[] {
    const ended: string[] = [];
    if (now < this.#firstEnd) return ended;
    let first = Number.POSITIVE_INFINITY;
    for (const [key, record] of this.#records) {
      const end = this.#endOf(record);
      if (end <= now && ended.push(key) === most) return ended;
      first = Math.min(first, end);
    }
    this.#firstEnd = first;
    return ended;
  }

  #index(name: string): SecondaryIndex<T> {
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    const index = new SecondaryIndex<T>(this.definition.indexes[name] ?? (() => undefined));
    for (const record of this.#records.values()) index.set(undefined, record);
    this.#indexes.set(name, index);
    return index;
  }

  #endOf(record: T): number {
    return this.definition.ends?.of(record) ?? Number.POSITIVE_INFINITY;
  }

  /** Preserves the present records for {@link frozen}, until {@link thaw}. */
  freeze(): void {
    this.#before = new Map();
  }

  /** Ends what {@link freeze} began. */
  thaw(): void {
    this.#before = undefined;
  }

  /**
   * Yields the records as they were at {@link freeze}, whatever is set meanwhile. A record that is changed after it was
   * yielded is yielded a second time, with the same value.
   */
  *frozen(): Generator<T> {
    const before = this.#before;
    if (before === undefined) throw new Error("frozen() needs freeze() first");
    const yielded = new Set<string>();
    // The iteration includes keys that are added meanwhile: those have a `before` of undefined.
    for (const [key, record] of this.#records) {
      if (!before.has(key)) yield record;
      else if (!yielded.has(key)) {
        yielded.add(key);
        const old = before.get(key);
        if (old !== undefined) yield old;
      }
    }
    for (const [key, old] of before) {
      if (old !== undefined && !yielded.has(key)) yield old;
    }
  }
}

/** The data of a store: its collections by name, and the change that they have reached. This is what lowdb holds. */
export class Database<M extends Model = Model> {
  readonly collections: ReadonlyMap<string, Collection<unknown>>;
  /** The number of the last change in the collections; 0 before the first. */
  sequence = 0;
  /** The checksum of that change's line, to which the next line is chained. */
  chain = 0;

  /** @param create creates each collection, empty */
  constructor(
    model: M,
    create: (name: string, definition: CollectionDefinition) => Collection<unknown> = (_, definition) =>
      new Collection<unknown>(definition),
  ) {
    this.collections = new Map(
      Object.entries(model).map(([name, definition]) => [name, create(name, definition)]),
    );
  }

  /** The collections, read-only. */
  get view(): DurableView<M> {
    return Object.fromEntries(this.collections) as unknown as DurableView<M>;
  }

  /** Returns the collection of a name. @throws Error where the model has none: the data is of another model */
  collection(name: string): Collection<unknown> {
    const collection = this.collections.get(name);
    if (collection === undefined) throw new Error(`there is no collection "${name}"`);
    return collection;
  }

  /** Returns records that have ended, each with the operation of its removal: at most so many. */
  ended(now: number, most: number) {
    const ended = Array.from(this.collections).flatMap(([collection, rows]) => {
      const { ends } = rows.definition;
      return ends ? rows.ended(now, most).map((key) => ({ collection, key, operation: ends.operation })) : [];
    });
    return ended.slice(0, most);
  }

  /**
   * Applies a recorded change. Idempotent.
   * @param chain the checksum of its line
   */
  apply({ sequence, changes }: JournalRecord, chain: number): void {
    for (const { collection, key, after } of changes)
      this.collection(collection).set(key, after ?? undefined);
    this.sequence = sequence;
    this.chain = chain;
  }
}
