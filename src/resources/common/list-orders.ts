/** The entries of lists in order: sorting takes longest, and every limit has another answer. */
import { LRUCache } from "lru-cache";
import type { Entry } from "../../domain/entry.ts";
import type { Comparison } from "../../domain/text.ts";

/** Of how many entries the order is kept, in all lists together. */
const maxOrdered = 500_000;
/** As how many entries an order counts, at least: so that a thousand orders are kept, at most. */
const minOrdered = 500;

interface Order {
  readonly version: number;
  readonly compare: Comparison;
  readonly entries: readonly Entry[];
}

export class ListOrders {
  readonly #orders = new LRUCache<string, Order>({
    maxSize: maxOrdered,
    sizeCalculation: ({ entries }) => Math.max(entries.length, minOrdered),
  });

  /**
   * Returns some entries of a list in order.
   * @param key the list, and what selects the entries
   * @param version that of the list
   * @param compare the comparison of the table: each has its own, and may order the list by another field
   * @param sort returns them, where they are not known
   */
  sorted(key: string, version: number, compare: Comparison, sort: () => readonly Entry[]): readonly Entry[] {
    const latest = this.#orders.get(key);
    if (latest?.version === version && latest.compare === compare) return latest.entries;
    const entries = sort();
    // Anybody can ask for what does not exist.
    if (entries.length > 0) this.#orders.set(key, { version, compare, entries });
    return entries;
  }
}
