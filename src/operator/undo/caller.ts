/** Taking back what one caller did: every record gets the value that it had before, unless somebody else has changed it since. */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { Filter } from "../../audit/filter.ts";
import type { PlayerNames } from "../../audit/names.ts";
import { readNames, toSelection } from "../../audit/read.ts";
import { basisOf, requireBasis } from "../../backup/edit.ts";
import type { Entry } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { textOf } from "../../domain/label.ts";
import { isBookkeeping, nounOf } from "../../domain/model.ts";
import { allOf, counted, fold } from "../../domain/text.ts";
import { areSame, withNames } from "../../identity/references.ts";
import type { RecordChange } from "../../store/change.ts";
import type { Data } from "../../store/data.ts";
import { nodeFiles } from "../../store/folder/files.ts";
import { readHistory } from "../../store/journal/history.ts";
import { defineCommand, type Environment } from "../define.ts";
import { renameInForce } from "../lists/lists.ts";
import { requirePublicId } from "../tokens.ts";
import { mergedIn } from "./merged.ts";
import { tableFor, undoIn } from "./undo.ts";

const text = v.optional(v.string());
const instant = v.optional(v.pipe(v.number(), v.safeInteger()));

export const undoCaller = defineCommand({
  input: v.strictObject({
    /** A player, by name or UUID, or the id of a public token. */
    ...{ by: text, token: text, since: instant, until: instant, operation: text },
    /** Whether to change nothing. */
    preview: v.boolean(),
    /** That of a preview: nothing is changed if it would change something else by now. */
    basis: text,
  }),
  /**
   * Returns what is or would be taken back: the number of the caller's changes that the filter selects, the numbers of
   * records by what they are (`entries of plates`, `statistics`), the number of those that are left, because somebody else
   * has changed them since or something depends on them, the number of the change that takes them back, if there is one, the
   * player's UUID, since names can move until a question is answered, and the basis.
   * @throws Failure `UNKNOWN_PLAYER`, `PARAMETER_INVALID`; `CONFLICT` where the basis has changed
   */
  async run(environment: Environment, { preview, basis, ...filter }, signal) {
    const { store, now = Date.now } = environment;
    const { by, namesakes, changes, runs, changed } = await readRuns(environment, filter);
    const all = [...runs.values()];
    const table = await tableFor(environment, all);
    const {
      report: decided,
      changes: made,
      sequence,
    } = await store.edit(
      (draft, slices) => undoIn(draft, slices, all, true, { table, now: now(), merged: new Set() }),
      preview ? undefined : { who: "operator", operation: "undo.caller" },
      // Whoever killed the command sees that it has changed nothing, and must not lose what is changed since.
      { signal, accept: (made) => requireBasis(made, basis) },
    );
    if (sequence !== undefined) await renameInForce(environment, decided.changes);
    const records = countsOf(decided.changes);
    const left = changed + decided.obstacles.length;
    const counts = Object.entries(records).map(([what, count]) => `${count} ${what}`);
    const what =
      counts.length === 0
        ? "Nothing is left to take back"
        : `${preview ? "Takes" : "Took"} back ${allOf(counts)}`;
    const [stay, them] = left === 1 ? ["stays", "it"] : ["stay", "them"];
    const stays =
      left === 0 ? "" : `; ${counted(left, "record")} ${stay}, since others have changed or use ${them}`;
    const others = namesakes.length === 0 ? "" : ` The name was also that of ${allOf(namesakes)}.`;
    return {
      info: `${what}, of ${counted(changes, "change")}${stays}.${others}`,
      by,
      changes,
      records,
      left,
      sequence,
      basis: basisOf(made),
    };
  },
});

/** How a player came to a token is nothing that was done with it. */
const credentials: ReadonlySet<string> = new Set(["tokens", "invitations"]);

/**
 * Reads the journal. Returns, for each record whose last changes are the caller's, its value before the first of these
 * and after the last one; and how many others have changed since.
 */
