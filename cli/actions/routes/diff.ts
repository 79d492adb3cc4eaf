/** Implements `routes diff`. */
import { counted } from "../../../src/domain/text.ts";
import type { Change, NamedChange, RouteChange } from "../../../src/explain/changes.ts";
import { type Affected, compareTables } from "../../../src/explain/comparison.ts";
import { type Crowd, listPlayers, type TableDiff } from "../../../src/explain/diff.ts";
import { inWords } from "../../../src/explain/summary.ts";
import { tableText } from "../../arguments/operation.ts";
import type { Context } from "../../context.ts";
import type { Output } from "../../terminal/output.ts";
import { checkedTable, vocabularyOf } from "./table.ts";

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
  output.remark("There is no data yet, so there are no players who gain or lose anything.");
  const sources = [await checkedTable(context, old), await checkedTable(context, fresh)] as const;
  return listPlayers(await compareTables(...sources, undefined, await vocabularyOf(context)));
}

const colours = { added: "green", removed: "red", changed: "yellow" } as const;

/** Returns a diff as text. @param maxNames the most players that a line names */
export function diffText(output: Output, diff: TableDiff, maxNames = Number.POSITIVE_INFINITY): string {
  const { before, after, settings, routes, exclusion } = diff;
  const name = (table: TableDiff["before"]) =>
    `${table.file} (revision ${table.revision}, ${counted(table.routes, "route")})`;
  const crowdLines = (colour: "red" | "green", verb: string, crowd: Crowd) => {
    const { count, everyone, public: isPublic } = crowd;
    const names = crowd.players.slice(0, maxNames).map((player) => player.name);
    const more = count > maxNames ? ` and ${count - maxNames} more` : "";
    const players = `${counted(count, "player")}${everyone ? " (all)" : ""}: ${names.join(", ")}${more}`;
    const all = [...(count === 0 ? [] : [players]), ...(isPublic ? ["public tokens"] : [])];
    return all.length === 0 ? [] : [`  ${output.style(colour, verb)}  ${all.join("; and ")}`];
  };
  const affectedLines = ({ when, gains, loses }: Affected<Crowd>) => {
    const where = Object.entries(when).map(([name, value]) => ` ${name}=${value}`);
    const [lose, gain] = [["lose", ...where].join(""), ["gain", ...where].join("")];
    return [...crowdLines("red", lose, loses), ...crowdLines("green", gain, gains)];
  };
  const lines = [`before  ${name(before)}`, `after   ${name(after)}`];
  if (before.revision === after.revision) return [...lines, "", "The tables are the same."].join("\n");
  if (settings.length > 0) lines.push("");
  for (const setting of settings) lines.push(`${output.style("yellow", "changed")} ${namedText(setting)}`);
  if (exclusion !== null) {
    lines.push(...crowdLines("red", "newly excluded", exclusion.excludes));
    lines.push(...crowdLines("green", "no longer excluded", exclusion.readmits));
  }
  for (const route of routes) {
    const head = `${output.style(colours[route.change], route.change)} ${output.style("bold", route.path)}`;
    lines.push("", head, ...changeLines(route), ...route.people.flatMap(affectedLines));
  }
  return [...lines, "", inWords(diff)].join("\n");
}

/** Returns what changes in a route itself: of a new one without its summary and parameters. */
function changeLines({ change, restriction, handler, summary, limit, parameters }: RouteChange): string[] {
  const linesOf = (what: string, changed: Change | null) => {
    if (changed === null) return [];
    const { before, after } = changed;
    if (before === null || after === null) return [`  ${what}: ${before ?? after}`];
    return [`  ${what}: ${before}`, `  ${"->".padStart(what.length + 1)} ${after}`];
  };
  return [
    ...linesOf("restriction", restriction),
    ...linesOf("handler", handler),
    ...(limit === null ? [] : [`  ${namedText({ name: "limit", ...limit })}`]),
    ...(change === "changed" ? parameters.map((parameter) => `  parameter ${namedText(parameter)}`) : []),
    ...(change === "changed" ? linesOf("summary", summary) : []),
  ];
}

function namedText({ name, before, after }: NamedChange): string {
  return `${name}: ${before ?? "none"} -> ${after ?? "none"}`;
}
