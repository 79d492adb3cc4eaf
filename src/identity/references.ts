/** The records that refer to somebody or to a name, in all collections, by what their definitions say (`domain/collection.ts`). */
import { isDeepStrictEqual } from "node:util";
import { type AnyRecord, type CollectionDefinition, listIn } from "../domain/collection.ts";
import { type Entry, entriesIn } from "../domain/entry.ts";
import { textOf } from "../domain/label.ts";
import { collectionNames, definitionOf, type Player, subjectKey } from "../domain/model.ts";
import type { DraftRows, Rows } from "../store/collection.ts";
import type { Data, Draft } from "../store/data.ts";

/** A collection with its definition, for code that treats all alike. */
export interface AnyCollection<R extends Rows<AnyRecord> = Rows<AnyRecord>> extends CollectionDefinition {
  readonly name: string;
  readonly rows: R;
}

/** The collections of data and drafts that are in use: a roster asks for them with each player. */
const cached = new WeakMap<Data, readonly AnyCollection[]>();

/** Returns all collections of some data. */
export function collectionsOf(data: Draft): readonly AnyCollection<DraftRows<AnyRecord>>[];
export function collectionsOf(data: Data): readonly AnyCollection[];
export function collectionsOf(data: Data): readonly AnyCollection[] {
  const known = cached.get(data);
  if (known !== undefined) return known;
  const all: Readonly<Record<string, Rows<AnyRecord>>> = data;
  const collections = collectionNames.flatMap((name) => {
    const definition = definitionOf(name);
    const rows = all[name];
    return definition === undefined || rows === undefined ? [] : [{ ...definition, name, rows }];
  });
  cached.set(data, collections);
  return collections;
}

/** Returns the records that are of a UUID. */
export function recordsOfPlayer({ refersTo, rows }: AnyCollection, uuid: string): readonly AnyRecord[] {
  const { subject, player } = refersTo;
  if (subject !== undefined) return rows.find("subject", uuid);
  if (player === undefined) return [];
  if (player.index !== undefined) return rows.find(player.index, uuid);
  const record = rows.get(uuid);
  return record === undefined ? [] : [record];
}

/** Returns the records with a name that was not registered when they were made. */
export function recordsOfName({ refersTo, rows }: AnyCollection, name: string): readonly AnyRecord[] {
  return refersTo.subject === undefined ? [] : rows.find("subject", subjectKey({ name, uuid: null }));
}

/** Returns what has a creator in a record: the record itself, or objects in a field of it. */
export function creatorsIn({ refersTo }: CollectionDefinition, record: AnyRecord): readonly AnyRecord[] {
  if (refersTo.creator === undefined) return [];
  return refersTo.creator === "record" ? [record] : listIn(record, refersTo.creator);
}

/**
 * Returns a record with other names beside its UUIDs: of the person it is about, and of creators.
 * @param nameOf returns the name of a UUID; undefined to leave the one in the record
 */
export function withNames<T>(collection: string, record: T, nameOf: (uuid: string) => string | undefined): T {
  const { subject, creator } = definitionOf(collection)?.refersTo ?? {};
  const named = <R>(item: R, uuidField: string, nameField: string): R => {
    const uuid = textOf(item, uuidField);
    const name = uuid === undefined ? undefined : nameOf(uuid);
    return name === undefined ? item : { ...item, [nameField]: name };
  };
  const withCreator = <R>(item: R) => named(item, "creatorUUID", "creatorName");
  const own = subject === undefined ? record : named(record, "uuid", "name");
  if (creator === undefined || typeof own !== "object" || own === null) return own;
  if (creator === "record") return withCreator(own);
  const items: unknown = Reflect.get(own, creator);
  return Array.isArray(items) ? { ...own, [creator]: items.map(withCreator) } : own;
}

/** Whether two records are the same but for names beside UUIDs: these follow their players, whoever changes the record. */
export function areSame(collection: string, one: unknown, other: unknown): boolean {
  const withoutNames = (record: unknown) => withNames(collection, record, () => "");
  return isDeepStrictEqual(one, other) || isDeepStrictEqual(withoutNames(one), withoutNames(other));
}

/** Returns the entries that refer to other entries, by the keys of those. */
export function referringEntries(data: Data): ReadonlyMap<string, readonly Entry[]> {
  const users = new Map<string, Entry[]>();
  for (const entry of data.entries.values()) {
    // Nearly all refer to none.
    if (entry.entries === undefined) continue;
    for (const key of entriesIn(entry)) {
      const known = users.get(key);
      if (known === undefined) users.set(key, [entry]);
      else known.push(entry);
    }
  }
  return users;
}

/**
 * Binds the records of a name to the player who now has it: nobody can take them over by registering that name later,
 * and nobody escapes an exclusion by registering. Records of the UUID, and those that the player entered, get the name.
 */
export function bindRecords(draft: Draft, player: Player): void {
  bindSubjects(draft, player);
  renameCreators(draft, [player]);
}

/** Does the part of {@link bindRecords} that looks only at the player's records. */
export function bindSubjects(draft: Draft, { name, uuid }: Player): void {
  for (const collection of collectionsOf(draft)) {
    const { refersTo, rows, key } = collection;
    if (refersTo.subject === undefined) continue;
    const found = [...recordsOfName(collection, name), ...recordsOfPlayer(collection, uuid)];
    for (const record of found) rows.delete(key(record));
    // Of records that become the same, the last one that is put stays.
    for (const record of found.sort(refersTo.subject).reverse()) rows.put({ ...record, name, uuid });
  }
}

/** Does the other part, for many players at once: it looks at all records. */
export function renameCreators(draft: Draft, players: readonly Player[]): void {
  const names = new Map<unknown, string>(players.map(({ uuid, name }) => [uuid, name]));
  for (const collection of collectionsOf(draft)) {
    const { refersTo, rows } = collection;
    if (refersTo.creator === undefined || names.size === 0) continue;
    for (const record of [...rows.values()]) {
      if (creatorsIn(collection, record).some(({ creatorUUID }) => names.has(creatorUUID)))
        rows.put(withNames(collection.name, record, (uuid) => names.get(uuid)));
    }
  }
}
