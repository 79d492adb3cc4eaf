/** Renaming a player, with all records that contain the name (contract, section 2). */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { type HouseBanReason, type Player, subjectKey } from "../domain/model.ts";
import { fold, oneOf } from "../domain/text.ts";
import { groupsOf } from "../identity/memberships.ts";
import { adoptName, requirePlayer } from "../identity/players.ts";
import type { Data, Draft } from "../store/data.ts";
import { defineChange } from "./define.ts";
import { newPlayerName, playerReference } from "./input.ts";

export const rename = defineChange({
  input: v.object({ player: playerReference, name: newPlayerName }),
  change(draft, { player, name }) {
    const found = requirePlayer(draft, player);
    const { uuid } = found;
    if (found.name === name) return { info: `The player ${uuid} is already called ${name}.`, name, uuid };
    const other = draft.players.find("name", fold(name)).find((each) => each.uuid !== uuid);
    if (other !== undefined) {
      throw new Failure("CONFLICT", `The name ${other.name} is taken by the player ${other.uuid}.`, {
        hint: "Choose another name, or rename that player first.",
      });
    }
    const adopted = boundTo(draft, name);
    const renamed: Player = { ...found, name };
    draft.players.put(renamed);
    adoptName(draft, renamed);
    renameCreator(draft, renamed);
    const note = adopted.length === 0 ? "" : ` The player takes over ${oneOf(adopted, "and")} of that name.`;
    return { info: `Renamed ${found.name} to ${name}.${note}`, name, uuid };
  },
});

/** Returns the records of an unregistered name, in words. */
function boundTo(data: Data, name: string): string[] {
  const subject = { name, uuid: null };
  const groups = groupsOf(data, subject).map((group) => `membership in the group ${group}`);
  if (data.targets.has(subjectKey(subject))) groups.push("a place on the target list");
  if (data.houseBans.has(subjectKey(subject))) groups.push("a house ban");
  return groups;
}

/** Puts the new name into the house bans and reasons that the player entered. */
function renameCreator(draft: Draft, { name, uuid }: Player): void {
  const isTheirs = ({ creatorUUID }: Pick<HouseBanReason, "creatorUUID">) => creatorUUID === uuid;
  for (const reason of [...draft.houseBanReasons.values()]) {
    if (isTheirs(reason)) draft.houseBanReasons.put({ ...reason, creatorName: name });
  }
  for (const ban of [...draft.houseBans.values()]) {
    if (!ban.reasons.some(isTheirs)) continue;
    const reasons = ban.reasons.map((each) => (isTheirs(each) ? { ...each, creatorName: name } : each));
    draft.houseBans.put({ ...ban, reasons });
  }
}
