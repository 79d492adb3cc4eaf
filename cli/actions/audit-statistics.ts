/** What `audit statistics` does. */
import { readNames } from "../../src/audit/read.ts";
import { additionOperation, type Excess, readExcesses } from "../../src/audit/statistics.ts";
import { Failure } from "../../src/domain/errors.ts";
import { model, type StatisticType } from "../../src/domain/model.ts";
import { didYouMean, fold } from "../../src/domain/text.ts";
import { toUUID } from "../../src/domain/uuid.ts";
import { vocabularyOf } from "../../src/identity/memberships.ts";
import { checkRoutes } from "../../src/operations.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { listData } from "../../src/store/listing.ts";
import { readState } from "../../src/store/reading.ts";
import { readTable, TableFaults } from "../../src/table-in-force/route-table.ts";
import type { Session } from "../context.ts";
import { type Column, toDate } from "../terminal/output.ts";

/** What `audit statistics` takes. */
export interface StatisticsOptions {
  /** The player whose cases are closed, by name or UUID; without it they are listed. */
  readonly close?: string;
}

const columns: readonly Column<Excess>[] = [
  { heading: "PLAYER", cell: ({ player }) => player },
  { heading: "TYPE", cell: ({ type }) => type },
  { heading: "IN 60 MINUTES", cell: ({ count }) => String(count) },
  { heading: "LIMIT", cell: ({ limit }) => String(limit) },
  { heading: "BEGAN", cell: ({ began }) => toDate(began) },
  { heading: "TOTAL", cell: ({ total }) => String(total) },
];

/** Lists the open cases, by the limits of the route table; or closes those of a player. */
export async function showStatistics(session: Session, { close }: StatisticsOptions): Promise<void> {
  const { output, withControl } = session;
  const { excesses, file, hasLimits } = await openCases(session);
  if (close !== undefined) {
    const { uuid, types } = casesOf(close, excesses);
    const closed = await withControl("reads", (control) =>
      control.administer("audit.statistics", { uuid, types }),
    );
    output.result(closed, closed.info);
    return;
  }
  const nobody = `Nobody has added more in any 60 minutes than ${file} has as limits, as far back as the journal goes.`;
  const unlimited = `${file} has no limits for ${additionOperation}: add \`watch\`, as in the route table that is shipped.`;
  await output.list(excesses, columns, hasLimits ? nobody : unlimited);
  if (excesses.length > 0) {
    output.remark(
      "`addon-cli player reset-statistic <player>` sets a player's statistics to 0; `addon-cli player exclude <player>` excludes the player from the interface; `addon-cli audit statistics --close <player>` closes the case.",
    );
  }
}

/** Reads the cases that are not closed, the worst first. */
async function openCases({ output, workplace }: Session) {
  const { folder } = workplace();
  await listData(nodeFiles, folder);
  const { names, warnings, database } = await readNames(nodeFiles, folder);
  for (const warning of warnings) output.remark(`warning: ${warning}`);

  const { view } = database ?? (await readState(nodeFiles, folder, model)).database;
  const file = await workplace().routesFile();
  const { table, faults } = checkRoutes(await readTable(file), vocabularyOf(view));
  if (table === undefined) throw new TableFaults(file, faults);
  const limits = new Map(
    table.watch
      .filter(({ operation, parameter }) => operation === additionOperation && parameter === "type")
      .map(({ value, limit }) => [value, limit]),
  );
  const excesses = await readExcesses(nodeFiles, folder, limits, names);
  return { excesses, file, hasLimits: limits.size > 0 };
}

/** The types of a player's cases. @throws Failure `UNKNOWN_ENTRY` where there are none */
function casesOf(
  reference: string,
  excesses: readonly Excess[],
): Pick<Excess, "uuid"> & { types: StatisticType[] } {
  const wanted = toUUID(reference) ?? fold(reference);
  const cases = excesses.filter(({ uuid, player }) => uuid === wanted || fold(player) === wanted);
  const [first] = cases;
  if (first === undefined) {
    const suggestion = didYouMean(
      reference,
      excesses.map(({ player }) => player),
    );
    throw new Failure("UNKNOWN_ENTRY", `There is no open case of "${reference}".${suggestion}`, {
      hint: "`addon-cli audit statistics` lists the open cases.",
    });
  }
  const { uuid } = first;
  return { uuid, types: cases.filter((each) => each.uuid === uuid).map(({ type }) => type) };
}
