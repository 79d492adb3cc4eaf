/** House-ban reasons, and for how many days each bans (specification, section 4.6). */
import * as v from "valibot";
import { compareTexts } from "../text.ts";
import { defineChange, defineKeptRead } from "./define.ts";
import { addEntry, removeEntry } from "./entries.ts";
import { count, field, text, textReference } from "./values.ts";

const what = "house-ban reason";
const days = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3650));
const named = field(text, "For what a player is banned from the house.", "Vandalism");
const existing = field(textReference, "For what a player is banned from the house.", "Vandalism");

export const list = defineKeptRead({
  of: ["houseBanReasons"],
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          reason: field(v.string(), 'The reason, a space written as "-".', "Vandalism"),
          days: field(count, "For how many days it bans.", 7),
        }),
        v.title("HouseBanReason"),
        v.description("A reason for which players are banned from the house."),
      ),
    ),
    v.description("The house-ban reasons, by reason."),
  ),
  read: (data) => Array.from(data.houseBanReasons.values()).sort((a, b) => compareTexts(a.reason, b.reason)),
});

export const add = defineChange({
  example: "Added the house-ban reason Vandalism.",
  input: { reason: named, days: field(days, "For how many days it bans.", 7) },
  failures: { CONFLICT: "The reason is there with other days: remove it first." },
  change: (draft, entry) => addEntry(draft.houseBanReasons, entry, "reason", what),
});

export const remove = defineChange({
  example: "Removed the house-ban reason Vandalism.",
  description: "Bans that were entered for the reason stay.",
  input: { reason: existing },
  failures: { UNKNOWN_ENTRY: "There is no such reason." },
  change: (draft, { reason }) => removeEntry(draft.houseBanReasons, "reason", reason, what),
});
