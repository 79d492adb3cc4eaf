/**
 * Opening a data folder: what was acknowledged comes back, or opening is refused with the file, the place and what
 * to do. Only one thing is cut off: an incomplete line, or a bulk change without its last line, at the end of the newest
 * segment. Nobody was ever told that it is saved.
 */
import { dirname, join, resolve } from "node:path";
import { Failure } from "../domain/errors.ts";
import type { Model } from "../domain/model.ts";
import { ClockSteps } from "./clock.ts";
import { Database } from "./collection.ts";
import { type Files, naming, piecesOf, privateMode, syncFolder, writeAll } from "./folder/files.ts";
import { foreignIn, remainsIn } from "./folder/folder-names.ts";
import { Journal } from "./journal/journal.ts";
import { journalVersion, type ReadSegment, segmentFile } from "./journal/segment.ts";
import { hasData, newestWholeSnapshot, replay } from "./reading.ts";
import { snapshotsIn } from "./snapshot.ts";

/** What {@link recover} gives: the data, the journal to go on with, and what it had to mend. */
export interface Recovered<M extends Model> {
  readonly database: Database<M>;
  readonly journal: Journal;
  /** Whether the folder had no data before. */
  readonly isNew: boolean;
  /** Whether the newest segment was written by an older version of the program. */
  readonly isOutdated: boolean;
  /** Records that are in the journal only. */
  readonly replayed: number;
  /** For the operator, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Reads a folder whose lock the caller holds, and opens its journal for appending.
 * @throws Failure `STORE_UNAVAILABLE` where what the files hold is not all there, or is damaged
 */
export async function recover<M extends Model>(
  files: Files,
  folder: string,
  model: M,
  now: number,
): Promise<Recovered<M>> {
  const names = await files.readdir(folder);
  await removeTemporaries(files, folder, names);
  if (!hasData(names)) {
    requireOurs(folder, names);
    const journal = await Journal.create(files, folder, 1, 0, now);
    await syncNames(files, folder);
    const database = new Database(model);
    return { database, journal, isNew: true, isOutdated: false, replayed: 0, warnings: [] };
  }
  const warnings: string[] = [];
  const empty = () => new Database(model);
  const database = await newestWholeSnapshot(files, folder, empty, snapshotsIn(names), warnings);
  const clock = new ClockSteps();
  const { replayed, newest } = await replay(files, folder, names, database, {}, (record) =>
    clock.take(record),
  );
  if (clock.warning !== undefined) warnings.push(clock.warning);
  const end = await mend(files, folder, newest, warnings);
  const journal = await Journal.open(files, folder, newest.first, end);
  const isOutdated = newest.version < journalVersion;
  return { database, journal, isNew: false, isOutdated, replayed, warnings };
}

/** A new data folder is begun only where there is nothing that belongs to somebody else, and where there was no data. */
function requireOurs(folder: string, names: readonly string[]): void {
  const aside = remainsIn(names);
  if (aside !== undefined) {
    throw new Failure("STORE_UNAVAILABLE", `${folder} has no data but what was set aside of it: ${aside}.`, {
      hint: "Move its files back, or restore a backup with `addon-cli data restore`.",
    });
  }
  const foreign = foreignIn(names);
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, 3).join(", ");
  throw new Failure(
    "STORE_UNAVAILABLE",
    `${folder} is not a data folder of this service: it has ${shown} in it.`,
    {
      hint: "Name an empty folder, or one that does not exist yet, with --data.",
    },
  );
}

/** Makes a new folder's name as durable as what is in it, and those of the folders above that may be new as well. */
async function syncNames(files: Files, folder: string): Promise<void> {
  for (let path = resolve(folder); path !== dirname(path); path = dirname(path)) {
    try {
      await syncFolder(files, dirname(path));
    } catch (error) {
      // Somebody else's, so it was there before.
      if (["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return;
      throw error;
    }
  }
}

/** Removes what a snapshot that was cut off has left; it never had the name of a snapshot. */
async function removeTemporaries(files: Files, folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (/^\.(snapshot|journal)-.*\.tmp$/.test(name)) await files.unlink(join(folder, name));
  }
}

/** Makes the end of the newest segment whole. Gives the offset at which appending goes on. */
async function mend(files: Files, folder: string, segment: ReadSegment, warnings: string[]): Promise<number> {
  const path = join(folder, segmentFile(segment.first));
  const { torn, end } = segment;
  if (torn > 0) {
    await writeAside(files, `${path}.broken`, piecesOf(files, path, end));
    await change(files, path, (file) => file.truncate(end));
    warnings.push(
      `${path} ended in an incomplete record of ${torn} bytes, which nobody was told is saved. ` +
        `It was cut off at byte ${end} and kept as ${path}.broken.`,
    );
    return end;
  }
  if (!segment.unterminated) return end;
  // A whole record that lacks only its line feed: the change was made, so it is kept.
  await change(files, path, (file) => writeAll(file, Buffer.from("\n"), end));
  return end + 1;
}

async function writeAside(files: Files, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await files.open(path, "w", privateMode);
  try {
    let size = 0;
    for await (const piece of pieces) {
      await writeAll(file, piece, size);
      size += piece.length;
    }
    await file.sync();
  } catch (error) {
    throw naming(path, error);
  } finally {
    await file.close();
  }
}

async function change(
  files: Files,
  path: string,
  work: (file: Awaited<ReturnType<Files["open"]>>) => Promise<unknown>,
): Promise<void> {
  const file = await files.open(path, "r+");
  try {
    await work(file);
    await file.sync();
  } catch (error) {
    throw naming(path, error);
  } finally {
    await file.close();
  }
}

/** Keeps copies of all data files in a folder inside the data folder, durably. Gives that folder. */
export async function keepCopies(files: Files, folder: string, name: string): Promise<string> {
  const kept = join(folder, name);
  await files.mkdir(kept, { recursive: true });
  for (const each of await files.readdir(folder)) {
    if (!/^(?:journal-\d{12}\.log|snapshot-\d{12}\.jsonl)$/.test(each)) continue;
    await writeAside(files, join(kept, each), piecesOf(files, join(folder, each)));
  }
  await syncFolder(files, kept);
  await syncFolder(files, folder);
  return kept;
}
