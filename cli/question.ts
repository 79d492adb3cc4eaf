/** What commands about operations take: a path, its parameters, and by which table they are to be answered. */
import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { readTable } from "../src/route-table.ts";
import type { TableText } from "../src/service.ts";
import type { Session } from "./session.ts";

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
  return new Option("--table <file>", "answer by this table rather than by the one in force");
}

/** A table's file as it is. @throws Failure where there is none */
export async function tableText({ io }: Session, given: string): Promise<TableText> {
  const file = resolve(io.cwd, given);
  return { file, text: await readTable(file) };
}
