/** House-ban reasons and their days. */
import * as v from "valibot";
import type { HouseBanReason } from "../domain/model.ts";
import { comparisonForm } from "../domain/text.ts";
import { creatorFields, creatorInAnswer, creatorOf } from "./shared/creator.ts";
import { defineCachedRead, defineChange } from "./shared/define.ts";
import { addEntry, removeEntry } from "./shared/entries.ts";
import { count, everyReason, field, text, textReference } from "./shared/values.ts";

const what = "house-ban reason";
const days = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3650));
const named = field(
  v.pipe(
    text,
    v.check(
      (value) => comparisonForm(value) !== everyReason,
      `"${everyReason}" is reserved: in /houseban/remove it lifts the whole ban`,
    ),
  ),
  `Why a player is banned. \`${everyReason}\` is reserved.`,
  "Vandalism",
);
const existing = field(textReference, "Why a player is banned.", "Vandalism");

export const list = defineCachedRead({
  dependsOn: ["houseBanReasons", "order"],
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          reason: field(v.string(), 'The reason, with "-" for each space.', "Vandalism"),
          days: field(count, "The days that the reason adds to a ban.", 7),
          ...creatorFields,
        }),
        v.title("HouseBanReason"),
        v.description("A reason for house bans."),
      ),
    ),
    v.description("The house-ban reasons, ordered by reason."),
  ),
  read: (data) =>
    Array.from(data.houseBanReasons.values())
      .sort((a, b) => data.order.compare(a.reason, b.reason))
      .map((entry) => ({ reason: entry.reason, days: entry.days, ...creatorInAnswer(entry) })),
});

export const add = defineChange({
  example: "Added the house-ban reason Vandalism.",
  input: { reason: named, days: field(days, "The days that the reason adds to a ban.", 7) },
  failures: { CONFLICT: "The reason exists with different days. Remove it first." },
  recordsCaller: true,
  change: (draft, entry, { caller }) =>
    addEntry<HouseBanReason>(draft.houseBanReasons, entry, "reason", what, {
      more: creatorOf(draft, caller),
    }),
});

export const remove = defineChange({
  example: "Removed the house-ban reason Vandalism.",
  description: "Bans for the reason stay.",
  input: { reason: existing },
  failures: { UNKNOWN_ENTRY: "The reason does not exist." },
  change: (draft, { reason }) => removeEntry(draft.houseBanReasons, "reason", reason, what),
});
