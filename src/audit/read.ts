/**
 * Looking back at what the journal has. Reads files only, without the folder's lock: beside a running service as well
 * as offline.
 */
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import type { JournalRecord } from "../store/change.ts";
import type { Database } from "../store/collection.ts";
import type { Files } from "../store/folder/files.ts";
import { hasData } from "../store/folder/folder-names.ts";
import { readBackwards } from "../store/journal/backwards.ts";
import { readHistory } from "../store/journal/history.ts";
import { readState } from "../store/reading.ts";
import { type Entry, toEntry } from "./entry.ts";
import { asksForBookkeeping, type Filter, toTest } from "./filter.ts";
import { findNames } from "./find-names.ts";
import { Names } from "./names.ts";

/** How often the data is read anew where a running service dropped a file meanwhile. */
const attempts = 5;

/** What is looked at, and how much of it. */
export interface Look extends Filter {
  /** Whether bookkeeping is shown too. */
  readonly all?: boolean | undefined;
  /** At most so many changes: the newest. */
  readonly limit?: number | undefined;
}

/** What is known of players. */
export interface Known {
  readonly names: Names;
  /** The data as it is now; undefined where it can not be read. */
  readonly database: Database<typeof model> | undefined;
  /** What is wrong with the files, a sentence each. */
  readonly warnings: readonly string[];
}

/** Refuses a folder without data. @throws Failure `UNKNOWN_ENTRY` */
export async function requireData(files: Files, folder: string): Promise<void> {
  const names = await files.readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (hasData(names)) return;
  throw new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`, {
    hint: "`addon-cli serve` and `addon-cli seed groups` begin it; --data names another folder.",
  });
}

/** The names of players; also of a damaged folder, as far as they can be read. */
export async function readNames(files: Files, folder: string): Promise<Known> {
  const names = new Names();
  const warnings: string[] = [];
  let database: Known["database"];
  try {
    const onMissing = (first: number, last: number) => void warnings.push(missingWords(folder, first, last));
    for await (const record of readHistory(files, folder, 0, onMissing)) names.learn(record);
  } catch (error) {
    // Whoever looks for changes is told of it by then: here are only names.
    if (!(error instanceof Failure)) throw error;
  }
  try {
    const state = await readWholeState(files, folder);
    ({ database } = state);
    names.learnAll(database);
    warnings.push(...state.warnings);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warnings.push(`${error.message} Names are those that the journal has.`);
  }
  return { names, database, warnings };
}

/** What is said where the journal lacks changes between others, in a sentence. */
function missingWords(folder: string, first: number, last: number): string {
  const [changes, are] =
    first === last ? [`change ${first}`, "it is"] : [`changes ${first} to ${last}`, "they are"];
  return `The journal in ${folder} lacks ${changes}: ${are} not shown. A file was lost, or could not be repaired.`;
}

/** The data as it is in the files; read anew where a file was dropped between its listing and its reading. */
export async function readWholeState(files: Files, folder: string) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readState(files, folder, model);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === attempts) throw error;
    }
  }
}

/**
 * Makes records of the journal into what is shown of them, in order; leaves out what nobody asked for.
 * @throws Failure where the filter names a player or a collection that there is not
 */
export function toSelection(look: Look, names: Names): (record: JournalRecord) => Entry | undefined {
  const wanted = toTest(look, names);
  const all = look.all === true || asksForBookkeeping(look);
  return (record) => {
    names.learn(record);
    const entry = toEntry(record, names, all);
    return entry !== undefined && wanted(entry) ? entry : undefined;
  };
}

/**
 * The changes that the journal has, oldest first, as far as they are asked for.
 * @param told is given the number of each record that was read, shown or not
 */
export async function* readEntries(
  files: Files,
  folder: string,
  look: Look,
  names: Names,
  told: (number: number) => void = () => {},
): AsyncGenerator<Entry> {
  const select = toSelection(look, names);
  const { limit = Infinity } = look;
  let kept: Entry[] = [];
  for await (const record of readHistory(files, folder)) {
    told(record.sequence);
    const entry = select(record);
    if (entry === undefined) continue;
    if (limit === Infinity) yield entry;
    else kept.push(entry);
    if (kept.length > 2 * limit) kept = newest(kept, limit);
  }
  yield* newest(kept, limit);
}

/**
 * The newest changes that are asked for, oldest first, without reading more of the files than that takes.
 * @param look asks for no player by name: see {@link needsNames}
 * @throws Failure where a change is damaged that has to be read for it
 */
export async function readNewest(
  files: Files,
  folder: string,
  look: Look & { readonly limit: number },
): Promise<{ entries: readonly Entry[]; names: Names; warnings: readonly string[] }> {
  const warnings: string[] = [];
  const onMissing = (first: number, last: number) => void warnings.push(missingWords(folder, first, last));
  const select = toSelection(look, new Names());
  const entries: Entry[] = [];
  if (look.limit > 0) {
    for await (const record of readBackwards(files, folder, onMissing)) {
      const entry = select(record);
      if (entry !== undefined && entries.push(entry) === look.limit) break;
    }
  }
  entries.reverse();
  const names = await findNames(files, folder, entries);
  return {
    entries: entries.map((entry) => ({ ...entry, name: names.of(entry.who) ?? null })),
    names,
    warnings,
  };
}

function newest(entries: readonly Entry[], limit: number): Entry[] {
  return entries.slice(Math.max(0, entries.length - limit));
}
