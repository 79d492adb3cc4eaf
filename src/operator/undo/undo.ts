/** Undoing a change: its records get their former values, unless they have changed since. */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { operationName } from "../../audit/operations.ts";
import type { AnyRecord } from "../../domain/collection.ts";
import { Failure } from "../../domain/errors.ts";
import { textOf } from "../../domain/label.ts";
import { definitionOf, isBookkeeping, type Player } from "../../domain/model.ts";
import { Slices } from "../../domain/slices.ts";
import { fold } from "../../domain/text.ts";
import {
  areSame,
  bindSubjects,
  collectionsOf,
  renameCreators,
  withNames,
} from "../../identity/references.ts";
import type { JournalRecord, RecordChange } from "../../store/change.ts";
import { rowsOf } from "../../store/collection.ts";
import type { Data, Draft } from "../../store/data.ts";
import { nodeFiles } from "../../store/folder/files.ts";
import { followHistory, readHistory } from "../../store/journal/history.ts";
import { defineCommand, type Environment, type Info } from "../define.ts";
import { withPresentFields } from "../lists/lists.ts";
import { boundTo, takeoverNote } from "../rename.ts";
import { addedNames, addsName, describeObstacles, namesNote, type Obstacle, refusal } from "./obstacles.ts";
import { outcomeOf, type TableInForce } from "./outcome.ts";
import { Runs } from "./runs.ts";
import { isAlone } from "./takeovers.ts";

export const undo = defineCommand({
  input: v.strictObject({
    sequence: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    /** Whether to undo the other records if some cannot be undone. */
    exceptChanged: v.optional(v.boolean(), false),
  }),
  /**
   * Returns a sentence, and the number of records that were not undone, if there are any.
   * @throws Failure `UNKNOWN_ENTRY` where the journal does not have the change, `CONFLICT` where it cannot be undone
   */
  async run(
    environment: Environment,
    { sequence, exceptChanged },
    signal,
  ): Promise<Info & { readonly left?: number }> {
    const { files = nodeFiles, store, now = Date.now } = environment;
    const runs = new Runs();
    const read: JournalRecord[] = [];
    const unknown = () =>
      new Failure(
        "UNKNOWN_ENTRY",
        `The journal has no change ${sequence}; the last one is ${store.sequence}.`,
        {
          hint: "`addon-cli audit` lists the changes in the journal.",
        },
      );
    const catchUp = followHistory(files, store, sequence - 1, (change) => {
      if (read.length === 0 && change.sequence !== sequence) throw unknown();
      if (read.length === 0) read.push(change);
      runs.add(change, change.sequence === sequence);
    });
    await catchUp();
    const [record] = read;
    if (record === undefined) throw unknown();
    const all = undoable(record);
    // Whoever undoes a renaming returns to a table that has the former names.
    const table = await tableFor(environment, all, record.operation !== "list.rename");
    const edit = (except: boolean, origin?: Parameters<typeof store.edit>[1]) =>
      store.edit(
        async (draft, slices) => {
          // Others go on meanwhile.
          await catchUp();
          return undoIn(draft, slices, all, except, { table, now: now(), runs });
        },
        origin,
        // Whoever killed the command sees that it has changed nothing, and must not lose what is changed since.
        { signal },
      );
    const origin = { who: "operator", operation: "undo", undoes: sequence };
    const { report, changes: made, sequence: own } = await edit(exceptChanged, origin);
    const last = own === undefined ? store.sequence : own - 1;
    const { changes, obstacles, takeovers } = report;
    const what = `change ${sequence} (${operationName(record)})`;
    const notes = `${namesNote(store.data, record)}${takeovers}`;
    if (obstacles.length === 0)
      return { info: made.length === 0 ? `Nothing of ${what} is left to undo.` : `Undid ${what}.${notes}` };
    const history = readHistory(files, store.folder, sequence);
    const words = await describeObstacles(obstacles, history, last, store.data);
    if (made.length === 0) {
      const isPart = !exceptChanged && changes.length > 0 && (await edit(true)).changes.length > 0;
      throw refusal(sequence, obstacles, words, isPart);
    }
    const left = obstacles.length;
    const part = `except for ${left} of ${left + changes.length} records`;
    return { info: `Undid ${what}, ${part}: ${words}.${notes}`, left };
  },
});

/**
 * Undoes what {@link undoing} decides; nothing, where some cannot be undone and `exceptChanged` is false. Records of a name
 * alone become those of the player who has it then: nobody escapes an exclusion because it is brought back.
 * `takeovers` is a note on these.
 */
export async function undoIn(
  draft: Draft,
  slices: Slices,
  all: readonly RecordChange[],
  exceptChanged: boolean,
  context: UndoContext,
) {
  const decided = await undoing(draft, all, exceptChanged, context, slices);
  if (!exceptChanged && decided.obstacles.length > 0) return { ...decided, takeovers: "" };
  const takenOver = new Map<string, string[]>();
  const collections = new Map(collectionsOf(draft).map((collection) => [collection.name, collection]));
  const names = new Set<string>();
  const renamed: Player[] = [];
  for (const { collection: name, key, before, after } of decided.changes) {
    const collection = collections.get(name);
    if (after === null) collection?.rows.delete(key);
    else collection?.rows.put(after as AnyRecord);
    const isRenamed =
      name === "players" && after !== null && textOf(before, "name") !== textOf(after, "name");
    if (isRenamed) renamed.push(after as Player);
    const isOfName = collection?.refersTo.subject !== undefined && isAlone(after);
    const named = isRenamed || isOfName ? textOf(after, "name") : undefined;
    if (named !== undefined) names.add(fold(named));
    if (slices.isOver) await slices.next();
  }
  for (const name of names) {
    for (const player of draft.players.find("name", name)) {
      const records = boundTo(draft, player);
      if (records.length > 0) takenOver.set(player.uuid, records);
      bindSubjects(draft, player);
    }
    if (slices.isOver) await slices.next();
  }
  renameCreators(draft, renamed);
  const takeovers = takeoverNote(
    [...takenOver.values()].flat(),
    takenOver.size > 1 ? "Players take" : undefined,
  );
  return { ...decided, takeovers };
}

