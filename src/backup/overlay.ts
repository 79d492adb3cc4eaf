/**
 * A database that is stored as its differences from the present data: reading a backup into one takes memory for what
 * differs, not for a second copy of everything. A record that the overlay does not have is as it is at present. So that
 * this stays true while others change the present data, the overlay then takes the record as it was before.
 */
import { isDeepStrictEqual } from "node:util";
import { type CollectionDefinition, model } from "../domain/model.ts";
import { Collection, Database, type DurableRows } from "../store/collection.ts";
import type { DurableData } from "../store/data.ts";
import { Slices } from "../store/slices.ts";

/** See the head of this file. It follows the present data until {@link close} is called. */
export class Overlay {
  /** Its records, to read; and to set, from {@link begin} on. */
  readonly database: Database<typeof model>;
  readonly #collections = new Map<string, OverlaidCollection>();

  constructor(present: DurableData) {
    const rows: Readonly<Record<string, DurableRows<unknown>>> = present;
    this.database = new Database(model, (name, definition) => {
      const below = rows[name];
      if (below === undefined) throw new Error(`there is no collection "${name}"`);
      const collection = new OverlaidCollection(definition, below);
      this.#collections.set(name, collection);
      return collection;
    });
  }

  /** Removes all records, so that others can be read. */
  begin(): Database<typeof model> {
    for (const collection of this.#collections.values()) collection.begin();
    return this.database;
  }

  /** Ends the reading: what was not set since {@link begin} is removed. */
  async end(): Promise<void> {
    const slices = new Slices();
    for (const collection of this.#collections.values()) await collection.end(slices);
  }

  close(): void {
    for (const collection of this.#collections.values()) collection.close();
  }

  /** Yields the keys of those records of a collection that may differ from the present ones. */
  differing(collection: string): Iterable<string> {
    return this.#collections.get(collection)?.differing ?? [];
  }
}

class OverlaidCollection extends Collection<unknown> {
  readonly #present: DurableRows<unknown>;
  /** The records that differ; undefined for one that only the present data has. */
  readonly #differing = new Map<string, unknown>();
  /** While records are read: those present ones that do not differ. Of the others it is not known yet. */
  #same: Set<unknown> | undefined;
  readonly close: () => void;

  constructor(definition: CollectionDefinition, present: DurableRows<unknown>) {
    super(definition);
    this.#present = present;
    this.close = present.watch((key, before) => {
      const isKnown = this.#same === undefined || this.#same.has(before);
      if (isKnown && !this.#differing.has(key)) this.#differing.set(key, before);
    });
  }

  /** The keys of the records that may differ. */
  get differing(): Iterable<string> {
    return this.#differing.keys();
  }

  begin(): void {
    this.#differing.clear();
    this.#same = new Set();
  }

  async end(slices: Slices): Promise<void> {
    for (const record of this.#present.values()) {
      if (this.#same?.has(record) !== true) {
        const key = this.definition.key(record);
        if (!this.#differing.has(key)) this.#differing.set(key, undefined);
      }
      if (slices.isOver) await slices.next();
    }
    this.#same = undefined;
  }

  override get size(): number {
    let { size } = this.#present;
    for (const [key, record] of this.#differing) {
      size += Number(record !== undefined) - Number(this.#present.peek(key) !== undefined);
    }
    return size;
  }

  override get(key: string): unknown {
    return this.#differing.has(key) ? this.#differing.get(key) : this.#present.peek(key);
  }

  override peek(key: string): unknown {
    return this.get(key);
  }

  override has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  override find(): never {
    throw new Error("an overlay has no indexes");
  }

  override count(): never {
    return this.find();
  }

  override each(): never {
    return this.find();
  }

  /**
   * Whoever takes records while the present data changes gets every record at least once: a present one that is changed
   * before its turn comes at the end, as it was before.
   */
  override *values(): Generator<unknown> {
    let passed = 0;
    for (const record of this.#differing.values()) {
      passed += 1;
      if (record !== undefined) yield record;
    }
    for (const record of this.#present.values()) {
      if (!this.#differing.has(this.definition.key(record))) yield record;
    }
    let index = 0;
    for (const record of this.#differing.values()) {
      if (index >= passed && record !== undefined) yield record;
      index += 1;
    }
  }

  override set(key: string, record: unknown): void {
    const present = this.#present.peek(key);
    if (!isDeepStrictEqual(present, record)) {
      this.#differing.set(key, record);
      return;
    }
    this.#differing.delete(key);
    if (present !== undefined) this.#same?.add(present);
  }
}
