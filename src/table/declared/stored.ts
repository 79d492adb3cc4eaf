/** What is stored of an entry, under the present names of its fields. It loads nothing that parses a table. */
import type { Entry, EntryValue } from "../../domain/entry.ts";
import type { List } from "./lists.ts";

/** Returns the value of a field; undefined without one. A player is a name. */
export function storedValue({ values, player, name }: Entry, field: string): EntryValue | undefined {
  if (field === player) return name;
  return Object.hasOwn(values, field) ? values[field] : undefined;
}

/**
 * Returns an entry with the present names of renamed fields; the same one if it has them. A field stays under its former
 * name, where nobody sees it, if the entry has a value under the present one as well.
 */
export function withPresentNames(entry: Entry, { renamed }: Pick<List, "renamed">): Entry {
  const { key, values, names, entries, instants, player } = entry;
  const present = (name: string) => {
    const to = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    return to === undefined || storedValue(entry, to) !== undefined ? name : to;
  };
  if ([...Object.keys(values), ...key, player ?? ""].every((name) => present(name) === name)) return entry;
  const inOrder = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(map).map(([name, value]) => [present(name), value]));
  return {
    ...entry,
    key: key.map(present),
    values: inOrder(values),
    ...(names && { names: inOrder(names) }),
    ...(entries && { entries: inOrder(entries) }),
    ...(instants && { instants: instants.map(present) }),
    ...(player !== undefined && { player: present(player) }),
  };
}
