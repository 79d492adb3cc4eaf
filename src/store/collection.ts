/**
 * Collections: keyed maps of records, with the secondary indexes that reads need.
 *
 * Records are immutable values: a change replaces a record, it never edits one. So a reader can keep what it was
 * given, and a snapshot can be written while changes go on.
 */
import type { CollectionDefinition, Model } from "../domain/model.ts";
import { SecondaryIndex } from "./indexes.ts";
import { WarmMap } from "./warm.ts";

/** The records of a collection, to read. */
export interface Rows<T, Index extends string = string> {
  get(key: string): T | undefined;
  has(key: string): boolean;
  /** All records, in the order in which they came. */
  values(): Iterable<T>;
  readonly size: number;
  /** The records that an index gives for a value, in no particular order. */
  find(index: Index, value: string): readonly T[];
  /** Returns how many records an index gives for a value, without looking at them. */
  count(index: Index, value: string): number;
  /**
   * The records that an index gives for a value, in the order in which they were last set, one at a time. Nothing may be
   * set until the last one is taken.
   */
  each(index: Index, value: string): Iterable<T>;
}

/** Told of a record that was set: its key, its value before and after; undefined is none. */
export type Watcher<T> = (key: string, before: T | undefined, after: T | undefined) => void;

/** The records that are durable, to read: what changes among them can be followed. */
export interface DurableRows<T, Index extends string = string> extends Rows<T, Index> {
  /** Returns a record as `get` does. Whoever looks at all of them asks so: the cache of `get` is for few. */
  peek(key: string): T | undefined;
  /** Another number whenever a record was set: what was made of the records holds as long as it stays the same. */
  readonly version: number;
  /** Tells of every record that is set from now on, until the returned function is called. */
  watch(watcher: Watcher<T>): () => void;
}

/** The records of a collection, to read and to change. */
export interface DraftRows<T, Index extends string = string> extends Rows<T, Index> {
  /** Adds the record, or replaces the one of its key. */
  put(record: T): void;
  /** Removes the record of the key, where there is one. */
  delete(key: string): void;
}

/** All collections of a model, to read. */
export type View<M extends Model> = {
  readonly [Name in keyof M]: M[Name] extends CollectionDefinition<infer T, infer Index>
    ? Rows<T, Index>
    : never;
};

/** All collections of a store, to read. */
export type DurableView<M extends Model> = {
  readonly [Name in keyof M]: M[Name] extends CollectionDefinition<infer T, infer Index>
    ? DurableRows<T, Index>
    : never;
};

/** All collections of a model, to read and to change. */
export type DraftView<M extends Model> = {
  readonly [Name in keyof M]: M[Name] extends CollectionDefinition<infer T, infer Index>
    ? DraftRows<T, Index>
    : never;
};

/** A collection in memory. Only the store's writer, and reading the files back, set anything in it. */
export class Collection<T> implements DurableRows<T> {
  readonly definition: CollectionDefinition<T>;
  readonly #records = new WarmMap<T>();
  readonly #indexes: ReadonlyMap<string, SecondaryIndex<T>>;
  #watchers: readonly Watcher<T>[] = [];
  #version = 0;
  /** While the collection is being written out: the records as they were, of those changed since it began. */
  #before: Map<string, T | undefined> | undefined;

  constructor(definition: CollectionDefinition<T>) {
    this.definition = definition;
    const indexes = Object.entries(definition.indexes);
    this.#indexes = new Map(indexes.map(([name, indexed]) => [name, new SecondaryIndex(indexed)]));
  }

  get size(): number {
    return this.#records.size;
  }

  get(key: string): T | undefined {
    return this.#records.get(key);
  }

  peek(key: string): T | undefined {
    return this.#records.peek(key);
  }

  has(key: string): boolean {
    return this.#records.get(key) !== undefined;
  }

  get version(): number {
    return this.#version;
  }

  watch(watcher: Watcher<T>): () => void {
    this.#watchers = [...this.#watchers, watcher];
    return () => {
      this.#watchers = this.#watchers.filter((each) => each !== watcher);
    };
  }

  values(): Iterable<T> {
    return this.#records.values();
  }

  find(index: string, value: string): readonly T[] {
    return this.#indexes.get(index)?.find(value) ?? [];
  }

  count(index: string, value: string): number {
    return this.#indexes.get(index)?.count(value) ?? 0;
  }

  each(index: string, value: string): Iterable<T> {
    return this.#indexes.get(index)?.each(value) ?? [];
  }

  /** Sets the record of a key; undefined removes it. Setting twice is the same as setting once. */
  set(key: string, record: T | undefined): void {
    const old = record === undefined ? this.#records.delete(key) : this.#records.set(key, record);
    if (this.#before !== undefined && !this.#before.has(key)) this.#before.set(key, old);
    for (const index of this.#indexes.values()) index.set(old, record);
    this.#version += 1;
    for (const watcher of this.#watchers) watcher(key, old, record);
  }

  /** Keeps, from now until {@link thaw}, what {@link frozen} needs to tell the records as they are at this moment. */
  freeze(): void {
    this.#before = new Map();
  }

  /** Ends what {@link freeze} began. */
  thaw(): void {
    this.#before = undefined;
  }

  /**
   * The records as they were at {@link freeze}, whatever is set meanwhile. A record that is changed after it was
   * given is given a second time, with the same value.
   */
  *frozen(): Generator<T> {
    const before = this.#before;
    if (before === undefined) throw new Error("frozen() needs freeze() first");
    const given = new Set<string>();
    // The iterator goes on to keys that are added meanwhile: those have a `before` of undefined.
    for (const [key, record] of this.#records.entries()) {
      if (!before.has(key)) yield record;
      else if (!given.has(key)) {
        given.add(key);
        const old = before.get(key);
        if (old !== undefined) yield old;
      }
    }
    for (const [key, old] of before) {
      if (old !== undefined && !given.has(key)) yield old;
    }
  }
}

/** The data of a store: its collections by name, and how far they have come. What lowdb holds. */
export class Database<M extends Model = Model> {
  readonly model: M;
  readonly collections: ReadonlyMap<string, Collection<unknown>>;
  /** The number of the last change that the collections contain; 0 before the first. */
  sequence = 0;
  /** The checksum of that change's line: what the next line is chained to. */
  chain = 0;

  /** @param create makes the collections, which have no records yet */
  constructor(
    model: M,
    create: (name: string, definition: CollectionDefinition) => Collection<unknown> = (_, definition) =>
      new Collection<unknown>(definition),
  ) {
    this.model = model;
    this.collections = new Map(
      Object.entries(model).map(([name, definition]) => [name, create(name, definition)]),
    );
  }

  /** The collections, to read. */
  get view(): DurableView<M> {
    return Object.fromEntries(this.collections) as unknown as DurableView<M>;
  }

  /** The collection of a name. @throws Error where the model has none: the data is of another model. */
  collection(name: string): Collection<unknown> {
    const collection = this.collections.get(name);
    if (collection === undefined) throw new Error(`there is no collection "${name}"`);
    return collection;
  }
}
