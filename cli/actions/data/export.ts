/** Implements `data export`. */
import { resolve } from "node:path";
import { formatExport, toExport } from "../../../src/backup/export-format.ts";
import { requireFree, writeTarget } from "../../../src/backup/output-file.ts";
import { model } from "../../../src/domain/model.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { listData } from "../../../src/store/listing.ts";
import { readState } from "../../../src/store/reading.ts";
import type { Context } from "../../context.ts";
import { reportingReads, withProgress } from "./progress.ts";

/** Whether to overwrite an existing file. */
interface ExportOptions {
  readonly force?: boolean;
}

/** Writes all records as plain JSON to a file or to standard output. */
export async function exportData(
  context: Context,
  file: string | undefined,
  { force = false }: ExportOptions,
): Promise<void> {
  const { io, output, workspace } = context;
  const { folder } = workspace();
  await listData(nodeFiles, folder);
  const target = file === undefined ? undefined : resolve(io.cwd, file);
  if (target !== undefined) await requireFree(nodeFiles, target, force);
  const { database, warnings } = await withProgress(context, "Reading the data", async (progress) =>
    readState(await reportingReads(folder, progress), folder, model),
  );
  if (!output.wantsJSON) for (const warning of warnings) output.remark(`warning: ${warning}`);
  const document = toExport(database, Date.now());
  if (target === undefined) {
    output.verbatim(document, formatExport(document).trimEnd());
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
