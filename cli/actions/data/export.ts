/** Implements `data export`. */
import { resolve } from "node:path";
import { formatExport, toExport } from "../../../src/backup/export-format.ts";
import { requireFree, writeTarget } from "../../../src/backup/output-file.ts";
import { model } from "../../../src/domain/model.ts";
import { counted } from "../../../src/domain/text.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readState } from "../../../src/store/reading.ts";
import type { Context } from "../../context.ts";
import { requireWhole } from "./offline.ts";
import { reportingReads, withProgress } from "./progress.ts";

/** Whether to overwrite an existing file. */
export interface ExportOptions {
  readonly force?: boolean;
}

/** Writes all records as plain JSON to a file or to standard output. */
export async function exportData(
  context: Context,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const { output, workspace } = context;
  await requireWhole(workspace().folder);
  const folder = await workspace().dataFolder();
  const target = await targetOf(context, file, options);
  const { database, warnings } = await withProgress(context, "Reading the data", async (progress) =>
    readState(await reportingReads(folder, progress), folder, model),
  );
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const document = toExport(database, Date.now());
  const records = Object.values(document.collections).reduce((sum, { length }) => sum + length, 0);
  const { sequence } = database;
  await writeOut(context, target, {
    ...{ document, text: formatExport(document), facts: { sequence, records } },
    what: `${counted(records, "record")}, everything up to change ${sequence},`,
  });
}

/** Returns the path of the file to write, or undefined for standard output. @throws Failure if it must not be written */
export async function targetOf(
  { io }: Context,
  file: string | undefined,
  { force = false }: ExportOptions,
): Promise<string | undefined> {
  const target = file === undefined || file === "-" ? undefined : resolve(io.cwd, file);
  if (target !== undefined) await requireFree(nodeFiles, target, force);
  return target;
}

/** Writes a text to a file, or to standard output, as a document with `--json`. */
export async function writeOut(
  { output }: Context,
  file: string | undefined,
  { text, document, what, facts }: { text: string; document: unknown; what: string; facts: object },
): Promise<void> {
  if (file === undefined) {
    output.verbatim(document, text.trimEnd());
    return;
  }
  await writeTarget(nodeFiles, file, [Buffer.from(text)]);
  output.result({ file, ...facts }, `Wrote ${what} to ${file}.`);
}
