/** A cache of values that are derived from others: each is valid while what it depends on is the same. */
import { LRUCache } from "lru-cache";

interface Derived<T> {
  readonly value: T;
  readonly dependencies: readonly unknown[];
}

export class DerivedCache<T> {
  readonly #values: LRUCache<string, Derived<T>>;
  readonly #sizeOf: (value: T) => number;

  /**
   * @param most the maximum number of values
   * @param maxSize the maximum of their sizes together
   * @param sizeOf returns 0 for a value that is not cached
   */
  constructor(most: number, maxSize = most, sizeOf: (value: T) => number = () => 1) {
    this.#sizeOf = sizeOf;
    // With `max` it would allocate room for all at each start, which takes 5 ms for thousands.
    const sizeCalculation = ({ value }: Derived<T>) => Math.max(sizeOf(value), Math.ceil(maxSize / most));
    this.#values = new LRUCache({ maxSize, sizeCalculation });
  }

  /** Returns the value of a key, or derives it. @throws what `derive` throws, which is not cached */
  get(key: string, dependencies: readonly unknown[], derive: () => T): T {
    const cached = this.#values.get(key);
    if (cached?.dependencies.every((dependency, index) => dependency === dependencies[index]))
      return cached.value;
    const value = derive();
    if (this.#sizeOf(value) > 0) this.#values.set(key, { value, dependencies });
    return value;
  }
}
