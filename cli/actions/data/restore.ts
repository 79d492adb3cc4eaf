/**
 * Implements `data restore` and `data import`. In a folder with data, each is one change by the running service or by the
 * command itself, after a preview and a question. A folder without data simply receives the records.
 */
import { resolve } from "node:path";
import { replaceFiles, requireEmpty } from "../../../src/backup/replace-files.ts";
import type { Restored, RestoreRequest } from "../../../src/backup/restore.ts";
import { problemsOf, readSource, recognizeSource, type Source } from "../../../src/backup/source.ts";
import { findSourceFile } from "../../../src/backup/source-file.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { model } from "../../../src/domain/model.ts";
import { counted, uncapitalised } from "../../../src/domain/text.ts";
import { vocabularyOf } from "../../../src/identity/memberships.ts";
import { checkRoutes } from "../../../src/operations.ts";
import { findingsOf, findingWords } from "../../../src/operator/lists/findings.ts";
import { findMoment, type MomentFound } from "../../../src/store/clock.ts";
import type { Database } from "../../../src/store/collection.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { retryIfMissing } from "../../../src/store/folder/listing.ts";
import { isShared } from "../../../src/store/shared/node-folder.ts";
import { readTable } from "../../../src/table-in-force/read-table.ts";
import type { PointInTime } from "../../arguments/instant.ts";
import type { Context } from "../../context.ts";
import { confirm } from "../../terminal/confirm.ts";
import { formatInstant } from "../../terminal/output.ts";
import { withFolder } from "./offline.ts";
import { resourceLines, warningLines } from "./preview.ts";
import { withProgress } from "./progress.ts";

interface RestoreOptions {
  /** Whether to restore tokens as well. */
  readonly tokens?: boolean;
  /** The point in time to restore, instead of a file. */
  readonly at?: PointInTime;
  /** Whether only to show what would change. */
  readonly dryRun?: boolean;
}

/** Restores a backup, an export or a past state: `data restore` and `data import`. */
export async function restore(
  context: Context,
  file: string | undefined,
  options: RestoreOptions,
): Promise<void> {
  const { at } = options;
  if ((file === undefined) === (at === undefined)) {
    context.misuse("exactly one of <file> and --at <moment> is required");
  }
  const source: Source =
    file === undefined
      ? { kind: "moment", sequence: await sequenceOf(context, at ?? { sequence: 0 }) }
      : await recognizeSource(nodeFiles, await findSourceFile(resolve(context.io.cwd, file)));
  await apply(context, source, options);
}

/** Returns the number of the last change at that time. @throws Failure if the data does not reach back that far */
async function sequenceOf({ output, workspace }: Context, moment: PointInTime): Promise<number> {
  const folder = await workspace().dataFolder();
  if ("sequence" in moment) return moment.sequence;
  const { instant } = moment;
  if (instant > Date.now()) {
    throw new Failure("PARAMETER_INVALID", `${formatInstant(instant)} is in the future.`, {
      parameter: "at",
      hint: "Name a past time, or a change, such as --at '#42'.",
    });
  }
  const found = await retryIfMissing(() => findMoment(nodeFiles, folder, instant));
  if (found === undefined || found.sequence === 0) {
    throw new Failure(
      "UNKNOWN_ENTRY",
      `The data in ${folder} does not reach back to ${formatInstant(instant)}.`,
      { hint: "`addon-cli data status` shows how far back the data reaches." },
    );
  }
  for (const line of momentLines(found, instant)) output.remark(line);
  return found.sequence;
}

function momentLines({ sequence, later, steps }: MomentFound, instant: number): string[] {
  const line = `Change ${sequence} is the last one at or before ${formatInstant(instant)}.`;
  if (later === 0) return [line];
  const where = steps.map((step) => `change ${step}`).join(", ");
  return [
    line,
    `warning: The clock went backwards at ${where}. Changes with later times are included (${later}); --at '#<number>' selects an exact change.`,
  ];
}

