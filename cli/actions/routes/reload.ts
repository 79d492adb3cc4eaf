/** What `routes reload` and `routes status` do. */

import type { Control } from "../../../src/control/control.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { TableDiff } from "../../../src/explain/diff.ts";
import { type Reloaded, TableFaults, type TableStatus } from "../../../src/table-in-force/route-table.ts";
import type { Session } from "../../context.ts";
import type { GlobalOptions } from "../../data/workspace.ts";
import { confirm } from "../../terminal/confirm.ts";
import { toDate } from "../../terminal/output.ts";
import { diffText } from "./diff.ts";
import { checkedTable, tableFile } from "./table.ts";

/** How many players are named of each whom another table hits, before it is asked about: `routes diff` names all. */
export const shownNames = 10;

/** How the file is put in force. */
export interface ReloadOptions extends GlobalOptions {
  /** Whether nobody is asked, even if it takes access away. */
  readonly yes?: boolean;
}

/** Puts the file in force, and shows what that changes. @throws Reported where it is not to be */
export async function reloadRoutes(session: Session, options: ReloadOptions): Promise<void> {
  const { output, withControl, workplace } = session;
  const { json } = options;
  if (!(await workplace().hasData())) throw notRunning(workplace().folder);
  await withControl("reads", async (control) => {
    if ((await control.holder()) === null) throw notRunning(workplace().folder);
    const diff = await diffToFile(control);
    const isSame = diff.before.revision === diff.after.revision;
    if (!json && !isSame) output.remark(`${diffText(output, diff, shownNames)}\n`);
    if (diff.takesAway) {
      await confirm(session, options, {
        asks: "This takes access away. Put it in force?",
        does: "This takes access away",
        hint: "--yes puts it in force without asking.",
        stays: `revision ${diff.before.revision} stays in force`,
        details: { diff },
      });
    }
    const reloaded = await control.reloadRoutes(diff.after.revision);
    output.result({ ...reloaded, diff }, reloadedText(diff, reloaded));
  });
}

function notRunning(folder: string): Failure {
  return new Failure("UNKNOWN_ENTRY", `There is no running service on ${folder}.`, {
    hint: "It reads the table when it starts: `addon-cli serve`. `addon-cli routes check` checks the file.",
  });
}

/** What the file would change. A faulty file is an attempt that the service is to remember. */
async function diffToFile(control: Control): Promise<TableDiff> {
  try {
    return await control.diffRoutes();
  } catch (error) {
    // Expecting a revision that there is not: should the file be good by now, it is not put in force unseen.
    if (error instanceof TableFaults) await control.reloadRoutes("");
    throw error;
  }
}

function reloadedText({ before, after }: TableDiff, { revision, changed }: Reloaded): string {
  if (changed) return `Revision ${revision} is in force; it was ${before.revision}.`;
  if (before.revision === after.revision)
    return `Revision ${revision} is in force already: nothing has changed.`;
  return `Revision ${revision} is in force: the service itself has put it in force meanwhile.`;
}

/** Tells which table is in force. */
export async function showStatus(session: Session): Promise<void> {
  const { output, withControl, workplace } = session;
  const status = (await workplace().hasData())
    ? await withControl("reads", async (control) =>
        (await control.holder()) === null ? null : control.routesStatus(),
      )
    : null;
  if (status === null) {
    const file = await tableFile(session, undefined);
    const { revision, routes: all } = await checkedTable(session, file);
    const document = { running: false, file, revision, routes: all.length, since: null, refused: null };
    output.result(
      { ...document, pending: null },
      `No service is running on ${workplace().folder}: no table is in force.\nfile          ${file}\nrevision      ${revision}, ${all.length} routes, no faults`,
    );
    return;
  }
  const pending = await pendingOf(session, status);
  output.result({ running: true, ...status, pending }, statusText(session, status, pending));
}

/** What the file has that is not in force: another revision, or faults. Null where file and table are the same. */
type Pending = { readonly revision: string } | { readonly faults: number; readonly reason: string } | null;

async function pendingOf(session: Session, { file, revision }: TableStatus): Promise<Pending> {
  try {
    const table = await checkedTable(session, file);
    return table.revision === revision ? null : { revision: table.revision };
  } catch (error) {
    return {
      faults: error instanceof TableFaults ? error.faults.length : 0,
      reason: (error as Error).message,
    };
  }
}

function statusText({ output }: Session, status: TableStatus, pending: Pending): string {
  const { file, revision, routes, since, refused } = status;
  const lines = [
    `in force      revision ${revision}, ${routes} routes, since ${toDate(since)}`,
    `file          ${file}`,
  ];
  if (pending === null) lines.push("              is what is in force");
  else if ("revision" in pending) {
    lines.push(
      `              ${output.style("yellow", "is not in force")}: it is revision ${pending.revision} now, which \`routes reload\` puts in force`,
    );
  } else {
    lines.push(`              ${output.style("red", "can not be put in force")}: \`routes check\` tells why`);
  }
  if (refused === null) lines.push("last attempt  was not refused");
  else {
    lines.push(
      `last attempt  ${output.style("red", `was refused at ${toDate(refused.at)}`)}; revision ${revision} stayed in force:`,
      ...refused.reason.split("\n").map((line) => `  ${line}`),
    );
  }
  return lines.join("\n");
}
