/**
 * Reports what each table that is put in force changes, and adds the table to the history, for rollbacks. Neither can fail
 * a reload.
 */
import { Failure } from "../domain/errors.ts";
import { allOf } from "../domain/text.ts";
import { compareTables, type TableFile } from "../explain/comparison.ts";
import { summarize, type TableSummary } from "../explain/summary.ts";
import { checkRoutes } from "../operations.ts";
import type { Data } from "../store/data.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Table } from "../table/table.ts";
import type { HistoryEntry, TableHistory } from "./history.ts";
import type { ReloadCause, RouteTable, TablePutInForce } from "./route-table.ts";

/** What a table changes in the table that was in force before it. */
export interface TableChange {
  /** `start` if the table has changed since the service last ran. */
  readonly cause: ReloadCause;
  readonly revision: string;
  /** The revision in force before. */
  readonly before: string;
  readonly summary: TableSummary;
}

export interface TableChangesOptions {
  readonly service: {
    readonly routes: Pick<RouteTable<{ readonly table: Table }>, "file" | "follow">;
    readonly store: { readonly data: Data };
    readonly vocabulary: () => Vocabulary;
  };
  readonly history: TableHistory;
  /** Whether a table that takes something away waits for `routes reload`. */
  readonly confirmsLoss?: boolean;
  readonly report: (change: TableChange) => void;
  /** Called if a change cannot be compared or stored. */
  readonly warn: (message: string, error?: unknown) => void;
}

/** How often tables that could not be added to the history are tried again, in milliseconds. */
const retryMilliseconds = 5_000;

/**
 * Follows a service's route table from now on; to be called before the table is loaded.
 * @returns a function that ends the attempts to add tables to the history for which there was no room
 */
export function followTables(options: TableChangesOptions): () => Promise<void> {
  const { history, service } = options;
  service.routes.follow(
    (put) => noteTable(options, put),
    (table, before) => reviewTable(options, table, before),
  );
  const retrying = setInterval(() => history.addWaiting(), retryMilliseconds).unref();
  return () => {
    clearInterval(retrying);
    return history.addWaiting();
  };
}

/**
 * Refuses a table that may be half written: the beginning of the one in force, also as a valid table; and with
 * `--confirm-loss` one that takes something away or lacks a key. Without its last key `excluded`, half of a table takes nothing
 * away, but readmits everybody.
 */
async function reviewTable(
  options: TableChangesOptions,
  table: Table,
  before: Table,
): Promise<TableSummary | undefined> {
  const byHand = "`addon-cli routes reload` puts it in force";
  const [whole, part] = [before.text.trimEnd(), table.text.trimEnd()];
  if (part !== whole && whole.startsWith(part)) {
    const what = `${options.service.routes.file} is only the beginning of the table in force, as if it were cut off`;
    throw new Failure("CONFLICT", `${what}: ${byHand} all the same.`);
  }
  const summary = await summaryOf(options, before, table);
  if (options.confirmsLoss !== true) return summary;
  if (summary === undefined)
    throw new Failure("CONFLICT", `Because of --confirm-loss revision ${table.revision} waits: ${byHand}.`);
  const missing = before.keys.filter((key) => !table.keys.includes(key));
  if (!summary.takesAway && summary.counts.removed === 0 && missing.length === 0) return summary;
  const keyed = missing.length === 1 ? "key" : "keys";
  const verb = missing.length > 0 ? `no longer has the ${keyed} ${allOf(missing)}` : "takes something away";
  const loss = `Revision ${table.revision} ${verb}. ${summary.words}`;
  throw new Failure("CONFLICT", `${loss} Because of --confirm-loss it waits: ${byHand}.`);
}

async function noteTable(options: TableChangesOptions, put: TablePutInForce): Promise<void> {
  const { before, table, since, cause } = put;
  const { revision, text } = table;
  const { history, report, warn } = options;
  try {
    const last = before === undefined ? await newest(options) : undefined;
    if (last?.revision === revision) return;
    const old = last === undefined ? before : await tableOf(options, last, revision);
    const summary = put.summary ?? (old && (await summaryOf(options, old, table)));
    if (old !== undefined && summary !== undefined)
      report({ cause, revision, before: old.revision, summary });
    await history.add({ revision, since, change: summary?.words ?? null }, text);
  } catch (error) {
    warn(
      `Revision ${revision} of the route table is in force, but cannot be added to the history yet.`,
      error,
    );
  }
}

/** Returns the table that was in force when the service last ran; undefined if there was none, or the list cannot be read. */
async function newest({ history, warn }: TableChangesOptions): Promise<HistoryEntry | undefined> {
  const tables = await history.list().catch((error: unknown) => {
    warn("The history of route tables cannot be read; starting a new one.", error);
  });
  return tables?.[0];
}

/** Returns a table of the history; undefined if it is missing, or if this version refuses it. */
async function tableOf(
  { history, service, warn }: TableChangesOptions,
  { revision: last }: HistoryEntry,
  revision: string,
): Promise<Table | undefined> {
  const unknown =
    `Revision ${revision} of the route table is in force. When the service last ran it was ${last}, ` +
    "which cannot be compared";
  try {
    const entry = await history.text(last);
    const table = entry && checkRoutes(entry.text, service.vocabulary()).table;
    if (entry === undefined) warn(`${unknown}: its text is missing.`);
    else if (table === undefined) warn(`${unknown}: this version refuses ${entry.file}.`);
    return table;
  } catch (error) {
    warn(`${unknown}.`, error);
    return undefined;
  }
}

/** Returns what a table changes, compared in slices of the event loop. */
async function summaryOf(
  { service, warn }: TableChangesOptions,
  old: Table,
  fresh: Table,
): Promise<TableSummary | undefined> {
  const { routes, store, vocabulary } = service;
  const fileOf = (table: Table): TableFile => ({ file: routes.file, table });
  try {
    return summarize(await compareTables(fileOf(old), fileOf(fresh), store.data, vocabulary()));
  } catch (error) {
    warn(`Revision ${fresh.revision} of the route table cannot be compared with ${old.revision}.`, error);
    return undefined;
  }
}
