/** Implements `routes reload` and `routes status`. */
import type { Control } from "../../../src/control/operations.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { reasonOf } from "../../../src/domain/system-error.ts";
import { counted } from "../../../src/domain/text.ts";
import { listPlayers, type TableDiff } from "../../../src/explain/diff.ts";
import type { Reloaded, TableStatus } from "../../../src/table-in-force/route-table.ts";
import type { Context } from "../../context.ts";
import { requireServed, tableInForce } from "../../data/served-table.ts";
import { confirm } from "../../terminal/confirm.ts";
import { formatInstant } from "../../terminal/output.ts";
import { diffText } from "./diff.ts";
import { checkedTable } from "./table.ts";

/** The most players that a line of the preview names; `routes diff` names all. */
export const shownNames = 10;

/** The hint of a command that changes the table, if `--routes` names another one. */
export const replaceIt = "To change its table, replace that file, and leave out --routes.";

/** Puts the file in force, and shows what changes. @throws Reported unless that is confirmed */
export async function reloadRoutes(context: Context): Promise<void> {
  const { output, withControl, workspace } = context;
  if (!(await workspace().hasData())) throw notRunning(workspace().folder);
  await withControl("reads", async (control) => {
    const status = await tableInForce(context.workspace());
    if (status === undefined) throw notRunning(workspace().folder);
    await requireServed(context.workspace(), replaceIt, status.file);
    const diff = await diffToFile(control);
    const isSame = diff.before.revision === diff.after.revision;
    if (!output.wantsJSON && !isSame) output.remark(`${diffText(output, diff, shownNames)}\n`);
    const { revision } = diff.after;
    if (diff.takesAway && (await control.run("routes.ask", { revision })) !== revision) {
      await confirm(context, {
        asks: "This takes something away. Put it in force?",
        does: "This takes something away",
        hint: "--yes puts it in force without asking.",
        stays: `revision ${diff.before.revision} stays in force`,
        details: { diff },
      });
    }
    const reloaded = await control.run("routes.reload", { revision });
    output.result({ ...reloaded, diff }, reloadedText(diff, reloaded));
  });
}

function notRunning(folder: string): Failure {
  return new Failure("UNKNOWN_ENTRY", `No service is running on ${folder}.`, {
    hint: "`addon-cli serve` reads the table when it starts; `addon-cli routes check` checks the file.",
  });
}

/** Compares the file with the table in force. If the file has faults, the service records the failed attempt. */
async function diffToFile(control: Control): Promise<TableDiff> {
  try {
    return listPlayers(await control.run("routes.diff", { isNext: true }));
  } catch (error) {
    // No revision is empty: a file without faults by now is not put in force unseen.
    if (error instanceof Failure && error.faultyFile) await control.run("routes.reload", { revision: "" });
    throw error;
  }
}

function reloadedText({ before, after }: TableDiff, { revision, changed }: Reloaded): string {
  if (changed) return `Revision ${revision} is in force; it was ${before.revision}.`;
  if (before.revision === after.revision)
    return `Revision ${revision} is already in force: nothing has changed.`;
  return `Revision ${revision} is in force: the service has reloaded it meanwhile.`;
}

/** Shows which table is in force. */
export async function showStatus(context: Context): Promise<void> {
  const { output, workspace } = context;
  const status = await tableInForce(context.workspace());
  if (status === undefined) {
    const { file, table } = await checkedTable(context, undefined, true);
    const { revision, routes: all } = table;
    const none = { since: null, refused: null, pending: null };
    output.result(
      { running: false, file, revision, routes: all.length, ...none },
      `No service is running on ${workspace().folder}: no table is in force.\nfile          ${file}\nrevision      ${revision}, ${counted(all.length, "route")}, no faults`,
    );
    return;
  }
  await requireServed(
    context.workspace(),
    "Leave out --routes: a status is that of the table in force.",
    status.file,
  );
  const pending = await pendingOf(context, status);
  output.result({ running: true, ...status, pending }, statusText(context, status, pending));
}

/** What keeps the file from being in force: another revision, or faults. Null if it is in force. */
type Pending = { readonly revision: string } | { readonly faults: number; readonly reason: string } | null;

async function pendingOf(context: Context, { file, revision }: TableStatus): Promise<Pending> {
  try {
    const { table } = await checkedTable(context, file, true);
    return table.revision === revision ? null : { revision: table.revision };
  } catch (error) {
    return {
      faults: (error instanceof Failure && error.faultyFile?.faults.length) || 0,
      reason: reasonOf(error),
    };
  }
}

function statusText({ output }: Context, status: TableStatus, pending: Pending): string {
  const { file, revision, routes, since, refused } = status;
  const lines = [
    `in force      revision ${revision}, ${counted(routes, "route")}, since ${formatInstant(since)}`,
    `file          ${file}`,
  ];
  if (pending === null) lines.push("              is in force");
  else if ("revision" in pending) {
    const revision = `its revision is ${pending.revision}, which \`routes reload\` puts in force`;
    lines.push(`              ${output.style("yellow", "is not in force")}: ${revision}`);
  } else {
    const remedy = `\`routes check\` shows why, and \`routes rollback ${revision}\` writes back the one in force`;
    lines.push(`              ${output.style("red", "cannot be put in force")}: ${remedy}`);
  }
  if (refused !== null) {
    lines.push(
      `last attempt  ${output.style("red", `was refused at ${formatInstant(refused.at)}`)}; revision ${revision} stayed in force:`,
      ...refused.reason.split("\n").map((line) => `  ${line}`),
    );
  }
  return lines.join("\n");
}
