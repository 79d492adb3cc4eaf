/**
 * Recovery: opens a data folder so that every acknowledged change is there again, or refuses it with the file, the
 * position and what to do. Only one thing is cut off: an incomplete line, or a bulk change without its last line, at the
 * end of the newest segment, which was never acknowledged.
 */
import { dirname, join, resolve } from "node:path";
import type { Model } from "../domain/collection.ts";
import { ClockSteps } from "./clock.ts";
import { Database } from "./collection.ts";
import {
  type Files,
  hasCode,
  piecesOf,
  privateFolderMode,
  syncFolder,
  withFile,
  writeAll,
  writeDurably,
} from "./folder/files.ts";
import { requireNew } from "./folder/folder.ts";
import {
  brokenSuffix,
  earlierFolder,
  hasData,
  isDataFile,
  isTemporary,
  segmentFile,
  segmentsAfter,
  segmentsIn,
} from "./folder/folder-names.ts";
import { Journal } from "./journal/journal.ts";
import type { LockedFolder } from "./journal/new-segment.ts";
import { journalVersion, type ReadSegment } from "./journal/segment.ts";
import { readState } from "./reading.ts";

/** The result of a recovery, beside the data. */
export interface Recovery {
  /** The journal, open for appending. */
  readonly journal: Journal;
  /** Whether an older version of the program wrote the newest segment. */
  readonly isOutdated: boolean;
  /** The number of changes that no snapshot contains. */
  readonly replayed: number;
  /** For the operator, a sentence each. */
  readonly warnings: string[];
}

/**
 * Reads a folder, and opens its journal for appending.
 * @throws Failure `STORE_UNAVAILABLE` where the files are damaged or incomplete
 */
export async function recover<M extends Model>(
  place: LockedFolder,
  model: M,
  now: number,
): Promise<Recovery & { readonly database: Database<M> }> {
  const { files, folder } = place;
  const names = await files.readdir(folder);
  for (const name of names) if (isTemporary(name)) await files.unlink(join(folder, name));
  if (!hasData(names)) {
    requireNew(folder, names);
    await syncNames(files, folder);
    const journal = await Journal.create(place, 1, 0, now);
    const database = new Database(model);
    return { database, journal, isOutdated: false, replayed: 0, warnings: [] };
  }
  let clock = new ClockSteps();
  const { database, warnings, replayed, newest } = await readState(files, folder, model, {
    // Of each attempt.
    empty() {
      clock = new ClockSteps();
      return new Database(model);
    },
    onRecord: (record) => clock.take(record),
  });
  if (clock.warning !== undefined) warnings.push(clock.warning);
  const end = await repairEnd(files, folder, newest, warnings);
  const read = segmentsAfter(segmentsIn(names), database.sequence - replayed);
  const earlier = read.filter((first) => first < newest.first);
  const journal = await Journal.open(place, newest.first, end, earlier);
  const isOutdated = newest.version < journalVersion;
  return { database, journal, isOutdated, replayed, warnings };
}

/** Makes the name of a new folder durable, and those of the folders above it, which may be new as well. */
async function syncNames(files: Files, folder: string): Promise<void> {
  for (let path = resolve(folder); path !== dirname(path); path = dirname(path)) {
    try {
      await syncFolder(files, dirname(path));
    } catch (error) {
      // It belongs to somebody else, so it is not new.
      if (hasCode(error, "EACCES", "EPERM")) return;
      throw error;
    }
  }
}

/** Makes the end of the newest segment whole. Returns the offset at which appending continues. */
async function repairEnd(
  files: Files,
  folder: string,
  segment: ReadSegment,
  warnings: string[],
): Promise<number> {
  const path = join(folder, segmentFile(segment.first));
  const { torn, end } = segment;
  if (torn > 0) {
    const broken = `${path}${brokenSuffix}`;
    await writeDurably(files, broken, piecesOf(files, path, end));
    await withFile(files, path, "r+", async (file) => {
      await file.truncate(end);
      await file.sync();
    });
    warnings.push(
      `${path} ended in an incomplete change of ${torn} bytes, which was never acknowledged. ` +
        `It was cut off at byte ${end} and kept as ${broken}.`,
    );
    return end;
  }
  if (!segment.unterminated) return end;
  // A whole change that lacks only its line feed was made.
  await withFile(files, path, "r+", async (file) => {
    await writeAll(file, Buffer.from("\n"), end);
    await file.sync();
  });
  return end + 1;
}

/** Copies the files of an earlier version before they are upgraded. Returns a sentence about that, for the operator. */
export async function keepEarlier(files: Files, folder: string): Promise<string> {
  const copy = earlierFolder("before", `version-${journalVersion}`);
  const target = join(folder, copy);
  await files.mkdir(target, { mode: privateFolderMode });
  for (const file of await files.readdir(folder)) {
    if (isDataFile(file)) await writeDurably(files, join(target, file), piecesOf(files, join(folder, file)));
  }
  await syncFolder(files, folder);
  const upgraded = `The data is upgraded to version ${journalVersion} of its format`;
  return `${upgraded}, which earlier versions of the program cannot read; the files from before are in ${copy}.`;
}
