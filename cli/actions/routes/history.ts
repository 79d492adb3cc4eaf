/** Implements `routes history` and `routes rollback`. */
import { chmod, realpath, stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { writeTarget } from "../../../src/backup/output-file.ts";
import type { Control } from "../../../src/control/operations.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { Comparison } from "../../../src/explain/comparison.ts";
import { listPlayers, type TableDiff } from "../../../src/explain/diff.ts";
import { checkRoutes } from "../../../src/operations.ts";
import { findingWords } from "../../../src/operator/lists/findings.ts";
import { packaged } from "../../../src/packaged.ts";
import { readRegular } from "../../../src/regular-file.ts";
import { ignoreMissing, nodeFiles } from "../../../src/store/folder/files.ts";
import { revisionOf } from "../../../src/table/revision.ts";
import { type HistoryEntry, TableHistory } from "../../../src/table-in-force/history.ts";
import type { TableText } from "../../../src/table-in-force/route-table.ts";
import { storedTable } from "../../arguments/operation.ts";
import type { Context } from "../../context.ts";
import { requireServed, tableInForce } from "../../data/served-table.ts";
import { fileMode } from "../../data/workspace.ts";
import { confirm } from "../../terminal/confirm.ts";
import { type Columns, formatInstant } from "../../terminal/output.ts";
import { diffText } from "./diff.ts";
import { replaceIt, shownNames } from "./reload.ts";

const columns: Columns<HistoryEntry> = {
  REVISION: ({ revision }) => revision,
  SINCE: ({ since }) => formatInstant(since),
  CHANGE: ({ change }) => change ?? "-",
};

/** Lists the tables that were in force, the latest first. */
export async function showHistory({ output, workspace }: Context): Promise<void> {
  const tables = await new TableHistory(workspace().folder).list();
  output.list(
    tables,
    columns,
    "No route table is recorded yet: `addon-cli serve` records each that it puts in force.",
  );
}

type CurrentTable = Awaited<ReturnType<typeof currentTable>>;

/**
 * Writes a table that was in force to the table's file, and puts it in force if a service runs.
 * @param revision the default is that of {@link tableBefore}
 * @throws Failure, also if this version refuses the table, or Reported; then nothing was changed
 */
export async function rollBack(context: Context, revision: string | undefined): Promise<void> {
  const { output, withControl, workspace } = context;
  const history = new TableHistory(workspace().folder);
  const wanted = revision === undefined ? undefined : await storedTable(context, revision);
  const tables = await history.list();
  const current = await currentTable(context);
  const target = wanted ?? (await tableBefore(context, tables, current));
  const next = revisionOf(target.text);
  if (current.text === target.text && (current.inForce ?? next) === next) {
    output.result(
      resultOf(next, current, null, null),
      `${current.file} is already revision ${next}: nothing was changed.`,
    );
    return;
  }
  const diff = await withControl("reads", async (control) => {
    const compared = await diffTo(context, control, target, tables, current);
    const diff = compared && listPlayers(compared);
    if (diff !== null && !output.wantsJSON) output.remark(`${diffText(output, diff, shownNames)}\n`);
    for (const finding of await control.run("list.check", { text: target.text }))
      if (finding.hides) output.remark(`warning: ${findingWords(finding)}`);
    return diff;
  });
  // Nothing holds the folder meanwhile: a service can start.
  await confirm(context, {
    asks: `Put revision ${next} into ${current.file}?`,
    does: "This replaces the route table",
    details: { diff },
  });
  await withControl("reads", async (control) => {
    // A service that ends later has answered: what follows is not done twice.
    await control.run("holder", {});
    const now = await currentTable(context);
    requireUnchanged(current, now);
    const isKept = (text: string) => tables.some((table) => table.revision === revisionOf(text));
    const keptAs = await replaceTable(now, target.text, isKept);
    if (now.inForce !== undefined) await control.run("routes.reload", { revision: next, cause: "rollback" });
    output.result(resultOf(next, now, keptAs, diff), resultText(next, now, keptAs));
  });
}

/**
 * Returns the table's file, its content in any encoding, if there is one, and the revision in force, if a service runs.
 * @throws Failure if the service runs on another table than `--routes` names, or on the packaged one, which must not be
 *   replaced
 */
async function currentTable(context: Context) {
  const own = context.workspace().routes;
  const status = await tableInForce(context.workspace());
  const file = status?.file ?? own;
  await requireServed(context.workspace(), replaceIt, file);
  if (file === packaged("routes.yaml") && file !== own) {
    throw new Failure(
      "CONFLICT",
      `The service runs on ${file}, which is part of the package and is not replaced.`,
      {
        hint: "Copy it to a folder of your own, and start the service with --routes.",
      },
    );
  }
  const present = await readRegular(file).catch(ignoreMissing);
  return { file, present, text: present?.toString("utf8"), inForce: status?.revision };
}

/**
 * @throws Failure if the table has changed since the preview: an edit that nobody saw must not be lost. A service that has
 *   started or ended meanwhile changes nothing
 */
function requireUnchanged(before: CurrentTable, now: CurrentTable): void {
  const inForce = before.inForce && now.inForce;
  const [seen, found] = [before, now].map((table) => ({ ...table, inForce: inForce && table.inForce }));
  if (isDeepStrictEqual(seen, found)) return;
  throw new Failure(
    "CONFLICT",
    "The route table, or the one in force, has changed meanwhile, and was not replaced.",
    { hint: "Repeat the command to see what it would change now." },
  );
}

/**
 * Returns the table in force, if a service runs, or else the latest one of the history that the file does not have: where the
 * file was broken or lost, that undoes it.
 * @throws Failure if there is none
 */
async function tableBefore(
  context: Context,
  tables: readonly HistoryEntry[],
  { text, inForce }: CurrentTable,
): Promise<TableText> {
  const revisions = [inForce, ...tables.map(({ revision }) => revision)].filter((one) => one !== undefined);
  const present = text && revisionOf(text);
  const before = revisions.find((revision) => revision !== present);
  if (before === undefined) {
    throw new Failure("UNKNOWN_ENTRY", "There is no earlier route table.", {
      hint: "`addon-cli routes history` lists the earlier tables.",
    });
  }
  return storedTable(context, before).catch((cause: unknown) => {
    if (before !== inForce || !(cause instanceof Failure) || cause.code !== "UNKNOWN_ENTRY") throw cause;
    throw new Failure(
      "STORE_UNAVAILABLE",
      `The data folder does not have revision ${before}, which is in force.`,
      {
        hint: "If the disk was full, the service stores it within five seconds of there being room. `addon-cli routes history` lists the others.",
        cause,
      },
    );
  });
}

/**
 * Compares a table with the one in force. If no service runs, it compares it with the file, or if the file has faults,
 * with the table that was last in force. After a return to an older version of the program, that one can have faults, too:
 * then it compares nothing, says so, and returns null.
 */
async function diffTo(
  context: Context,
  control: Control,
  target: TableText,
  tables: readonly HistoryEntry[],
  current: CurrentTable,
): Promise<Comparison | null> {
  const { text } = current;
  const compare = (before?: TableText) => control.run("routes.diff", { isNext: true, after: target, before });
  try {
    if (current.inForce !== undefined) return await compare();
    const vocabulary = await control.run("vocabulary", {});
    if (text !== undefined && isServable(text, vocabulary))
      return await compare({ file: current.file, text });
    const revision = tables[0]?.revision;
    if (revision === undefined) return await compare(target);
    const last = await storedTable(context, revision).catch((error: unknown) => {
      if (error instanceof Failure) return undefined;
      throw error;
    });
    if (last !== undefined && isServable(last.text, vocabulary)) return await compare(last);
    const fault = last === undefined ? "its text is damaged" : `this version refuses ${last.file}`;
    context.output.remark(
      `warning: Revision ${revision} was last in force, and cannot be compared: ${fault}. What changes is not known.`,
    );
    // Only to refuse a target with faults.
    await compare(target);
    return null;
  } catch (error) {
    if (error instanceof Failure && error.faultyFile?.file === target.file)
      context.output.remark("That table cannot be put in force. Nothing was changed.");
    throw error;
  }
}

function isServable(text: string, vocabulary: Parameters<typeof checkRoutes>[1]): boolean {
  return checkRoutes(text, vocabulary).table !== undefined;
}

/**
 * Replaces the table's file by a rename, and keeps a copy of it. That of an earlier one is replaced only if the history has
 * its text.
 * @returns the path of the copy; null if there was no file, or its text is the same
 */
async function replaceTable(
  current: CurrentTable,
  text: string,
  isKept: (text: string) => boolean,
): Promise<string | null> {
  if (current.text === text) return null;
  const { file, present } = current;
  // A link remains a link: its target is replaced.
  const path = present === undefined ? file : await realpath(file);
  const mode = present === undefined ? fileMode : (await stat(path)).mode & 0o777;
  const usual = `${file}.before-rollback`;
  const earlier = (await readRegular(usual).catch(() => undefined))?.toString("utf8");
  const isFree = earlier === undefined || earlier === current.text || isKept(earlier);
  const keptAs = isFree ? usual : `${usual}-${revisionOf(current.text ?? "")}`;
  const write = async (to: string, content: Buffer) => {
    await writeTarget(nodeFiles, to, [content], { mode });
    // The service, for example, must still be able to read the file, whatever the umask is.
    if (present !== undefined) await chmod(to, mode);
  };
  if (present !== undefined) await write(keptAs, present);
  await write(path, Buffer.from(text));
  return present === undefined ? null : keptAs;
}

function resultOf(
  revision: string,
  { file, inForce }: CurrentTable,
  keptAs: string | null,
  diff: TableDiff | null,
) {
  return { revision, file, inForce: inForce !== undefined, keptAs, diff };
}

function resultText(revision: string, { file, inForce }: CurrentTable, keptAs: string | null): string {
  const effect =
    inForce === undefined
      ? `${file} is revision ${revision} now. No service is running; the next start puts it in force.`
      : inForce === revision
        ? `${file} is revision ${revision} again, which stayed in force.`
        : `Revision ${revision} is in force; it was ${inForce}.`;
  return keptAs === null ? effect : `${effect}\nThe previous file is ${keptAs}.`;
}
