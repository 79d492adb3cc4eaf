/** Who a UUID is: the names that the data and its journal have, also of players who are registered no more. */

import { fold } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import type { JournalRecord } from "../store/change.ts";
import type { Database } from "../store/collection.ts";

/** The collections whose records have the name of somebody, and the UUID where it is known. */
const naming: ReadonlySet<string> = new Set(["players", "groupMembers", "targets", "houseBans"]);

/** Somebody, as those who look for changes mean them: every UUID that goes with the name, and the name. */
export interface Person {
  readonly uuids: ReadonlySet<string>;
  /** Folded; undefined where only the UUID is known. */
  readonly name: string | undefined;
}

/** See the head of this file. It learns more while a journal is followed. */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #uuids = new Map<string, Set<string>>();
  /** All names, as they are written, by their folded form. */
  readonly #written = new Map<string, string>();

  /** The name of a UUID, or undefined. */
  of(uuid: string): string | undefined {
    return this.#names.get(uuid);
  }

  /** All names that are known, bound to a UUID or not. */
  get all(): readonly string[] {
    return [...this.#written.values()];
  }

  /** Whether somebody of that name is known. */
  has(name: string): boolean {
    return this.#written.has(fold(name));
  }

  /** Whom a name or a UUID means, by what is known now. */
  person(reference: string): Person {
    const uuid = toUUID(reference);
    if (uuid === undefined)
      return { uuids: this.#uuids.get(fold(reference)) ?? new Set(), name: fold(reference) };
    const name = this.#names.get(uuid);
    return { uuids: new Set([uuid]), name: name === undefined ? undefined : fold(name) };
  }

  /** Takes in the names of a change. */
  learn({ changes }: Pick<JournalRecord, "changes">): void {
    for (const { collection, before, after } of changes) {
      if (!naming.has(collection)) continue;
      this.#add(before);
      this.#add(after);
    }
  }

  /** Takes in the names of the data. */
  learnAll(database: Database): void {
    for (const collection of naming) {
      for (const record of database.collection(collection).values()) this.#add(record);
    }
  }

  #add(record: unknown): void {
    const { name, uuid } = subjectOf(record);
    if (name === undefined) return;
    this.#written.set(fold(name), name);
    if (uuid === undefined || uuid === null) return;
    this.#names.set(uuid, name);
    const uuids = this.#uuids.get(fold(name)) ?? new Set();
    this.#uuids.set(fold(name), uuids.add(uuid));
  }
}

/** Whether a record of a collection is somebody's: bound to their UUID, or while there is none to their name. */
export function belongsTo(person: Person, collection: string, record: unknown): boolean {
  const { name, uuid } = subjectOf(record);
  if (typeof uuid === "string") return person.uuids.has(uuid);
  return naming.has(collection) && name !== undefined && fold(name) === person.name;
}

function subjectOf(record: unknown): { name?: string | undefined; uuid?: string | null | undefined } {
  if (typeof record !== "object" || record === null) return {};
  const { name, uuid } = record as { name?: unknown; uuid?: unknown };
  return {
    name: typeof name === "string" ? name : undefined,
    uuid: typeof uuid === "string" || uuid === null ? uuid : undefined,
  };
}
