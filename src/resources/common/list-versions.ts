/** The lists in force, and the version of each for the response cache: a change of one list leaves the answers of others valid. */
import { isDeepStrictEqual } from "node:util";
import { DerivedCache } from "../../domain/derived-cache.ts";
import type { Entry } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { fold } from "../../domain/text.ts";
import type { DurableData } from "../../store/data.ts";
import { kindOf } from "../../table/caller.ts";
import type { List } from "../../table/declared/lists.ts";
import type { Input, ParameterValue } from "../../table/restriction/restriction.ts";

export class ListVersions {
  /** By the name of a list, and for its parts by {@link partOf}. */
  readonly #versions = new Map<string, number>();
  /**
   * The entries of lists in order: sorting takes longest, and every limit has another answer. Not of parts without entries:
   * anybody can ask for any number of these.
   */
  readonly orders = new DerivedCache<readonly Entry[]>(1000, 500_000, ({ length }) => length);
  #inForce: readonly List[] | undefined;

  constructor({ entries }: Pick<DurableData, "entries">) {
    entries.watch((_, before, after) => {
      const changed = new Set([before, after].flatMap((entry) => (entry ? keysOf(entry) : [])));
      for (const key of changed) this.#versions.set(key, (this.#versions.get(key) ?? 0) + 1);
    });
  }

  /**
   * Returns the version of a list: it grows with every change.
   * @param input the values of some fields. If one names a group or an organisation, the version is that of the entries with
   *   that name: nobody learns of changes to the list of another faction
   */
  version(list: string, input: Input = {}): number {
    const fields = this.#inForce?.find(({ name }) => name === list)?.fields ?? [];
    const parts = fields.flatMap(({ name, type }) => {
      const value = input[name];
      return value === undefined || kindOf(type.base) === undefined ? [] : [partOf(list, name, value)];
    });
    return (parts.length === 0 ? [list] : parts).reduce(
      (sum, key) => sum + (this.#versions.get(key) ?? 0),
      0,
    );
  }

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

/** Returns the keys of what changes with an entry: its list, and the parts of the groups and organisations that it names. */
function keysOf({ list, names = {}, values }: Entry): string[] {
  return [list, ...Object.keys(names).map((field) => partOf(list, field, values[field] ?? ""))];
}

function partOf(list: string, field: string, value: ParameterValue): string {
  return `${list}/${field}/${fold(String(value))}`;
}
