/** Implements `roster export`, `diff` and `apply`. */
import { formatCSV } from "../../src/backup/csv.ts";
import { allOf, counted, mostNamed } from "../../src/domain/text.ts";
import type { OperatorResult } from "../../src/operator/index.ts";
import type { FileEdit } from "../../src/operator/input.ts";
import { rosterColumns } from "../../src/operator/roster/standing.ts";
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
  const rows = await context.read("roster.export", {});
  const document = rows.map((row) =>
    Object.fromEntries(rosterColumns.map((column, index) => [column, row[index]])),
  );
  await writeOut(context, target, {
    ...{ document, text: `${formatCSV(rosterColumns, rows)}\n`, facts: { players: rows.length } },
    what: counted(rows.length, "player"),
  });
}

/** Shows what a roster would change, and unless that is all, asks and applies it. */
export async function applyRoster(
  context: Context,
  file: string,
  { only, ...options }: FileEditOptions & { readonly only?: string[] },
): Promise<void> {
  const { output, run } = context;
  const edit = (input: FileEdit) =>
    run(input.preview ? "reads" : "edits", "roster.apply", { ...input, only });
  const { report, operations } = await editByFile(context, file, options, edit, linesOf);
  const all = [...Object.values(report), ...operations.flatMap(({ gains, loses }) => [gains, loses])];
  if (options.dryRun === true && !output.wantsJSON && all.some(({ length }) => length > mostNamed))
    output.remark("--json shows all of them.");
}

/** Returns a line for each kind of change, and for who gains or loses the same operations; and a warning if many ranks are lost. */
function linesOf({ report, operations, ranks }: OperatorResult<"roster.apply">): string[] {
  const line = (label: string, who: readonly string[], what = "") =>
    who.length === 0 ? [] : [`${label.padEnd(21)}  ${allOf(who)}${what}`];
  // Such as `ranksLost`.
  const lines = Object.entries(report).flatMap(([kind, who]) =>
    line(
      kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      who,
    ),
  );
  for (const side of ["gains", "loses"] as const) {
    const moved = new Map<string, { who: readonly string[]; paths: string[] }>();
    for (const { path, when, [side]: who } of operations) {
      const known = moved.get(who.join()) ?? { who, paths: [] };
      known.paths.push([path, ...Object.entries(when).map(([name, value]) => `${name}=${value}`)].join(" "));
      moved.set(who.join(), known);
    }
    for (const { who, paths } of moved.values())
      lines.push(...line(`operations ${side === "gains" ? "gained" : "lost"}`, who, `: ${paths.join(", ")}`));
  }
  const lost = report.ranksLost?.length ?? 0;
  const warning = `warning: ${lost} of ${counted(ranks, "rank")} would be lost or lowered.`;
  return lost * 10 > ranks ? [...lines, warning] : lines;
}
