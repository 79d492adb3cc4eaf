/** What is stored of an entry, under the present names of its fields. It loads nothing that parses a table. */
import type { Entry, EntryValue } from "../../domain/entry.ts";
import type { List } from "./lists.ts";

/** Returns the value of a field; undefined without one. A player is a name. */
export function storedValue({ values, player, name }: Entry, field: string): EntryValue | undefined {
  if (field === player) return name;
  return Object.hasOwn(values, field) ? values[field] : undefined;
}

/** Returns an entry with the present names of renamed fields; the same one if it has them. */
export function withPresentNames(entry: Entry, { renamed }: Pick<List, "renamed">): Entry {
  const present = (name: string) => (Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name);
  const isPresent = (name: string) => present(name) === name;
  const { key, values, names, entries, instants, player } = entry;
  if ([...Object.keys(values), ...key, player ?? ""].every(isPresent)) return entry;
  const inOrder = <T>(map: Readonly<Record<string, T>>): Record<string, T> => {
    const all = Object.entries(map);
    // A value under the present name is later than one under the former.
    const former = all.map(([name, value]) => [present(name), value] as const);
    return Object.fromEntries([...former, ...all.filter(([name]) => isPresent(name))]);
  };
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
