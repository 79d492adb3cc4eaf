/** Implements `routes openapi`. */
import { describeTable, toYAML } from "../../../src/openapi/openapi.ts";
import type { Context } from "../../context.ts";
import { checkedTable, vocabularyOf } from "./table.ts";

/** Prints the description of the interface. @throws Failure if the table has faults */
export async function printOpenApi(context: Context, { yaml = false }: { yaml?: boolean }): Promise<void> {
  const { table } = await checkedTable(context);
  const document = describeTable(table, await vocabularyOf(context));
  const text = yaml ? (await toYAML(document)).trimEnd() : JSON.stringify(document, undefined, 2);
  context.output.verbatim(document, text);
}
