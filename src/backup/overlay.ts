/**
 * A database that is stored as its differences from the present data, so that reading a backup takes memory for what
 * differs, not for a second copy of everything. A record that the overlay lacks is equal to the present one. When others
 * change a present record, the overlay therefore stores its earlier value.
 */
import { isDeepStrictEqual } from "node:util";
import type { CollectionDefinition } from "../domain/collection.ts";
import { model } from "../domain/model.ts";
import { Slices } from "../domain/slices.ts";
import { Collection, Database, type DurableRows, rowsOf } from "../store/collection.ts";
import type { DurableData } from "../store/data.ts";

/** It watches the present data until {@link close} is called, and is read-only before {@link begin}. */
export class Overlay extends Database<typeof model> {
  declare readonly collections: ReadonlyMap<string, OverlaidCollection>;

  constructor(present: DurableData) {
    super(
      model,
      (name, definition) => new OverlaidCollection(definition, rowsOf<DurableRows<unknown>>(present, name)),
    );
  }

  /** Removes all records, so that others can be set. */
  begin(): this {
    for (const collection of this.collections.values()) collection.begin();
    return this;
  }

  /** Ends what {@link begin} began: records that were not set since are absent. */
  async end(): Promise<void> {
    const slices = new Slices();
    for (const collection of this.collections.values()) await collection.end(slices);
  }

  close(): void {
    for (const collection of this.collections.values()) collection.close();
  }

  /** Yields the keys of the records of a collection that may differ from the present ones. */
  differing(collection: string): Iterable<string> {
    return this.collections.get(collection)?.differing ?? [];
  }
}

class OverlaidCollection extends Collection<unknown> {
  readonly #present: DurableRows<unknown>;
  /** The records that may differ; undefined for one that only the present data has. */
  readonly #differing = new Map<string, unknown>();
  /** Between {@link begin} and {@link end}: the present records that are known to be equal. */
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
      size += Number(record !== undefined) - Number(this.#present.has(key));
    }
    return size;
  }

  override get(key: string): unknown {
    return this.#differing.has(key) ? this.#differing.get(key) : this.#present.get(key);
  }

  override has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  override find(): never {
    throw new Error("an overlay has no indexes");
  }

  /**
   * Yields every record at least once, even if the present data changes meanwhile: a present record that changes before its
   * turn is yielded at the end, with its earlier value.
   */
  override *values(): Generator<unknown> {
    const differing = this.#differing.values();
    for (let left = this.#differing.size; left > 0; left -= 1) {
      const { value } = differing.next();
      if (value !== undefined) yield value;
    }
    for (const record of this.#present.values()) {
      if (!this.#differing.has(this.definition.key(record))) yield record;
    }
    for (const record of differing) if (record !== undefined) yield record;
  }

  override set(key: string, record: unknown): void {
    const present = this.#present.get(key);
    if (!isDeepStrictEqual(present, record)) {
      this.#differing.set(key, record);
      return;
    }
    this.#differing.delete(key);
    if (present !== undefined) this.#same?.add(present);
  }
}
