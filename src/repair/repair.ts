/** Repairing a damaged folder: what can be saved takes the place of what is there, and that is kept. */

import { replaceData } from "../backup/replace-files.ts";
import { Failure } from "../domain/errors.ts";
import type { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import type { Files } from "../store/folder/files.ts";
import { segmentsIn } from "../store/journal/segment.ts";
import { snapshotsIn } from "../store/snapshot.ts";
import type { Fault } from "./inspect.ts";
import { type Salvaged, salvage } from "./rebuild.ts";
import { verify } from "./verify.ts";

/** What a repair would do. */
export interface RepairPlan {
  /** What can not be read or does not hang together. Where there is nothing, nothing is to be repaired. */
  readonly damage: readonly Fault[];
  /** What was written whole and says something that can not be: no repair can tell what it ought to be. */
  readonly content: readonly Fault[];
  readonly salvaged: Salvaged | null;
}

/**
 * Looks what a repair would do. Changes nothing.
 * @throws Failure `STORE_UNAVAILABLE` where nothing can be saved, or a newer version of the program wrote a file
 */
export async function planRepair(files: Files, folder: string): Promise<RepairPlan> {
  const { problems } = await verify(files, folder, { running: false });
  const damage = problems.filter(({ kind }) => kind === "damage");
  const content = problems.filter(({ kind }) => kind === "content");
  return { damage, content, salvaged: damage.length === 0 ? null : await salvage(files, folder) };
}

/** Carries a plan out. The caller holds the folder's lock. Gives the name of the folder with the files of before. */
export async function repair(files: Files, folder: string, plan: RepairPlan, now: number): Promise<string> {
  if (plan.salvaged === null) throw new Error("there is nothing to repair");
  const kept = await replaceData(files, folder, plan.salvaged.database, "damaged", now);
  if (kept === null) throw new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`);
  return kept;
}

/** Every damage of a folder. @throws Failure `CONFLICT` where there is none */
export async function requireDamage(files: Files, folder: string): Promise<readonly Fault[]> {
  const { problems } = await verify(files, folder, { running: false });
  const damage = problems.filter(({ kind }) => kind === "damage");
  if (damage.length > 0) return damage;
  throw new Failure("CONFLICT", `${folder} is not damaged: there is nothing to repair.`, {
    hint: "`addon-cli data restore <file>` restores a backup as a change, which can be undone; nothing was changed.",
  });
}

/**
 * Puts a backup in the place of damaged files. The caller holds the folder's lock.
 * @param database its number becomes at least that of every change that the damaged files show, so that none repeats
 * @returns the name of the folder with the files of before
 */
export async function replaceFromBackup(
  files: Files,
  folder: string,
  database: Database<typeof model>,
  now: number,
): Promise<string | null> {
  const names = await files.readdir(folder);
  const byNames = Math.max(snapshotsIn(names).at(-1) ?? 0, (segmentsIn(names).at(-1) ?? 1) - 1);
  const highest = await salvage(files, folder).then(
    (salvaged) => salvaged.database.sequence,
    // Nothing can be saved of them.
    (error: unknown) => {
      if (error instanceof Failure) return 0;
      throw error;
    },
  );
  database.sequence = Math.max(database.sequence, highest, byNames);
  return replaceData(files, folder, database, "damaged", now);
}
