/** Applying a roster, or showing what it would change. What does it is loaded only then. */
import type { Draft } from "../../store/data.ts";
import { defineCommand, type Environment } from "../define.ts";
import { fileEdit } from "../input.ts";

export const applyRoster = defineCommand({
  input: fileEdit,
  async run({ store, loadTable, now = Date.now }: Environment, input, signal) {
    const [edit, roster] = await Promise.all([import("../../backup/edit.ts"), import("./apply.ts")]);
    const table = await loadTable();
    // Before the change, to compare with.
    const ranks = store.data.memberships.size;
    const apply = (draft: Draft) => roster.applyRoster(draft, input, table().excludedGroup, now());
    return { ranks, ...(await edit.editRecords(store, "roster.apply", apply, { ...input, signal })) };
  },
});
