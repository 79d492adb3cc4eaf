/**
 * What follows when a route table is put in force, in whatever way: the difference for people is told, and the table is
 * kept so that an operator can go back to it. Neither can fail a reload.
 */
import { compareTables, type Source } from "../explain/comparison.ts";
import { summarize, type TableSummary } from "../explain/summary.ts";
import { checkRoutes } from "../operations.ts";
import type { Data } from "../store/data.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Table } from "../table/table.ts";
import type { KeptTable, TableHistory } from "./history.ts";
import type { ReloadCause, RouteTable, TablePutInForce } from "./route-table.ts";

/** What a table that was put in force changes against the table in force before it. */
export interface TableChange {
  /** `start` where the table has changed since a service last ran. */
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
  readonly tell: (change: TableChange) => void;
  /** Told why something could not be told or kept. */
  readonly warn: (message: string, error?: unknown) => void;
}

/** Follows a service's route table; call it before the table is loaded. */
export function followTables(options: TableChangesOptions): void {
  options.service.routes.follow((put) => noteTable(options, put));
}

async function noteTable(options: TableChangesOptions, put: TablePutInForce): Promise<void> {
  const { before, table, text, since, cause } = put;
  const { revision } = table;
  const { history, tell, warn } = options;
  try {
    const last = before === undefined ? await newest(options) : undefined;
    if (last?.revision === revision) return;
    const old = last === undefined ? before : await tableOf(options, last, revision);
    const summary = old && (await summaryOf(options, old, table));
    if (old !== undefined && summary !== undefined) tell({ cause, revision, before: old.revision, summary });
    await history.keep({ revision, since, change: summary?.words ?? null }, text);
  } catch (error) {
    warn(`Revision ${revision} of the route table is in force, but could not be kept for later.`, error);
  }
}

/** The table that was in force when a service last ran; undefined where there was none, or the list cannot be read. */
async function newest({ history, warn }: TableChangesOptions): Promise<KeptTable | undefined> {
  try {
    return (await history.list())[0];
  } catch (error) {
    warn("The list of former route tables cannot be read; a new one is begun.", error);
    return undefined;
  }
}

/** A table of the list; undefined where this version cannot read it. */
async function tableOf(
  { history, service, warn }: TableChangesOptions,
  { revision: last }: KeptTable,
  revision: string,
): Promise<Table | undefined> {
  const unknown =
    `Revision ${revision} of the route table is in force. When the service last ran it was ${last}, ` +
    "which cannot be compared";
  try {
    const kept = await history.text(last);
    const table = kept && checkRoutes(kept.text, service.vocabulary()).table;
    if (kept === undefined) warn(`${unknown}: its text is missing.`);
    else if (table === undefined) warn(`${unknown}: this version refuses ${kept.file}.`);
    return table;
  } catch (error) {
    warn(`${unknown}.`, error);
    return undefined;
  }
}

/** What a table changes, compared in slices of the event loop. */
async function summaryOf(
  { service, warn }: TableChangesOptions,
  old: Table,
  fresh: Table,
): Promise<TableSummary | undefined> {
  const { routes, store, vocabulary } = service;
  const source = (table: Table): Source => ({ file: routes.file, table });
  try {
    return summarize(await compareTables(source(old), source(fresh), store.data, vocabulary()));
  } catch (error) {
    warn(`Revision ${fresh.revision} of the route table could not be compared with ${old.revision}.`, error);
    return undefined;
  }
}
