/** House-ban reasons, and for how many days each bans (specification, section 4.6). */
import * as v from "valibot";
import type { HouseBanReason } from "../domain/model.ts";
import { comparisonForm } from "../domain/text.ts";
import { creatorFields, creatorOf, shownCreator } from "./shared/creator.ts";
import { defineChange, defineKeptRead } from "./shared/define.ts";
import { addEntry, removeEntry } from "./shared/entries.ts";
import { count, everyReason, field, text, textReference } from "./shared/values.ts";

const what = "house-ban reason";
const days = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3650));
const named = field(
  v.pipe(
    text,
    v.check(
      (value) => comparisonForm(value) !== everyReason,
      `"${everyReason}" is reserved for /houseban/remove, where it lifts the whole ban; choose another reason`,
    ),
  ),
  `For what a player is banned from the house. \`${everyReason}\` is reserved.`,
  "Vandalism",
);
const existing = field(textReference, "For what a player is banned from the house.", "Vandalism");

export const list = defineKeptRead({
  of: ["houseBanReasons", "order"],
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          reason: field(v.string(), 'The reason, a space written as "-".', "Vandalism"),
          days: field(count, "For how many days it bans.", 7),
          ...creatorFields,
        }),
        v.title("HouseBanReason"),
        v.description("A reason for which players are banned from the house."),
      ),
    ),
    v.description("The house-ban reasons, by reason."),
  ),
  read: (data) =>
    Array.from(data.houseBanReasons.values())
      .sort((a, b) => data.order.compare(a.reason, b.reason))
      .map((entry) => ({ reason: entry.reason, days: entry.days, ...shownCreator(entry) })),
});

export const add = defineChange({
  example: "Added the house-ban reason Vandalism.",
  input: { reason: named, days: field(days, "For how many days it bans.", 7) },
  failures: { CONFLICT: "The reason is there with other days: remove it first." },
  recordsCaller: true,
  change: (draft, entry, { caller }) =>
    addEntry<HouseBanReason>(draft.houseBanReasons, entry, "reason", what, {
      more: creatorOf(draft, caller),
    }),
});

export const remove = defineChange({
  example: "Removed the house-ban reason Vandalism.",
  description: "Bans that were entered for the reason stay.",
  input: { reason: existing },
  failures: { UNKNOWN_ENTRY: "There is no such reason." },
  change: (draft, { reason }) => removeEntry(draft.houseBanReasons, "reason", reason, what),
});
