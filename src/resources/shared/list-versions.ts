/** The lists in force, and the version of each for the response cache: a change of one list leaves the answers of others valid. */
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../domain/errors.ts";
import type { DurableData } from "../../store/data.ts";
import type { List } from "../../table/declared/lists.ts";

/** See the head of this file. */
export class ListVersions {
  readonly #versions = new Map<string, number>();
  #inForce: readonly List[] | undefined;

  constructor({ entries }: Pick<DurableData, "entries">) {
    entries.watch((_, before, after) => {
      const list = (after ?? before)?.list ?? "";
      this.#versions.set(list, this.version(list) + 1);
    });
  }

  /** Returns the version of a list: it grows with every change. */
  version(list: string): number {
    return this.#versions.get(list) ?? 0;
  }

  /** Puts the lists of a table in force. */
  use(lists: readonly List[]): void {
    this.#inForce = lists;
  }

  /**
   * Refuses a change that began with another declaration of its list: what it writes could be what the present one cannot
   * read.
   * @throws Failure `STORE_UNAVAILABLE`, after which clients repeat the request
   */
  requireInForce(list: List): void {
    const present = this.#inForce?.find(({ name }) => name === list.name);
    if (this.#inForce === undefined || isDeepStrictEqual(present, list)) return;
    throw new Failure(
      "STORE_UNAVAILABLE",
      `The list ${list.name} has just been declared anew. Nothing was changed; try again.`,
    );
  }
}
