/** House bans. A ban starts with its first reason and lasts for the sum of the days. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { type Creator, type HouseBan, houseBanDuration, houseBanEnd, subjectKey } from "../domain/model.ts";
import { allOf, comparisonForm, didYouMean, fold, mostCompared, oneOf } from "../domain/text.ts";
import { findRecord, requireVisibleSubject, withLatestSpelling } from "../identity/players.ts";
import type { Data } from "../store/data.ts";
import { isDays } from "../table/declared/declarations.ts";
import type { List } from "../table/declared/lists.ts";
import { withPresentNames } from "../table/declared/stored.ts";
import { creatorFields, creatorInAnswer, creatorOf } from "./common/creator.ts";
import { defineCachedRead, defineChange, type Handler } from "./common/define.ts";
import { entryNamed, nameIn, valueIn } from "./common/list-entries.ts";
import { requireSpace } from "./common/space.ts";
import {
  component,
  count,
  duration,
  everyReason,
  field,
  instant,
  ofPerson,
  playerName,
  subject,
  textReference,
} from "./common/values.ts";

/** Returns the present ban of somebody, by name or UUID, as {@link findRecord} finds it. */
function bannedAt(data: Data, reference: string, now: number): HouseBan | undefined {
  return findRecord(data, data.houseBans, reference, (ban) => now < houseBanEnd(ban));
}

/** Returns the reason of a ban that a text names. An exact spelling comes first, as in `entryNamed`. */
function findReason({ reasons }: HouseBan, text: string): HouseBan["reasons"][number] | undefined {
  return (
    reasons.find(({ reason }) => fold(reason) === fold(text)) ??
    reasons.find(({ reason }) => comparisonForm(reason) === comparisonForm(text))
  );
}

const reasonOfBan = component(
  "HouseBanEntry",
  "A reason of a house ban. Only the advanced view has the creator.",
  {
    reason: field(v.string(), 'The reason, with "-" for each space.', "Vandalism"),
    days: field(count, "The days that the reason added when it was entered.", 7),
    creatorName: v.optional(creatorFields.creatorName),
    creatorUUID: v.optional(creatorFields.creatorUUID),
  },
);

const listed = component("HouseBan", "The house ban of a player.", {
  ...subject,
  startTime: field(instant, "When the ban started, in milliseconds since 1970.", 1795262400000),
  duration: field(
    duration,
    "How long the ban lasts, in milliseconds: `expirationTime` minus `startTime`, the sum of the days of its reasons.",
    604800000,
  ),
  expirationTime: field(instant, "When the ban ends, in milliseconds since 1970.", 1795867200000),
  houseBanReasonList: v.pipe(
    v.array(reasonOfBan),
    v.description("The reasons, in the order in which they were entered."),
  ),
});

const list = defineCachedRead({
  description: "Lists the bans that have not expired.",
  dependsOn: ["houseBans"],
  /** The list changes when the next ban expires. */
  version: ({ houseBans }, _input, now) => `${houseBans.version} without ${houseBans.ended(now).length}`,
  input: { advanced: field(v.boolean(), "Whether to name who entered each reason.") },
  answer: v.pipe(
    v.array(listed),
    v.description("The house bans that have not expired, ordered by the player's name."),
  ),
  read: (data, { advanced }, { now, compare }) =>
    Array.from(data.houseBans.values())
      .filter((ban) => now < houseBanEnd(ban))
      .sort((a, b) => compare(a.name, b.name))
      .map((ban) => ({
        name: ban.name,
        uuid: ban.uuid,
        startTime: ban.startTime,
        duration: houseBanDuration(ban),
        expirationTime: houseBanEnd(ban),
        houseBanReasonList: ban.reasons.map((entry) => {
          const { reason, days } = entry;
          return advanced ? { reason, days, ...creatorInAnswer(entry) } : { reason, days };
        }),
      })),
});

const banned = {
  name: field(playerName, "The banned player, who need not be registered.", "Mallory"),
  reason: field(textReference, "One of the house-ban reasons.", "Vandalism"),
};

