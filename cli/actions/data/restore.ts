/**
 * What `data restore` and `data import` do. Where there is data it is one change: shown, asked about, made by the
 * running service or by the command itself. Into a folder without data a file is simply unpacked.
 */
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { ImportProblems } from "../../../src/backup/import-problems.ts";
import { requireRoom } from "../../../src/backup/replace-files.ts";
import type { RestorePreview, RestoreRequest, RestoreResult } from "../../../src/backup/restore.ts";
import { readConsistentSource, type Source } from "../../../src/backup/source.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { findMoment, type MomentFound } from "../../../src/store/clock.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { steadily } from "../../../src/store/listing.ts";
import { readOption, toInstant } from "../../arguments/instant.ts";
import type { Session } from "../../context.ts";
import type { GlobalOptions } from "../../data/workspace.ts";
import { confirm } from "../../terminal/confirm.ts";
import { Reported, toDate } from "../../terminal/output.ts";
import { putInPlace, requireData, withFolder } from "./offline.ts";
import { previewLines } from "./preview.ts";

/** How many problems of an export a person is shown: one mistake of the program that wrote it is in every record. */
const mostProblems = 20;

/** How data is restored or imported. The moment of a restore is read from the command. */
export interface RestoreOptions extends GlobalOptions {
  /** Whether tokens are restored, too. */
  readonly tokens?: boolean;
  /** Whether nobody is asked. */
  readonly yes?: boolean;
  /** Whether it is only shown what would change. */
  readonly dryRun?: boolean;
  /** Does nothing any more. */
  readonly replace?: boolean;
}

/** Restores a backup, or the data as it was at a moment. */
export async function restore(session: Session, file: string | undefined, command: Command): Promise<void> {
  const at = readOption(command, "at", parseMoment);
  if ((file === undefined) === (at === undefined)) {
    command.error("error: one of <file> and --at <moment> is needed", { code: "usage", exitCode: 2 });
  }
  const source: Source =
    file === undefined
      ? { kind: "moment", sequence: await sequenceOf(session, at ?? { sequence: 0 }) }
      : { kind: "backup", file: resolve(session.io.cwd, file) };
  await carryOut(session, source, command.optsWithGlobals<RestoreOptions>());
}

/** Imports what `data export` has written, or another program in that form. */
export async function importData(session: Session, file: string, command: Command): Promise<void> {
  const { io, output } = session;
  const source: Source = { kind: "export", file: resolve(io.cwd, file) };
  try {
    await carryOut(session, source, command.optsWithGlobals<RestoreOptions>());
  } catch (error) {
    if (!(error instanceof ImportProblems)) throw error;
    const { code, message, problems } = error;
    if (!output.wantsJSON) {
      for (const problem of problems.slice(0, mostProblems)) output.remark(problem);
      const left = problems.length - mostProblems;
      if (left > 0) output.remark(`and ${left} more; with --json all of them are shown`);
      throw error;
    }
    output.result({ code, info: message, problems }, "");
    throw new Reported();
  }
}

/** A moment as a person types it: a change's number, or an instant in milliseconds. */
type Moment = { readonly sequence: number } | { readonly instant: number };

/** @throws InvalidArgumentError where it is none */
function parseMoment(text: string): Moment {
  const [, number] = /^#([1-9]\d{0,15})$/.exec(text) ?? [];
  if (number !== undefined) return { sequence: Number(number) };
  const instant = toInstant(text);
  if (instant !== undefined) return { instant };
  throw new InvalidArgumentError(
    "Expected is ISO 8601 with a zone, such as 2026-11-21T18:30:00Z, milliseconds since 1970, or the number of a change, such as #42.",
  );
}

/** The number of the last change at a moment. @throws Failure where the data does not reach back to it */
async function sequenceOf({ output, workplace }: Session, moment: Moment): Promise<number> {
  const { folder } = workplace();
  await requireData(workplace());
  if ("sequence" in moment) return moment.sequence;
  const { instant } = moment;
  if (instant > Date.now()) {
    throw new Failure("PARAMETER_INVALID", `${toDate(instant)} is still to come.`, {
      hint: "Name a moment that has passed, or a change by its number, such as --at '#42'.",
    });
  }
  const found = await steadily(() => findMoment(nodeFiles, folder, instant));
  if (found === undefined || found.sequence === 0) {
    throw new Failure("UNKNOWN_ENTRY", `At ${toDate(instant)} there was no data in ${folder} yet.`, {
      hint: "`addon-cli data status` tells how far back it reaches.",
    });
  }
  for (const line of momentLines(found, instant)) output.remark(line);
  return found.sequence;
}

