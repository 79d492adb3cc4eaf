/** Implements `data repair`. */
import { join, resolve } from "node:path";
import { readBackup } from "../../../src/backup/source.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { Rebuilt } from "../../../src/repair/findings.ts";
import { planRepair, type RepairPlan, repair } from "../../../src/repair/repair.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { requireUnshared } from "../../../src/store/shared/node-folder.ts";
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
  const { plan, rebuilt, kept } = await withPlan(context, folder, async (plan) => {
    const rebuilt = plan.damage.length === 0 ? null : plan.rebuild();
    const isDone = rebuilt !== null && yes;
    const kept = isDone ? await repair(nodeFiles, folder, plan, rebuilt.database, Date.now()) : null;
    return { plan, rebuilt, kept };
  });
  const { damage, content } = plan;
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
  output.result(document, describe(folder, plan, rebuilt, kept));
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
  const { damage, kept } = await withPlan(context, folder, async (plan) => {
    if (plan.damage.length === 0) {
      throw new Failure("CONFLICT", `${folder} is not damaged: there is nothing to repair.`, {
        hint: "`addon-cli data restore <file>` restores a backup as a change, which can be undone, and with --tokens its tokens as well; nothing was changed.",
      });
    }
    const kept = yes ? await repair(nodeFiles, folder, plan, backup.database, Date.now()) : null;
    return { damage: plan.damage, kept };
  });
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

/** Plans a repair with exclusive access to the folder, and calls `use` with the plan. */
function withPlan<T>(context: Context, folder: string, use: (plan: RepairPlan) => Promise<T>): Promise<T> {
  return withFolder(folder, "Repairing", async () => {
    await requireUnshared(
      nodeFiles,
      folder,
      "A repair could lose what the others have. Move its files away, and start the service with --journal: it takes everything from there.",
    );
    return withProgress(context, "Repairing", async (progress) =>
      use(await planRepair(await reportingReads(folder, progress), folder)),
    );
  });
}

function describe(
  folder: string,
  { damage, content }: RepairPlan,
  rebuilt: Rebuilt | null,
  kept: string | null,
): string {
  const odd = content.map((fault) => `${describeFault(fault)} (not changed)`);
  if (rebuilt === null) {
    return [...odd, `${folder} is not damaged. Nothing was changed.`].join("\n");
  }
  const { saved, lost, database } = rebuilt;
  const last = database.sequence;
  const head = kept === null ? "Would be recovered" : "Recovered";
  const records =
    lost.length === 0
      ? "The records are complete"
      : `All other records ${kept === null ? "can be" : "are"} saved`;
  const verdict =
    saved.length === 0
      ? "There is no record to save: the folder begins again without any"
      : `${records}, but their history is lost: \`audit\`, \`undo\` and \`data restore --at\` start over`;
  return [
    "Damage:",
    ...damage.map((fault) => `  ${describeFault(fault)}`),
    ...odd.map((line) => `  ${line}`),
    ...(saved.length === 0 ? [] : [`${head}:`]),
    ...saved.map(({ file, what }) => `  ${file}: ${what}`),
    ...(lost.length === 0 ? [] : [kept === null ? "Would be lost:" : "Lost:"]),
    ...lost.map(({ file, offset, what, known }) => {
      return `  ${file}: byte ${offset}: ${what}${known === null ? "" : ` (legible: ${known})`}`;
    }),
    kept === null
      ? `${verdict}. Nothing was changed; --yes repairs the folder, or with --from <backup> replaces its data by a backup; either keeps the present files in ${join(folder, "damaged-<instant>")}.`
      : `${verdict}. The next change follows change ${last}. The damaged files are in ${join(folder, kept)}.`,
    ...(kept === null || lost.length === 0
      ? []
      : [
          "`addon-cli data restore --tokens <backup>` returns to a backup that has what is lost; what is newer than the backup is lost then.",
        ]),
    // A folder without any change gets them from its first start.
    ...(last === 0 || database.collections.get("names")?.size !== 0
      ? []
      : [
          "No group, faction or service is left: before a start, `addon-cli seed groups` adds those of the seed.",
        ]),
  ].join("\n");
}
