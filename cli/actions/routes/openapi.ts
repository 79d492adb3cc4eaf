/** What `routes openapi` does. */

import { describeTable, toYAML } from "../../../src/openapi/openapi.ts";
import { descriptionOptions } from "../../../src/openapi/service-description.ts";
import type { Session } from "../../context.ts";
import { checkedTable, tableFile, vocabularyOf } from "./table.ts";

/** In which form the description is wanted. */
export interface OpenApiOptions {
  readonly yaml?: boolean;
}

/** Prints the description of the interface that the table's file makes. @throws TableFaults where it has faults */
export async function printOpenApi(session: Session, { yaml = false }: OpenApiOptions): Promise<void> {
  const table = await checkedTable(session, await tableFile(session, undefined));
  const document = describeTable(table, await vocabularyOf(session), descriptionOptions());
  const text = yaml ? toYAML(document).trimEnd() : JSON.stringify(document, undefined, 2);
  session.output.result(document, text);
}
