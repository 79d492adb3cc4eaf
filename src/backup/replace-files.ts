/**
 * Replaces the files of a data folder with other data and keeps the old files: for `data repair`, and for a folder
 * without data. Everything else is a change (`restore.ts`). After a crash at any moment the folder opens with the old
 * data or with the new, or is refused because the journal is missing. It never opens empty, and never as a mix.
 *
 * That relies on the rules of reading (`store/reading.ts`): it begins with the newest snapshot; it refuses a snapshot
 * whose next change no segment has or could have; it refuses a change that is not chained to the one before.
 *
 * 1. The new segment is written under a temporary name: the first step needs space. A start deletes it.
 * 2. The folder for the old files is created.
 * 3. An old snapshot of the same number as the new one is copied there.
 * 4. The new snapshot is written. If its number is the highest, the old segments do not follow it (refused), or they do,
 *    since it is of the same history (the old data). If not, an old snapshot is read first.
 * 5. The old segments are moved, oldest first, each durably. The rest is always the end of the journal: it begins either
 *    early enough (the old data), or too late (refused).
 * 6. The old snapshots are moved. There is no segment: refused.
 * 7. The new segment gets its name: from now on the folder opens with the new data.
 * 8. The other files of the old data are moved. None of them is read.
 *
 * If the folder is refused after a crash, the operator repeats the command.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Low } from "lowdb";
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import { FolderAdapter } from "../store/adapter.ts";
import type { Database } from "../store/collection.ts";
import { type Files, syncFolder, writeDurably } from "../store/folder/files.ts";
import {
  belongsToData,
  earlierFolder,
  foreignIn,
  hasData,
  segmentFile,
  segmentsIn,
  snapshotFile,
  snapshotsIn,
} from "../store/folder/folder-names.ts";
import { foreignFiles } from "../store/folder/refusals.ts";
import { headerLine } from "../store/journal/segment.ts";
import { namesIn } from "../store/listing.ts";

/** Ensures that a folder has neither data nor foreign files. @throws Failure `CONFLICT` */
export async function requireRoom(files: Files, folder: string): Promise<void> {
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
 * @param kind the beginning of the name of the folder for the old files
 * @returns that folder's name, or null where there are no old files
 */
export async function replaceFiles(
  files: Files,
  folder: string,
  database: Database<typeof model>,
  kind: "replaced" | "damaged",
  now: number,
): Promise<string | null> {
  const { sequence } = database;
  const names = await files.readdir(folder);
  const snapshots = snapshotsIn(names);
  const segments = segmentsIn(names);
  const kept = hasData(names) ? freeName(names, kind, now) : null;
  const move = async (name: string) => {
    await files.rename(join(folder, name), join(folder, String(kept), name));
    await syncFolder(files, join(folder, String(kept)));
    await syncFolder(files, folder);
  };

  let state: State = "old";
  const staged = join(folder, `.${segmentFile(sequence + 1)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    // 1.
    await writeDurably(files, staged, [headerLine(sequence + 1, database.chain, now)]);
    if (kept !== null) {
      // 2.
      await files.mkdir(join(folder, kept));
      await syncFolder(files, folder);
      // 3.
      const same = snapshotFile(sequence);
      if (snapshots.includes(sequence)) {
        await writeDurably(files, join(folder, kept, same), [await files.readFile(join(folder, same))]);
      }
    }
    // 4.
    state = "written";
    await new Low(new FolderAdapter(files, folder, model, () => now), database).write();
    state = "mixed";
    // 5.
    for (const first of segments) await move(segmentFile(first));
    // 6.
    for (const number of snapshots) if (number !== sequence) await move(snapshotFile(number));
    // 7.
    await files.rename(staged, join(folder, segmentFile(sequence + 1)));
    state = "new";
    await syncFolder(files, folder);
    // 8.
    for (const name of names) {
      if (kept !== null && belongsToData(name)) await move(name);
    }
    return kept;
  } catch (cause) {
    if (state !== "new") await files.unlink(staged).catch(() => {});
    if (state === "written") {
      // Its last step, the sync of the folder, can fail after it has its name.
      const present = await files.readdir(folder).catch(() => [snapshotFile(sequence)]);
      const isOld = !snapshots.includes(sequence) && !present.includes(snapshotFile(sequence));
      state = isOld ? "old" : "mixed";
    }
    throw replacementFailed(folder, kept, state, cause);
  }
}

/** What a folder has: the old data, perhaps a new snapshot as well, files of both, or the new data. */
type State = "old" | "written" | "mixed" | "new";

function replacementFailed(
  folder: string,
  kept: string | null,
  state: Exclude<State, "written">,
  cause: unknown,
): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const messages: Readonly<Record<typeof state, readonly [what: string, hint: string]>> = {
    old: [
      "was not replaced",
      "Its files are as they were. Make room or check the disk, and repeat the command.",
    ],
    mixed: [
      "was replaced only in part",
      kept === null
        ? "Empty the folder, and repeat the command."
        : `Move the files of ${join(folder, kept)} back into ${folder}, and repeat the command.`,
    ],
    new: [
      "was replaced, but the last step failed",
      "It has the new data now, which the disk may lose until it is synced: check the disk, then run " +
        `\`addon-cli data verify\`.${kept === null ? "" : ` The earlier files are in ${join(folder, kept)}.`}`,
    ],
  };
  const [what, hint] = messages[state];
  return new Failure("STORE_UNAVAILABLE", `The data in ${folder} ${what}: ${reason}.`, { hint, cause });
}

/** Returns a name with the present time that no file has. */
function freeName(names: readonly string[], kind: "replaced" | "damaged", now: number): string {
  const name = earlierFolder(kind, new Date(now).toISOString().replaceAll(":", "-"));
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!names.includes(candidate)) return candidate;
  }
}
