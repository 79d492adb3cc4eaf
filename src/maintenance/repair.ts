/** Repairing a damaged folder: what can be saved takes the place of what is there, and that is kept. */
import { Failure } from "../errors.ts";
import type { Files } from "../store/files.ts";
import type { Fault } from "./inspect.ts";
import { replaceData } from "./replace.ts";
import { type Salvaged, salvage } from "./salvage.ts";
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
