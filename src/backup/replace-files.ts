/**
 * Replaces the files of a data folder with other data and keeps the old files: for `data repair`, and for a folder
 * without data. Everything else is a change (`restore.ts`). After a crash at any moment the folder opens with the old
 * data or with the new, or is refused because the journal is missing. It never opens empty, and never as a mix.
 *
 * That relies on the rules of reading (`store/reading.ts`): it begins with the newest snapshot; it refuses a snapshot
 * whose next change no segment has or could have; it refuses a change that is not chained to the one before.
 *
 * 1. The folder for the old files is created.
 * 2. The new segment is written there, under a temporary name. While it is there, the replacement is unfinished.
 * 3. The new snapshot is written. No old one has its number or a higher one, and the old segments do not follow it: refused.
 * 4. The old segments are moved, oldest first, each durably. The rest is always the end of the journal.
 * 5. The old snapshots are moved. There is no segment: refused.
 * 6. The new segment gets its name: from now on the folder opens with the new data.
 * 7. The other files of the old data are moved. None of them is read.
 *
 * A repetition of the command begins with {@link undoReplacement}. The new snapshot lacks what could not be read; beside
 * the old files it would count as all that there was, and nobody would learn what was lost.
 */
import { join } from "node:path";
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import type { Database } from "../store/collection.ts";
import {
  type Files,
  hasCode,
  ignoreMissing,
  isMissing,
  privateFolderMode,
  syncFolder,
  temporaryName,
  writeDurably,
} from "../store/folder/files.ts";
import {
  belongsToData,
  earlierFolder,
  foreignIn,
  hasData,
  isEarlierFolder,
  segmentFile,
  segmentsIn,
  snapshotFile,
  snapshotsIn,
} from "../store/folder/folder-names.ts";
import { namesIn } from "../store/folder/listing.ts";
import { foreignFiles } from "../store/folder/refusals.ts";
import { headerLine } from "../store/journal/segment.ts";
import { writeSnapshot } from "../store/snapshot.ts";

/** Ensures that a folder has neither data nor foreign files. @throws Failure `CONFLICT` */
export async function requireEmpty(files: Files, folder: string): Promise<void> {
  const names = await namesIn(files, folder);
  if (hasData(names)) {
    throw new Failure("CONFLICT", `There is data in ${folder} now.`, {
      hint: "Repeat the command: it shows what would change.",
    });
  }
  const foreign = foreignIn(names);
  if (foreign.length > 0) throw foreignFiles("CONFLICT", folder, foreign);
}

/**
 * Replaces the data files of a folder with a database. The caller holds the folder's lock.
 * @param database gets a number that is higher than that of each old snapshot
 * @returns the name of the folder for the old files, or null where there are none
 */
export async function replaceFiles(
  files: Files,
  folder: string,
  database: Database,
  now: number,
): Promise<string | null> {
  const names = await files.readdir(folder);
  const snapshots = snapshotsIn(names);
  database.sequence = Math.max(database.sequence, (snapshots.at(-1) ?? -1) + 1);
  const { sequence } = database;
  const kept = hasData(names) ? freeName(names, now) : null;
  const keep = (name: string) => move(files, name, folder, join(folder, String(kept)));

  let state: State = "old";
  const written = join(folder, snapshotFile(sequence));
  const staged = temporaryName(join(folder, kept ?? "", segmentFile(sequence + 1)));
  try {
    if (kept !== null) {
      // 1.
      await files.mkdir(join(folder, kept), { mode: privateFolderMode });
      await syncFolder(files, folder);
    }
    // 2.
    await writeDurably(files, staged, [headerLine(sequence + 1, database.chain, now)]);
    // 3.
    // Even after an error it may have its name: the sync of the folder is the last step.
    state = "mixed";
    await writeSnapshot(files, folder, database, now).catch(async (error: unknown) => {
      if (await files.unlink(written).then(() => true, isMissing)) state = "old";
      throw error;
    });
    // 4.
    for (const first of segmentsIn(names)) await keep(segmentFile(first));
    // 5.
    for (const number of snapshots) await keep(snapshotFile(number));
    // 6.
    await files.rename(staged, join(folder, segmentFile(sequence + 1)));
    state = "new";
    await syncFolder(files, folder);
    // 7.
    for (const name of names) {
      if (kept !== null && belongsToData(name)) await keep(name);
    }
    return kept;
  } catch (cause) {
    if (state === "old" || kept === null) await files.unlink(staged).catch(() => {});
    throw replacementFailed(folder, kept, state, cause);
  }
}

/** Moves a file to another folder, durably. */
async function move(files: Files, name: string, from: string, to: string): Promise<void> {
  await files.rename(join(from, name), join(to, name));
  await syncFolder(files, to);
  await syncFolder(files, from);
}

/** The new segment in the folder for the old files. */
const stagedName = /^\.journal-(\d{12})\.log\.[0-9a-f]{12}\.tmp$/;

/**
 * Moves the files of an unfinished replacement back, in the opposite order, and removes the new ones. The caller holds
 * the folder's lock.
 * @returns the name of the folder where they were, or undefined if there is no such replacement
 */
export async function undoReplacement(files: Files, folder: string): Promise<string | undefined> {
  for (const kept of (await files.readdir(folder)).filter(isEarlierFolder)) {
    const place = join(folder, kept);
    const names = await files.readdir(place).catch(ignoreFile);
    const staged = names.find((name) => stagedName.test(name));
    if (staged === undefined) continue;
    const written = snapshotFile(Number(stagedName.exec(staged)?.[1]) - 1);
    const moved = [
      ...snapshotsIn(names).map(snapshotFile),
      ...segmentsIn(names).toReversed().map(segmentFile),
    ];
    for (const name of moved) await move(files, name, place, folder);
    // Only now: without the new snapshot, part of the old files could pass for all of them.
    await files.unlink(join(folder, written)).catch(ignoreMissing);
    await syncFolder(files, folder);
    await files.unlink(join(place, staged));
    await syncFolder(files, place);
    return kept;
  }
  return undefined;
}

/** An operator's archive of such a folder may lie beside it. */
function ignoreFile(error: unknown): string[] {
  if (hasCode(error, "ENOTDIR")) return [];
  throw error;
}

/** What a folder has: the old data, files of both, or the new data. */
type State = "old" | "mixed" | "new";

function replacementFailed(folder: string, kept: string | null, state: State, cause: unknown): Failure {
  const reason = reasonOf(cause);
  const messages: Readonly<Record<State, readonly [what: string, hint: string]>> = {
    old: [
      "was not replaced",
      "Its files are as they were. Make room or check the disk, and repeat the command.",
    ],
    mixed: [
      "was replaced only in part",
      kept === null
        ? "Empty the folder, and repeat the command."
        : `Check the disk, and repeat the command: it first moves the files of ${join(folder, kept)} back.`,
    ],
    new: [
      "was replaced, but the last step failed",
      "It has the new data now, which the disk may lose until it is synced: check the disk, then start the service or " +
        `run \`addon-cli data snapshot\`, which syncs it.${kept === null ? "" : ` The earlier files are in ${join(folder, kept)}.`}`,
    ],
  };
  const [what, hint] = messages[state];
  return new Failure("STORE_UNAVAILABLE", `The data in ${folder} ${what}: ${reason}.`, { hint, cause });
}

/** Returns a name with the present time that no file has. */
function freeName(names: readonly string[], now: number): string {
  const name = earlierFolder("damaged", new Date(now).toISOString().replaceAll(":", "-"));
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!names.includes(candidate)) return candidate;
  }
}