async function readRuns({ files = nodeFiles, store }: Environment, filter: Filter) {
  const { by, token } = filter;
  const isOther = ["operator", "system", "public"].includes(fold(by ?? ""));
  if ((by === undefined) === (token === undefined) || isOther)
    throw new Failure("PARAMETER_INVALID", "Expected a player, or the id of a public token.");
  const { names } = await readNames(files, store.folder);
  const uuid = by && onePlayer(store.data, names, by);
  const select = toSelection({ ...filter, by: uuid }, names);
  const runs = new Map<string, RecordChange>();
  /** Runs that others have ended, with the number of the change that did. */
  const ended = new Map<string, { readonly run: RecordChange; readonly by: number }>();
  const changed = new Set<string>();
  let changes = 0;
  for await (const record of readHistory(files, store.folder)) {
    const isTheirs = select(record) !== undefined;
    if (isTheirs) changes += 1;
    const merged = mergedIn(record.changes);
    // The runs of unregistered names that the change removes: it may bind them to the player who now has the name.
    const unbound = new Map<string, RecordChange>();
    for (const change of record.changes) {
      const { collection, before, after } = change;
      if (isBookkeeping(collection) || credentials.has(collection)) continue;
      const place = `${collection} ${change.key}`;
      const run = runs.get(place);
      if (isTheirs) {
        runs.set(place, { ...change, before: run === undefined ? change.before : run.before });
        changed.delete(place);
      } else if (run !== undefined) {
        if (areSame(collection, before, after)) continue;
        runs.delete(place);
        ended.set(place, { run, by: record.sequence });
        const isNamed = textOf(before, "name") !== undefined && textOf(before, "uuid") === undefined;
        if (after === null && isNamed) unbound.set(boundForm(collection, before), run);
        // Somebody else may have taken it back already.
        if (!areSame(collection, after, run.before)) changed.add(place);
      } else {
        const isNew = before === null && unbound.size > 0;
        const moved = isNew ? unbound.get(boundForm(collection, after)) : undefined;
        const former = ended.get(place);
        if (moved !== undefined) {
          runs.set(place, { ...change, before: bound(moved.before, after) });
          for (const one of [place, `${collection} ${moved.key}`]) changed.delete(one);
        } else if (former?.by === record.undoes && areSame(collection, after, former?.run.after)) {
          // Undoing what took it back brings back what the caller did.
          runs.set(place, former.run);
          changed.delete(place);
        }
      }
    }
    // To take back one of two that became one would take back the other.
    for (const [place, alone] of merged) {
      if (runs.delete(place)) changed.add(place);
      if (ended.get(alone)?.by === record.sequence) changed.add(alone);
    }
  }
  // A token of long ago can be in the journal only.
  if (token !== undefined && changes === 0) requirePublicId(store.data, token);
  for (const [place, { before, after }] of runs) if (isDeepStrictEqual(before, after)) runs.delete(place);
  const namesakes = by === undefined ? [] : [...names.person(by).uuids].filter((other) => other !== uuid);
  return { by: uuid, namesakes, changes, runs, changed: changed.size };
}

/** Returns what a record of a name is the same by before and after it is bound to the player of that name. */
function boundForm(collection: string, record: unknown): string {
  const nameless = withNames(collection, record, () => "");
  return JSON.stringify([
    collection,
    { ...Object(nameless), name: fold(textOf(record, "name") ?? ""), uuid: null },
  ]);
}

/** Returns a record of a name as it is bound to a player. @param to another one that is */
function bound(record: unknown, to: unknown): unknown {
  return record === null ? null : { ...Object(record), name: textOf(to, "name"), uuid: textOf(to, "uuid") };
}

/**
 * Returns the player of a name, as a UUID: the one who has it, or the only one who ever had it. The audit shows all who
 * had a name; here the others would lose what they did.
 * @throws Failure `PARAMETER_INVALID` where several had it, and nobody has it now
 */
function onePlayer(data: Data, names: PlayerNames, reference: string): string {
  const [present] = data.players.find("name", fold(reference));
  if (present !== undefined) return present.uuid;
  const uuids = [...names.person(reference).uuids];
  if (uuids.length < 2) return uuids[0] ?? reference;
  throw new Failure("PARAMETER_INVALID", `Several players had the name ${reference}: ${allOf(uuids)}.`, {
    hint: "Name one by UUID.",
  });
}

/** Counts records by what they are; those of a list by the list. */
function countsOf(changes: readonly RecordChange[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { collection, before, after } of changes) {
    const { list } = (before ?? after) as Partial<Entry>;
    const what = list === undefined ? nounOf(collection) : `entry of ${list}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const plural = ([what, count]: [string, number]): [string, number] => {
    const [noun = "", ...of] = what.split(" of ");
    const words = counted(count, noun).replace(/^\d+ /, "");
    return [[words, ...of].join(" of "), count];
  };
  return Object.fromEntries([...counts].map(plural));
}
