/** Wanted reasons and their points (specification, section 4.8). */
import * as v from "valibot";
import { defineChange, defineKeptRead } from "./shared/define.ts";
import { addEntry, removeEntry } from "./shared/entries.ts";
import { count, field, text, textReference } from "./shared/values.ts";

const what = "wanted reason";
const points = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000));
const named = field(text, "For what a player is wanted.", "Bank-robbery");
const existing = field(textReference, "For what a player is wanted.", "Bank-robbery");

export const list = defineKeptRead({
  of: ["wantedReasons", "order"],
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          reason: field(v.string(), 'The reason, a space written as "-".', "Bank-robbery"),
          points: field(count, "How many wanted points it gives.", 60),
        }),
        v.title("WantedReason"),
        v.description("A reason for which players are wanted."),
      ),
    ),
    v.description("The wanted reasons, by reason."),
  ),
  read: (data) =>
    Array.from(data.wantedReasons.values()).sort((a, b) => data.order.compare(a.reason, b.reason)),
});

export const add = defineChange({
  example: "Added the wanted reason Bank-robbery.",
  input: { reason: named, points: field(points, "How many wanted points it gives.", 60) },
  failures: { CONFLICT: "The reason is there with other points: remove it first." },
  change: (draft, entry) => addEntry(draft.wantedReasons, entry, "reason", what),
});

export const remove = defineChange({
  example: "Removed the wanted reason Bank-robbery.",
  input: { reason: existing },
  failures: { UNKNOWN_ENTRY: "There is no such reason." },
  change: (draft, { reason }) => removeEntry(draft.wantedReasons, "reason", reason, what),
});
