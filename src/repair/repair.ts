/** Repairs a damaged folder: the readable data, or a backup, replaces the files, which are kept. */
import { replaceFiles, undoReplacement } from "../backup/replace-files.ts";
import { Failure } from "../domain/errors.ts";
import type { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import type { Files } from "../store/folder/files.ts";
import { hasData } from "../store/folder/folder-names.ts";
import type { Fault } from "./fault.ts";
import type { Rebuilt } from "./findings.ts";
import { examine } from "./verify.ts";

/** What a repair would do. */
export interface RepairPlan {
  /** What cannot be read or does not fit together. Without damage there is nothing to repair. */
  readonly damage: readonly Fault[];
  /** What was written whole and says something impossible: no repair knows what it should say. */
  readonly content: readonly Fault[];
  /** Null where there is no damage. */
  readonly rebuilt: Rebuilt | null;
}

/**
 * Plans a repair. Changes nothing, except that it undoes an unfinished one. The caller holds the folder's lock.
 * @throws Failure `STORE_UNAVAILABLE` where nothing can be saved, or a newer version of the program wrote a file
 */
export async function planRepair(files: Files, folder: string): Promise<RepairPlan> {
  await undoReplacement(files, folder);
  const { verified, rebuild } = await examine(files, folder);
  const damage = verified.problems.filter(({ kind }) => kind === "damage");
  const content = verified.problems.filter(({ kind }) => kind === "content");
  return { damage, content, rebuilt: damage.length === 0 ? null : rebuild() };
}

/** Executes a plan. The caller holds the folder's lock. Returns the name of the folder with the earlier files. */
export async function repair(files: Files, folder: string, plan: RepairPlan, now: number): Promise<string> {
  if (plan.rebuilt === null) throw new Error("there is nothing to repair");
  const earlier = await replaceFiles(files, folder, plan.rebuilt.database, "damaged", now);
  if (earlier === null) throw new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`);
  return earlier;
}

/** Returns the damage of a folder, as {@link planRepair} does. @throws Failure `CONFLICT` where there is none */
export async function requireDamage(files: Files, folder: string): Promise<readonly Fault[]> {
  await undoReplacement(files, folder);
  const { problems } = (await examine(files, folder)).verified;
  const damage = problems.filter(({ kind }) => kind === "damage");
  if (damage.length > 0) return damage;
  throw new Failure("CONFLICT", `${folder} is not damaged: there is nothing to repair.`, {
    hint: "`addon-cli data restore <file>` restores a backup as a change, which can be undone; nothing was changed.",
  });
}

/**
 * Replaces damaged files with a backup. The caller holds the folder's lock.
 * @param database gets at least the number of every change that the damaged files show, so that none is used twice
 * @returns the name of the folder with the earlier files
 */
export async function replaceFromBackup(
  files: Files,
  folder: string,
  database: Database<typeof model>,
  now: number,
): Promise<string | null> {
  const highest = hasData(await files.readdir(folder)) ? (await examine(files, folder)).highest : 0;
  database.sequence = Math.max(database.sequence, highest);
  return replaceFiles(files, folder, database, "damaged", now);
}
