/** House-ban reasons, and for how many days each bans (specification, section 4.6). */
import * as v from "valibot";
import { compareTexts, fold } from "../text.ts";
import { defineChange, defineRead } from "./define.ts";
import { addEntry, removeEntry } from "./entries.ts";
import { count, text } from "./values.ts";

const what = "house-ban reason";
const days = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3650));

export const list = defineRead({
  input: {},
  answer: v.array(v.object({ reason: v.string(), days: count })),
  read: (data) => Array.from(data.houseBanReasons.values()).sort((a, b) => compareTexts(a.reason, b.reason)),
});

export const add = defineChange({
  input: { reason: text, days },
  change: (draft, entry) => addEntry(draft.houseBanReasons, fold(entry.reason), entry, "reason", what),
});

export const remove = defineChange({
  input: { reason: text },
  change: (draft, { reason }) => removeEntry(draft.houseBanReasons, fold(reason), "reason", reason, what),
});
