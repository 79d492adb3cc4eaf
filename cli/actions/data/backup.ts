/** Implements `data snapshot` and `data backup`. */
import { resolve } from "node:path";
import { writeBackup } from "../../../src/backup/backup.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { snapshotsIn } from "../../../src/store/folder/folder-names.ts";
import type { Context } from "../../context.ts";
import { progressOn, requireData } from "./offline.ts";

/** Writes a snapshot. */
export async function takeSnapshot({ output, workspace, withControl }: Context): Promise<void> {
  const { folder } = workspace();
  await withControl("reads", (control) => control.snapshot());
  const sequence = snapshotsIn(await nodeFiles.readdir(folder)).at(-1);
  output.result({ sequence }, `There is a snapshot of everything up to change ${sequence}.`);
}

/** Whether to overwrite an existing file. */
export interface BackupOptions {
  readonly force?: boolean;
}

/** Writes all data to one file. */
export async function backUp(
  { io, output, workspace }: Context,
  file: string,
  { force = false }: BackupOptions,
): Promise<void> {
  const { folder } = workspace();
  await requireData(workspace());
  const target = resolve(io.cwd, file);
  const progress = progressOn(io, output.wantsJSON, "Writing the backup");
  const now = Date.now();
  const { warnings, ...result } = await writeBackup(nodeFiles, folder, target, { force, now, progress });
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const { records, sequence, bytes } = result;
  output.result(
    { file: target, ...result },
    `Wrote ${records} records, everything up to change ${sequence}, to ${target} (${bytes} bytes).`,
  );
}
