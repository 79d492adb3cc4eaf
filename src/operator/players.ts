/** Managing players: registration, exclusion and removal. */
import * as v from "valibot";
import { changedMeanwhile, Failure } from "../domain/errors.ts";
import { type GroupMember, groupMemberKey, type Player, type Subject, subjectKey } from "../domain/model.ts";
import { longestReason, withTerms } from "../domain/terms.ts";
import { allOf, asArgument, byName, fold } from "../domain/text.ts";
import { newUUID, toUUID } from "../domain/uuid.ts";
import {
  findMember,
  groupsOf,
  isInGroup,
  joinGroup,
  leaveGroup,
  memberSubject,
  membershipsOf,
  memberTest,
  namesOf,
  notInGroup,
  removedNote,
  requireName,
} from "../identity/memberships.ts";
import { findPlayer, formerPlayers, onlyRemoved, requirePlayer, statisticOf } from "../identity/players.ts";
import { bindRecords, collectionsOf, recordsOfPlayer } from "../identity/references.ts";
import type { Data, Draft } from "../store/data.ts";
import { type DraftContext, defineChange, defineRead } from "./define.ts";
import { line, newPlayerName, playerReference, rank, until } from "./input.ts";
import { endNote, setMembership, unregisteredNote } from "./memberships.ts";
import { listTokens } from "./tokens.ts";

const player = v.strictObject({ player: playerReference });

export const add = defineChange({
  input: v.strictObject({
    name: newPlayerName,
    uuid: v.optional(v.string()),
    members: v.optional(v.array(v.object({ organisation: v.string(), rank })), []),
    administrator: v.optional(v.boolean(), false),
  }),
  change(draft, { name, uuid: typed, members, administrator }, { now }) {
    const stated = typed === undefined ? undefined : toUUID(typed);
    if (typed !== undefined && stated === undefined) {
      throw new Failure("PARAMETER_INVALID", `Expected a UUID of 32 hex digits, got "${typed}".`, {
        parameter: "uuid",
      });
    }
    if (new Set(members.map(({ organisation }) => fold(organisation))).size < members.length)
      throw new Failure("PARAMETER_INVALID", "Expected each organisation once.", { parameter: "members" });
    const known = findPlayer(draft, name) ?? (stated === undefined ? undefined : draft.players.get(stated));
    if (known !== undefined) return requireSame(draft, known, { name, uuid: stated, members, administrator });
    // A former player keeps the UUID: removal and new registration must not end an exclusion.
    const hint = "Name one with `--uuid`, or give a new person another UUID.";
    const uuid = stated ?? onlyRemoved(formerPlayers(draft, name), hint)?.uuid ?? newUUID();
    const added: Player = { uuid, name, administrator, registeredAt: now };
    draft.players.put(added);
    bindRecords(draft, added);
    for (const member of members) setMembership(draft, added, member);
    const groups = groupsInOrder(draft, added, now).map(({ group }) => group);
    const note = groups.length === 0 ? "" : `, who is already in ${allOf(groups)}`;
    const former = formerNote(draft, added, now);
    return { info: `Registered ${name}${note}${former && `; ${former}`}.`, name, uuid };
  },
});

/** Returns a note for a player whose name removed ones have in groups, such as that of the excluded. */
export function formerNote(data: Data, { name, uuid }: Subject, now: number): string {
  const former = formerPlayers(data, name).flatMap((other) => {
    const groups = groupsInOrder(data, other, now).map(({ group }) => group);
    if (other.uuid === uuid || groups.length === 0) return [];
    return `a removed player of this name, ${other.uuid}, is still in ${allOf(groups)}`;
  });
  return former.join("; ");
}

