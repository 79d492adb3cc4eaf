/** Groups, factions and services, and who belongs to them. */
import { Failure } from "../domain/errors.ts";
import { otherCallers } from "../domain/limits.ts";
import {
  countsAt,
  type GroupMember,
  groupMemberKey,
  type Membership,
  type Named,
  type Player,
  type Subject,
  subjectKey,
} from "../domain/model.ts";
import type { Terms } from "../domain/terms.ts";
import { didYouMean, fold, oneOf } from "../domain/text.ts";
import type { Data, Draft, DurableData } from "../store/data.ts";
import type { Vocabulary } from "../table/caller.ts";
import { nameFailures, unknownNamed } from "../table/parameters.ts";
import { findPlayer, findRecord, requireVisibleSubject, withLatestSpelling } from "./players.ts";

/** Returns the names of a kind, in the seed's order. */
export function namesOf({ names }: Pick<Data, "names">, kind: Named["kind"]): readonly string[] {
  return names
    .find("kind", kind)
    .toSorted((a, b) => a.position - b.position)
    .map(({ name }) => name);
}

/** Returns the names that tables and parameters can refer to. */
export function vocabularyOf(data: Pick<Data, "names">): Vocabulary {
  return {
    group: namesOf(data, "group"),
    faction: namesOf(data, "faction"),
    service: namesOf(data, "service"),
  };
}

/** Returns a function that returns the current vocabulary, which most requests with parameters use. */
export function currentVocabulary(data: Pick<DurableData, "names">): () => Vocabulary {
  let current = { version: data.names.version, vocabulary: vocabularyOf(data) };
  return () => {
    const { version } = data.names;
    if (current.version !== version) current = { version, vocabulary: vocabularyOf(data) };
    return current.vocabulary;
  };
}

/** Returns what grows with every change on which a restriction's decision about a caller depends. */
export function rightsVersion({ names, players, memberships, groupMembers }: DurableData): number {
  return names.version + players.version + memberships.version + groupMembers.version;
}

/**
 * Returns the first group, faction or service of a name, of the kinds that are meant.
 * @throws Failure as for a parameter that names one of a single kind; `UNKNOWN_FACTION` for several
 */
export function requireName(data: Data, name: string, ...kinds: readonly Named["kind"][]): Named {
  const found = kinds.map((kind) => data.names.get(`${kind}/${fold(name)}`)).find(Boolean);
  if (found !== undefined) return found;
  const [first, ...others] = kinds;
  const code = first === undefined || others.length > 0 ? "UNKNOWN_FACTION" : nameFailures[first];
  const names = kinds.flatMap((kind) => namesOf(data, kind));
  throw unknownNamed(code, oneOf(kinds), name, names);
}

/**
 * Returns the test whether a player is, at an instant, a member of what has a name.
 * @throws Failure as {@link requireName}
 */
export function memberTest(data: Data, now: number, name: string, ...kinds: readonly Named["kind"][]) {
  const named = requireName(data, name, ...kinds);
  if (named.kind === "group") return (player: Player) => isInGroup(data, named.name, player, now);
  return ({ uuid }: Player) => rankOf(data, named.name, uuid, now) !== undefined;
}

/** Whether somebody is in a group. */
export function isInGroup(data: Data, group: string, member: Subject, now: number): boolean {
  const found = data.groupMembers.get(groupMemberKey(group, member));
  return found !== undefined && countsAt(found, now);
}

/** Returns a player's rank in a faction or a service; undefined for no member. No faction and service have the same name. */
export function rankOf(data: Data, organisation: string, uuid: string, now: number): number | undefined {
  const found = data.memberships.get(`${organisation}/${uuid}`);
  return found !== undefined && countsAt(found, now) ? found.rank : undefined;
}

/** Returns somebody's memberships in groups, in no particular order. */
export function groupsOf(data: Data, member: Subject, now: number): readonly GroupMember[] {
  return data.groupMembers.find("subject", subjectKey(member)).filter((found) => countsAt(found, now));
}

/** A membership in a faction, a service or a group. */
export interface Standing {
  /** 0 in a group. */
  readonly rank: number;
  /** When it ends by itself, in milliseconds since 1970. */
  readonly until: number | undefined;
}
export type Standings = ReadonlyMap<string, Standing>;

