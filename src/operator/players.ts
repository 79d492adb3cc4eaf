/** Players as an operator manages them: registration, exclusion, memberships, administrators (contract, section 4). */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { groupMemberKey, type Player, subjectKey } from "../domain/model.ts";
import { compareTexts, didYouMean, oneOf } from "../domain/text.ts";
import {
  adoptName,
  findPlayer,
  formerPlayers,
  isInGroup,
  joinGroup,
  leaveGroup,
  membershipsOf,
  namesOf,
  newUUID,
  playerNames,
  requireGroup,
  requireOrganisation,
  requirePlayer,
  statisticOf,
  toNewSubject,
  toUUID,
} from "../identity/players.ts";
import type { Data, Draft } from "../store/data.ts";
import {
  defineChange,
  defineChangeByTable,
  defineRead,
  type Info,
  newPlayerName,
  playerReference,
  rank,
} from "./define.ts";
import { listTokens } from "./tokens.ts";

const player = v.strictObject({ player: playerReference });

function info(sentence: string): Info {
  return { info: sentence };
}

/** Groups can hold names that are not registered; whoever mistyped one should see it. */
function unregisteredNote(data: Data, reference: string): string {
  if (findPlayer(data, reference) !== undefined) return "";
  return ` No player of that name is registered yet.${didYouMean(reference, playerNames(data))}`;
}

function setMembership(draft: Draft, { uuid }: Player, organisation: string, newRank: number): void {
  draft.memberships.put({ uuid, organisation: requireOrganisation(draft, organisation).name, rank: newRank });
}

export const add = defineChange({
  input: v.strictObject({
    name: newPlayerName,
    uuid: v.optional(v.string()),
    members: v.optional(v.array(v.object({ organisation: v.string(), rank })), []),
    administrator: v.optional(v.boolean(), false),
  }),
  change(draft, { name, uuid: typed, members, administrator }, { now }) {
    const given = typed === undefined ? undefined : toUUID(typed);
    if (typed !== undefined && given === undefined) {
      throw new Failure("PARAMETER_INVALID", `A UUID of 32 hex digits was expected, "${typed}" came.`);
    }
    const known = findPlayer(draft, name) ?? (given === undefined ? undefined : draft.players.get(given));
    if (known !== undefined) return alreadyThere(draft, known, { name, uuid: given, members, administrator });
    // Who is registered again without a UUID is the same person: nobody escapes an exclusion by being removed.
    const uuid = given ?? formerPlayers(draft, name)[0]?.uuid ?? newUUID();
    const added: Player = { uuid, name, administrator, registeredAt: now };
    draft.players.put(added);
    adoptName(draft, added);
    for (const { organisation, rank: each } of members) setMembership(draft, added, organisation, each);
    const groups = groupsOf(draft, added);
    const already = groups.length === 0 ? "" : `, who is in ${oneOf(groups, "and")} already`;
    return { info: `Registered ${name}${already}.`, name, uuid };
  },
});

function alreadyThere(
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
    throw new Failure("CONFLICT", `${name} is registered already, with ${what}.`, {
      hint: "See `addon-cli player show`; `member set` and `admin grant` change a player.",
    });
  };
  if (compareTexts(name, wanted.name) !== 0 && name.toLowerCase() !== wanted.name.toLowerCase()) {
    return differs(`the UUID ${uuid} that was given for ${wanted.name}`);
  }
  if (wanted.uuid !== undefined && wanted.uuid !== uuid) return differs(`the UUID ${uuid}`);
  if (wanted.administrator && !known.administrator) return differs("no administrator flag");
  for (const member of wanted.members) {
    const organisation = requireOrganisation(draft, member.organisation).name;
    const has = draft.memberships.get(`${organisation}/${uuid}`)?.rank;
    if (has !== member.rank) {
      return differs(
        has === undefined ? `no membership in ${organisation}` : `rank ${has} in ${organisation}`,
      );
    }
  }
  return { info: `${name} is registered already.`, name, uuid };
}

/** The line of a player in a list. */
function toListed(data: Data, { name, uuid, administrator }: Player) {
  const organisations = [...membershipsOf(data, uuid, "faction"), ...membershipsOf(data, uuid, "service")];
  const members = organisations.map(({ organisation, rank: each }) => ({ organisation, rank: each }));
  return { name, uuid, administrator, members, groups: groupsOf(data, { name, uuid }) };
}

function groupsOf(data: Data, subject: { name: string; uuid: string | null }): string[] {
  return namesOf(data, "group").filter((group) => isInGroup(data, group, subject));
}

export const list = defineRead({
  /** Lists the players who are in all of these. */
  input: v.strictObject({
    members: v.optional(v.array(v.string()), []),
    groups: v.optional(v.array(v.string()), []),
  }),
  read(data, { members, groups }) {
    const organisations = members.map((each) => requireOrganisation(data, each).name);
    const known = groups.map((each) => requireGroup(data, each));
    return Array.from(data.players.values())
      .filter(
        (each) =>
          organisations.every((organisation) => data.memberships.has(`${organisation}/${each.uuid}`)) &&
          known.every((group) => isInGroup(data, group, each)),
      )
      .sort((a, b) => compareTexts(a.name, b.name))
      .map((each) => toListed(data, each));
  },
});

