/** Implements the `list` commands. */
import { formatCSV } from "../../src/backup/csv.ts";
import { counted } from "../../src/domain/text.ts";
import type { Context } from "../context.ts";
import { confirm } from "../terminal/confirm.ts";
import { type ExportOptions, targetOf, writeOut } from "./data/export.ts";
import { resourceLines } from "./data/preview.ts";
import { editByFile, type FileEditOptions } from "./file-edit.ts";

/** Asks, and removes the entries of a list. */
export async function dropList(context: Context, list: string): Promise<void> {
  const { change, output, run } = context;
  const { info: entries, basis } = await run("reads", "list.drop", { list, dryRun: true });
  await confirm(context, { asks: `Remove ${entries}?`, does: `This removes ${entries}` });
  const { sequence } = await change("list.drop", { list, basis });
  if (!output.wantsJSON) output.remark(`\`addon-cli undo ${sequence}\` undoes it.`);
}

/** Writes the entries of a list as CSV, or as JSON to a file that ends in `.json`. */
export async function exportList(
  context: Context,
  list: string,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const target = await targetOf(context, file, options);
  const { columns, entries } = await context.run("reads", "list.export", { list });
  const rows = entries.map((entry) => columns.map((column) => String(entry[column] ?? "")));
  const json = `[\n${entries.map((entry) => JSON.stringify(entry)).join(",\n")}\n]\n`;
  await writeOut(context, target, {
    ...{ document: entries, facts: { entries: rows.length }, what: counted(rows.length, "entry") },
    text: file?.endsWith(".json") ? json : `${formatCSV(columns, rows)}\n`,
  });
}

/** Shows which entries a file adds and changes, asks, and does it. */
export async function importList(
  context: Context,
  list: string,
  file: string,
  options: FileEditOptions,
): Promise<void> {
  await editByFile(
    context,
    file,
    options,
    (input) => context.run(input.preview ? "reads" : "edits", "list.import", { ...input, list }),
    ({ resources }) => resourceLines(resources),
  );
}
