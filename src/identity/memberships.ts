/** Groups, factions and services, and who belongs to them. */
import { Failure, type FailureCode } from "../domain/errors.ts";
import {
  type GroupMember,
  groupMemberKey,
  type Membership,
  type Named,
  type Subject,
  subjectKey,
} from "../domain/model.ts";
import { didYouMean, fold, oneOf } from "../domain/text.ts";
import type { Data, Draft, DurableData } from "../store/data.ts";
import type { Vocabulary } from "../table/caller.ts";
import { nameFailures } from "../table/parameters.ts";
import { toSubject, withLatestSpelling } from "./players.ts";

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

/** Returns the refusal of an unknown name, with the nearest name and the first names. */
export function unknownName(
  code: FailureCode,
  kind: string,
  name: string,
  names: readonly string[],
): Failure {
  return new Failure(code, `There is no ${kind} "${name}".${didYouMean(name, names)}`, {
    hint: names.length === 0 ? "There are none." : `Expected ${oneOf(names)}.`,
  });
}

/** Ensures that a group or an organisation exists. @throws Failure as for a parameter that names it */
export function requireName(data: Data, kind: Named["kind"], name: string): void {
  if (data.names.has(`${kind}/${fold(name)}`)) return;
  throw unknownName(nameFailures[kind], kind, name, namesOf(data, kind));
}

/** Returns a group's name as seeded. @throws Failure `UNKNOWN_GROUP` */
export function requireGroup(data: Data, name: string): string {
  const group = data.names.get(`group/${fold(name)}`);
  if (group !== undefined) return group.name;
  throw unknownName("UNKNOWN_GROUP", "group", name, namesOf(data, "group"));
}

/** Returns the faction or service of a name. @throws Failure `UNKNOWN_FACTION` */
export function requireOrganisation(data: Data, name: string): Named {
  const organisation = data.names.get(`faction/${fold(name)}`) ?? data.names.get(`service/${fold(name)}`);
  if (organisation !== undefined) return organisation;
  const names = [...namesOf(data, "faction"), ...namesOf(data, "service")];
  throw unknownName("UNKNOWN_FACTION", "faction or service", name, names);
}

/** Whether somebody is in a group. */
export function isInGroup(data: Data, group: string, member: Subject): boolean {
  return data.groupMembers.has(groupMemberKey(group, member));
}

/** Returns the groups that somebody is in, in no particular order. */
export function groupsOf(data: Data, member: Subject): readonly string[] {
  return data.groupMembers.find("subject", subjectKey(member)).map(({ group }) => group);
}

/**
 * Adds somebody to a group. Returns false for a member, whose spelling alone may change.
 * @throws Failure `UNKNOWN_GROUP` where the group was removed after the request was parsed
 */
export function joinGroup(draft: Draft, group: string, member: Subject): boolean {
  requireGroup(draft, group);
  const known = draft.groupMembers.get(groupMemberKey(group, member));
  if (known !== undefined) {
    const latest = withLatestSpelling(known, member);
    if (latest !== known) draft.groupMembers.put(latest);
    return false;
  }
  draft.groupMembers.put({ group, ...member });
  return true;
}

/** Removes somebody from a group, by name or UUID. @returns who left, or undefined if nobody of that name is in it */
export function leaveGroup(draft: Draft, group: string, reference: string): Subject | undefined {
  const key = groupMemberKey(group, toSubject(draft, reference));
  const member = draft.groupMembers.get(key) ?? memberNamed(draft, group, reference);
  if (member !== undefined) draft.groupMembers.delete(groupMemberKey(group, member));
  return member;
}

/** Says that somebody is not in a group, which another member's name may explain. */
export function notInGroup(
  data: Data,
  group: string,
  reference: string,
  where = `in the group ${group}`,
): string {
  const names = data.groupMembers.find("group", group).map(({ name }) => name);
  return `${toSubject(data, reference).name} is not ${where}.${didYouMean(reference, names)}`;
}

function memberNamed(data: Data, group: string, name: string): GroupMember | undefined {
  return data.groupMembers.find("group", group).find((member) => fold(member.name) === fold(name));
}

/** Returns a player's memberships in factions or in services: highest rank first, then in the seed's order. */
export function membershipsOf(data: Data, uuid: string, kind: "faction" | "service"): Membership[] {
  const names = namesOf(data, kind);
  return data.memberships
    .find("player", uuid)
    .filter(({ organisation }) => names.includes(organisation))
    .toSorted((a, b) => b.rank - a.rank || names.indexOf(a.organisation) - names.indexOf(b.organisation));
}
