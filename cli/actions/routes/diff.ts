/** Implements `routes diff`. */
import type { Change, NamedChange } from "../../../src/explain/changes.ts";
import { type Affected, compareTables } from "../../../src/explain/comparison.ts";
import { type Crowd, isEmpty, listPlayers, type TableDiff } from "../../../src/explain/diff.ts";
import { inWords } from "../../../src/explain/summary.ts";
import { tableText } from "../../arguments/operation.ts";
import type { Context } from "../../context.ts";
import type { Output } from "../../terminal/output.ts";
import { checkedTable, tableFile, vocabularyOf } from "./table.ts";

/** Compares the first table with the second or, without that, the table in force with the first. */
export async function showDiff(context: Context, first: string, second: string | undefined): Promise<void> {
  const { output } = context;
  const [old, fresh] = second === undefined ? [undefined, first] : [first, second];
  const diff = await diffFiles(context, old, fresh);
  output.result(diff, diffText(output, diff));
}

async function diffFiles(context: Context, old: string | undefined, fresh: string): Promise<TableDiff> {
  const { output, run, workspace } = context;
  if (await workspace().hasData()) {
    const after = await tableText(context, fresh);
    const before = old === undefined ? undefined : await tableText(context, old);
    return listPlayers(await run("reads", "routes.diff", { after, before }));
  }
  output.remark("There is no data yet, so nobody gains or loses anything.");
  const sourceOf = async (given: string | undefined) => {
    const file = await tableFile(context, given);
    return { file, table: await checkedTable(context, file) };
  };
  const sources = [await sourceOf(old), await sourceOf(fresh)] as const;
  return listPlayers(await compareTables(...sources, undefined, await vocabularyOf(context)));
}

/** Returns a diff as text. @param maxNames the most players that a line names */
export function diffText(output: Output, diff: TableDiff, maxNames = Number.POSITIVE_INFINITY): string {
  const { before, after, settings, routes, exclusion } = diff;
  const name = (table: TableDiff["before"]) =>
    `${table.file} (revision ${table.revision}, ${table.routes} routes)`;
  const lines = [`before  ${name(before)}`, `after   ${name(after)}`];
  if (before.revision === after.revision) return [...lines, "", "The tables are the same."].join("\n");
  if (settings.length > 0) lines.push("");
  for (const setting of settings) lines.push(`${output.style("yellow", "changed")} ${namedText(setting)}`);
  if (exclusion !== null) {
    lines.push(...crowdLines(output, "red", "newly excluded", exclusion.excludes, maxNames));
    lines.push(...crowdLines(output, "green", "no longer excluded", exclusion.readmits, maxNames));
  }
  for (const route of routes) lines.push("", ...routeLines(output, route, maxNames));
  return [...lines, "", inWords(diff)].join("\n");
}

const colours = { added: "green", removed: "red", changed: "yellow" } as const;

function routeLines(output: Output, route: TableDiff["routes"][number], maxNames: number): string[] {
  const { path, change, restriction, handler, summary, limit, parameters, people } = route;
  const lines = [`${output.style(colours[change], change)} ${output.style("bold", path)}`];
  if (restriction !== null) lines.push(...changeLines("restriction", restriction));
  if (handler !== null) lines.push(...changeLines("handler", handler));
  if (limit !== null) lines.push(`  ${namedText({ name: "limit", ...limit })}`);
  if (change === "changed") {
    lines.push(...parameters.map((parameter) => `  parameter ${namedText(parameter)}`));
    if (summary !== null) lines.push(...changeLines("summary", summary));
  }
  return [...lines, ...people.flatMap((affected) => affectedLines(output, affected, maxNames))];
}

function changeLines(what: string, { before, after }: Change): string[] {
  if (before === null || after === null) return [`  ${what}: ${before ?? after}`];
  return [`  ${what}: ${before}`, `  ${"->".padStart(what.length + 1)} ${after}`];
}

function namedText({ name, before, after }: NamedChange): string {
  return `${name}: ${before ?? "none"} -> ${after ?? "none"}`;
}

function affectedLines(output: Output, { when, gains, loses }: Affected<Crowd>, maxNames: number): string[] {
  const words = Object.entries(when).map(([name, value]) => `${name}=${value}`);
  const where = words.length === 0 ? "" : ` ${words.join(" ")}`;
  return [
    ...crowdLines(output, "red", `lose${where}`, loses, maxNames),
    ...crowdLines(output, "green", `gain${where}`, gains, maxNames),
  ];
}

function crowdLines(
  output: Output,
  colour: "red" | "green",
  verb: string,
  crowd: Crowd,
  maxNames: number,
): string[] {
  if (isEmpty(crowd)) return [];
  const { count, players, everyone } = crowd;
  const more = count > maxNames ? ` and ${count - maxNames} more` : "";
  const names =
    players
      .slice(0, maxNames)
      .map(({ name }) => name)
      .join(", ") + more;
  const sentence =
    count === 0
      ? []
      : [`${count} ${count === 1 ? "player" : "players"}${everyone ? " (all)" : ""}: ${names}`];
  const all = [...sentence, ...(crowd.public ? ["public tokens"] : [])];
  return [`  ${output.style(colour, verb)}  ${all.join("; and ")}`];
}
