/** Taking back what one caller did: every record gets the value that it had before, unless somebody else has changed it since. */
import * as v from "valibot";
import { type Filter, unknownPlayer } from "../../audit/filter.ts";
import { isTypedCommand, operationName, operationTest } from "../../audit/operations.ts";
import { readNames, toSelection } from "../../audit/read.ts";
import { basisOf, requireBasis } from "../../backup/edit.ts";
import type { Entry } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { otherCallers } from "../../domain/limits.ts";
import { nounOf } from "../../domain/model.ts";
import { allOf, counted, didYouMean, fold, pluralOf } from "../../domain/text.ts";
import { onePlayer } from "../../identity/players.ts";
import type { RecordChange } from "../../store/change.ts";
import { nodeFiles } from "../../store/folder/files.ts";
import { followHistory } from "../../store/journal/history.ts";
import { defineCommand, type Environment } from "../define.ts";
import { requirePublicId } from "../tokens.ts";
import { Runs } from "./runs.ts";
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
    const { by, who, namesakes, theirs, catchUp } = await readRuns(environment, filter);
    const {
      report: decided,
      changes: made,
      sequence,
    } = await store.edit(
      async (draft, slices) => {
        // Others go on meanwhile.
        await catchUp();
        const all = theirs.runs.lasting;
        const table = await tableFor(environment, all);
        return undoIn(draft, slices, all, true, { table, now: now(), runs: theirs.runs });
      },
      preview ? undefined : { who: "operator", operation: "undo.caller" },
      // Whoever killed the command sees that it has changed nothing, and must not lose what is changed since.
      { signal, accept: (made) => requireBasis(made, basis) },
    );
    const { changes, runs } = theirs;
    const records = countsOf(decided.changes);
    const left = runs.endedCount + decided.obstacles.length;
    const counts = Object.entries(records).map(([what, count]) => `${count} ${what}`);
    const from = `from ${counted(changes, "change")}`;
    const which = filter.operation ?? filter.since ?? filter.until;
    const none = `${who} made no ${which === undefined ? "" : "such "}change that the journal has`;
    const what =
      counts.length === 0
        ? changes === 0
          ? none
          : `Nothing is left to take back ${from}`
        : `${preview ? "Takes" : "Took"} back ${allOf(counts)}, ${from}`;
    const why =
      left === 1
        ? "stays: it was changed later, or is in use"
        : "stay: they were changed later, or are in use";
    const stays = left === 0 ? "" : `; ${counted(left, "record")} ${why}`;
    const others = namesakes.length === 0 ? "" : ` The name was also that of ${allOf(namesakes)}.`;
    return {
      info: `${what}${stays}.${others}${decided.takeovers}`,
      by,
      changes,
      records,
      left,
      sequence,
      basis: await basisOf(made),
    };
  },
});

/** How a player came to a token is nothing that was done with it. */
const credentials: ReadonlySet<string> = new Set(["tokens", "invitations"]);

/** Reads what is left of a caller's changes from the journal. @throws Failure for a caller who is unknown, or not one */
async function readRuns({ files = nodeFiles, store, loadTable }: Environment, filter: Filter) {
  const { by, token } = filter;
  const isOther = otherCallers.includes(fold(by ?? ""));
  if ((by === undefined) === (token === undefined) || isOther)
    throw new Failure("PARAMETER_INVALID", "Expected a player, or the id of a public token.");
  const { names } = await readNames(files, store.folder);
  // The audit shows all who had a name; here the others would lose what they did.
  const uuid = by && (onePlayer(store.data, by, names.person(by).uuids) ?? by);
  const select = toSelection({ ...filter, by: uuid }, names);
  const theirs = { runs: new Runs(credentials), changes: 0 };
  const [makers, operations] = [new Set<string>(), new Set<string>()];
  const catchUp = followHistory(files, store, 0, (record) => {
    const isTheirs = select(record) !== undefined;
    makers.add(record.who);
    if (record.table !== null) operations.add(operationName(record));
    if (isTheirs) theirs.changes += 1;
    theirs.runs.add(record, isTheirs);
  });
  await catchUp();
  const name = uuid && names.of(uuid);
  const who = uuid === undefined ? `The token ${token}` : (name ?? uuid);
  // A UUID may have changes without a name.
  const isUnknown = uuid !== undefined && name === undefined && !makers.has(uuid);
  if (isUnknown) throw unknownPlayer(uuid, names);
  if (filter.operation !== undefined && theirs.changes === 0) {
    // A table with faults may be what an undo mends.
    const table = await loadTable().catch(() => undefined);
    requireOperation(filter.operation, [
      ...operations,
      ...(table?.().routes ?? []).map(({ handler }) => handler),
    ]);
  }
  // A token of long ago can be in the journal only.
  if (token !== undefined && theirs.changes === 0) requirePublicId(store.data, token);
  const namesakes = by === undefined ? [] : [...names.person(by).uuids].filter((other) => other !== uuid);
  return { by: uuid, who, namesakes, theirs, catchUp };
}

/** @throws Failure `UNKNOWN_ENTRY` for an operation that is none of some: it may be mistyped, or a command of the operator */
function requireOperation(operation: string, all: readonly string[]): void {
  if (isTypedCommand(operation)) {
    const what = "a command, and `undo --by` and `--token` take back operations of routes";
    throw new Failure("UNKNOWN_ENTRY", `"${operation}" is written like ${what}.`, {
      hint: "Those have a dot: wantedreason.add.",
    });
  }
  if (all.some((name) => operationTest(operation)({ operation: name, who: "", table: "" }))) return;
  const known = [...new Set([...all, ...all.map((name) => name.split(".")[0] ?? name)])];
  const what = `There is no operation "${operation}" in the route table, and none in the journal`;
  throw new Failure("UNKNOWN_ENTRY", `${what}.${didYouMean(operation, known)}`);
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
    return [[count === 1 ? noun : pluralOf(noun), ...of].join(" of "), count];
  };
  return Object.fromEntries([...counts].map(plural));
}
