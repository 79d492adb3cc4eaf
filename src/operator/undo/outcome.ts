/** What the data would be after an undo, and why a record cannot be undone. */
import * as v from "valibot";
import type { NamedKind } from "../../domain/collection.ts";
import type { Entry } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { labelOf, textOf } from "../../domain/label.ts";
import { definitionOf, type Invitation, model, type Named, nounOf, type Player } from "../../domain/model.ts";
import { allOf, counted, fold, oneOf } from "../../domain/text.ts";
import { collectionsOf, recordsOfPlayer, referringEntries } from "../../identity/references.ts";
import { placeOf, type RecordChange } from "../../store/change.ts";
import { rowsOf } from "../../store/collection.ts";
import type { Data } from "../../store/data.ts";
import { isAlone, keyAs, takeoversIn } from "./takeovers.ts";

/** Returns a record in words, such as `the membership Ada (GROVE)`. */
export function recordWords(
  { collection, key, before, after }: RecordChange,
  nameOf: (uuid: string) => string,
): string {
  // A player may have another name by now.
  const label = collection === "players" ? nameOf(key) : labelOf(after ?? before, key, nameOf);
  return `the ${nounOf(collection)} ${label}`;
}

/** Returns why what a player took over with a name stays, and the name with it. */
function boundWords(what: string, name: string): string {
  return `${what} became that of the player ${name}, which cannot be undone in part`;
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

/** How the reason begins where an entry does not fit the table. */
export const unfitWords = "the route table has changed since, and refuses";

/** What the table in force means for an undo. */
export interface TableInForce {
  /** Returns why an entry does not fit its list: with it, the table could not be put in force again. */
  unfit(entry: Entry): string | undefined;
  /** Returns a change with the present names of fields, if it then changes anything. */
  withPresentFields(change: RecordChange): readonly RecordChange[];
  /** The group in which a removed player stays. */
  readonly excludedGroup: string | undefined;
}

/** Returns what the data would be after an undo of some changes. */
export function outcomeOf(data: Data, changes: readonly RecordChange[], table: TableInForce) {
  /** The values of the undone records, by their places. */
  const undone = new Map(changes.map((change) => [placeOf(change), change.before]));
  const { bindings, takenOver } = bindingsIn(changes);

  /** The places of the invitations that were claimed before the changes, but not used, by the ids of their tokens. */
  const givenBy = new Map(
    changes.flatMap((change) => {
      const record = change.collection === "invitations" ? change.before : null;
      const { token, usedAt }: Partial<Invitation> = record ?? {};
      return token && usedAt === null ? [[token, placeOf(change)]] : [];
    }),
  );

  /** The entries that refer to others, by the keys of those. */
  let referring: ReadonlyMap<string, readonly Entry[]> | undefined;

  /** Excepts a record from the undo. The faults of others may be different without it. */
  function keep(change: RecordChange): void {
    undone.delete(placeOf(change));
  }

  /** Returns the name of a player; undefined for one who is no longer registered then. */
  function nameOf(uuid: string): string | undefined {
    const place = `players ${uuid}`;
    return undone.has(place) ? textOf(undone.get(place), "name") : data.players.get(uuid)?.name;
  }

  /** Returns why a record cannot be undone. */
  function fault(change: RecordChange): string | undefined {
    const { collection, key, before, after } = change;
    const presentName = (uuid: string) => data.players.get(uuid)?.name ?? nameOf(uuid) ?? uuid;
    const what = recordWords(change, presentName);
    const { player, named, entries } = definitionOf(collection)?.refersTo ?? {};
    const record = before === null ? undefined : recordOf(collection, before);
    const owner = player?.outlives === false ? textOf(record, player.field) : undefined;
    if (owner !== undefined && !has("players", owner)) return `the player of ${what} is no longer registered`;
    for (const { name, kinds } of record === undefined ? [] : (named?.(record) ?? [])) {
      const exists = kinds.some((kind) => has("names", namedKey(kind, name)));
      if (!exists) return `the ${oneOf(kinds)} ${name} of ${what} has been removed since`;
    }
    // Without its invitation, no later claim would revoke it again, and nobody knows who has it.
    const invitation = collection === "tokens" ? givenBy.get(key) : undefined;
    if (invitation !== undefined && !undone.has(invitation))
      return `the invitation that gave ${what} has changed since`;
    const binding = bindings.get(placeOf(change));
    if (binding?.others.some((place) => !undone.has(place)))
      return boundWords(what, presentName(binding.uuid));
    const twin = boundTwin(collection, record);
    if (twin !== undefined && !undone.has(placeOf({ collection, key: twin })))
      return `${what} is there already, with the UUID of the player who has the name by now`;
    const unfit = entries === undefined || record === undefined ? undefined : table.unfit(record as Entry);
    if (unfit !== undefined) return `${unfitWords} ${what}: ${unfit}`;
    const missing = record && entries?.(record).find((entry) => !has(collection, entry));
    if (missing !== undefined) return `the entry ${missing} of ${what} has been removed since`;
    if (entries !== undefined && before === null) {
      // Found once, since an undo can have many records.
      referring ??= referringEntries(data);
      const [user] = notUndone(collection, referring.get(key) ?? [], model.entries.key);
      if (user !== undefined) return `the entry ${labelOf(user, "", presentName)} refers to ${what}`;
    }
    if (collection === "names" && before !== null) return otherKind(record as Named);
    if (collection !== "players") return undefined;
    const stays = takenOver
      .get(key)
      ?.find((taken) => !undone.has(placeOf(taken)) && rowsOf(data, taken.collection).has(taken.key));
    if (stays !== undefined) return boundWords(recordWords(stays, presentName), presentName(key));
    if (before !== null) {
      const { name } = record as Player;
      const other = notUndone("players", data.players.find("name", fold(name)), ({ uuid }) => uuid)[0];
      return other && `the player ${other.uuid} now has the name ${name}`;
    }
    // Whoever gets the UUID next would take over what the player has been given since. What a removed player keeps stays.
    const left = collectionsOf(data).flatMap((collection) => {
      const { name, refersTo, isBookkeeping } = collection;
      if ((name !== "groupMembers" && refersTo.player?.outlives !== false) || isBookkeeping) return [];
      const records = recordsOfPlayer(collection, key).filter(
        ({ group }) => group === undefined || group !== table.excludedGroup,
      );
      const { length } = notUndone(name, records, collection.key);
      return length === 0 ? [] : [counted(length, collection.noun)];
    });
    return left.length === 0
      ? undefined
      : `other records refer to the player ${textOf(after, "name")}: ${allOf(left)}`;
  }

  /** Returns the key of a record that one of a name alone would replace, once it is that of the player who has the name. */
  function boundTwin(collection: string, record: unknown): string | undefined {
    const name = isAlone(record) ? textOf(record, "name") : undefined;
    const [player] = name === undefined ? [] : data.players.find("name", fold(name));
    // A player whom the undo removes or renames does not have the name any more.
    if (player === undefined || undone.has(`players ${player.uuid}`)) return undefined;
    const key = keyAs(collection, record, player);
    return key !== undefined && rowsOf(data, collection).has(key) ? key : undefined;
  }

  /** Returns the conflict of a name that would be both a faction and a service. */
  function otherKind({ kind, name }: Pick<Named, "kind" | "name">): string | undefined {
    if (kind === "group") return undefined;
    const twin = kind === "faction" ? "service" : "faction";
    const isTaken = has("names", namedKey(twin, name));
    return isTaken ? `${name} is now a ${twin}` : undefined;
  }

  function has(collection: string, key: string): boolean {
    const place = placeOf({ collection, key });
    return undone.has(place) ? undone.get(place) !== null : rowsOf(data, collection).has(key);
  }

  /** Returns the records that are not undone. */
  function notUndone<T>(collection: string, records: readonly T[], keyOf: (record: T) => string): T[] {
    return records.filter((record) => !undone.has(placeOf({ collection, key: keyOf(record) })));
  }

  return { keep, nameOf, fault };
}

/** What goes back only together with a record that became a player's, as `collection key`. */
interface Binding {
  readonly uuid: string;
  readonly others: readonly string[];
}

/**
 * Returns what became a player's in some changes, or was a player's before: the records of the name alone, and those of the
 * player. Each depends on the other, and on the player who took the name: by a part of them, an exclusion would be lost, or
 * be that of whoever has the name now.
 */
function bindingsIn(changes: readonly RecordChange[]) {
  const bindings = new Map<string, Binding>();
  /** The changes of what players took over, by their UUIDs. */
  const takenOver = new Map<string, RecordChange[]>();
  const places = new Map(changes.map((change) => [placeOf(change), change]));
  for (const { player, alone, own, bound } of takeoversIn(changes)) {
    const { uuid } = player;
    const [owner, from, change] = [`players ${uuid}`, placeOf(alone), places.get(own)];
    bindings.set(from, { uuid, others: change === undefined ? [owner] : [owner, own] });
    if (change === undefined) continue;
    bindings.set(own, { uuid, others: [owner, from] });
    if (bound === "before") continue;
    const taken = takenOver.get(uuid);
    if (taken === undefined) takenOver.set(uuid, [change]);
    else taken.push(change);
  }
  return { bindings, takenOver };
}
