/**
 * Drafts: what a batch of changes would make of the collections, beside the collections themselves. A change reads
 * its own writes and those of the changes before it in the batch; nobody else sees any of it.
 */
import { isDeepStrictEqual } from "node:util";
import type { Model } from "../domain/model.ts";
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
  readonly name: string;
  readonly #base: Collection<T>;
  readonly #noted: (collection: DraftCollection<T>) => void;
  readonly #indexed: readonly (readonly [string, (record: T) => string | undefined])[];
  /** The records that the batch has touched; undefined is one that it removed. */
  readonly #records = new Map<string, T | undefined>();
  /** For each index and value by how many records the batch so far has changed its count. */
  readonly #counts = new Map<string, number>();
  /** What the change under way has touched, with the values from before it. */
  readonly touched = new Map<string, T | undefined>();

  /** @param noted told when a change touches the collection for the first time */
  constructor(name: string, base: Collection<T>, noted: (collection: DraftCollection<T>) => void) {
    this.name = name;
    this.#base = base;
    this.#noted = noted;
    this.#indexed = Object.entries(base.definition.indexes);
  }

  get(key: string): T | undefined {
    if (this.#records.size > 0) {
      const record = this.#records.get(key);
      if (record !== undefined || this.#records.has(key)) return record;
    }
    return this.#base.get(key);
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
    const durable = this.#base.find(index, value);
    if (this.#records.size === 0) return durable;
    const { key: keyOf, indexes } = this.#base.definition;
    const found = durable.filter((record) => !this.#records.has(keyOf(record)));
    for (const record of this.#records.values()) {
      if (record !== undefined && indexes[index]?.(record) === value) found.push(record);
    }
    return found;
  }

  count(index: string, value: string): number {
    return this.#base.count(index, value) + (this.#counts.get(countKey(index, value)) ?? 0);
  }

  *each(index: string, value: string): Generator<T> {
    const { key: keyOf, indexes } = this.#base.definition;
    for (const record of this.#base.each(index, value)) {
      if (!this.#records.has(keyOf(record))) yield record;
    }
    for (const record of this.#records.values()) {
      if (record !== undefined && indexes[index]?.(record) === value) yield record;
    }
  }

  put(record: T): void {
    this.#set(this.#base.definition.key(record), record);
  }

  delete(key: string): void {
    if (this.has(key)) this.#set(key, undefined);
  }

  /** Takes back what the change under way has done. */
  rollback(): void {
    for (const [key, before] of this.touched) {
      this.#count(this.#records.get(key), before);
      this.#records.set(key, before);
    }
    this.touched.clear();
  }

  /** Forgets the batch. */
  reset(): void {
    this.#records.clear();
    this.#counts.clear();
  }

  #set(key: string, record: T | undefined): void {
    if (this.touched.size === 0) this.#noted(this);
    const before = this.get(key);
    if (!this.touched.has(key)) this.touched.set(key, before);
    this.#count(before, record);
    this.#records.set(key, record);
  }

  /** Takes note of what becomes of a record in the counts of the indexes. */
  #count(before: T | undefined, after: T | undefined): void {
    for (const [index, indexed] of this.#indexed) {
      const from = before === undefined ? undefined : indexed(before);
      const to = after === undefined ? undefined : indexed(after);
      if (from === to) continue;
      if (from !== undefined) this.#add(index, from, -1);
      if (to !== undefined) this.#add(index, to, 1);
    }
  }

  #add(index: string, value: string, difference: number): void {
    const key = countKey(index, value);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + difference);
  }
}

/** No name of an index has a space in it. */
function countKey(index: string, value: string): string {
  return `${index} ${value}`;
}

/**
 * The draft of one batch of changes after another: so a change costs what it touches, however many collections there
 * are. Outside of a batch its view is of no use to anybody.
 */
export class BatchDraft<M extends Model> {
  readonly view: DraftView<M>;
  readonly #collections: readonly DraftCollection<unknown>[];
  /** What the change under way has touched. */
  readonly #touched: DraftCollection<unknown>[] = [];
  /** What the batch has touched. */
  readonly #used = new Set<DraftCollection<unknown>>();

  constructor(database: Database<M>) {
    const noted = (collection: DraftCollection<unknown>) => {
      this.#touched.push(collection);
      this.#used.add(collection);
    };
    this.#collections = Array.from(
      database.collections,
      ([name, base]) => new DraftCollection(name, base, noted),
    );
    const named = this.#collections.map((collection) => [collection.name, collection]);
    this.view = Object.fromEntries(named) as DraftView<M>;
  }

  /** What the change under way has really changed, in the order of the model's collections. */
  changes(): RecordChange[] {
    const changes: RecordChange[] = [];
    const touched = this.#touched;
    if (touched.length > 1) {
      touched.sort((a, b) => this.#collections.indexOf(a) - this.#collections.indexOf(b));
    }
    for (const collection of touched) {
      for (const [key, before] of collection.touched) {
        const after = collection.get(key);
        if (!differsAtOnce(before, after) && isDeepStrictEqual(before, after)) continue;
        changes.push({ collection: collection.name, key, before: before ?? null, after: after ?? null });
      }
    }
    return changes;
  }

  /** Ends the change under way: what it did is kept for the changes after it. */
  commit(): void {
    for (const collection of this.#touched) collection.touched.clear();
    this.#touched.length = 0;
  }

  /** Ends the change under way as if it had never been. */
  rollback(): void {
    for (const collection of this.#touched) collection.rollback();
    this.#touched.length = 0;
  }

  /** Begins a new batch. No change may be under way. */
  reset(): void {
    for (const collection of this.#used) collection.reset();
    this.#used.clear();
  }
}

/** Whether two records certainly differ, which for nearly every change one of their plain values tells. */
function differsAtOnce(before: unknown, after: unknown): boolean {
  if (!isRecord(before) || !isRecord(after)) return false;
  for (const name in before) {
    const value = before[name];
    if (typeof value !== "object" && !Object.is(value, after[name])) return true;
  }
  return false;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