export const show = defineRead({
  input: player,
  read(data, input, context) {
    const found = requirePlayer(data, input.player);
    const { uuid: _, ...statistic } = statisticOf(data, found.uuid);
    const known = context.activity.of(found.uuid);
    return {
      ...toListed(data, found),
      registered: found.registeredAt,
      lastSeen: known?.lastSeen ?? null,
      version: known?.version ?? null,
      statistic,
      tokens: listTokens(data, context.now, found.uuid),
    };
  },
});

export const remove = defineChangeByTable({
  input: player,
  change(draft, input, context) {
    const found = requirePlayer(draft, input.player);
    const { uuid, name } = found;
    const excluded = context.excludedGroup();
    for (const member of draft.groupMembers.find("subject", subjectKey(found))) {
      // Whoever is excluded must not come back by being removed and registered anew.
      if (member.group !== excluded) draft.groupMembers.delete(groupMemberKey(member.group, member));
    }
    for (const { organisation } of draft.memberships.find("player", uuid)) {
      draft.memberships.delete(`${organisation}/${uuid}`);
    }
    for (const token of draft.tokens.find("player", uuid)) draft.tokens.delete(token.id);
    draft.statistics.delete(uuid);
    draft.activity.delete(uuid);
    draft.players.delete(uuid);
    const stays = isInGroup(draft, excluded, found) ? " The exclusion stays." : "";
    return info(`Removed ${name}, with statistics, memberships and tokens.${stays}`);
  },
});

export const exclude = defineChangeByTable({
  input: player,
  change(draft, input, context) {
    const subject = toNewSubject(draft, input.player, "player");
    const changed = joinGroup(draft, context.excludedGroup(), subject);
    if (!changed) return info(`${subject.name} is excluded already.`);
    return info(`Excluded ${subject.name}.${unregisteredNote(draft, input.player)}`);
  },
});

export const readmit = defineChangeByTable({
  input: player,
  change(draft, input, context) {
    const subject = leaveGroup(draft, context.excludedGroup(), input.player);
    return info(`Readmitted ${subject.name}.`);
  },
});

export const resetStatistic = defineChange({
  input: player,
  change(draft, input) {
    const { uuid, name } = requirePlayer(draft, input.player);
    if (!draft.statistics.has(uuid)) return info(`${name} has no statistics.`);
    draft.statistics.delete(uuid);
    return info(`Reset the statistics of ${name}.`);
  },
});

export const setMember = defineChange({
  input: v.strictObject({ player: playerReference, organisation: v.string(), rank }),
  change(draft, input) {
    const found = requirePlayer(draft, input.player);
    setMembership(draft, found, input.organisation, input.rank);
    const { name: organisation } = requireOrganisation(draft, input.organisation);
    return info(`${found.name} has rank ${input.rank} in ${organisation}.`);
  },
});

export const removeMember = defineChange({
  input: v.strictObject({ player: playerReference, organisation: v.string() }),
  change(draft, input) {
    const { uuid, name } = requirePlayer(draft, input.player);
    const { name: organisation } = requireOrganisation(draft, input.organisation);
    const key = `${organisation}/${uuid}`;
    if (!draft.memberships.has(key)) throw new Failure("UNKNOWN_ENTRY", `${name} is not in ${organisation}.`);
    draft.memberships.delete(key);
    return info(`Removed ${name} from ${organisation}.`);
  },
});

function setAdministrator(draft: Draft, reference: string, administrator: boolean): Info {
  const found = requirePlayer(draft, reference);
  const word = administrator ? "an administrator" : "no administrator";
  if (found.administrator === administrator) return info(`${found.name} is ${word} already.`);
  draft.players.put({ ...found, administrator });
  return info(`${found.name} is ${word} now.`);
}

export const grantAdministrator = defineChange({
  input: player,
  change: (draft, input) => setAdministrator(draft, input.player, true),
});

export const revokeAdministrator = defineChange({
  input: player,
  change: (draft, input) => setAdministrator(draft, input.player, false),
});

export const listAdministrators = defineRead({
  input: v.strictObject({}),
  read: (data) =>
    Array.from(data.players.values())
      .filter(({ administrator }) => administrator)
      .sort((a, b) => compareTexts(a.name, b.name))
      .map(({ name, uuid }) => ({ name, uuid })),
});

export const listGroups = defineRead({
  input: v.strictObject({}),
  read: (data) =>
    namesOf(data, "group").map((group) => ({
      group,
      members: data.groupMembers
        .find("group", group)
        .map(({ name, uuid }) => ({ name, uuid }))
        .sort((a, b) => compareTexts(a.name, b.name)),
    })),
});

export const addToGroup = defineChange({
  input: v.strictObject({ player: playerReference, group: v.string() }),
  change(draft, input) {
    const group = requireGroup(draft, input.group);
    const subject = toNewSubject(draft, input.player, "player");
    const changed = joinGroup(draft, group, subject);
    if (!changed) return info(`${subject.name} is in ${group} already.`);
    return info(`Added ${subject.name} to ${group}.${unregisteredNote(draft, input.player)}`);
  },
});

export const removeFromGroup = defineChange({
  input: v.strictObject({ player: playerReference, group: v.string() }),
  change(draft, input) {
    const group = requireGroup(draft, input.group);
    const subject = leaveGroup(draft, group, input.player);
    return info(`Removed ${subject.name} from ${group}.`);
  },
});