function momentLines({ sequence, later, steps }: MomentFound, instant: number): string[] {
  const line = `Change ${sequence} is the last one at or before ${toDate(instant)}.`;
  if (later === 0) return [line];
  const changes =
    later === 1
      ? "A change before it has a later instant and is"
      : `${later} changes before it have later instants and are`;
  const where = steps.map((step) => `change ${step}`).join(", ");
  return [
    line,
    `warning: The clock went backwards at ${where}. ${changes} kept; --at '#<number>' names a change itself.`,
  ];
}

async function carryOut(session: Session, source: Source, options: RestoreOptions): Promise<void> {
  const { output, workplace, withControl } = session;
  const { tokens = false, dryRun = false, replace = false } = options;
  if (replace)
    output.remark("--replace is no longer needed: a restore is a change, which `undo` takes back.");
  if (!(await workplace().hasData())) return unpack(session, source, dryRun);
  const { folder } = workplace();
  const request: RestoreRequest = { source, tokens };
  const preview = await withControl("reads", (control) => control.previewRestore(request));
  const what = describeSource(source, preview);
  const shown = previewLines(preview).join("\n");
  if (dryRun || preview.changes === 0) {
    const { revision: _, ...document } = preview;
    const verdict =
      preview.changes === 0 ? "nothing would change" : `${countOf(preview.changes)} would change`;
    output.result(
      { folder, ...toDocument(source), dryRun, sequence: null, ...document },
      `${shown}${shown === "" ? "" : "\n"}${what}: ${verdict}.`,
    );
    return;
  }
  if (!output.wantsJSON) output.remark(shown);
  await confirm(session, options, {
    asks: `Change ${countOf(preview.changes)}?`,
    does: `This changes ${countOf(preview.changes)}`,
    hint: "--yes does it without asking; --dry-run only shows what would change.",
    details: { resources: preview.resources },
  });
  const { revision } = preview;
  const result = await withControl("reads", (control) => control.restoreRecords(request, revision));
  output.result({ folder, ...toDocument(source), dryRun, ...result }, doneText(source, result));
}

/** Puts a file's records into a folder that has no data. */
async function unpack({ output, workplace }: Session, source: Source, dryRun: boolean): Promise<void> {
  const { folder } = workplace();
  if (source.kind === "moment") return;
  const { database, records, instant, problems } = await readConsistentSource(nodeFiles, folder, source);
  for (const problem of problems) output.remark(`warning: ${problem}`);
  await requireRoom(nodeFiles, folder);
  const words = `${countOf(records)}${instant === null ? "" : ` of ${toDate(instant)}`}`;
  if (dryRun) {
    output.result(
      { folder, ...toDocument(source), dryRun, sequence: null, records, instant },
      `${folder} would get ${words}.`,
    );
    return;
  }
  const what = source.kind === "export" ? "Importing" : "Restoring";
  const { sequence } = await withFolder(folder, what, async () => {
    await requireRoom(nodeFiles, folder);
    return putInPlace(folder, database);
  });
  const verb = source.kind === "export" ? "Imported" : "Restored";
  const upTo = source.kind === "export" ? "" : `, everything up to change ${sequence}`;
  output.result(
    { folder, ...toDocument(source), dryRun, sequence, records, instant },
    `${verb} ${words}${upTo}.`,
  );
}

/** A source in a JSON document, where `sequence` is the number of the change that was made. */
function toDocument(source: Source) {
  return source.kind === "moment" ? { kind: source.kind, at: source.sequence } : source;
}

function describeSource(source: Source, { instant }: Pick<RestorePreview, "instant">): string {
  if (source.kind === "moment") return `The data behind change ${source.sequence}`;
  return instant === null ? source.file : `${source.file} of ${toDate(instant)}`;
}

function doneText(source: Source, { sequence, changes, instant }: RestoreResult): string {
  const what = source.kind === "export" ? "Imported" : "Restored";
  const from =
    source.kind === "moment"
      ? `the data behind change ${source.sequence}`
      : describeSource(source, { instant });
  if (sequence === null) return `${what} ${from}: nothing had to be changed.`;
  return `${what} ${from}: changed ${countOf(changes)}. \`addon-cli undo ${sequence}\` takes it back.`;
}

function countOf(records: number): string {
  return records === 1 ? "1 record" : `${records} records`;
}
