/** Commands that edit the data by a file: they show what would change, ask, and make one change. */
import { resolve } from "node:path";
import type { Edited } from "../../src/backup/edit.ts";
import { readText } from "../../src/backup/source.ts";
import { counted } from "../../src/domain/text.ts";
import type { FileEdit } from "../../src/operator/input.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import type { Context } from "../context.ts";
import { confirm } from "../terminal/confirm.ts";
import { warningLines } from "./data/preview.ts";

/** The bytes of a file, at most: it goes to a running service in one piece. */
const mostBytes = 8 * 1024 * 1024;

export interface FileEditOptions {
  readonly remove?: boolean;
  readonly dryRun?: boolean;
}

/**
 * Edits the data by a file. Returns what changed, or would change.
 * @param edit makes the change, or previews it
 * @param linesOf returns what would change, as text
 */
export async function editByFile<R extends Edited<unknown>>(
  context: Context,
  file: string,
  { remove = false, dryRun = false }: FileEditOptions,
  edit: (input: FileEdit) => Promise<R>,
  linesOf: (result: R) => readonly string[],
): Promise<R> {
  const { io, output } = context;
  const text = await readText(nodeFiles, resolve(io.cwd, file), mostBytes, "Divide it into several files.");
  const result = await edit({ file, text, remove, preview: true });
  const lines = [...linesOf(result), ...warningLines(result.problems)];
  const records = counted(result.changes, "record");
  if (dryRun || result.changes === 0) {
    const verdict = result.changes === 0 ? "nothing would change" : `${records} would change`;
    output.result(result, [...lines, `${file}: ${verdict}.`].join("\n"));
    return result;
  }
  if (!output.wantsJSON) for (const line of lines) output.remark(line);
  await confirm(context, { asks: `Change ${records}?`, does: `This changes ${records}`, details: result });
  const done = await edit({ file, text, remove, preview: false, basis: result.basis });
  const changed = `Applied ${file}: changed ${counted(done.changes, "record")}.`;
  output.result(done, `${changed} \`addon-cli undo ${done.sequence}\` undoes it.`);
  return done;
}
