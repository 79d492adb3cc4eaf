/** What the lists of reasons and places have in common: an entry is added once, and removed by its name. */
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../errors.ts";
import type { DraftRows } from "../store/collection.ts";

/**
 * Adds an entry, or says that it is there (contract, section 1: repeating a change is harmless). The first spelling
 * of its name is kept.
 * @param name the property that names the entry; it may differ in case from the one that is there
 * @throws Failure `CONFLICT` where an entry of that name has other values
 */
export function addEntry<T extends object>(
  rows: DraftRows<T>,
  key: string,
  entry: T,
  name: keyof T & string,
  what: string,
): string {
  const known = rows.get(key);
  const label = `${what} ${String((known ?? entry)[name])}`;
  if (known === undefined) {
    rows.put(entry);
    return `Added the ${label}.`;
  }
  if (isDeepStrictEqual(known, { ...entry, [name]: known[name] })) return `The ${label} is there already.`;
  throw new Failure("CONFLICT", `The ${label} exists with other values.`, {
    hint: "Remove it first, then add it with the new ones.",
  });
}

/** Removes an entry. @throws Failure `UNKNOWN_ENTRY` where there is none of that name */
export function removeEntry<T extends object>(
  rows: DraftRows<T>,
  key: string,
  name: keyof T & string,
  typed: string,
  what: string,
): string {
  const known = rows.get(key);
  if (known === undefined) throw new Failure("UNKNOWN_ENTRY", `There is no ${what} ${typed}.`);
  rows.delete(key);
  return `Removed the ${what} ${String(known[name])}.`;
}
