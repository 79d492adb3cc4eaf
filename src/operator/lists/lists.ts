/** The entries of lists beside the route table: what a table means for them, and removing those of a list. */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { basisOf, editRecords, requireBasis } from "../../backup/edit.ts";
import type { TableCheck } from "../../backup/restore.ts";
import { type Entry, entriesIn, entryKey, isEntry } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { textOf } from "../../domain/label.ts";
import { countsAt, type Ending } from "../../domain/model.ts";
import type { Slices } from "../../domain/slices.ts";
import { allOf, counted, didYouMean, fold } from "../../domain/text.ts";
import type { RecordChange } from "../../store/change.ts";
import type { DataStore, Draft } from "../../store/data.ts";
import type { List } from "../../table/declared/lists.ts";
import { withPresentNames } from "../../table/declared/stored.ts";
import { defineCommand, type Environment, type Info } from "../define.ts";
import { fileEdit } from "../input.ts";

/** Returns the columns and the entries of a declared list. */
export const exportList = defineCommand({
  input: v.strictObject({ list: v.string() }),
  async run({ store, loadTable }: Environment, { list }) {
    const { exportEntries, requireList } = await import("./file.ts");
    const { lists } = (await loadTable())().declared;
    return exportEntries(store.data, requireList(lists, list));
  },
});

/** Adds and changes the entries of a file. */
export const importList = defineCommand({
  input: v.strictObject({ ...fileEdit.entries, list: v.string() }),
  async run({ store, loadTable }: Environment, { list: name, ...input }, signal) {
    const { importEntries } = await import("./file.ts");
    const table = await loadTable();
    // Another table may be in force by the time that the change is decided.
    const apply = (draft: Draft, slices: Slices) =>
      importEntries(draft, table().declared.lists, name, input, slices);
    return editRecords(store, "list.import", apply, { ...input, signal });
  },
});

/** Removes all entries of a list, whether or not the table declares it. */
export const dropList = defineCommand({
  /** `dryRun`: whether only to return how many there are, before a question; `basis`: of which ones, see `Edited`. */
  input: v.strictObject({
    ...{ list: v.string(), dryRun: v.optional(v.boolean(), false), basis: v.optional(v.string()) },
  }),
  async run(
    { store }: Environment,
    { list, dryRun, basis },
    signal,
  ): Promise<Info & { readonly count: number; readonly sequence?: number; readonly basis?: string }> {
    const { changes, sequence } = await store.edit(
      async (draft) => removeAll(draft, list),
      dryRun ? undefined : { who: "operator", operation: "list.drop" },
      { signal, accept: (made) => requireBasis(made, basis) },
    );
    const count = changes.length;
    const words = `${counted(count, "entry")} of the list ${list}`;
    if (sequence === undefined) return { info: words, count, basis: await basisOf(changes) };
    return { info: `Removed ${words}.`, count, sequence };
  },
});

/** Removes the entries of a list. @throws Failure where there are none, or entries of another list refer to them */
function removeAll(draft: Draft, list: string): void {
  const all = Array.from(draft.entries.values());
  const entries = draft.entries.find("list", list);
  if (entries.length === 0) {
    const suggestion = didYouMean(list, [...new Set(all.map((entry) => entry.list))]);
    throw new Failure("UNKNOWN_ENTRY", `There are no entries of a list ${list}.${suggestion}`);
  }
  const refers = (entry: Entry) => entriesIn(entry).some((key) => key.startsWith(`${list}/`));
  const user = all.find((entry) => entry.list !== list && refers(entry));
  if (user !== undefined)
    throw new Failure("CONFLICT", `Entries of the list ${user.list} refer to those of ${list}.`, {
      hint: `Drop ${user.list} first.`,
    });
  for (const entry of entries) draft.entries.delete(entryKey(entry));
}

/** Returns the check of a restore against the table in force; undefined if that has faults, which the restore may mend. */
export async function checkInForce({
  loadTable,
  now = Date.now,
}: Environment): Promise<TableCheck | undefined> {
  const table = await loadTable().catch(() => undefined);
  if (table === undefined) return undefined;
  const { findingsOf, findingWords } = await import("./findings.ts");
  return async (given) => {
    const { declared, excludedGroup } = table();
    const changes = given.flatMap((change) => withPresentFields(change, declared.lists));
    const entries = changes.flatMap(({ collection, after }) =>
      collection === "entries" && isEntry(after) ? [after] : [],
    );
    const findings = await findingsOf(declared.lists, entries, false);
    const wordsOf = (isFault: boolean) =>
      findings.filter((finding) => finding.isFault === isFault).map(findingWords);
    return {
      changes,
      faults: wordsOf(true),
      remarks: [...readmission(changes, excludedGroup, now()), ...wordsOf(false)],
    };
  };
}

/** Returns who leaves the group of the excluded, in a sentence. */
function readmission(
  changes: readonly RecordChange[],
  excludedGroup: string | undefined,
  now: number,
): string[] {
  const members = changes.filter(({ collection }) => collection === "groupMembers");
  const isExcluded = (member: unknown) =>
    excludedGroup !== undefined &&
    textOf(member, "group") === excludedGroup &&
    countsAt(member as Ending, now);
  const namesOf = (member: unknown) =>
    ["name", "uuid"].flatMap((field) => textOf(member, field) ?? []).map(fold);
  const still = new Set(members.flatMap(({ after }) => (isExcluded(after) ? namesOf(after) : [])));
  const left = members.flatMap(({ before }) =>
    isExcluded(before) && !namesOf(before).some((name) => still.has(name))
      ? [textOf(before, "name") ?? ""]
      : [],
  );
  return left.length === 0 ? [] : [`${allOf(left)} ${left.length === 1 ? "is" : "are"} no longer excluded`];
}

/** Returns a change of data with the present names of fields in the entry that it leaves, if it then changes anything. */
export function withPresentFields(change: RecordChange, lists: readonly List[]): readonly RecordChange[] {
  const { collection, before, after } = change;
  const list = collection === "entries" && isEntry(after) && lists.find(({ name }) => name === after.list);
  if (!list) return [change];
  const present = withPresentNames(after, list);
  return isDeepStrictEqual(present, before) ? [] : [{ ...change, after: present }];
}

/** Gives the fields that a table renames their present names in all entries: one change of `system`. */
export async function renameFields(store: DataStore, lists: readonly List[]): Promise<void> {
  const renaming = lists.filter(({ renamed }) => Object.keys(renamed).length > 0);
  if (renaming.length === 0) return;
  await store.changeInBulk({ who: "system", operation: "list.rename" }, () =>
    renaming.flatMap((list) =>
      store.data.entries.find("list", list.name).flatMap((before): RecordChange[] => {
        const after = withPresentNames(before, list);
        if (after === before) return [];
        // The names of fields are no part of a key, but their values.
        return [{ collection: "entries", key: entryKey(before), before, after }];
      }),
    ),
  );
}
