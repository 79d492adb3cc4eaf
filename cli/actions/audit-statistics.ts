/** Implements `audit statistics`. */
import { additionOperation, type Excess, readExcesses } from "../../src/audit/statistics.ts";
import { Failure } from "../../src/domain/errors.ts";
import { model } from "../../src/domain/model.ts";
import { asArgument, didYouMean, fold } from "../../src/domain/text.ts";
import { vocabularyOf } from "../../src/identity/memberships.ts";
import { onePlayer } from "../../src/identity/players.ts";
import { checkRoutes } from "../../src/operations.ts";
import type { Data } from "../../src/store/data.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readState } from "../../src/store/reading.ts";
import { readTable } from "../../src/table-in-force/read-table.ts";
import { faultsIn } from "../../src/table-in-force/route-table.ts";
import type { Context } from "../context.ts";
import { disablePretenuring } from "../serving/heap.ts";
import { type Columns, formatInstant } from "../terminal/output.ts";
import { withProgress } from "./data/progress.ts";

const columnsFor = (players: Data["players"]): Columns<Excess> => ({
  // Somebody else may have the name of a former player.
  PLAYER: ({ player, uuid }) => (players.has(uuid) || player === uuid ? player : `${player} (${uuid})`),
  TYPE: ({ type }) => type,
  COUNT: ({ count }) => String(count),
  LIMIT: ({ limit }) => String(limit),
  BEGAN: ({ began }) => formatInstant(began),
  TOTAL: ({ total }) => String(total),
  FINDING: ({ info }) => info,
});

/** Lists the open cases by the limits of the route table, or closes those of a player: of a name or UUID. */
export async function showStatistics(context: Context, { close }: { close?: string }): Promise<void> {
  const { change, output } = context;
  const { excesses, file, hasLimits, players } = await openCases(context);
  if (close !== undefined) {
    const { uuid, types } = casesOf(close, excesses, players);
    await change("audit.statistics", { uuid, types });
    return;
  }
  const nobody = `Nobody exceeded a limit of ${file} at any time in the journal.`;
  const unlimited = `${file} has no limits for ${additionOperation}: add \`perHour\` to its \`statistics\`, as in the shipped route table.`;
  output.list(excesses, columnsFor(players), hasLimits ? nobody : unlimited);
  if (excesses.length > 0) {
    output.remark(
      "`addon-cli player reset-statistic <player>` sets a player's statistics to 0; `addon-cli audit statistics --close <player>` closes the case; these exclude a player from the interface:",
    );
    // The first case of each player is the worst.
    const worst = new Map(excesses.toReversed().map((excess) => [excess.uuid, excess]));
    for (const excess of [...worst.values()].reverse()) output.command(exclusionOf(excess, players));
  }
}

/** Returns the command that excludes the player of a case for two weeks. */
function exclusionOf({ uuid, reason }: Excess, players: Data["players"]): string {
  const name = players.get(uuid)?.name;
  // As in the list; and a dash would begin an option.
  const player = name === undefined || name.startsWith("-") ? uuid : name;
  return `addon-cli player exclude ${asArgument(player)} --reason ${asArgument(reason)} --until 14d`;
}

/** Returns the open cases, the worst first. */
async function openCases(context: Context) {
  disablePretenuring();
  const folder = await context.workspace().dataFolder();
  const { file, limits, players } = await readLimits(context, folder);
  const gaps: string[] = [];
  const excesses = await withProgress(context, "Reading the journal", () =>
    readExcesses(nodeFiles, folder, limits, players, gaps),
  );
  for (const gap of gaps) context.output.remark(`warning: ${gap}`);
  return { excesses, file, hasLimits: limits.length > 0, players };
}

/** Returns the limits of the route table, and the players: apart, since no other data should stay in memory. */
async function readLimits(context: Context, folder: string) {
  const { database, warnings } = await withProgress(context, "Reading the data", () =>
    readState(nodeFiles, folder, model),
  );
  for (const warning of warnings) context.output.remark(`warning: ${warning}`);
  const file = await context.workspace().routesFile();
  const text = await readTable(file);
  const { table, faults } = checkRoutes(text, vocabularyOf(database.view));
  if (table === undefined) throw faultsIn(file, faults, text);
  const { statistics } = table.declared;
  const limits = statistics.filter(({ perHour, perDay, perWeek }) => perHour ?? perDay ?? perWeek);
  return { file, limits, players: database.view.players };
}

/**
 * Returns the player of some cases, and their types. A name means the registered player, or the only one who had it.
 * @throws Failure `UNKNOWN_ENTRY` if there are none, `PARAMETER_INVALID` for the name of several former players
 */
function casesOf(reference: string, excesses: readonly Excess[], players: Data["players"]) {
  const named = excesses.filter(({ player }) => fold(player) === fold(reference));
  const uuid = onePlayer({ players }, reference, new Set(named.map((excess) => excess.uuid)));
  const cases = excesses.filter((excess) => excess.uuid === uuid);
  if (uuid === undefined || cases.length === 0) {
    const suggestion = didYouMean(
      reference,
      excesses.map(({ player }) => player).filter((player) => fold(player) !== fold(reference)),
    );
    throw new Failure("UNKNOWN_ENTRY", `No open case matches "${reference}".${suggestion}`, {
      hint: "`addon-cli audit statistics` lists the open cases.",
    });
  }
  return { uuid, types: [...new Set(cases.map(({ type }) => type))] };
}
