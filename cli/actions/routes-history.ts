/** What `routes history` does. */
import { type KeptTable, TableHistory } from "../../src/table-history.ts";
import { type Column, toDate } from "../output.ts";
import type { Session } from "../session.ts";

const columns: readonly Column<KeptTable>[] = [
  { heading: "REVISION", cell: ({ revision }) => revision },
  { heading: "SINCE", cell: ({ since }) => toDate(since) },
  { heading: "CHANGE", cell: ({ change }) => change ?? "-" },
];

/** Lists the tables that were in force, the latest first. */
export async function showHistory({ output, workplace }: Session): Promise<void> {
  const tables = await new TableHistory(workplace().folder).list();
  await output.list(tables, columns, "No route table was in force yet: `addon-cli serve` puts one in force.");
}
