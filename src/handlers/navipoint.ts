/** Navi points: named places and their coordinates (specification, section 4.7). */
import * as v from "valibot";
import { compareTexts, fold } from "../text.ts";
import { defineChange, defineRead } from "./define.ts";
import { addEntry, removeEntry } from "./entries.ts";
import { integer, text } from "./values.ts";

const what = "navi point";
const place = { x: integer, y: integer, z: integer, article: v.picklist(["der", "die", "das"]) };

export const list = defineRead({
  input: {},
  answer: v.array(v.object({ name: v.string(), ...place })),
  read: (data) => Array.from(data.naviPoints.values()).sort((a, b) => compareTexts(a.name, b.name)),
});

export const add = defineChange({
  input: { name: text, ...place },
  change: (draft, entry) => addEntry(draft.naviPoints, fold(entry.name), entry, "name", what),
});

export const remove = defineChange({
  input: { name: text },
  change: (draft, { name }) => removeEntry(draft.naviPoints, fold(name), "name", name, what),
});