const add = (reasons: List, most: number, mostOwn: number | undefined) =>
  defineChange({
    list: reasons,
    example: "Added the house-ban reason Vandalism to Mallory.",
    description:
      "A ban starts with its first reason and lasts for the sum of the days of its reasons: a further reason adds its " +
      "days. The ban stores the days that the reason has now; a later change of the reason does not change the ban.",
    input: banned,
    failures: ofPerson({
      UNKNOWN_ENTRY: "The house-ban reason does not exist; `hint` lists up to 20.",
      CONFLICT: "The list is full, or the reason has 0 days.",
    }),
    recordsCaller: true,
    change(draft, input, { caller, compare, now }) {
      const { name: list, fields } = reasons;
      const entry = entryNamed(draft.entries, list, input.reason);
      if (entry === undefined) {
        const names = draft.entries.find("list", list).map(nameIn);
        // Sorting thousands takes milliseconds, and only some of them are named.
        if (names.length <= mostCompared) names.sort(compare);
        const hint = names.length === 0 ? "There are no house-ban reasons yet." : `Expected ${oneOf(names)}.`;
        const sentence = `There is no house-ban reason ${input.reason}.${didYouMean(input.reason, names)}`;
        throw new Failure("UNKNOWN_ENTRY", sentence, { parameter: "reason", hint });
      }
      const [known, daysField] = [nameIn(entry), fields.find(isDays)];
      // Entries from before can be below the minimum.
      const days =
        daysField === undefined
          ? 0
          : Math.max(0, Number(valueIn(withPresentNames(entry, reasons), daysField)));
      const player = requireVisibleSubject(draft, input.name, "name", () => bannedAt(draft, input.name, now));
      const stored = draft.houseBans.get(subjectKey(player));
      const ban = stored && now < houseBanEnd(stored) ? withLatestSpelling(stored, player) : undefined;
      if (ban !== undefined && findReason(ban, known) !== undefined) {
        draft.houseBans.put(ban);
        return `${ban.name} already has a house ban for ${known}.`;
      }
      const nobody = { creatorName: null, creatorUUID: null };
      if (ban === undefined && days === 0) {
        throw new Failure("CONFLICT", `${known} is a reason of 0 days, which makes no house ban.`, {
          parameter: "reason",
        });
      }
      const reason = { reason: known, days, ...(creatorOf(draft, caller) ?? nobody) };
      const current = Array.from(draft.houseBans.values()).filter((other) => now < houseBanEnd(other));
      if (ban === undefined) requireSpace(current.length, most, "list of house bans");
      const isOwn = ({ creatorUUID }: Creator) => caller.id !== null && creatorUUID === caller.id;
      const own = current.reduce((sum, other) => sum + other.reasons.filter(isOwn).length, 0);
      requireSpace(own, mostOwn, "list of your house bans");
      if (ban === undefined) draft.houseBans.put({ ...player, startTime: now, reasons: [reason] });
      else draft.houseBans.put({ ...ban, reasons: [...ban.reasons, reason] });
      return `Added the house-ban reason ${known} to ${player.name}.`;
    },
  });

const remove = defineChange({
  example: "Removed the house ban of Mallory.",
  description: `Removing the last reason ends the ban, as does removing one without which it would have ended before. The reason \`${everyReason}\` lifts the whole ban, unless the ban has a reason of that name.`,
  input: banned,
  failures: ofPerson({ UNKNOWN_ENTRY: "The player has no house ban, or no house ban for this reason." }),
  change(draft, input, { now }) {
    const stored = bannedAt(draft, input.name, now);
    if (stored === undefined)
      throw new Failure("UNKNOWN_ENTRY", `${input.name} has no house ban.`, { parameter: "name" });
    const ban = withLatestSpelling(stored, { name: input.name, uuid: null });
    const removed = findReason(ban, input.reason);
    const isWhole = removed === undefined && comparisonForm(input.reason) === everyReason;
    if (removed === undefined && !isWhole) {
      const names = ban.reasons.map(({ reason }) => reason);
      throw new Failure("UNKNOWN_ENTRY", `${ban.name} has no house ban for ${input.reason}.`, {
        parameter: "reason",
        hint: `The ban is for ${allOf(names)}; "${everyReason}" lifts the whole ban.`,
      });
    }
    const reasons = isWhole ? [] : ban.reasons.filter((reason) => reason !== removed);
    // What is left may end in the past.
    if (removed === undefined || reasons.length === 0 || houseBanEnd({ ...ban, reasons }) <= now) {
      draft.houseBans.delete(subjectKey(ban));
      return `Removed the house ban of ${ban.name}.`;
    }
    draft.houseBans.put({ ...ban, reasons });
    return `Removed the house-ban reason ${removed.reason} from ${ban.name}.`;
  },
});

/**
 * Returns the handlers of house bans.
 * @param reasons the list of their reasons, which has the days of each
 * @param most the most bans
 * @param mostOwn the most reasons in them of one player
 */
export function houseBanHandlers(
  reasons: List,
  most: number,
  mostOwn: number | undefined,
): Readonly<Record<string, Handler>> {
  return { list, add: add(reasons, most, mostOwn), remove };
}
