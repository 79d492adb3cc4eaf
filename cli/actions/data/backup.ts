/** Implements `data snapshot` and `data backup`. */
import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { writeBackup } from "../../../src/backup/backup.ts";
import { writeRotatedBackup } from "../../../src/backup/rotation.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { counted } from "../../../src/domain/text.ts";
import { ignoreMissing, nodeFiles } from "../../../src/store/folder/files.ts";
import type { Context } from "../../context.ts";
import { requireWhole } from "./offline.ts";
import { withProgress } from "./progress.ts";

export async function takeSnapshot({ output, run }: Context): Promise<void> {
  const { sequence } = await run("edits", "data.snapshot", {});
  output.result({ sequence }, `There is a snapshot of everything up to change ${sequence}.`);
}

/** Writes all data to one file: the given one, or a new one in the given folder. */
export async function backUp(
  context: Context,
  given: string,
  { force = false, keep }: { force?: boolean; keep?: number },
): Promise<void> {
  const { io, misuse, output, workspace } = context;
  if (given === "") misuse("expected a file or a folder, got an empty text");
  // In a pipe, the sentence about the file would pass for the backup.
  if (given === "-") misuse("a backup is not written to standard output; for a file named -, write ./-");
  const target = resolve(io.cwd, given);
  const isFolder = await isFolderName(given, target);
  if (keep !== undefined && !isFolder) misuse(`--keep requires a folder; to name one, write ${given}/`);
  if (force && isFolder) misuse("--force requires a file; in a folder, no backup is overwritten");
  await requireWhole(workspace().folder);
  const folder = await workspace().dataFolder();
  const { warnings, ...result } = await withProgress(context, "Writing the backup", async () =>
    isFolder
      ? writeRotatedBackup(nodeFiles, folder, target, { keep, now: Date.now })
      : { file: target, ...(await writeBackup(nodeFiles, folder, target, { force, now: Date.now() })) },
  );
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const { file, records, sequence, bytes } = result;
  const removed = "removed" in result ? result.removed : [];
  const lines = [
    `Wrote ${counted(records, "record")}, everything up to change ${sequence}, to ${file} (${bytes} bytes).`,
    ...removed.map((path) => `Removed ${path}.`),
  ];
  output.result(result, lines.join("\n"));
}

/** Returns whether a target is a folder: by its end or because there is one. @throws Failure if that is missing, or a file */
async function isFolderName(given: string, target: string): Promise<boolean> {
  const isNamed = given.endsWith("/") || given.endsWith(sep);
  const found = await stat(target).catch(ignoreMissing);
  if (!isNamed || found?.isDirectory() === true) return found?.isDirectory() === true;
  // It is not created: without a disk that should be mounted there, the backups would fill another one.
  throw found === undefined
    ? new Failure("UNKNOWN_ENTRY", `There is no folder ${target}.`, {
        hint: "Create it, or mount the disk that it is on.",
      })
    : new Failure("CONFLICT", `Expected a folder, but ${target} is a file.`, {
        hint: "Name a folder, or write the name of the file without a slash at its end.",
      });
}
