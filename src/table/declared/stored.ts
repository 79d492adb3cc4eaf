/** What is stored of an entry, under the present names of its fields. It loads nothing that parses a table. */
import type { Entry, EntryValue } from "../../domain/entry.ts";
import { counted } from "../../domain/text.ts";
import type { List } from "./lists.ts";

/** The entries of the data. */
export interface Rows {
  find(index: "list", list: string): readonly Entry[];
  values(): Iterable<Entry>;
}

/** Returns the value of a field; undefined without one. A player is a name. */
export function storedValue({ values, player, name }: Entry, field: string): EntryValue | undefined {
  if (field === player) return name;
  return Object.hasOwn(values, field) ? values[field] : undefined;
}

/** Returns an entry with the present names of renamed fields; the same one if it has them. */
export function withPresentNames(entry: Entry, { renamed }: Pick<List, "renamed">): Entry {
  const present = (name: string) => (Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name);
  const isPresent = (name: string) => present(name) === name;
  const { key, values, names, entries, player } = entry;
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
    ...(player !== undefined && { player: present(player) }),
  };
}

/** Returns a sentence, without a full stop, about each list whose entries are kept although no list declares them. */
export function undeclaredIn(lists: readonly List[], rows: Rows): string[] {
  const names = new Set(Array.from(rows.values(), ({ list }) => list));
  for (const { name } of lists) names.delete(name);
  return Array.from(names, (name) => {
    const count = rows.find("list", name).length;
    const kept = `the data keeps ${counted(count, "entry")} of "${name}"`;
    return `${kept}, which no list declares; \`addon-cli list drop ${name}\` removes ${count === 1 ? "it" : "them"}`;
  });
}
