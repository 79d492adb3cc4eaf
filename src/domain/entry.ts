/**
 * Entries of the lists that a route table declares. A record says by itself what makes up its key and what it refers to:
 * the data is opened before a table is read, and outlives it.
 */
import * as v from "valibot";
import { define, type NameReference, namedKinds } from "./collection.ts";
import { comparisonForm, fold } from "./text.ts";
import { uuid } from "./uuid.ts";

const entrySchema = v.object({
  list: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9]*$/)),
  /** The fields that make up the key, in order. */
  key: v.pipe(v.array(v.string()), v.minLength(1)),
  /** The values of all fields but the player, in the form of the interface. */
  values: v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
  /** The fields that name a group or an organisation, each with its kind. */
  names: v.optional(v.record(v.string(), v.picklist(namedKinds))),
  /** The fields that name an entry of another list, each with that list. */
  entries: v.optional(v.record(v.string(), v.string())),
  /** The fields with an instant, in milliseconds since 1970. */
  instants: v.optional(v.array(v.string())),
  /** The field that names a player, registered or not, whose name and UUID follow. */
  player: v.optional(v.string()),
  name: v.optional(v.string()),
  uuid: v.optional(v.nullable(uuid)),
  /** Who added it; null or absent if no player did, absent in older records. */
  creatorName: v.optional(v.nullable(v.string())),
  creatorUUID: v.optional(v.nullable(uuid)),
});
export type Entry = v.InferOutput<typeof entrySchema>;
export type EntryValue = Entry["values"][string];

/** Returns whether a record is an entry: a journal that somebody has edited can have anything. */
export function isEntry(record: unknown): record is Entry {
  return v.is(entrySchema, record);
}

/** What the key of an entry is made of. */
type EntryKey = Pick<Entry, "list" | "key" | "values" | "player" | "name" | "uuid">;

/** Returns the key of an entry, such as `lap/monza/0123…`. @param form makes texts that are the same equal */
function keyIn({ list, key, values, player, name = "", uuid }: EntryKey, form: typeof fold): string {
  const parts = key.map((field) =>
    field === player ? (uuid ?? `~${fold(name)}`) : form(String(values[field])),
  );
  const last = parts.pop() ?? "";
  // Only the last part can contain a slash: no two keys become the same.
  return [list, ...parts.map((part) => part.replace(/[%/]/g, encodeURIComponent)), last].join("/");
}

/** Returns the key of an entry, by which it is stored. */
export const entryKey = (entry: EntryKey) => keyIn(entry, fold);

/** Returns the key by which entries are found that differ only in what {@link comparisonForm} ignores. */
export const comparisonKey = (entry: EntryKey) => keyIn(entry, comparisonForm);

/**
 * Returns the text by which the entries of a list are found that share a part of their keys.
 * @param place of the part in the key: fields can be renamed
 */
export function partKey(list: string, place: number, value: string): string {
  return `${list}/${place}/${comparisonForm(value)}`;
}

/** Returns these texts for all parts of an entry's key: two for a player who has a name and a UUID. */
function partKeysOf({ list, key, values, player, name = "", uuid }: Entry): string[] {
  return key.flatMap((field, place) => {
    const texts = field === player ? [name, uuid ?? name] : [String(values[field])];
    // Of an unregistered UUID, the name is the UUID.
    return Array.from(new Set(texts), (text) => partKey(list, place, text));
  });
}

/** Returns the name of the counter that has the highest number which an entry of a list was given. */
export const numberCounter = (list: string) => `${numberPrefix}${list}`;
const numberPrefix = "list ";

/** Returns whether a name is that of {@link numberCounter}. */
export const isNumberCounter = (name: string) => name.startsWith(numberPrefix);

function namedIn({ names = {}, values }: Entry): NameReference[] {
  return Object.entries(names).map(([field, kind]) => ({ name: String(values[field]), kinds: [kind] }));
}

/** Returns the key of an entry as it is spelled, with the name of a player. */
export function entryLabel({ list, key, values, player, name }: EntryKey): string {
  return [list, ...key.map((field) => (field === player ? name : values[field]))].join("/");
}

/** Returns the keys of the entries that an entry refers to. */
export function entriesIn({ entries = {}, values }: Entry): string[] {
  return Object.entries(entries).map(([field, list]) => `${list}/${fold(String(values[field]))}`);
}

/** The collection of all entries. */
export const entries = define("entry", entrySchema, entryKey, {
  indexes: {
    list: ({ list }) => list,
    text: comparisonKey,
    part: partKeysOf,
    creator: ({ list, creatorUUID }) => (creatorUUID == null ? undefined : `${list}/${creatorUUID}`),
    subject: ({ name, uuid }) => (name === undefined ? undefined : (uuid ?? `~${fold(name)}`)),
    name: ({ name, uuid }) => (name === undefined || uuid === null ? undefined : fold(name)),
  },
  refersTo: {
    subject: (a, b) => Number(a.uuid === null) - Number(b.uuid === null),
    named: namedIn,
    entries: entriesIn,
    creator: "record",
  },
});