/**
 * Loads the table in force for changes whose undo needs it: entries must fit their lists, and exclusions outlast players.
 * @param renames whether fields get their present names
 */
export async function tableFor(
  { loadTable }: Pick<Environment, "loadTable">,
  changes: readonly RecordChange[],
  renames = true,
): Promise<TableInForce> {
  const isNeeded = changes.some(
    ({ collection, before }) => collection === "entries" || (collection === "players" && before === null),
  );
  // A table with faults may be what an undo mends.
  const table = isNeeded ? await loadTable().catch(() => undefined) : undefined;
  if (table === undefined) return noTable;
  const { EntryFindings } = await import("../../table/declared/entries.ts");
  return {
    unfit(entry) {
      const findings = new EntryFindings(table().declared.lists);
      findings.add(entry);
      return findings.all.find(({ isFault }) => isFault)?.message;
    },
    withPresentFields: (change) => (renames ? withPresentFields(change, table().declared.lists) : [change]),
    get excludedGroup() {
      return table().excludedGroup;
    },
  };
}

const noTable: TableInForce = {
  unfit: () => undefined,
  withPresentFields: (change) => [change],
  excludedGroup: undefined,
};

/** What an undo depends on beside the data. */
export interface UndoContext {
  readonly table: TableInForce;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Says which records others have changed since, even if they have the same values again. */
  readonly runs?: Runs;
}

/**
 * Decides which changes of records can be undone. Returns those, and the records that cannot be undone.
 * @param exceptChanged whether to undo the other records if some cannot be undone. Records that depend on one of those,
 * such as a membership on its player, cannot be undone either
 */
export async function undoing(
  data: Data,
  all: readonly RecordChange[],
  exceptChanged: boolean,
  { table = noTable, now = 0, runs }: Partial<UndoContext> = {},
  slices = new Slices(),
) {
  const outcome = outcomeOf(data, all, table);
  const obstacles: Obstacle[] = [];
  const kept = new Set<RecordChange>();
  // Backwards every other time: a chain of records, each of which depends on the next, can be in either order.
  const order = [...all];
  let before: number;
  do {
    before = kept.size;
    for (const change of order) {
      if (kept.has(change)) continue;
      const present = rowsOf(data, change.collection).get(change.key) ?? null;
      // What had ended when a restore brought it back has ended again. What was there before it ended comes back.
      const isOver =
        present === null &&
        hasEnded(change.collection, change.after, now) &&
        (change.before === null || runs?.lasts(change) === true);
      // A field may have another name by now.
      const [expected] = table.withPresentFields({ ...change, before: null });
      const isSame = isOver || areSame(change.collection, present, expected?.after);
      const hasChanged = !isSame || (!isOver && runs?.lasts(change) === false);
      const why = isSame ? outcome.fault(change) : undefined;
      if (hasChanged || why !== undefined) {
        obstacles.push({ change, why });
        kept.add(change);
        if (exceptChanged) outcome.keep(change);
      }
      if (slices.isOver) await slices.next();
    }
    order.reverse();
    // What depends on a record that is kept is looked at again.
  } while (exceptChanged && kept.size > before);
  if (!exceptChanged) for (const change of kept) outcome.keep(change);
  const changes = all.flatMap((change) => {
    if (kept.has(change)) return [];
    const { collection, key, before } = change;
    const present = rowsOf(data, collection).get(key) ?? null;
    const after = withNames(collection, before, (uuid) => outcome.nameOf(uuid));
    // What has come back only to end again is left away.
    const endsAtOnce = present === null && change.after !== null && hasEnded(collection, after, now);
    return endsAtOnce || isDeepStrictEqual(present, after)
      ? []
      : table.withPresentFields({ collection, key, before: present, after });
  });
  return { changes, obstacles };
}

/** Whether a record has ended, so that the store removes it. */
function hasEnded(collection: string, record: unknown, now: number): boolean {
  const end = record === null ? undefined : definitionOf(collection)?.ends?.of(record);
  return end !== undefined && end <= now;
}

/**
 * Returns the records of a change that an undo considers. Bookkeeping stays, and so do names that the change added:
 * memberships and the route table may refer to them.
 * @throws Failure `CONFLICT` where there are none
 */
export function undoable(record: JournalRecord): readonly RecordChange[] {
  // That a token was used is a fact: a code that others may have seen must not become valid again.
  const changes =
    record.operation === "token.use"
      ? []
      : record.changes.filter(({ collection }) => !isBookkeeping(collection));
  const undoable = changes.filter((change) => !addsName(change));
  if (changes.length === 0) {
    throw new Failure(
      "CONFLICT",
      `Change ${record.sequence} (${operationName(record)}) contains nothing to undo.`,
    );
  }
  if (undoable.length === 0) throw addedNames(record.sequence, changes);
  return undoable;
}
