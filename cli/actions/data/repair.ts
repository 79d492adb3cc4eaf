/** Implements `data repair`. */
import { join, resolve } from "node:path";
import { readBackup } from "../../../src/backup/source.ts";
import {
  planRepair,
  type RepairPlan,
  repair,
  replaceFromBackup,
  requireDamage,
} from "../../../src/repair/repair.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import type { Context } from "../../context.ts";
import { Reported } from "../../terminal/output.ts";
import { describeFault, withFolder } from "./offline.ts";
import { reportingReads, withProgress } from "./progress.ts";

/**
 * Recovers as much as possible, and reports the losses.
 * @param yes whether to repair, or only to show what would be done
 * @throws Reported if the folder is damaged and remains so
 */
export async function repairFolder(context: Context, yes: boolean): Promise<void> {
  const { output, workspace } = context;
  const folder = await workspace().dataFolder();
  const { plan, kept } = await withFolder(folder, "Repairing", () =>
    withProgress(context, "Repairing", async (progress) => {
      const made = await planRepair(await reportingReads(folder, progress), folder);
      const isDone = made.rebuilt !== null && yes;
      return { plan: made, kept: isDone ? await repair(nodeFiles, folder, made, Date.now()) : null };
    }),
  );
  const { rebuilt, damage, content } = plan;
  const document = {
    folder,
    damaged: damage.length > 0,
    repaired: kept !== null,
    kept,
    sequence: rebuilt?.database.sequence ?? null,
    damage,
    content,
    saved: rebuilt?.saved ?? [],
    lost: rebuilt?.lost ?? [],
  };
  output.result(document, describe(folder, plan, kept));
  if (rebuilt !== null && kept === null) throw new Reported();
}

/**
 * Replaces damaged files by a backup.
 * @throws Failure `CONFLICT` if nothing is damaged
 * @throws Reported if it only shows what would be done
 */
export async function repairFrom(context: Context, file: string, yes: boolean): Promise<void> {
  const { io, output, workspace } = context;
  const folder = await workspace().dataFolder();
  const path = resolve(io.cwd, file);
  const backup = await withProgress(context, "Reading the backup", () => readBackup(nodeFiles, path));
  const { records, instant } = backup;
  const { damage, kept } = await withFolder(folder, "Repairing", () =>
    withProgress(context, "Repairing", async (progress) => {
      const found = await requireDamage(await reportingReads(folder, progress), folder);
      return {
        damage: found,
        kept: yes ? await replaceFromBackup(nodeFiles, folder, backup.database, Date.now()) : null,
      };
    }),
  );
  const { sequence } = backup.database;
  const done =
    kept === null
      ? `Nothing was changed; --yes replaces the damaged files by the ${records} records of ${path}.`
      : `Restored ${records} records of ${path}. The next change follows change ${sequence}. The damaged files are in ${join(folder, kept)}. Tokens revoked since that backup are valid again: see \`addon-cli token list\`.`;
  output.result(
    { folder, file: path, repaired: kept !== null, kept, sequence, records, instant, damage },
    ["Damage:", ...damage.map((fault) => `  ${describeFault(fault)}`), done].join("\n"),
  );
  if (kept === null) throw new Reported();
}

function describe(folder: string, { rebuilt, damage, content }: RepairPlan, kept: string | null): string {
  const odd = content.map((fault) => `${describeFault(fault)} (not changed)`);
  if (rebuilt === null) {
    return [...odd, `${folder} is not damaged. Nothing was changed.`].join("\n");
  }
  const { saved, lost, database } = rebuilt;
  const last = database.sequence;
  const head = kept === null ? "Would be recovered" : "Recovered";
  const verdict =
    lost.length === 0
      ? "The records are complete, but their history is lost: `audit`, `undo` and `restore --at` start over"
      : `Everything else ${kept === null ? "can be" : "is"} saved`;
  return [
    "Damage:",
    ...damage.map((fault) => `  ${describeFault(fault)}`),
    ...odd.map((line) => `  ${line}`),
    `${head}:`,
    ...saved.map(({ file, what }) => `  ${file}: ${what}`),
    ...(lost.length === 0 ? [] : [kept === null ? "Would be lost:" : "Lost:"]),
    ...lost.map(({ file, offset, what, known }) => {
      return `  ${file}: byte ${offset}: ${what}${known === null ? "" : ` (legible: ${known})`}`;
    }),
    kept === null
      ? `${verdict}. Nothing was changed; --yes repairs the folder, and keeps the present files in ${join(folder, "damaged-<instant>")}.`
      : `${verdict}. The next change follows change ${last}. The damaged files are in ${join(folder, kept)}.`,
  ].join("\n");
}
