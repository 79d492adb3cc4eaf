/** What `data export` and `data import` do. */
import { resolve } from "node:path";
import { readGiven } from "../../src/maintenance/backup.ts";
import { formatExport, fromExport, ImportProblems, toExport } from "../../src/maintenance/exchange.ts";
import { requireRoom } from "../../src/maintenance/replace.ts";
import { requireFree, writeTarget } from "../../src/maintenance/target.ts";
import { steadily } from "../../src/maintenance/verify.ts";
import { model } from "../../src/model.ts";
import { nodeFiles } from "../../src/store/files.ts";
import { readState } from "../../src/store/reading.ts";
import { Reported } from "../output.ts";
import type { Session } from "../session.ts";
import { keptIn, putInPlace, refuseBesideService, requireData, withFolder } from "./data-folder.ts";

/** Whether a file that exists is overwritten. */
export interface ExportOptions {
  readonly force?: boolean;
}

/** Writes all records as plain JSON, by default to standard output. */
export async function exportData(
  { io, output, workplace }: Session,
  file: string | undefined,
  { force = false }: ExportOptions,
): Promise<void> {
  const { folder } = workplace();
  await requireData(workplace());
  const target = file === undefined ? undefined : resolve(io.cwd, file);
  if (target !== undefined) await requireFree(nodeFiles, target, force);
  const { database, warnings } = await steadily(() => readState(nodeFiles, folder, model));
  if (!output.wantsJSON) for (const warning of warnings) output.remark(`warning: ${warning}`);
  const document = toExport(database, Date.now());
  if (target === undefined) {
    output.result(document, formatExport(document).trimEnd());
    return;
  }
  await writeTarget(nodeFiles, target, [Buffer.from(formatExport(document))]);
  const records = Object.values(document.collections).reduce((sum, { length }) => sum + length, 0);
  const { sequence } = database;
  output.result(
    { file: target, sequence, records },
    `Wrote ${records} records, everything up to change ${sequence}, to ${target}.`,
  );
}

/** Whether data that is there is replaced. */
export interface ImportOptions {
  readonly replace?: boolean;
}

/** Puts the records of an export in the place of the data. */
export async function importData(
  { io, output, workplace }: Session,
  file: string,
  { replace = false }: ImportOptions,
): Promise<void> {
  const { folder } = workplace();
  const what = "Importing";
  await refuseBesideService(folder, what);
  const path = resolve(io.cwd, file);
  const text = (await readGiven(nodeFiles, path)).toString();
  try {
    const database = fromExport(text, path);
    await requireRoom(nodeFiles, folder, replace);
    const { kept, sequence } = await withFolder(folder, what, async () => {
      await requireRoom(nodeFiles, folder, replace);
      return putInPlace(folder, database);
    });
    const records = [...database.collections.values()].reduce((sum, { size }) => sum + size, 0);
    output.result(
      { folder, file: path, records, sequence, kept },
      `Imported ${records} records.${keptIn(folder, kept)}`,
    );
  } catch (error) {
    if (!(error instanceof ImportProblems)) throw error;
    const { code, message, problems } = error;
    if (!output.wantsJSON) {
      for (const problem of problems) output.remark(problem);
      throw error;
    }
    output.result({ code, info: message, problems }, "");
    throw new Reported();
  }
}