async function apply(context: Context, source: Source, options: RestoreOptions): Promise<void> {
  const { output, run, workspace } = context;
  const { tokens = false, dryRun = false } = options;
  const { folder, journal } = workspace();
  const hasData = await workspace().hasData();
  if (!hasData && !journal) return unpack(context, source, dryRun);
  const request: RestoreRequest = { source, tokens };
  const preview = await withProgress(context, "Comparing", () =>
    // Without data, the folder first becomes a copy of the shared journal.
    run(hasData ? "reads" : "changes", "data.preview-restore", request),
  );
  const what = describeSource(source, preview);
  const { changes, resources, problems, tokensLeftOut: left } = preview;
  const leftOut = left > 0 ? [`Not restored without --tokens: ${counted(left, "token")}.`] : [];
  const lines = [...resourceLines(resources), ...leftOut, ...warningLines(problems)];
  const records = counted(changes, "record");
  if (dryRun || changes === 0) {
    const { revision: _, sequence, ...document } = preview;
    const verdict = changes === 0 ? "nothing would change" : `${records} would change`;
    output.result(
      { folder, ...toDocument(source), dryRun, sequence, ...document },
      [...lines, `${what}: ${verdict}.`].join("\n"),
    );
    return;
  }
  if (!output.wantsJSON) output.remark(lines.join("\n"));
  const where = (await isShared(nodeFiles, folder)) ? " on all machines that share the journal" : "";
  await confirm(context, {
    asks: `Change ${records}${where}?`,
    does: `This changes ${records}${where}`,
    hint: "--yes does it without asking; --dry-run only shows what would change.",
    details: { resources },
  });
  const { revision } = preview;
  const { revision: _, ...result } = await withProgress(context, "Changing", () =>
    run("edits", "data.restore", { ...request, revision }),
  );
  const isSame = JSON.stringify(result.resources) === JSON.stringify(resources);
  if (!output.wantsJSON && !isSame) {
    const lines = resourceLines(result.resources);
    const what = lines.length === 0 ? "Nothing was left to change." : "These changes were made:";
    output.remark([`Data has changed since it was compared. ${what}`, ...lines].join("\n"));
  }
  output.result({ folder, ...toDocument(source), dryRun, ...result }, doneText(source, result));
}

/** Writes the records of a file to a folder that has no data. */
async function unpack(context: Context, source: Source, dryRun: boolean): Promise<void> {
  const { output, workspace } = context;
  const { folder } = workspace();
  const { database, records, instant } = await withProgress(context, "Reading", () =>
    readSource(nodeFiles, folder, source),
  );
  const inconsistent = await problemsOf(source, database.view);
  const problems = [...inconsistent, ...(await refusalsOf(context, database))];
  for (const problem of problems) output.remark(`warning: ${problem}`);
  await requireEmpty(nodeFiles, folder);
  const words = `${counted(records, "record")}${instant === null ? "" : ` of ${formatInstant(instant)}`}`;
  if (dryRun) {
    output.result(
      { folder, ...toDocument(source), dryRun, sequence: null, records, instant, problems },
      `${folder} would receive ${words}.`,
    );
    return;
  }
  const what = source.kind === "export" ? "Importing" : "Restoring";
  await withFolder(folder, what, () =>
    withProgress(context, what, async () => {
      await requireEmpty(nodeFiles, folder);
      await replaceFiles(nodeFiles, folder, database, Date.now());
    }),
  );
  const { sequence } = database;
  const verb = source.kind === "export" ? "Imported" : "Restored";
  const upTo = source.kind === "export" ? "" : `, everything up to change ${sequence}`;
  output.result(
    { folder, ...toDocument(source), dryRun, sequence, records, instant, problems },
    `${verb} ${words}${upTo}.`,
  );
}

/** Returns why the route table would not be put in force beside records, a sentence each. */
async function refusalsOf({ workspace }: Context, { view }: Database<typeof model>): Promise<string[]> {
  if (!(await workspace().hasRoutes()))
    return [`the next start needs the route table ${workspace().routes}, which does not exist`];
  const file = await workspace().routesFile();
  // One that cannot be read is a matter of the next start.
  const text = await readTable(file).catch(() => undefined);
  if (text === undefined) return [];
  const { lists } = checkRoutes(text, vocabularyOf(view));
  const faults = (await findingsOf(lists, view.entries.values())).filter(({ isFault }) => isFault);
  return faults.map((fault) => `the next start will refuse ${file}: ${findingWords(fault)}`);
}

/** Returns a source for a JSON document, in which `sequence` is the number of the new change. */
function toDocument(source: Source) {
  return source.kind === "moment" ? { kind: source.kind, at: source.sequence } : source;
}

function describeSource(source: Source, { instant }: Pick<Restored, "instant">): string {
  if (source.kind === "moment") return `The data behind change ${source.sequence}`;
  return instant === null ? source.file : `${source.file} of ${formatInstant(instant)}`;
}

function doneText(source: Source, { sequence, changes, instant }: Omit<Restored, "revision">): string {
  const what = source.kind === "export" ? "Imported" : "Restored";
  const from = uncapitalised(describeSource(source, { instant }));
  if (sequence === null) return `${what} ${from}: no change was necessary.`;
  return `${what} ${from}: changed ${counted(changes, "record")}. \`addon-cli undo ${sequence}\` undoes it.`;
}
