/** Players and what belongs to them: found by name or UUID, in organisations and groups (contract, section 2). */
import { randomUUID } from "node:crypto";
import { Failure } from "../domain/errors.ts";
import {
  type GroupMember,
  groupMemberKey,
  houseBanEnd,
  type Membership,
  type Named,
  type Player,
  type Statistic,
  type Subject,
  subjectKey,
} from "../domain/model.ts";
import { didYouMean, fold, invisibleIn, leaveOut, mostCompared, oneOf } from "../domain/text.ts";
import type { Data, Draft } from "../store/data.ts";

/** The UUID that a text is, as 32 lower-case hex digits, or undefined: with and without dashes, in either case. */
export function toUUID(text: string): string | undefined {
  const form = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
  return form.test(text) ? text.replaceAll("-", "").toLowerCase() : undefined;
}

/** A UUID for a player whose own is not known. */
export function newUUID(): string {
  return randomUUID().replaceAll("-", "");
}

/** The registered player of a name or a UUID. */
export function findPlayer(data: Data, reference: string): Player | undefined {
  const uuid = toUUID(reference);
  return (
    (uuid === undefined ? undefined : data.players.get(uuid)) ?? data.players.find("name", fold(reference))[0]
  );
}

/** As {@link findPlayer}. @throws Failure `UNKNOWN_PLAYER`, with the nearest name where there are not too many */
export function requirePlayer(data: Data, reference: string): Player {
  const player = findPlayer(data, reference);
  if (player !== undefined) return player;
  const words = didYouMean(reference, playerNames(data));
  throw new Failure("UNKNOWN_PLAYER", `There is no player "${reference}".${words}`);
}

/** The names of all players, for a suggestion; none where there are more than are compared with what was typed. */
export function playerNames(data: Data): readonly string[] {
  if (data.players.size > mostCompared) return [];
  return Array.from(data.players.values(), ({ name }) => name);
}

/**
 * Returns those who were registered under a name and are not any more, as far as a list still has them: removing a
 * player leaves the exclusion, the house ban and the target bound to the UUID. The exclusion comes first.
 */
export function formerPlayers(data: Data, name: string): readonly (Subject & { readonly uuid: string })[] {
  const folded = fold(name);
  const records: readonly Subject[] = [
    ...data.groupMembers.find("name", folded),
    ...data.houseBans.find("name", folded),
    ...data.targets.find("name", folded),
  ];
  return records.flatMap(({ name: listed, uuid }) =>
    uuid === null || data.players.has(uuid) ? [] : [{ name: listed, uuid }],
  );
}

/**
 * Somebody named, with the UUID where it is known: that of a registered player, the one that was given, or the one that
 * a list still has for the name. Otherwise an entry that outlives its player could not be found by its name.
 */
export function toSubject(data: Data, reference: string): Subject {
  const player = findPlayer(data, reference);
  if (player !== undefined) return { name: player.name, uuid: player.uuid };
  const uuid = toUUID(reference);
  if (uuid !== undefined) return { name: uuid, uuid };
  return formerPlayers(data, reference)[0] ?? { name: reference, uuid: null };
}

/**
 * As {@link toSubject}, for a record that is to be made: somebody who is not registered is a name alone.
 * @param parameter where the reference was given
 * @throws Failure `PARAMETER_INVALID` where that has an invisible character: some are letters to Unicode
 */
export function toNewSubject(data: Data, reference: string, parameter = "name"): Subject {
  const subject = toSubject(data, reference);
  const invisible = subject.uuid === null ? invisibleIn(subject.name) : undefined;
  if (invisible === undefined) return subject;
  throw new Failure("PARAMETER_INVALID", `"${parameter}" is not right: ${leaveOut(invisible)}.`, {
    parameter,
  });
}

/**
 * Returns a record with the spelling that was used last, for somebody who is not registered: clients compare names
 * exactly, so a first misspelling must not stick (contract, section 0). It is the same record where nothing changes.
 */
export function respelled<T extends Subject>(record: T, { name, uuid }: Subject): T {
  const isSame = uuid !== null || record.uuid !== null || record.name === name;
  return isSame ? record : { ...record, name };
}

/** Names in order, as they were made at a version of their collection: most requests ask for them. */
const ordered = new WeakMap<object, { version: number; names: Map<Named["kind"], readonly string[]> }>();

/** The names of a kind, in the seed's order. */
export function namesOf({ names: rows }: Pick<Data, "names">, kind: Named["kind"]): readonly string[] {
  // A draft has no version: what it reads may be another thing at the next moment.
  if (!("version" in rows && typeof rows.version === "number")) return inOrder(rows, kind);
  const { version } = rows;
  let kept = ordered.get(rows);
  if (kept?.version !== version) {
    kept = { version, names: new Map() };
    ordered.set(rows, kept);
  }
  const known = kept.names.get(kind) ?? inOrder(rows, kind);
  kept.names.set(kind, known);
  return known;
}

function inOrder(rows: Data["names"], kind: Named["kind"]): readonly string[] {
  return rows
    .find("kind", kind)
    .toSorted((a, b) => a.position - b.position)
    .map(({ name }) => name);
}

