/** A roster: exporting it, and applying it or showing what it would change. What does it is loaded only then. */
import * as v from "valibot";
import { editRecords } from "../../backup/edit.ts";
import type { Slices } from "../../domain/slices.ts";
import { oneOf } from "../../domain/text.ts";
import { vocabularyOf } from "../../identity/memberships.ts";
import type { Draft } from "../../store/data.ts";
import { defineCommand, defineRead, type Environment } from "../define.ts";
import { fileEdit } from "../input.ts";
import { rosterColumns, rosterOf } from "./standing.ts";

/** Returns all players as rows. */
export const exportRoster = defineRead({
  input: v.strictObject({}),
  read: (data, _, { now }) => rosterOf(data, now),
});

const column = v.pipe(
  v.string(),
  v.picklist(rosterColumns, ({ input }) => `expected columns out of ${oneOf(rosterColumns)}, got "${input}"`),
);

export const applyRoster = defineCommand({
  input: v.strictObject({
    ...fileEdit.entries,
    /** The columns to apply; by default all that it has. */
    only: v.optional(v.array(column)),
  }),
  async run({ store, loadTable, now = Date.now }: Environment, input, signal) {
    const roster = await import("./apply.ts");
    const { operationsMoved } = await import("../../explain/moves.ts");
    const table = (await loadTable())();
    // Before the change, to compare with.
    const ranks = store.data.memberships.size;
    const apply = (draft: Draft, slices: Slices) =>
      roster.applyRoster(draft, input, table.excludedGroup, now(), slices);
    const edited = await editRecords(store, "roster.apply", apply, { ...input, signal });
    const { people, moves } = edited.report;
    const operations = await operationsMoved(table, vocabularyOf(store.data), moves);
    return { ranks, ...edited, report: people, operations };
  },
});
