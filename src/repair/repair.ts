/** Repairs a damaged folder: the readable data, or a backup, replaces the files, which are kept. */
import { replaceFiles, undoReplacement } from "../backup/replace-files.ts";
import type { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import type { Files } from "../store/folder/files.ts";
import type { Fault } from "./fault.ts";
import type { Rebuilt } from "./findings.ts";
import { examine } from "./verify.ts";

/** What is wrong with a folder, and what a repair can save. */
export interface RepairPlan {
  /** What cannot be read or does not fit together. Without damage there is nothing to repair. */
  readonly damage: readonly Fault[];
  /** What was written whole and says something impossible: no repair knows what it should say. */
  readonly content: readonly Fault[];
  /** The highest number that a change may have had. */
  readonly highest: number;
  /**
   * Returns the data as far as it can be read.
   * @throws Failure `STORE_UNAVAILABLE` where nothing can be saved, or a newer version of the program wrote a file
   */
  readonly rebuild: () => Rebuilt;
}

/** Plans a repair. Changes nothing, except that it undoes an unfinished one. The caller holds the folder's lock. */
export async function planRepair(files: Files, folder: string): Promise<RepairPlan> {
  await undoReplacement(files, folder);
  const { verified, highest, rebuild } = await examine(files, folder);
  const damage = verified.problems.filter(({ kind }) => kind === "damage");
  const content = verified.problems.filter(({ kind }) => kind === "content");
  return { damage, content, highest, rebuild };
}

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
