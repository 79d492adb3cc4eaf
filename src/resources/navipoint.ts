/** Navi points: named places and their coordinates. */
import * as v from "valibot";
import { defineCachedRead, defineChange } from "./shared/define.ts";
import { addEntry, removeEntry } from "./shared/entries.ts";
import { field, integer, text, textReference } from "./shared/values.ts";

const what = "navi point";
const named = field(text, "The name of the place.", "City-hall");
const existing = field(textReference, "The name of the place.", "City-hall");
const block = (coordinate: v.GenericSchema<number>) => ({
  x: field(coordinate, "The x coordinate of the block.", 120),
  y: field(coordinate, "The y coordinate of the block.", 70),
  z: field(coordinate, "The z coordinate of the block.", -35),
});
/** Clients send the player's position, which has decimals. */
const position = block(v.pipe(integer, v.metadata({ roundsDown: true })));
const article = field(
  v.picklist(["der", "die", "das"]),
  "The German article of the name, used in the message about a restricted area.",
  "das",
);

export const list = defineCachedRead({
  dependsOn: ["naviPoints", "order"],
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          name: field(v.string(), 'The name of the place, with "-" for each space.', "City-hall"),
          ...block(integer),
          article,
        }),
        v.title("NaviPoint"),
        v.description("A named place."),
      ),
    ),
    v.description("The navi points, ordered by name."),
  ),
  read: (data) => Array.from(data.naviPoints.values()).sort((a, b) => data.order.compare(a.name, b.name)),
});

export const add = defineChange({
  example: "Added the navi point City-hall.",
  input: { name: named, ...position, article },
  failures: {
    CONFLICT:
      "A navi point of this name exists with different coordinates or another article. Remove it first.",
  },
  change: (draft, entry) => addEntry(draft.naviPoints, entry, "name", what),
});

export const remove = defineChange({
  example: "Removed the navi point City-hall.",
  input: { name: existing },
  failures: { UNKNOWN_ENTRY: "There is no navi point of this name." },
  change: (draft, { name }) => removeEntry(draft.naviPoints, "name", name, what),
});
