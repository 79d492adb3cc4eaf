/** Repairs a damaged folder: the readable data, or a backup, replaces the files, which are kept. */
import { replaceFiles, undoReplacement } from "../backup/replace-files.ts";
import type { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import type { Files } from "../store/folder/files.ts";
import { examine } from "./verify.ts";

/**
 * Plans a repair. Changes nothing, except that it undoes an unfinished one. The caller holds the folder's lock.
 * @returns `damage`, without which there is nothing to repair, and `content`: no repair knows what that should say
 */
export async function planRepair(files: Files, folder: string) {
  await undoReplacement(files, folder);
  const { verified, highest, rebuild } = await examine(files, folder);
  const damage = verified.problems.filter(({ kind }) => kind === "damage");
  const content = verified.problems.filter(({ kind }) => kind === "content");
  return { damage, content, highest, rebuild };
}

export type RepairPlan = Awaited<ReturnType<typeof planRepair>>;

/**
 * Replaces the damaged files of a plan. The caller holds the folder's lock.
 * @param database the rebuilt data or that of a backup; gets at least the number of every change that the damaged files
 *   show, so that none is used twice
 * @returns the name of the folder with the earlier files
 */
export async function repair(
  files: Files,
  folder: string,
  { highest }: RepairPlan,
  database: Database<typeof model>,
  now: number,
): Promise<string | null> {
  database.sequence = Math.max(database.sequence, highest);
  return replaceFiles(files, folder, database, now);
}