/** Returns what a player belongs to now. A membership that has ended counts no more, and is about to be removed. */
export function standingsOf(data: Data, uuid: string, now: number): { ranks: Standings; groups: Standings } {
  const memberships = data.memberships.find("player", uuid).filter((one) => countsAt(one, now));
  const groups = data.groupMembers.find("subject", uuid).filter((one) => countsAt(one, now));
  return {
    ranks: new Map(memberships.map(({ organisation, rank, until }) => [organisation, { rank, until }])),
    groups: new Map(groups.map(({ group, until }) => [group, { rank: 0, until }])),
  };
}

/**
 * Adds somebody to a group.
 * @param terms replace those of a member, whose spelling alone may change without them; a reason stays unless one is given
 * @returns the former record of a member
 * @throws Failure `UNKNOWN_GROUP` where the group was removed after the request was parsed
 */
export function joinGroup(
  draft: Draft,
  group: string,
  member: Subject,
  now: number,
  terms?: Terms,
): GroupMember | undefined {
  requireName(draft, group, "group");
  const found = draft.groupMembers.get(groupMemberKey(group, member));
  // Where thousands end at once, one that has ended may not be removed yet.
  const known = found && countsAt(found, now) ? found : undefined;
  const { name, uuid } = known === undefined ? member : withLatestSpelling(known, member);
  const { until, reason = known?.reason } = terms ?? known ?? {};
  // An absent term has no field.
  const termed = { ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) };
  draft.groupMembers.put({ group, name, uuid, ...termed });
  return known;
}

/**
 * Removes somebody from a group, by name or UUID.
 * @returns who left, or undefined if nobody of that name is in it
 * @throws Failure `CONFLICT` for a name that several removed members had
 */
export function leaveGroup(draft: Draft, group: string, reference: string): Subject | undefined {
  const member = findRecord(draft, draft.groupMembers, reference, (member) => member.group === group);
  if (member === undefined) return undefined;
  draft.groupMembers.delete(groupMemberKey(group, member));
  // Of a registered player, the record of the name alone is the same person's.
  if (findPlayer(draft, reference) !== undefined)
    draft.groupMembers.delete(groupMemberKey(group, { ...member, uuid: null }));
  return member;
}

/**
 * Returns whom a new membership of a group refers to, as {@link requireVisibleSubject} does.
 * @throws Failure also for a name that nobody can register: an exclusion of `public` would have no effect
 */
export function memberSubject(
  data: Data,
  group: string,
  reference: string,
  parameter: string,
  now: number,
): Subject {
  const known = findMember(data, group, reference, now);
  const subject = requireVisibleSubject(data, reference, parameter, () => known);
  if (known !== undefined || subject.uuid !== null || !otherCallers.includes(fold(subject.name)))
    return subject;
  throw new Failure(
    "PARAMETER_INVALID",
    `"${parameter}" is invalid: no player can be called ${reference}: it is the name of other callers in the audit.`,
    {
      parameter,
    },
  );
}

/** Returns the present membership of somebody in a group, by name or UUID, as {@link findRecord} finds it. */
export function findMember(
  data: Data,
  group: string,
  reference: string,
  now: number,
): GroupMember | undefined {
  const isMember = (member: GroupMember) => member.group === group && countsAt(member, now);
  return findRecord(data, data.groupMembers, reference, isMember);
}

/** Says that somebody is not in a group, and which member may be meant: a removed player of the name, or one of another name. */
export function notInGroup(
  data: Data,
  group: string,
  reference: string,
  where = `in the group ${group}`,
): string {
  const name = findPlayer(data, reference)?.name ?? reference;
  const names = data.groupMembers.find("group", group).map((member) => member.name);
  return `${name} is not ${where}.${removedNote(data, group, name) || didYouMean(reference, names)}`;
}

/** Returns a note on the removed players of a name who are in a group; "" for none. */
export function removedNote(data: Data, group: string, name: string): string {
  return data.groupMembers
    .find("name", fold(name))
    .filter((member) => member.group === group && member.uuid !== null && !data.players.has(member.uuid))
    .map(({ uuid }) => ` A removed player of this name, ${uuid}, is still in ${group}.`)
    .join("");
}

/** Returns a player's memberships in factions or in services: highest rank first, then in the seed's order. */
export function membershipsOf(
  data: Data,
  uuid: string,
  kind: "faction" | "service",
  now: number,
): Membership[] {
  const names = namesOf(data, kind);
  return data.memberships
    .find("player", uuid)
    .filter((membership) => names.includes(membership.organisation) && countsAt(membership, now))
    .toSorted((a, b) => b.rank - a.rank || names.indexOf(a.organisation) - names.indexOf(b.organisation));
}
