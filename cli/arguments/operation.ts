/** Arguments of commands about operations: a path, its parameters, and a route table. */
import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { Failure } from "../../src/domain/errors.ts";
import { isRevision } from "../../src/table/revision.ts";
import { readTable } from "../../src/table-in-force/read-table.ts";
import type { TableText } from "../../src/table-in-force/route-table.ts";
import type { Context } from "../context.ts";
import { exists } from "../data/workspace.ts";

/** Parses a path without its prefix. */
export function parsePath(text: string): string {
  if (!text.startsWith("/"))
    throw new InvalidArgumentError("Expected a path without its prefix, such as /wantedreason/add.");
  if (/[?#]/.test(text)) throw new InvalidArgumentError("Write parameters after the path, as name=value.");
  return text;
}

/** Parses a parameter, and appends it to the previous ones. */
export function parsePair(text: string, previous: readonly [string, string][] = []): [string, string][] {
  const separator = text.indexOf("=");
  if (separator < 1) throw new InvalidArgumentError("Expected name=value, such as reason=Theft.");
  return [...previous, [text.slice(0, separator), text.slice(separator + 1)]];
}

/** Returns the option for another table than the one in force. */
export function tableOption(): Option {
  return new Option("--table <file|revision>", "use this table instead of the one in force");
}

/** Returns the text of a table: of a file, or if there is no such file, of a revision. @throws Failure if there is neither */
export async function tableText(context: Context, given: string): Promise<TableText> {
  const file = resolve(context.io.cwd, given);
  if (isRevision(given) && !(await exists(file))) return storedTable(context, given);
  return { file, text: await readTable(file) };
}

/** Returns a table that was in force. @throws Failure if that revision is not stored, or its file has changed since */
export async function storedTable({ workspace }: Context, revision: string): Promise<TableText> {
  const { TableHistory } = await import("../../src/table-in-force/history.ts");
  const table = await new TableHistory(workspace().folder).text(revision);
  if (table !== undefined) return table;
  throw new Failure("UNKNOWN_ENTRY", `There is no stored route table of revision "${revision}".`, {
    hint: "`addon-cli routes history` lists the stored tables.",
  });
}
