/** Reads the audit from the files of a data folder, without its lock: beside a running service, or without one. */
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import type { JournalRecord } from "../store/change.ts";
import type { Files } from "../store/folder/files.ts";
import { readBackwards } from "../store/journal/backwards.ts";
import { type OnMissing, readHistory } from "../store/journal/history.ts";
import { readState } from "../store/reading.ts";
import { type AuditEntry, toAuditEntry } from "./entry.ts";
import { asksForBookkeeping, type Filter, toTest } from "./filter.ts";
import { findNames } from "./find-names.ts";
import { PlayerNames } from "./names.ts";

/** Which changes to read. */
export interface AuditQuery extends Filter {
  /** Whether bookkeeping is shown too. */
  readonly all?: boolean | undefined;
  /** The number of changes, at most: the newest. */
  readonly limit?: number | undefined;
}

/**
 * Reads the names of players, from a damaged folder as far as possible.
 * @returns also the faults of the files, a sentence each
 */
export async function readNames(files: Files, folder: string) {
  const names = new PlayerNames();
  const warnings: string[] = [];
  try {
    const history = readHistory(files, folder, 0, warnMissing(folder, warnings));
    for await (const record of history) names.learn(record);
  } catch (error) {
    // The caller reads the changes, too, and gets the same refusal.
    if (!(error instanceof Failure)) throw error;
  }
  try {
    const { database, warnings: faults } = await readState(files, folder, model);
    names.learnAll(database);
    warnings.push(...faults);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warnings.push(`${error.message} Names come from the journal only.`);
  }
  return { names, warnings };
}

/** @param warnings gets a sentence about each gap in the journal */
export function warnMissing(folder: string, warnings: string[]): OnMissing {
  return (first, last) => {
    const [changes, are] =
      first === last ? [`change ${first}`, "it is"] : [`changes ${first} to ${last}`, "they are"];
    warnings.push(
      `The journal in ${folder} lacks ${changes}: ${are} not shown. A file was lost or could not be repaired.`,
    );
  };
}

/**
 * Returns a function that turns a record of the journal into its entry, or into undefined if the query excludes it. It
 * learns no names: those in an old record are not the present ones.
 * @throws Failure where the query names an unknown player or collection
 */
export function toSelection(
  query: AuditQuery,
  names: PlayerNames,
): (record: JournalRecord) => AuditEntry | undefined {
  const isWanted = toTest(query, names);
  const all = query.all === true || asksForBookkeeping(query);
  return (record) => {
    const entry = toAuditEntry(record, names, all);
    return entry !== undefined && isWanted(entry) ? entry : undefined;
  };
}

/**
 * Yields the changes of the journal that match a query, oldest first.
 * @param onRecord is called with the number of each record, shown or not
 */
export async function* readEntries(
  files: Files,
  folder: string,
  query: AuditQuery,
  names: PlayerNames,
  onRecord: (number: number) => void = () => {},
): AsyncGenerator<AuditEntry> {
  const select = toSelection(query, names);
  const { limit = Infinity } = query;
  let latest: AuditEntry[] = [];
  for await (const record of readHistory(files, folder)) {
    onRecord(record.sequence);
    const entry = select(record);
    if (entry === undefined) continue;
    if (limit === Infinity) yield entry;
    else latest.push(entry);
    if (latest.length > 2 * limit) latest = newest(latest, limit);
  }
  yield* newest(latest, limit);
}

/**
 * Reads the newest changes that match a query, oldest first, and no more of the files than that needs. Also returns the
 * number of the newest change, shown or not.
 * @param query must not ask for a player by name: see {@link needsNames}
 * @throws Failure where a change is damaged that has to be read
 */
export async function readNewest(
  files: Files,
  folder: string,
  query: AuditQuery & { readonly limit: number },
) {
  const warnings: string[] = [];
  const select = toSelection(query, new PlayerNames());
  const entries: AuditEntry[] = [];
  let last = 0;
  for await (const record of readBackwards(files, folder, { onMissing: warnMissing(folder, warnings) })) {
    last ||= record.sequence;
    if (query.limit === 0) break;
    const entry = select(record);
    if (entry !== undefined && entries.push(entry) === query.limit) break;
  }
  entries.reverse();
  const names = await findNames(files, folder, entries);
  const named = entries.map((entry) => ({ ...entry, name: names.of(entry.who) ?? null }));
  return { entries: named, last, names, warnings };
}

function newest(entries: readonly AuditEntry[], limit: number): AuditEntry[] {
  return entries.slice(Math.max(0, entries.length - limit));
}