/** The group of a name, as seeded. @throws Failure `UNKNOWN_GROUP`, with the nearest name */
export function requireGroup(data: Data, name: string): string {
  const known = data.names.get(`group/${fold(name)}`);
  if (known !== undefined) return known.name;
  const names = namesOf(data, "group");
  throw new Failure("UNKNOWN_GROUP", `There is no group "${name}".${didYouMean(name, names)}`, {
    hint: `Known are ${oneOf(names, "and")}.`,
  });
}

/** The faction or service of a name, as seeded. @throws Failure `UNKNOWN_FACTION`, with the nearest name */
export function requireOrganisation(data: Data, name: string): Named {
  const known = data.names.get(`faction/${fold(name)}`) ?? data.names.get(`service/${fold(name)}`);
  if (known !== undefined) return known;
  const names = [...namesOf(data, "faction"), ...namesOf(data, "service")];
  throw new Failure(
    "UNKNOWN_FACTION",
    `There is no faction or service "${name}".${didYouMean(name, names)}`,
    {
      hint: `Known are ${oneOf(names, "and")}.`,
    },
  );
}

/** Whether somebody is in a group. */
export function isInGroup(data: Data, group: string, member: Subject): boolean {
  return data.groupMembers.has(groupMemberKey(group, member));
}

/** The groups that somebody is in, in no particular order. */
export function groupsOf(data: Data, member: Subject): readonly string[] {
  return data.groupMembers.find("subject", subjectKey(member)).map(({ group }) => group);
}

/**
 * Puts somebody into a group. Returns false for a member, of whom at most the spelling changes.
 * @throws Failure `UNKNOWN_GROUP` where the group was removed since the request was parsed
 */
export function joinGroup(draft: Draft, group: string, member: Subject): boolean {
  requireGroup(draft, group);
  const known = draft.groupMembers.get(groupMemberKey(group, member));
  if (known !== undefined) {
    const latest = respelled(known, member);
    if (latest !== known) draft.groupMembers.put(latest);
    return false;
  }
  draft.groupMembers.put({ group, ...member });
  return true;
}

/**
 * Takes somebody out of a group; also a member by name who was registered once and is not any more.
 * @throws Failure `UNKNOWN_ENTRY` where nobody of that name or UUID is in it
 */
export function leaveGroup(draft: Draft, group: string, reference: string): Subject {
  const subject = toSubject(draft, reference);
  const member =
    draft.groupMembers.get(groupMemberKey(group, subject)) ?? memberCalled(draft, group, reference);
  if (member === undefined) {
    const names = draft.groupMembers.find("group", group).map(({ name }) => name);
    const sentence = `${subject.name} is not in the group ${group}.${didYouMean(reference, names)}`;
    throw new Failure("UNKNOWN_ENTRY", sentence);
  }
  draft.groupMembers.delete(groupMemberKey(group, member));
  return member;
}

/** The member of a group whose name is `reference`, in whatever case. */
function memberCalled(data: Data, group: string, reference: string): GroupMember | undefined {
  const folded = fold(reference);
  return data.groupMembers.find("group", group).find(({ name }) => fold(name) === folded);
}

/** The memberships of a player in factions or in services, highest rank first, then in the seed's order. */
export function membershipsOf(data: Data, uuid: string, kind: "faction" | "service"): Membership[] {
  const names = namesOf(data, kind);
  return data.memberships
    .find("player", uuid)
    .filter(({ organisation }) => names.includes(organisation))
    .toSorted((a, b) => b.rank - a.rank || names.indexOf(a.organisation) - names.indexOf(b.organisation));
}

/** The counters of a player; all 0 where nothing was counted yet. */
export function statisticOf(data: Data, uuid: string): Statistic {
  return data.statistics.get(uuid) ?? { uuid, deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
}

/**
 * Binds to a player's UUID what was kept under the name while the player did not have it: whoever registers that name
 * later can not take it over, and nobody escapes an exclusion by registering. What was kept under the UUID gets the
 * name. Where there are two house bans, the one that ends later stays; of two targets, one that is still to be done.
 */
export function adoptName(draft: Draft, { name, uuid }: Player): void {
  const keys = [subjectKey({ name, uuid: null }), uuid];
  for (const member of keys.flatMap((key) => draft.groupMembers.find("subject", key))) {
    draft.groupMembers.delete(groupMemberKey(member.group, member));
    draft.groupMembers.put({ ...member, name, uuid });
  }
  const targets = keys.flatMap((key) => draft.targets.get(key) ?? []);
  const [target] = targets.sort((a, b) => Number(a.done) - Number(b.done) || a.listed - b.listed);
  const bans = keys.flatMap((key) => draft.houseBans.get(key) ?? []);
  const [ban] = bans.sort((a, b) => houseBanEnd(b) - houseBanEnd(a));
  for (const key of keys) {
    draft.targets.delete(key);
    draft.houseBans.delete(key);
  }
  if (target !== undefined) draft.targets.put({ ...target, name, uuid });
  if (ban !== undefined) draft.houseBans.put({ ...ban, name, uuid });
}
