/** Navi points: named places and their coordinates (specification, section 4.7). */
import * as v from "valibot";
import { compareTexts } from "../text.ts";
import { defineChange, defineKeptRead } from "./define.ts";
import { addEntry, removeEntry } from "./entries.ts";
import { field, integer, text, textReference } from "./values.ts";

const what = "navi point";
const named = field(text, "The name of the place.", "City-hall");
const existing = field(textReference, "The name of the place.", "City-hall");
const place = {
  x: field(integer, "The x coordinate, in the game's units.", 120),
  y: field(integer, "The y coordinate, in the game's units.", 70),
  z: field(integer, "The z coordinate, in the game's units.", -35),
  article: field(
    v.picklist(["der", "die", "das"]),
    "The German article of the name, for the message about a restricted area.",
    "das",
  ),
};

export const list = defineKeptRead({
  of: ["naviPoints"],
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          name: field(v.string(), 'The name of the place, a space written as "-".', "City-hall"),
          ...place,
        }),
        v.title("NaviPoint"),
        v.description("A place that has a name."),
      ),
    ),
    v.description("The navi points, by name."),
  ),
  read: (data) => Array.from(data.naviPoints.values()).sort((a, b) => compareTexts(a.name, b.name)),
});

export const add = defineChange({
  example: "Added the navi point City-hall.",
  input: { name: named, ...place },
  failures: { CONFLICT: "A navi point of the name is there with another place or article: remove it first." },
  change: (draft, entry) => addEntry(draft.naviPoints, entry, "name", what),
});

export const remove = defineChange({
  example: "Removed the navi point City-hall.",
  input: { name: existing },
  failures: { UNKNOWN_ENTRY: "There is no navi point of the name." },
  change: (draft, { name }) => removeEntry(draft.naviPoints, "name", name, what),
});
