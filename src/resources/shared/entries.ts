/** Adding and removing the entries of a list of reasons or places, each by its name. */
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../domain/errors.ts";
import { comparisonForm, fold } from "../../domain/text.ts";
import type { DraftRows } from "../../store/collection.ts";

/** A collection of entries that a text names. */
type Entries<T> = DraftRows<T, "text">;

/**
 * Returns the entry of a name. An exact spelling comes first: older data may have two that differ only in U+FE0F.
 * @param scope the prefix of the keys, for the entries of one faction
 */
export function findEntry<T>(rows: Entries<T>, name: string, scope = ""): T | undefined {
  return rows.get(scope + fold(name)) ?? rows.find("text", scope + comparisonForm(name))[0];
}

/**
 * Adds an entry unless it exists (repeating a change is harmless). The first spelling of its name
 * stays.
 * @param name the property that names the entry
 * @param more properties to store with a new entry and not to compare, such as who added it
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
    return `The ${label} already exists.`;
  throw new Failure("CONFLICT", `The ${label} already exists with different values.`, {
    hint: "Remove it first, then add it with the new values.",
  });
}

/** Removes an entry. @throws Failure `UNKNOWN_ENTRY` where no entry has that name */
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
