/** Managing memberships and administrators. */
import * as v from "valibot";
import { toMinute } from "../domain/instant.ts";
import { countsAt, type Ending, type Membership, type Player, type Subject } from "../domain/model.ts";
import { withTerms } from "../domain/terms.ts";
import { byName, compareTexts, didYouMean } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import {
  joinGroup,
  leaveGroup,
  memberSubject,
  namesOf,
  notInGroup,
  removedNote,
  requireName,
} from "../identity/memberships.ts";
import { findPlayer, playerNames, requirePlayer } from "../identity/players.ts";
import type { Data, Draft } from "../store/data.ts";
import { defineChange, defineRead } from "./define.ts";
import { playerReference, rank, until } from "./input.ts";

/** Sets a player's rank in a faction or service, and returns the former membership, and the present one. */
export function setMembership(
  draft: Draft,
  { uuid }: Player,
  { organisation: typed, rank, until }: { organisation: string; rank: number } & Ending,
): { before: Membership | undefined; organisation: string } {
  const { name: organisation } = requireName(draft, typed, "faction", "service");
  const before = draft.memberships.get(`${organisation}/${uuid}`);
  draft.memberships.put({ uuid, organisation, rank, ...(until !== undefined && { until }) });
  return { before, organisation };
}

/** Returns a note for a membership that had an end and has none now. */
export function endNote(before: Ending | undefined, { until }: Ending): string {
  if (before?.until === undefined || until !== undefined) return "";
  return ` It would have ended ${toMinute(before.until)}, and now has no end.`;
}

/** Returns a note on who becomes a member of a group under a name that nobody has now: it may be mistyped. */
export function unregisteredNote(data: Data, reference: string, { uuid }: Subject): string {
  if (findPlayer(data, reference) !== undefined) return "";
  const isName = toUUID(reference) === undefined;
  if (isName && uuid !== null) return ` This is the removed player ${uuid}.`;
  const what = isName ? "name" : "UUID";
  return ` No player of that ${what} is registered yet.${didYouMean(reference, playerNames(data))}`;
}

export const setMember = defineChange({
  input: v.strictObject({ player: playerReference, organisation: v.string(), rank, until }),
  change(draft, input) {
    const found = requirePlayer(draft, input.player);
    const { before, organisation } = setMembership(draft, found, input);
    const has = withTerms(`${found.name} has rank ${input.rank} in ${organisation}`, input);
    return { info: `${has}${endNote(before, input)}` };
  },
});

export const removeMember = defineChange({
  input: v.strictObject({ player: playerReference, organisation: v.string() }),
  change(draft, input) {
    const { uuid, name } = requirePlayer(draft, input.player);
    const { name: organisation } = requireName(draft, input.organisation, "faction", "service");
    const key = `${organisation}/${uuid}`;
    if (!draft.memberships.has(key)) return { info: `${name} is not in ${organisation}.` };
    draft.memberships.delete(key);
    return { info: `Removed ${name} from ${organisation}.` };
  },
});

const setAdministrator = (administrator: boolean) =>
  defineChange({
    input: v.strictObject({ player: playerReference }),
    change(draft, input) {
      const found = requirePlayer(draft, input.player);
      const what = administrator ? "an administrator" : "not an administrator";
      const already = administrator ? "already " : "";
      if (found.administrator === administrator) return { info: `${found.name} is ${already}${what}.` };
      draft.players.put({ ...found, administrator });
      return { info: `${found.name} is now ${what}.` };
    },
  });

export const grantAdministrator = setAdministrator(true);
export const revokeAdministrator = setAdministrator(false);

export const listAdministrators = defineRead({
  input: v.strictObject({}),
  read: (data) =>
    byName(Array.from(data.players.values()).filter(({ administrator }) => administrator)).map(
      ({ name, uuid }) => ({ name, uuid }),
    ),
});

export const listGroups = defineRead({
  input: v.strictObject({}),
  read: (data, _input, { now }) =>
    namesOf(data, "group").map((group) => ({
      group,
      members: data.groupMembers
        .find("group", group)
        .filter((member) => countsAt(member, now))
        .map(({ group: _, ...member }) => member)
        .sort((a, b) => compareTexts(a.name, b.name)),
    })),
});

export const addToGroup = defineChange({
  input: v.strictObject({ player: playerReference, group: v.string(), until }),
  change(draft, { player, group: typed, until }, { now }) {
    const group = requireName(draft, typed, "group").name;
    const subject = memberSubject(draft, group, player, "player", now);
    const before = joinGroup(draft, group, subject, now, { until });
    if (before === undefined) {
      const added = withTerms(`Added ${subject.name} to ${group}`, { until });
      return { info: `${added}${unregisteredNote(draft, player, subject)}` };
    }
    const is = before.until === until ? "is already" : "is";
    return {
      info: `${withTerms(`${subject.name} ${is} in ${group}`, { until })}${endNote(before, { until })}`,
    };
  },
});

export const removeFromGroup = defineChange({
  input: v.strictObject({ player: playerReference, group: v.string() }),
  change(draft, input) {
    const group = requireName(draft, input.group, "group").name;
    const left = leaveGroup(draft, group, input.player);
    if (left === undefined) return { info: notInGroup(draft, group, input.player) };
    return { info: `Removed ${left.name} from ${group}.${removedNote(draft, group, left.name)}` };
  },
});
