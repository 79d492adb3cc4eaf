/**
 * Drafts: the writes of a batch of changes, over the collections. A change reads its own writes and those of the changes
 * before it in the batch; nobody else sees them.
 */
import { isDeepStrictEqual } from "node:util";
import type { Model } from "../domain/collection.ts";
import { Slices } from "../domain/slices.ts";
import type { RecordChange } from "./change.ts";
import { Collection, type Database, type DraftRows, type DraftView } from "./collection.ts";

/** A collection with the writes of the batch so far. */
class DraftCollection<T> implements DraftRows<T> {
  readonly name: string;
  readonly #durable: Collection<T>;
  /** Its version when it was first read. */
  #version: number | undefined;
  /** The records that the batch has written; indexed when first searched, since a bulk change writes many and searches few. */
  #written: Collection<T>;
  /** The durable records that it has replaced or removed. */
  #replaced: Collection<T>;
  /** The records that the current change has written, with their earlier values. */
  readonly touched = new Map<string, T | undefined>();

  constructor(name: string, base: Collection<T>) {
    this.name = name;
    this.#durable = base;
    this.#written = new Collection(base.definition, []);
    this.#replaced = new Collection(base.definition, []);
  }

  get #base(): Collection<T> {
    this.#version ??= this.#durable.version;
    return this.#durable;
  }

  /** Whether the durable records have changed since they were first read. */
  get isStale(): boolean {
    return this.#version !== undefined && this.#version !== this.#durable.version;
  }

  get #isUnwritten(): boolean {
    return this.#written.size === 0 && this.#replaced.size === 0;
  }

  get(key: string): T | undefined {
    const written = this.#written.get(key);
    return written !== undefined || this.#replaced.has(key) ? written : this.#base.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get size(): number {
    return this.#base.size - this.#replaced.size + this.#written.size;
  }

  *values(): Generator<T> {
    for (const [key] of this.#base.entries()) {
      const record = this.get(key);
      if (record !== undefined) yield record;
    }
    for (const [key, record] of this.#written.entries()) if (!this.#base.has(key)) yield record;
  }

  find(index: string, value: string): readonly T[] {
    const durable = this.#base.find(index, value);
    if (this.#isUnwritten) return durable;
    const gone = new Set(this.#replaced.find(index, value));
    const unwritten = gone.size === 0 ? durable : durable.filter((record) => !gone.has(record));
    return [...unwritten, ...this.#written.find(index, value)];
  }

  count(index: string, value: string): number {
    const durable = this.#base.count(index, value);
    return durable - this.#replaced.count(index, value) + this.#written.count(index, value);
  }

  put(record: T): void {
    this.#set(this.#base.definition.key(record), record);
  }

  delete(key: string): void {
    if (this.has(key)) this.#set(key, undefined);
  }

  /** Reverts the current change. */
  rollback(): void {
    for (const [key, before] of this.touched) this.#write(key, before);
    this.touched.clear();
  }

  /** Discards the batch. */
  reset(): void {
    this.#version = undefined;
    if (this.#isUnwritten) return;
    this.#written = new Collection(this.#durable.definition, []);
    this.#replaced = new Collection(this.#durable.definition, []);
  }

  #set(key: string, record: T | undefined): void {
    const before = this.get(key);
    if (!this.touched.has(key)) this.touched.set(key, before);
    this.#write(key, record);
  }

  #write(key: string, record: T | undefined): void {
    if (!this.#replaced.has(key)) this.#replaced.set(key, this.#base.get(key));
    this.#written.set(key, record);
  }
}

/** The draft of a batch of changes, reused for every batch. Its view is valid only during a batch. */
export class BatchDraft<M extends Model> {
  readonly view: DraftView<M>;
  readonly #collections: readonly DraftCollection<unknown>[];

  constructor(database: Database<M>) {
    this.#collections = Array.from(database.collections, ([name, base]) => new DraftCollection(name, base));
    const named = this.#collections.map((collection) => [collection.name, collection]);
    this.view = Object.fromEntries(named) as DraftView<M>;
  }

  /** Removes a record by the name of its collection. */
  delete({ collection: name, key }: Pick<RecordChange, "collection" | "key">): void {
    this.#collections.find((collection) => collection.name === name)?.delete(key);
  }

  /** Whether a collection that was read has changed since: what was written may rest on older records. */
  get isStale(): boolean {
    return this.#collections.some((collection) => collection.isStale);
  }

  /** Returns the effective changes of the current change, in the order of the model's collections. */
  changes(): RecordChange[] {
    const changes: RecordChange[] = [];
    for (const collection of this.#collections) {
      for (const [key, before] of collection.touched) {
        const after = collection.get(key);
        if (isDeepStrictEqual(before, after)) continue;
        changes.push({ collection: collection.name, key, before: before ?? null, after: after ?? null });
      }
    }
    return changes;
  }

  /** Ends the current change and keeps its writes for the changes after it. */
  commit(): void {
    // As in a reset.
    for (const { touched } of this.#collections) if (touched.size > 0) touched.clear();
  }

  /** Ends the current change and reverts it. */
  rollback(): void {
    for (const collection of this.#collections) collection.rollback();
  }

  /** Begins a new batch. There must be no current change. */
  reset(): void {
    for (const collection of this.#collections) collection.reset();
  }
}

/** Reads and writes a draft, in slices if that takes long. Called again, it must do the same. */
export type Edit<M extends Model, R> = (draft: DraftView<M>, slices: Slices) => Promise<R>;

export interface EditOptions {
  /** Ends the edit, and nothing is changed, if it is aborted before the change is written. */
  readonly signal?: AbortSignal | undefined;
  /** Rejects to refuse the changes. */
  readonly accept?: (changes: readonly RecordChange[]) => Promise<void>;
}

/**
 * Returns what an edit returned, what it changes, and all records with its changes. If others change meanwhile a collection
 * that it has read, it is repeated.
 * @param repetitions at most so often
 * @param signal ends it
 */
export async function planEdit<M extends Model, R>(
  database: Database<M>,
  edit: Edit<M, R>,
  repetitions: number,
  signal?: AbortSignal,
) {
  for (let left = repetitions; ; left -= 1) {
    const draft = new BatchDraft(database);
    const isLast = () => left === 0 || !draft.isStale;
    try {
      const report = await edit(draft.view, new Slices(signal));
      if (isLast()) return { report, changes: draft.changes(), result: draft.view, draft };
    } catch (error) {
      if (isLast()) throw error;
    }
  }
}
