/** Managing memberships and administrators. */
import * as v from "valibot";
import type { Player } from "../domain/model.ts";
import { compareTexts, didYouMean } from "../domain/text.ts";
import {
  joinGroup,
  leaveGroup,
  namesOf,
  notInGroup,
  requireGroup,
  requireOrganisation,
} from "../identity/memberships.ts";
import { findPlayer, playerNames, requirePlayer, requireVisibleSubject } from "../identity/players.ts";
import type { Data, Draft } from "../store/data.ts";
import { defineChange, defineRead, type Info } from "./define.ts";
import { playerReference, rank } from "./input.ts";

/** Sets a player's rank in a faction or service, and returns the name of that. */
export function setMembership(draft: Draft, { uuid }: Player, organisation: string, rank: number): string {
  const { name } = requireOrganisation(draft, organisation);
  draft.memberships.put({ uuid, organisation: name, rank });
  return name;
}

/** Returns a note for an unregistered name in a group, which may be mistyped. */
export function unregisteredNote(data: Data, reference: string): string {
  if (findPlayer(data, reference) !== undefined) return "";
  return ` No player of that name is registered yet.${didYouMean(reference, playerNames(data))}`;
}

export const setMember = defineChange({
  input: v.strictObject({ player: playerReference, organisation: v.string(), rank }),
  change(draft, input) {
    const found = requirePlayer(draft, input.player);
    const organisation = setMembership(draft, found, input.organisation, input.rank);
    return { info: `${found.name} has rank ${input.rank} in ${organisation}.` };
  },
});

export const removeMember = defineChange({
  input: v.strictObject({ player: playerReference, organisation: v.string() }),
  change(draft, input) {
    const { uuid, name } = requirePlayer(draft, input.player);
    const { name: organisation } = requireOrganisation(draft, input.organisation);
    const key = `${organisation}/${uuid}`;
    if (!draft.memberships.has(key)) return { info: `${name} is not in ${organisation}.` };
    draft.memberships.delete(key);
    return { info: `Removed ${name} from ${organisation}.` };
  },
});

function setAdministrator(draft: Draft, reference: string, administrator: boolean): Info {
  const found = requirePlayer(draft, reference);
  const what = administrator ? "an administrator" : "not an administrator";
  if (found.administrator === administrator) return { info: `${found.name} is already ${what}.` };
  draft.players.put({ ...found, administrator });
  return { info: `${found.name} is now ${what}.` };
}

const player = v.strictObject({ player: playerReference });

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
    const subject = requireVisibleSubject(draft, input.player, "player");
    if (!joinGroup(draft, group, subject)) return { info: `${subject.name} is already in ${group}.` };
    return { info: `Added ${subject.name} to ${group}.${unregisteredNote(draft, input.player)}` };
  },
});

export const removeFromGroup = defineChange({
  input: v.strictObject({ player: playerReference, group: v.string() }),
  change(draft, input) {
    const group = requireGroup(draft, input.group);
    const left = leaveGroup(draft, group, input.player);
    if (left === undefined) return { info: notInGroup(draft, group, input.player) };
    return { info: `Removed ${left.name} from ${group}.` };
  },
});
