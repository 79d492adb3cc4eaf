/** Implements `roster export`, `diff` and `apply`. */
import { formatCSV } from "../../src/backup/csv.ts";
import { counted, oneOf } from "../../src/domain/text.ts";
import type { OperatorResult } from "../../src/operator/index.ts";
import type { FileEdit } from "../../src/operator/input.ts";
import { rosterColumns } from "../../src/operator/roster/rows.ts";
import type { Context } from "../context.ts";
import { type ExportOptions, targetOf, writeOut } from "./data/export.ts";
import { editByFile, type FileEditOptions } from "./file-edit.ts";

/** Writes all players as CSV. */
export async function exportRoster(
  context: Context,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const target = await targetOf(context, file, options);
  const players = await context.read("player.list", {});
  const rows = players.map(({ name, uuid, members, groups, administrator }) => [
    ...[name, uuid, members.map(({ organisation, rank }) => `${organisation}:${rank}`).join(" ")],
    ...[groups.join(" "), administrator ? "yes" : ""],
  ]);
  await writeOut(context, target, {
    ...{ document: players, text: `${formatCSV(rosterColumns, rows)}\n`, facts: { players: rows.length } },
    what: counted(rows.length, "player"),
  });
}

/** Shows what a roster would change, of everybody with `dryRun`; otherwise asks, and applies it. */
export async function applyRoster(context: Context, file: string, options: FileEditOptions): Promise<void> {
  const most = options.dryRun === true ? Number.POSITIVE_INFINITY : undefined;
  const edit = (input: FileEdit) => context.run("reads", "roster.apply", input);
  await editByFile(context, file, options, edit, (result) => linesOf(result, most));
}

/** Returns a line for each kind of change, and a warning if it takes many ranks. */
function linesOf({ report, ranks }: OperatorResult<"roster.apply">, most: number | undefined): string[] {
  const lines = Object.entries(report).flatMap(([kind, who]) => {
    // Such as `ranksLost`.
    const label = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return who.length === 0 ? [] : `${label.padEnd(21)}  ${oneOf(who, "and", most)}`;
  });
  const lost = report.ranksLost?.length ?? 0;
  const warning = `warning: ${lost} of ${counted(ranks, "rank")} would be lost.`;
  return lost * 10 > ranks ? [...lines, warning] : lines;
}
