/** Formats the route table as Markdown: a table of the operations, and one of their parameter types. */

import { expectation, type ParameterType } from "../../../src/table/base-types.ts";
import { kindOf, noNames } from "../../../src/table/caller.ts";
import type { Parameter } from "../../../src/table/parameters.ts";
import { describe } from "../../../src/table/restriction/restriction.ts";
import type { Route } from "../../../src/table/table.ts";

/** @param excludedGroup the group whose members may not call anything */
export function toMarkdown(routes: readonly Route[], excludedGroup: string | undefined): string {
  // Routes and lists can narrow a type, which keeps its name: then the words are beside each parameter.
  const types = new Map<string, Set<string>>();
  for (const { type } of routes.flatMap(({ parameters }) => parameters))
    types.set(type.name, (types.get(type.name) ?? new Set()).add(typeWords(type)));
  const nameOf = (type: ParameterType) =>
    types.get(type.name)?.size === 1 ? type.name : `${type.name} (${typeWords(type)})`;
  const operations = [
    ["path", "who", "parameters"],
    ...routes.map((route) => [
      code(route.path),
      describe(route.restriction),
      route.parameters.map((parameter) => parameterCell(parameter, nameOf(parameter.type))).join(", "),
    ]),
  ];
  const legend = Array.from(types, ([name, words]) => (words.size === 1 ? [code(name), ...words] : []));
  const rows = legend.filter(({ length }) => length > 0);
  const blocks = [toTable(operations)];
  if (rows.length > 0) blocks.push(toTable([["parameter type", "what it is"], ...rows]));
  if (excludedGroup !== undefined) blocks.push(`Members of the group ${excludedGroup} may call nothing.`);
  return blocks.join("\n\n");
}

function parameterCell({ name, default: fallback }: Parameter, type: string): string {
  if (fallback === undefined) return `${code(name)}: ${type}`;
  return `${code(name)}: ${type} (default ${fallback === "" ? "empty" : code(String(fallback))})`;
}

/** Describes the values of a type. The names of groups, factions and services are not in the table. */
function typeWords(type: ParameterType): string {
  const { base, values = [] } = type;
  if (base === "enum") return values.map(code).join(", ");
  return kindOf(base) === undefined ? expectation(type, noNames) : `the name of a ${base}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Formats a Markdown table with aligned columns. The first row is the heading. */
function toTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = (cells[0] ?? []).map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  const toLine = (row: readonly string[]) =>
    `| ${widths.map((width, index) => (row[index] ?? "").padEnd(width)).join(" | ")} |`;
  const [heading = [], ...others] = cells;
  return [toLine(heading), toLine(widths.map((width) => "-".repeat(width))), ...others.map(toLine)].join(
    "\n",
  );
}
