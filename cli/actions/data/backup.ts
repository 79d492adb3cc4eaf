/** What `data snapshot` and `data backup` do. */
import { resolve } from "node:path";
import { writeBackup } from "../../../src/backup/backup.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { snapshotsIn } from "../../../src/store/folder/folder-names.ts";
import type { Session } from "../../context.ts";
import { progressOn, requireData } from "./offline.ts";

/** Writes a snapshot now. */
export async function takeSnapshot({ output, workplace, withControl }: Session): Promise<void> {
  const { folder } = workplace();
  await withControl("reads", (control) => control.snapshot());
  const sequence = snapshotsIn(await nodeFiles.readdir(folder)).at(-1);
  output.result({ sequence }, `There is a snapshot of everything up to change ${sequence}.`);
}

/** Whether a file that exists is overwritten. */
export interface BackupOptions {
  readonly force?: boolean;
}

/** Writes all data into one file. */
export async function backUp(
  { io, output, workplace }: Session,
  file: string,
  { force = false }: BackupOptions,
): Promise<void> {
  const { folder } = workplace();
  await requireData(workplace());
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
