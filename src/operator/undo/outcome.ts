/** What the data would be after an undo, and why a record cannot be undone. */
import * as v from "valibot";
import type { NamedKind } from "../../domain/collection.ts";
import type { Entry } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { labelOf, textOf } from "../../domain/label.ts";
import { definitionOf, model, type Named, nounOf, type Player } from "../../domain/model.ts";
import { counted, fold, oneOf } from "../../domain/text.ts";
import { collectionsOf, recordsOfPlayer, referringEntries } from "../../identity/references.ts";
import type { RecordChange } from "../../store/change.ts";
import type { Rows } from "../../store/collection.ts";
import type { Data } from "../../store/data.ts";

/** Returns a record in words, such as `the membership Ada (GROVE)`. */
export function recordWords(
  { collection, key, before, after }: RecordChange,
  nameOf: (uuid: string) => string,
): string {
  // A player may have another name by now.
  const label = collection === "players" ? nameOf(key) : labelOf(after ?? before, key, nameOf);
  return `the ${nounOf(collection)} ${label}`;
}

/** Returns the key of a group, a faction or a service. */
function namedKey(kind: NamedKind, name: string): string {
  return model.names.key({ kind, name, position: 0 });
}

/** Returns a record of a change that fits its collection. @throws Failure `CONFLICT` for another one */
function recordOf(collection: string, record: unknown): unknown {
  const result = v.safeParse(definitionOf(collection)?.schema ?? v.never(), record);
  if (result.success) return result.output;
  throw new Failure("CONFLICT", `A record of the change is malformed: ${result.issues[0].message}.`, {
    hint: "`addon-cli data verify` shows what is wrong with the data.",
  });
}

/** Returns why an entry does not fit its list: with it, the table could not be put in force again. */
export type Fit = (entry: Entry) => string | undefined;

/** The data after an undo. */
export class Outcome {
  readonly #data: Data;
  readonly #fit: Fit;
  /** The values of the undone records, by collection and key. */
  readonly #undone = new Map<string, unknown>();
  /** The entries that refer to others, by the keys of those. */
  #referring: ReadonlyMap<string, readonly Entry[]> | undefined;

  /** @param fit says why an entry does not fit its list */
  constructor(data: Data, changes: readonly RecordChange[], fit: Fit) {
    this.#data = data;
    this.#fit = fit;
    for (const { collection, key, before } of changes) this.#undone.set(`${collection} ${key}`, before);
  }

  /** Excepts a record from the undo. */
  keep({ collection, key }: RecordChange): void {
    this.#undone.delete(`${collection} ${key}`);
  }

  /** Returns the name of a player. */
  nameOf(uuid: string): string | undefined {
    return textOf(this.#undone.get(`players ${uuid}`), "name") ?? this.#data.players.get(uuid)?.name;
  }

  /** Returns why a record cannot be undone. */
  fault(change: RecordChange): string | undefined {
    const { collection, key, before, after } = change;
    const { players } = this.#data;
    const nameOf = (uuid: string) =>
      players.get(uuid)?.name ?? textOf(this.#undone.get(`players ${uuid}`), "name") ?? uuid;
    const what = recordWords(change, nameOf);
    const { player, named, entries } = definitionOf(collection)?.refersTo ?? {};
    const record = before === null ? undefined : recordOf(collection, before);
    const owner = player?.outlives === false ? textOf(record, player.field) : undefined;
    if (owner !== undefined && !this.#has("players", owner))
      return `the player of ${what} is no longer registered`;
    for (const { name, kinds } of record === undefined ? [] : (named?.(record) ?? [])) {
      const exists = kinds.some((kind) => this.#has("names", namedKey(kind, name)));
      if (!exists) return `the ${oneOf(kinds)} ${name} of ${what} has been removed since`;
    }
    const unfit = entries === undefined || record === undefined ? undefined : this.#fit(record as Entry);
    if (unfit !== undefined) return `the route table has changed since, and refuses ${what}: ${unfit}`;
    const missing = record && entries?.(record).find((entry) => !this.#has(collection, entry));
    if (missing !== undefined) return `the entry ${missing} of ${what} has been removed since`;
    if (entries !== undefined && before === null) {
      // Found once, since an undo can have many records.
      this.#referring ??= referringEntries(this.#data);
      const [user] = this.#left(collection, this.#referring.get(key) ?? [], model.entries.key);
      if (user !== undefined) return `the entry ${labelOf(user, "", nameOf)} refers to ${what}`;
    }
    if (collection === "names" && before !== null) return this.#otherKind(record as Named);
    if (collection !== "players") return undefined;
    if (before !== null) {
      const { name } = record as Player;
      const other = this.#left("players", this.#data.players.find("name", fold(name)), ({ uuid }) => uuid)[0];
      return other === undefined ? undefined : `the player ${other.uuid} now has the name ${name}`;
    }
    // Whoever gets the UUID next would take over what the player has been given since.
    const left = collectionsOf(this.#data).flatMap((collection) => {
      const ends =
        collection.refersTo.subject !== undefined || collection.refersTo.player?.outlives === false;
      if (!ends || collection.isBookkeeping) return [];
      const { length } = this.#left(collection.name, recordsOfPlayer(collection, key), collection.key);
      return length === 0 ? [] : [counted(length, collection.noun)];
    });
    return left.length === 0
      ? undefined
      : `other records refer to the player ${textOf(after, "name")}: ${oneOf(left, "and")}`;
  }

  /** Returns the conflict of a name that would be both a faction and a service. */
  #otherKind({ kind, name }: Pick<Named, "kind" | "name">): string | undefined {
    if (kind === "group") return undefined;
    const twin = kind === "faction" ? "service" : "faction";
    const isTaken = this.#has("names", namedKey(twin, name));
    return isTaken ? `${name} is now a ${twin}` : undefined;
  }

  #has(collection: string, key: string): boolean {
    const undone = this.#undone.get(`${collection} ${key}`);
    return undone === undefined ? rowsOf(this.#data, collection).has(key) : undone !== null;
  }

  /** Returns the records that are not undone. */
  #left<T>(collection: string, records: readonly T[], keyOf: (record: T) => string): T[] {
    return records.filter((record) => !this.#undone.has(`${collection} ${keyOf(record)}`));
  }
}

/** Returns the records of a collection, by its name in the journal. */
export function rowsOf(data: Data, collection: string): Rows<unknown> {
  const all: Readonly<Record<string, Rows<unknown>>> = data;
  const rows = all[collection];
  if (rows === undefined) throw new Error(`there is no collection "${collection}"`);
  return rows;
}