/** Accepts a repeated registration. @throws Failure `CONFLICT` where the player differs */
function requireSame(
  draft: Draft,
  known: Player,
  wanted: {
    name: string;
    uuid: string | undefined;
    members: readonly { organisation: string; rank: number }[];
    administrator: boolean;
  },
) {
  const { name, uuid } = known;
  const differs = (what: string): never => {
    throw new Failure("CONFLICT", `${name} is already registered, with ${what}.`, {
      hint: "`addon-cli player show` shows the player; `member set` and `admin grant` change one.",
    });
  };
  if (fold(name) !== fold(wanted.name)) {
    throw new Failure("CONFLICT", `The UUID ${uuid} is that of ${name}.`, {
      hint: `If that player is now called ${wanted.name}: \`addon-cli player rename ${asArgument(name)} ${asArgument(wanted.name)}\`.`,
    });
  }
  if (wanted.uuid !== undefined && wanted.uuid !== uuid) return differs(`the UUID ${uuid}`);
  if (wanted.administrator && !known.administrator) return differs("no administrator flag");
  for (const member of wanted.members) {
    const organisation = requireName(draft, member.organisation, "faction", "service").name;
    const has = draft.memberships.get(`${organisation}/${uuid}`)?.rank;
    if (has !== member.rank) {
      return differs(
        has === undefined ? `no membership in ${organisation}` : `rank ${has} in ${organisation}`,
      );
    }
  }
  return { info: `${name} is already registered.`, name, uuid };
}

/** Returns a player with memberships and groups, and the terms of those that have any. */
function withMemberships(data: Data, { name, uuid, administrator }: Player, now: number) {
  const members = (["faction", "service"] as const)
    .flatMap((kind) => membershipsOf(data, uuid, kind, now))
    .map(({ uuid: _, ...member }) => member);
  const groups = groupsInOrder(data, { name, uuid }, now);
  const terms = groups
    .filter(({ until, reason }) => until !== undefined || reason !== undefined)
    .map(({ name: _name, uuid: _uuid, ...terms }) => terms);
  return {
    ...{ name, uuid, administrator, members, groups: groups.map(({ group }) => group) },
    ...(terms.length > 0 && { terms }),
  };
}

/** Returns somebody's memberships in groups, in the seed's order. */
function groupsInOrder(data: Data, subject: Subject, now: number): GroupMember[] {
  const groups = groupsOf(data, subject, now);
  return namesOf(data, "group").flatMap((name) => groups.find(({ group }) => group === name) ?? []);
}

export const list = defineRead({
  /** Lists the players who are in all of these. */
  input: v.strictObject({
    members: v.optional(v.array(v.string()), []),
    groups: v.optional(v.array(v.string()), []),
  }),
  read(data, { members, groups }, { now }) {
    const tests = [
      ...members.map((name) => memberTest(data, now, name, "faction", "service")),
      ...groups.map((name) => memberTest(data, now, name, "group")),
    ];
    const found = Array.from(data.players.values()).filter((player) => tests.every((test) => test(player)));
    return byName(found).map((player) => withMemberships(data, player, now));
  },
});

export const show = defineRead({
  input: player,
  read(data, input, context) {
    const found = requirePlayer(data, input.player);
    const { uuid: _, ...statistic } = statisticOf(data, found.uuid);
    const { activity, now } = context;
    const seen = activity.of(found.uuid);
    return {
      ...withMemberships(data, found, now),
      registered: found.registeredAt,
      lastSeen: seen?.lastSeen ?? null,
      version: activity.versionOf(found.uuid, now),
      statistic,
      tokens: listTokens(data, now, found.uuid),
    };
  },
});

