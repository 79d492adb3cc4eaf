/** What `audit statistics` does. */
import { readNames, readWholeState, requireData } from "../../src/audit/read.ts";
import { additionOperation, type Excess, readExcesses } from "../../src/audit/statistics.ts";
import { readTable, TableFaults } from "../../src/route-table.ts";
import { checkRoutes, vocabularyOf } from "../../src/service.ts";
import { nodeFiles } from "../../src/store/files.ts";
import { type Column, toDate } from "../output.ts";
import type { Session } from "../session.ts";

const columns: readonly Column<Excess>[] = [
  { heading: "PLAYER", cell: ({ player }) => player },
  { heading: "TYPE", cell: ({ type }) => type },
  { heading: "IN 60 MINUTES", cell: ({ count }) => String(count) },
  { heading: "LIMIT", cell: ({ limit }) => String(limit) },
  { heading: "BEGAN", cell: ({ began }) => toDate(began) },
  { heading: "TOTAL", cell: ({ total }) => String(total) },
];

/** Lists the excesses, by the limits of the route table. */
export async function showStatistics({ output, workplace }: Session): Promise<void> {
  const { folder } = workplace();
  await requireData(nodeFiles, folder);
  const { names, warnings, database } = await readNames(nodeFiles, folder);
  for (const warning of warnings) output.remark(`warning: ${warning}`);

  const { view } = database ?? (await readWholeState(nodeFiles, folder)).database;
  const file = await workplace().routesFile();
  const { table, faults } = checkRoutes(await readTable(file), vocabularyOf(view));
  if (table === undefined) throw new TableFaults(file, faults);
  const limits = new Map(
    table.watch
      .filter(({ operation, parameter }) => operation === additionOperation && parameter === "type")
      .map(({ value, limit }) => [value, limit]),
  );

  const excesses = await readExcesses(nodeFiles, folder, limits, names);
  const nobody = `Nobody has added more in any 60 minutes than ${file} has as limits, as far back as the journal goes.`;
  const unlimited = `${file} has no limits for ${additionOperation}: add \`watch\`, as in the route table that is shipped.`;
  await output.list(excesses, columns, limits.size === 0 ? unlimited : nobody);
  if (excesses.length > 0) {
    output.remark(
      "`addon-cli player reset-statistic <player>` sets a player's statistics to 0; `addon-cli player exclude <player>` excludes the player from the interface.",
    );
  }
}
