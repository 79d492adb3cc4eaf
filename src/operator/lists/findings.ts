/** What a table, as a text, means for the entries in the data. */
import type { Data } from "../../store/data.ts";
import { toDeclarations } from "../../table/declared/declarations.ts";
import { type Finding, findingsOf } from "../../table/declared/entries.ts";
import { parseTable } from "../../table/document.ts";
import { Types } from "../../table/types.ts";

/** Returns the findings of a table without faults. */
export function findingsIn(text: string, { entries }: Data): Finding[] {
  const { content } = parseTable(text);
  const ignore = () => undefined;
  const { lists } = toDeclarations(content ?? {}, new Types(content?.types ?? {}, ignore), [], ignore);
  return findingsOf(lists, entries, true);
}
