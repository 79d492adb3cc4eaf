/** What the lists of reasons and places have in common: an entry is added once, and removed by its name. */
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../domain/errors.ts";
import { comparisonForm, fold } from "../../domain/text.ts";
import type { DraftRows } from "../../store/collection.ts";

/** A collection of entries that have a text as their name. */
type Entries<T> = DraftRows<T, "text">;

/**
 * The entry of a name. The one with this very spelling comes first: older data can have two that differ only in U+FE0F.
 * @param scope what stands before the name in keys, where names are those of a faction
 */
export function findEntry<T>(rows: Entries<T>, name: string, scope = ""): T | undefined {
  return rows.get(scope + fold(name)) ?? rows.find("text", scope + comparisonForm(name))[0];
}

/**
 * Adds an entry, or says that it is there (contract, section 1: repeating a change is harmless). The first spelling
 * of its name is kept.
 * @param name the property that names the entry; it may differ in case from the one that is there
 * @param more what is stored with a new entry and does not count as one of its values, such as who added it
 * @throws Failure `CONFLICT` where an entry of that name has other values
 */
export function addEntry<T extends object>(
  rows: Entries<T>,
  entry: T,
  name: keyof T & string,
  what: string,
  { scope = "", more = {} }: { scope?: string; more?: Partial<T> } = {},
): string {
  const known = findEntry(rows, String(entry[name]), scope);
  const label = `${what} ${String((known ?? entry)[name])}`;
  if (known === undefined) {
    rows.put({ ...entry, ...more });
    return `Added the ${label}.`;
  }
  if (isDeepStrictEqual({ ...known, ...more }, { ...entry, [name]: known[name], ...more }))
    return `The ${label} is there already.`;
  throw new Failure("CONFLICT", `The ${label} exists with other values.`, {
    hint: "Remove it first, then add it with the new ones.",
  });
}

/** Removes an entry. @throws Failure `UNKNOWN_ENTRY` where there is none of that name */
export function removeEntry<T extends object>(
  rows: Entries<T>,
  name: keyof T & string,
  typed: string,
  what: string,
  scope = "",
): string {
  const known = findEntry(rows, typed, scope);
  if (known === undefined) throw new Failure("UNKNOWN_ENTRY", `There is no ${what} ${typed}.`);
  rows.delete(scope + fold(String(known[name])));
  return `Removed the ${what} ${String(known[name])}.`;
}
