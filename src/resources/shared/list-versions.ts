/** The version of each list, for the response cache: a change of one list leaves the answers of others valid. */
import type { DurableData } from "../../store/data.ts";

/** See the head of this file. */
export class ListVersions {
  readonly #versions = new Map<string, number>();

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
}