export const remove = defineChange({
  usesTable: true,
  /** `dryRun`: whether only to return what it would do, before a question. */
  input: v.strictObject({ player: playerReference, dryRun: v.optional(v.boolean()) }),
  change(draft, input, context) {
    const found = requirePlayer(draft, input.player);
    const { uuid, name } = found;
    const excluded = context.excludedGroup();
    const isExcluded = excluded !== undefined && isInGroup(draft, excluded, found, context.now);
    const { sequence } = context;
    if (input.dryRun === true) return { info: `This removes ${name}.`, sequence, isExcluded };
    for (const member of draft.groupMembers.find("subject", subjectKey(found))) {
      // Removal and new registration must not end an exclusion.
      if (member.group !== excluded) draft.groupMembers.delete(groupMemberKey(member.group, member));
    }
    for (const collection of collectionsOf(draft)) {
      if (collection.refersTo.player?.outlives !== false) continue;
      for (const record of recordsOfPlayer(collection, uuid)) collection.rows.delete(collection.key(record));
    }
    draft.players.delete(uuid);
    const stays = isExcluded ? " The exclusion stays." : "";
    return {
      info: `Removed ${name}, with statistics, memberships and tokens.${stays}`,
      sequence,
      isExcluded,
    };
  },
});

function requireExcludedGroup({ excludedGroup }: DraftContext): string {
  const group = excludedGroup();
  if (group !== undefined) return group;
  throw new Failure("UNKNOWN_GROUP", "The route table names no group whose members are excluded.", {
    hint: "Add `excluded: { group: BLACKLIST }` to it.",
  });
}

export const exclude = defineChange({
  usesTable: true,
  /** `dryRun`: whether only to return whom it would exclude, before a question; `basis`: who that was, and what it replaces. */
  input: v.strictObject({
    ...{ player: playerReference, until, dryRun: v.optional(v.boolean()), basis: v.optional(v.string()) },
    reason: v.optional(
      v.pipe(v.string(), v.trim(), line("a reason", { minLength: 1, maxLength: longestReason })),
    ),
  }),
  change(
    draft,
    { player, until, reason, dryRun, basis },
    context,
  ): { info: string; name: string; wouldChange?: boolean; basis?: string } {
    const group = requireExcludedGroup(context);
    const before = findMember(draft, group, player, context.now);
    // Who is excluded by the name alone stays so: whoever registers the name is excluded, with any UUID.
    const subject = memberSubject(draft, group, player, "player", context.now);
    const { name } = subject;
    // Until the answer, the name can become another's, the player be removed, or the exclusion become another.
    const whom = JSON.stringify([subjectKey(subject), before && [before.until, before.reason]]);
    if (basis !== undefined && basis !== whom) throw changedMeanwhile();
    const terms = { until, reason: reason ?? before?.reason };
    const lasting = before?.until === undefined ? "the exclusion without end" : "the exclusion";
    const replaces = before === undefined ? "" : ` ${withTerms(`It replaces ${lasting}`, before)}`;
    const isSame = before !== undefined && before.until === until && before.reason === terms.reason;
    const note = unregisteredNote(draft, player, subject);
    if (dryRun === true && !isSame)
      return {
        info: `${withTerms(`This excludes ${name}`, terms)}${note}${replaces}`,
        name,
        wouldChange: true,
        basis: whom,
      };
    if (dryRun !== true) joinGroup(draft, group, subject, context.now, terms);
    if (before === undefined) return { info: `${withTerms(`Excluded ${name}`, terms)}${note}`, name };
    const is = withTerms(`${name} is ${isSame ? "already" : "now"} excluded`, terms);
    return { info: `${is}${endNote(before, terms)}`, name };
  },
});

export const readmit = defineChange({
  usesTable: true,
  input: player,
  change(draft, input, context) {
    const group = requireExcludedGroup(context);
    const readmitted = leaveGroup(draft, group, input.player);
    if (readmitted === undefined) return { info: notInGroup(draft, group, input.player, "excluded") };
    return { info: `Readmitted ${readmitted.name}.${removedNote(draft, group, readmitted.name)}` };
  },
});

export const resetStatistic = defineChange({
  input: player,
  change(draft, input) {
    const { uuid, name } = requirePlayer(draft, input.player);
    if (!draft.statistics.has(uuid)) return { info: `${name} has no statistics.` };
    draft.statistics.delete(uuid);
    return { info: `Reset the statistics of ${name}.` };
  },
});
