/** Players and the people that records name, found by name or UUID. */
import { Failure } from "../domain/errors.ts";
import type { Player, Statistic, Subject } from "../domain/model.ts";
import { allOf, didYouMean, fold, invisibleIn, leaveOut, mostCompared } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import type { Data } from "../store/data.ts";
import { collectionsOf } from "./references.ts";
import { tokenInText } from "./tokens.ts";

/** Returns the registered player of a name or a UUID. */
export function findPlayer(data: Data, reference: string): Player | undefined {
  const uuid = toUUID(reference);
  return (
    (uuid === undefined ? undefined : data.players.get(uuid)) ?? data.players.find("name", fold(reference))[0]
  );
}

/** Returns the registered player of a name or a UUID. @throws Failure `UNKNOWN_PLAYER`, with the nearest name */
export function requirePlayer(data: Data, reference: string): Player {
  const player = findPlayer(data, reference);
  if (player !== undefined) return player;
  const suggestion = didYouMean(reference, playerNames(data));
  throw new Failure("UNKNOWN_PLAYER", `There is no player "${reference}".${suggestion}`);
}

/** Returns all players' names for a suggestion; none where there are too many to compare. */
export function playerNames(data: Data): readonly string[] {
  if (data.players.size > mostCompared) return [];
  return Array.from(data.players.values(), ({ name }) => name);
}

/**
 * Returns the former players of a name whom a record still names: removing a player leaves the exclusion, the house ban
 * and the target, bound to the UUID. The exclusion comes first.
 */
export function formerPlayers(data: Data, name: string): readonly (Subject & { readonly uuid: string })[] {
  const records = collectionsOf(data)
    .filter(({ refersTo }) => refersTo.subject !== undefined)
    .flatMap(({ rows }) => rows.find("name", fold(name)));
  const former = records.flatMap(({ name: listed, uuid }) =>
    typeof listed !== "string" || typeof uuid !== "string" || data.players.has(uuid)
      ? []
      : [{ name: listed, uuid }],
  );
  return [...new Map(former.map((player) => [player.uuid, player])).values()];
}

/**
 * Returns whom a name or a UUID refers to: a registered player, a UUID alone, a former player, or a name alone. Without
 * the former players, an entry that outlives its player could not be found by name.
 */
export function toSubject(data: Data, reference: string): Subject {
  const player = findPlayer(data, reference);
  if (player !== undefined) return { name: player.name, uuid: player.uuid };
  const uuid = toUUID(reference);
  if (uuid !== undefined) return { name: uuid, uuid };
  return formerPlayers(data, reference)[0] ?? { name: reference, uuid: null };
}

/** @throws Failure `CONFLICT` for a name that nobody has now, and several removed players of whom there are records had */
export function refuseAmbiguous(data: Data, reference: string): void {
  const former = findPlayer(data, reference) === undefined ? formerPlayers(data, reference) : [];
  if (former.length > 1) throw severalRemoved(former);
}

/** Returns the refusal of a name. @param players those of whom it could be */
export function severalRemoved(players: readonly Subject[]): Failure {
  const uuids = allOf(players.flatMap(({ uuid }) => uuid ?? []));
  return new Failure("CONFLICT", `Several removed players were called ${players[0]?.name}: ${uuids}.`, {
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
 * Returns whom a new record refers to, as {@link toSubject} does, but a UUID alone has the name of older records: whoever
 * registers that name again is found by all of them.
 * @param parameter the parameter that has the reference
 * @throws Failure `PARAMETER_INVALID` for an unregistered name with a token, or with an invisible character: some are
 *   letters to Unicode
 */
export function requireVisibleSubject(data: Data, reference: string, parameter = "name"): Subject {
  const subject = toSubject(data, reference);
  const { uuid } = subject;
  if (uuid !== null) return subject.name === uuid ? { name: formerName(data, uuid) ?? uuid, uuid } : subject;
  const invisible = invisibleIn(subject.name);
  const wrong = tokenInText.test(subject.name) ? "it contains a token" : invisible && leaveOut(invisible);
  if (wrong === undefined) return subject;
  throw new Failure("PARAMETER_INVALID", `"${parameter}" is invalid: ${wrong}.`, { parameter });
}

/**
 * Returns a record with the latest spelling of an unregistered name: clients compare names exactly, so that a first
 * misspelling must not stick. An unchanged record is returned itself.
 */
export function withLatestSpelling<T extends Subject>(record: T, { name, uuid }: Subject): T {
  const isSame = uuid !== null || record.uuid !== null || record.name === name;
  return isSame ? record : { ...record, name };
}

/** Returns a player's counters; all are 0 without a record. */
export function statisticOf(data: Data, uuid: string): Statistic {
  return data.statistics.get(uuid) ?? { uuid };
}
