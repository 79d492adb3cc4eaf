/** Wanted reasons and their points (specification, section 4.8). */
import * as v from "valibot";
import { compareTexts, fold } from "../text.ts";
import { defineChange, defineRead } from "./define.ts";
import { addEntry, removeEntry } from "./entries.ts";
import { count, text } from "./values.ts";

const what = "wanted reason";
const points = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000));

export const list = defineRead({
  input: {},
  answer: v.array(v.object({ reason: v.string(), points: count })),
  read: (data) => Array.from(data.wantedReasons.values()).sort((a, b) => compareTexts(a.reason, b.reason)),
});

export const add = defineChange({
  input: { reason: text, points },
  change: (draft, entry) => addEntry(draft.wantedReasons, fold(entry.reason), entry, "reason", what),
});

export const remove = defineChange({
  input: { reason: text },
  change: (draft, { reason }) => removeEntry(draft.wantedReasons, fold(reason), "reason", reason, what),
});
