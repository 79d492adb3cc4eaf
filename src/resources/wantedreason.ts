/** Wanted reasons and their points. */
import * as v from "valibot";
import { defineCachedRead, defineChange } from "./shared/define.ts";
import { addEntry, removeEntry } from "./shared/entries.ts";
import { count, field, text, textReference } from "./shared/values.ts";

const what = "wanted reason";
const points = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000));
const named = field(text, "Why a player is wanted.", "Bank-robbery");
const existing = field(textReference, "Why a player is wanted.", "Bank-robbery");

export const list = defineCachedRead({
  dependsOn: ["wantedReasons", "order"],
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          reason: field(v.string(), 'The reason, with "-" for each space.', "Bank-robbery"),
          points: field(count, "The wanted points of the reason.", 60),
        }),
        v.title("WantedReason"),
        v.description("A reason why players are wanted."),
      ),
    ),
    v.description("The wanted reasons, ordered by reason."),
  ),
  read: (data) =>
    Array.from(data.wantedReasons.values()).sort((a, b) => data.order.compare(a.reason, b.reason)),
});

export const add = defineChange({
  example: "Added the wanted reason Bank-robbery.",
  input: { reason: named, points: field(points, "The wanted points of the reason.", 60) },
  failures: { CONFLICT: "The reason exists with different points. Remove it first." },
  change: (draft, entry) => addEntry(draft.wantedReasons, entry, "reason", what),
});

export const remove = defineChange({
  example: "Removed the wanted reason Bank-robbery.",
  input: { reason: existing },
  failures: { UNKNOWN_ENTRY: "The reason does not exist." },
  change: (draft, { reason }) => removeEntry(draft.wantedReasons, "reason", reason, what),
});
