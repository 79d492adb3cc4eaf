/** House bans of players (specification, section 4.5). A ban lasts from its first reason on for the sum of the days. */
import * as v from "valibot";
import { Failure } from "../errors.ts";
import { toSubject } from "../identity/players.ts";
import { type HouseBan, subjectKey } from "../model.ts";
import type { Data } from "../store/data.ts";
import { compareTexts, didYouMean, fold, oneOf } from "../text.ts";
import { defineChange, defineRead } from "./define.ts";
import { count, instant, playerName, subject, text, uuid } from "./values.ts";

const millisecondsPerDay = 24 * 60 * 60 * 1000;

function durationOf(ban: HouseBan): number {
  return ban.reasons.reduce((days, reason) => days + reason.days, 0);
}

function expirationOf(ban: HouseBan): number {
  return ban.startTime + durationOf(ban) * millisecondsPerDay;
}

/** The ban of somebody that has not expired. */
function currentBan(data: Data, key: string, now: number): HouseBan | undefined {
  const ban = data.houseBans.get(key);
  return ban !== undefined && now < expirationOf(ban) ? ban : undefined;
}

export const list = defineRead({
  input: { advanced: v.boolean() },
  answer: v.array(
    v.object({
      ...subject,
      startTime: instant,
      duration: count,
      expirationTime: instant,
      houseBanReasonList: v.array(
        v.object({
          reason: v.string(),
          days: count,
          creatorName: v.optional(v.nullable(v.string())),
          creatorUUID: v.optional(v.nullable(uuid)),
        }),
      ),
    }),
  ),
  read: (data, { advanced }, { now }) =>
    Array.from(data.houseBans.values())
      .filter((ban) => now < expirationOf(ban))
      .sort((a, b) => compareTexts(a.name, b.name))
      .map((ban) => ({
        name: ban.name,
        uuid: ban.uuid,
        startTime: ban.startTime,
        duration: durationOf(ban),
        expirationTime: expirationOf(ban),
        houseBanReasonList: ban.reasons.map(({ reason, days, creatorName, creatorUUID }) =>
          advanced ? { reason, days, creatorName, creatorUUID } : { reason, days },
        ),
      })),
});

export const add = defineChange({
  input: { name: playerName, reason: text },
  recordsCaller: true,
  change(draft, input, { caller, now }) {
    const known = draft.houseBanReasons.get(fold(input.reason));
    if (known === undefined) {
      const names = Array.from(draft.houseBanReasons.values(), ({ reason }) => reason).sort(compareTexts);
      const hint = names.length === 0 ? "There are none yet." : `Known are ${oneOf(names, "and")}.`;
      const sentence = `There is no house-ban reason ${input.reason}.${didYouMean(input.reason, names)}`;
      throw new Failure("UNKNOWN_ENTRY", sentence, { parameter: "reason", hint });
    }
    const player = toSubject(draft, input.name);
    const ban = currentBan(draft, subjectKey(player), now);
    if (ban?.reasons.some(({ reason }) => fold(reason) === fold(known.reason))) {
      return `${ban.name} has a house ban for ${known.reason} already.`;
    }
    const creator = caller.id === null ? undefined : draft.players.get(caller.id);
    const reason = { ...known, creatorName: creator?.name ?? null, creatorUUID: creator?.uuid ?? null };
    if (ban === undefined) draft.houseBans.put({ ...player, startTime: now, reasons: [reason] });
    else draft.houseBans.put({ ...ban, reasons: [...ban.reasons, reason] });
    return `Added the house-ban reason ${known.reason} to ${player.name}.`;
  },
});

export const remove = defineChange({
  input: { name: playerName, reason: text },
  change(draft, input, { now }) {
    const player = toSubject(draft, input.name);
    const ban = currentBan(draft, subjectKey(player), now);
    if (ban === undefined) throw new Failure("UNKNOWN_ENTRY", `${player.name} has no house ban.`);
    const reasons = ban.reasons.filter(({ reason }) => fold(reason) !== fold(input.reason));
    if (reasons.length === ban.reasons.length) {
      const names = ban.reasons.map(({ reason }) => reason);
      throw new Failure("UNKNOWN_ENTRY", `${ban.name} has no house ban for ${input.reason}.`, {
        parameter: "reason",
        hint: `The ban is for ${oneOf(names, "and")}.`,
      });
    }
    if (reasons.length === 0) {
      draft.houseBans.delete(subjectKey(ban));
      return `Removed the house ban of ${ban.name}.`;
    }
    draft.houseBans.put({ ...ban, reasons });
    return `Removed the house-ban reason ${input.reason} from ${ban.name}.`;
  },
});
