/**
 * Maps of many entries of which few are used at a time. In a large map each look-up waits for memory several times: for
 * the bucket, for each entry of it, and for the key of each. So where the entries that were used lately are is kept in a
 * small map as well, whose memory stays near the processor, and a value that is replaced is not looked for again.
 * Only reading makes an entry one of those: while a data folder is read back, all are written.
 */

export interface WarmMapOptions {
  /** From how many entries on a map has a smaller one beside it. */
  readonly from: number;
  /** How many entries the smaller one has at most. It begins anew then, so what is in it was used not long ago. */
  readonly most: number;
}

const usual: WarmMapOptions = { from: 2_000, most: 2_000 };

/** See the head of this file. No value may be undefined. */
export class WarmMap<V> {
  /** Where the value of each key is. */
  readonly #places = new Map<string, number>();
  readonly #values: (V | undefined)[] = [];
  /** Places that have no value any more. */
  readonly #free: number[] = [];
  /** Some entries of the places. */
  readonly #warm = new Map<string, number>();
  readonly #options: WarmMapOptions;

  constructor(options = usual) {
    this.#options = options;
  }

  get size(): number {
    return this.#places.size;
  }

  get(key: string): V | undefined {
    let place = this.#warm.get(key);
    if (place === undefined) {
      place = this.#places.get(key);
      if (place === undefined) return undefined;
      if (this.#places.size >= this.#options.from) this.#keepWarm(key, place);
    }
    return this.#values[place];
  }

  /** Returns a value as {@link get} does, and leaves alone which entries were used lately. */
  peek(key: string): V | undefined {
    const place = this.#placeOf(key);
    return place === undefined ? undefined : this.#values[place];
  }

  /** Gives the value from before, undefined where there was none; so does {@link delete}. */
  set(key: string, value: V): V | undefined {
    let place = this.#placeOf(key);
    if (place === undefined) {
      place = this.#free.pop() ?? this.#values.length;
      this.#places.set(key, place);
    }
    const before = this.#values[place];
    this.#values[place] = value;
    return before;
  }

  delete(key: string): V | undefined {
    const place = this.#placeOf(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    this.#warm.delete(key);
    const before = this.#values[place];
    this.#values[place] = undefined;
    this.#free.push(place);
    return before;
  }

  /** All values, in the order in which their keys came. */
  *values(): Generator<V> {
    for (const place of this.#places.values()) yield this.#values[place] as V;
  }

  /** All entries, in the order in which their keys came; also those that come meanwhile. */
  *entries(): Generator<[string, V]> {
    for (const [key, place] of this.#places) yield [key, this.#values[place] as V];
  }

  #placeOf(key: string): number | undefined {
    return this.#warm.get(key) ?? this.#places.get(key);
  }

  #keepWarm(key: string, place: number): void {
    if (this.#warm.size >= this.#options.most) this.#warm.clear();
    this.#warm.set(key, place);
  }
}
