/** The names of players in the data and its journal, including players who are no longer registered. */
import { textOf } from "../domain/label.ts";
import { collectionNames, definitionOf } from "../domain/model.ts";
import { fold } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import type { JournalRecord } from "../store/change.ts";
import type { Database } from "../store/collection.ts";

/** The collections whose records have a name, and a UUID where it is known. */
const naming: ReadonlySet<string> = new Set(
  collectionNames.filter((name) => name === "players" || definitionOf(name)?.refersTo.subject !== undefined),
);

/** A person: the name, and every UUID that has had it. */
export interface Person {
  readonly uuids: ReadonlySet<string>;
  /** Folded; undefined if unknown. */
  readonly name: string | undefined;
}

export class PlayerNames {
  readonly #names = new Map<string, string>();
  readonly #uuids = new Map<string, Set<string>>();
  /** The names by their folded form. */
  readonly #written = new Map<string, string>();

  /** Returns the name of a UUID, or undefined. */
  of(uuid: string): string | undefined {
    return this.#names.get(uuid);
  }

  /** All names, with a UUID or without. */
  get all(): readonly string[] {
    return [...this.#written.values()];
  }

  /** Returns whether a name is known. */
  has(name: string): boolean {
    return this.#written.has(fold(name));
  }

  /** Returns the person of a name or a UUID, as far as known. */
  person(reference: string): Person {
    const uuid = toUUID(reference);
    if (uuid === undefined)
      return { uuids: this.#uuids.get(fold(reference)) ?? new Set(), name: fold(reference) };
    const name = this.#names.get(uuid);
    return { uuids: new Set([uuid]), name: name === undefined ? undefined : fold(name) };
  }

  /** Adds the names in a change. */
  learn({ changes }: Pick<JournalRecord, "changes">): void {
    for (const { collection, before, after } of changes) {
      if (!naming.has(collection)) continue;
      this.#add(before);
      this.#add(after);
    }
  }

  /** Adds the names in the data. */
  learnAll(database: Database): void {
    for (const collection of naming) {
      for (const record of database.collection(collection).values()) this.#add(record);
    }
  }

  #add(record: unknown): void {
    const [name, uuid] = [textOf(record, "name"), textOf(record, "uuid")];
    if (name === undefined) return;
    this.#written.set(fold(name), name);
    if (uuid === undefined) return;
    this.#names.set(uuid, name);
    const uuids = this.#uuids.get(fold(name)) ?? new Set();
    this.#uuids.set(fold(name), uuids.add(uuid));
  }
}

/** Returns whether a record is a person's: by its UUID, or if it has none, by its name. */
export function belongsTo(person: Person, collection: string, record: unknown): boolean {
  const [name, uuid] = [textOf(record, "name"), textOf(record, "uuid")];
  if (uuid !== undefined) return person.uuids.has(uuid);
  return naming.has(collection) && name !== undefined && fold(name) === person.name;
}
