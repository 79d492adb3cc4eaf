/** What `data repair` does. */
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
import type { Session } from "../../context.ts";
import { Reported } from "../../terminal/output.ts";
import { describeFault, requireData, withFolder } from "./offline.ts";

/**
 * Saves what can be saved, and tells what was lost.
 * @param yes whether it is done; else it is only said what would be done
 * @throws Reported where something is damaged and stays so
 */
export async function repairFolder({ output, workplace }: Session, yes: boolean): Promise<void> {
  const { folder } = workplace();
  await requireData(workplace());
  const { plan, kept } = await withFolder(folder, "Repairing", async () => {
    const made = await planRepair(nodeFiles, folder);
    const isDone = made.rebuilt !== null && yes;
    return { plan: made, kept: isDone ? await repair(nodeFiles, folder, made, Date.now()) : null };
  });
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
 * Puts a backup in the place of damaged files.
 * @throws Failure `CONFLICT` where nothing is damaged
 * @throws Reported where it is only said what would be done
 */
export async function repairFrom(
  { io, output, workplace }: Session,
  file: string,
  yes: boolean,
): Promise<void> {
  const { folder } = workplace();
  await requireData(workplace());
  const path = resolve(io.cwd, file);
  const backup = await readBackup(nodeFiles, path);
  const { records, instant } = backup;
  const { damage, kept } = await withFolder(folder, "Repairing", async () => {
    const found = await requireDamage(nodeFiles, folder);
    return {
      damage: found,
      kept: yes ? await replaceFromBackup(nodeFiles, folder, backup.database, Date.now()) : null,
    };
  });
  const { sequence } = backup.database;
  const done =
    kept === null
      ? `Nothing was changed; --yes puts the ${records} records of ${path} in the place of the damaged files.`
      : `Restored ${records} records of ${path}. The data goes on behind change ${sequence}. The damaged files are in ${join(folder, kept)}. Tokens that were revoked since that backup are valid again: see \`addon-cli token list\`.`;
  output.result(
    { folder, file: path, repaired: kept !== null, kept, sequence, records, instant, damage },
    ["Damage:", ...damage.map((fault) => `  ${describeFault(fault)}`), done].join("\n"),
  );
  if (kept === null) throw new Reported();
}

function describe(folder: string, { rebuilt, damage, content }: RepairPlan, kept: string | null): string {
  const odd = content.map((fault) => `${describeFault(fault)} (left as it is)`);
  if (rebuilt === null) {
    return [...odd, `${folder} is not damaged: there is nothing to repair, and nothing was changed.`].join(
      "\n",
    );
  }
  const { saved, lost, database } = rebuilt;
  const last = database.sequence;
  const head = kept === null ? "Would be" : "Was";
  const verdict = lost.length === 0 ? "Nothing is lost" : `${lost.length} lost`;
  return [
    "Damage:",
    ...damage.map((fault) => `  ${describeFault(fault)}`),
    ...odd.map((line) => `  ${line}`),
    `${head} saved:`,
    ...saved.map(({ file, what }) => `  ${file}: ${what}`),
    ...(lost.length === 0 ? [] : [kept === null ? "Would be lost:" : "Lost:"]),
    ...lost.map(({ file, offset, what, known }) => {
      return `  ${file}: byte ${offset}: ${what}${known === null ? "" : ` (it seems to say: ${known})`}`;
    }),
    kept === null
      ? `${verdict}. Nothing was changed; --yes does it, and keeps the files as they are in ${join(folder, "damaged-<instant>")}.`
      : `${verdict}. The data goes on behind change ${last}. The damaged files are in ${join(folder, kept)}.`,
  ].join("\n");
}
