/** Players and the people that records name, found by name or UUID. */
import { Failure } from "../domain/errors.ts";
import { type Player, type Statistic, type Subject, subjectKey } from "../domain/model.ts";
import { allOf, didYouMean, fold, invisibleIn, leaveOut, mostCompared } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import type { Rows } from "../store/collection.ts";
import type { Data } from "../store/data.ts";
import { collectionsOf } from "./references.ts";
import { tokenInText } from "./tokens.ts";

/** Returns the registered player of a name or a UUID. */
export function findPlayer(data: Pick<Data, "players">, reference: string): Player | undefined {
  const uuid = toUUID(reference);
  return (
    (uuid === undefined ? undefined : data.players.get(uuid)) ?? data.players.find("name", fold(reference))[0]
  );
}

/**
 * Returns the registered player of a name or a UUID.
 * @param parameter the parameter that has the reference, if one has
 * @throws Failure `UNKNOWN_PLAYER`, with the nearest name
 */
export function requirePlayer(data: Pick<Data, "players">, reference: string, parameter?: string): Player {
  const player = findPlayer(data, reference);
  if (player !== undefined) return player;
  const suggestion = didYouMean(reference, playerNames(data));
  throw new Failure("UNKNOWN_PLAYER", `There is no player "${reference}".${suggestion}`, { parameter });
}

/** Returns all players' names for a suggestion; none where there are too many to compare. */
export function playerNames(data: Pick<Data, "players">): readonly string[] {
  if (data.players.size > mostCompared) return [];
  return Array.from(data.players.values(), ({ name }) => name);
}

/**
 * Returns the former players of a name whom a record still names: removing a player leaves the exclusion, the house ban
 * and the target, bound to the UUID.
 */
export function formerPlayers(data: Data, name: string): readonly (Subject & { readonly uuid: string })[] {
  const former = new Map<string, Subject & { readonly uuid: string }>();
  for (const { refersTo, rows } of collectionsOf(data)) {
    if (refersTo.subject === undefined) continue;
    // One player can have thousands of entries.
    for (const { name: listed, uuid } of rows.find("name", fold(name)))
      if (
        typeof uuid === "string" &&
        typeof listed === "string" &&
        !former.has(uuid) &&
        !data.players.has(uuid)
      )
        former.set(uuid, { name: listed, uuid });
  }
  return [...former.values()];
}

/** Whom a record is about, if it is about somebody. */
type Person = { readonly [Field in keyof Subject]?: Subject[Field] | undefined };

/**
 * Returns the record of somebody, by name or UUID: that of the registered player or of the UUID, that of the name alone, or
 * that of the removed player who had the name.
 * @param isMeant chooses one of the records of a person, where there can be several
 * @throws Failure `CONFLICT` for a name that several removed players with a record had
 */
export function findRecord<T extends Person>(
  data: Data,
  rows: Rows<T, "subject" | "name">,
  reference: string,
  isMeant: (record: T) => boolean = () => true,
): T | undefined {
  const uuid = findPlayer(data, reference)?.uuid ?? toUUID(reference);
  // Data can have a record of the name alone beside a player who is registered.
  const subjects = [uuid ?? [], subjectKey({ name: reference, uuid: null })].flat();
  const found = subjects.flatMap((subject) => rows.find("subject", subject)).find(isMeant);
  if (found !== undefined || uuid !== undefined) return found;
  return onlyRemoved(rows.find("name", fold(reference)).filter(isMeant));
}

/** Returns the only one of some removed players of a name, or undefined. @throws Failure `CONFLICT` for several */
export function onlyRemoved<T extends Person>(
  players: readonly T[],
  hint = "Name one by UUID.",
): T | undefined {
  const [first] = players;
  const uuids = new Set(players.map(({ uuid }) => uuid ?? ""));
  if (uuids.size < 2) return first;
  throw new Failure("CONFLICT", `Several removed players were called ${first?.name}: ${allOf([...uuids])}.`, {
    hint,
  });
}

/**
 * Returns the player of a name, as a UUID: the one who has it, or the only one of those who had it; undefined for nobody.
 * @param former the UUIDs of those who had it
 * @throws Failure `PARAMETER_INVALID` where several had it, and nobody has it now
 */
export function onePlayer(
  { players }: Pick<Data, "players">,
  reference: string,
  former: Iterable<string>,
): string | undefined {
  const present = toUUID(reference) ?? players.find("name", fold(reference))[0]?.uuid;
  const uuids = present === undefined ? [...former] : [present];
  if (uuids.length < 2) return uuids[0];
  throw new Failure("PARAMETER_INVALID", `Several players had the name ${reference}: ${allOf(uuids)}.`, {
    hint: "Name one by UUID.",
  });
}

/** Returns the name under which a record has a player who is not registered any more. */
export function formerName(data: Data, uuid: string): string | undefined {
  for (const { refersTo, rows } of collectionsOf(data)) {
    const name = refersTo.subject && rows.find("subject", uuid)[0]?.name;
    if (typeof name === "string" && name !== uuid) return name;
  }
  return undefined;
}

/**
 * Returns whom a new record refers to: a registered player, a UUID, the removed player who had the name, or a name alone. A
 * UUID has the name of older records: whoever registers that name again is found by all of them.
 * @param parameter the parameter that has the reference
 * @param findListed finds the record that the new one would repeat, of a name that nobody has: it says whom the name means
 * @throws Failure `CONFLICT` for a name that several removed players had; `PARAMETER_INVALID` for an unregistered name with a
 *   token, or with an invisible character: some are letters to Unicode
 */
export function requireVisibleSubject(
  data: Data,
  reference: string,
  parameter = "name",
  findListed: () => Person | undefined = () => undefined,
): Subject {
  const player = findPlayer(data, reference);
  if (player !== undefined) return { name: player.name, uuid: player.uuid };
  const uuid = toUUID(reference);
  if (uuid !== undefined) return { name: formerName(data, uuid) ?? uuid, uuid };
  const listed = findListed();
  const former = listed ?? onlyRemoved(formerPlayers(data, reference));
  if (former?.uuid) return { name: former.name ?? reference, uuid: former.uuid };
  const invisible = invisibleIn(reference);
  const wrong = tokenInText.test(reference) ? "it contains a token" : invisible && leaveOut(invisible);
  if (wrong === undefined) return { name: reference, uuid: null };
  throw new Failure("PARAMETER_INVALID", `"${parameter}" is invalid: ${wrong}.`, { parameter });
}

/**
 * Returns a record with the latest spelling of an unregistered name: clients compare names exactly, so that a first
 * misspelling must not stick. An unchanged record is returned itself.
 */
export function withLatestSpelling<T extends Subject>(record: T, { name, uuid }: Subject): T {
  const isRespelled = record.name !== name && fold(record.name) === fold(name);
  return isRespelled && uuid === null && record.uuid === null ? { ...record, name } : record;
}

/** Returns a player's counters; all are 0 without a record. */
export function statisticOf(data: Data, uuid: string): Statistic {
  return data.statistics.get(uuid) ?? { uuid };
}
