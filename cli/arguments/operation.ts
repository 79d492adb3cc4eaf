/** What commands about operations take: a path, its parameters, and by which table they are to be answered. */
import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { Failure } from "../../src/domain/errors.ts";
import type { TableText } from "../../src/table-in-force/questions.ts";
import { readTable } from "../../src/table-in-force/route-table.ts";
import type { Session } from "../context.ts";
import { exists } from "../data/workspace.ts";

/** A path without its prefix. */
export function parsePath(text: string): string {
  if (!text.startsWith("/"))
    throw new InvalidArgumentError("Expected is a path without its prefix, such as /wantedreason/add.");
  if (/[?#]/.test(text)) throw new InvalidArgumentError("Write parameters behind the path, as name=value.");
  return text;
}

/** A parameter, added to those before it. */
export function parsePair(text: string, previous: readonly [string, string][] = []): [string, string][] {
  const separator = text.indexOf("=");
  if (separator < 1) throw new InvalidArgumentError("Expected is name=value, such as reason=Theft.");
  return [...previous, [text.slice(0, separator), text.slice(separator + 1)]];
}

export function tableOption(): Option {
  return new Option("--table <file|revision>", "answer by this table rather than by the one in force");
}

/** The text of a table: of a file, or where there is none of that name, of a revision. @throws Failure where there is neither */
export async function tableText(session: Session, given: string): Promise<TableText> {
  const file = resolve(session.io.cwd, given);
  // What a command takes is also loaded for its help; this is only for a command that runs.
  const { isRevision } = await import("../../src/table/revision.ts");
  if (isRevision(given) && !(await exists(file))) return keptTable(session, given);
  return { file, text: await readTable(file) };
}

/** A table that was in force. @throws Failure where none of that revision is kept, or its file was changed since */
export async function keptTable({ workplace }: Session, revision: string): Promise<TableText> {
  const { TableHistory } = await import("../../src/table-in-force/history.ts");
  const kept = await new TableHistory(workplace().folder).text(revision);
  if (kept !== undefined) return kept;
  throw new Failure("UNKNOWN_ENTRY", `No route table of revision "${revision}" is kept.`, {
    hint: "`addon-cli routes history` lists the tables that are.",
  });
}
