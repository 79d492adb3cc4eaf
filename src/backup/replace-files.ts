/**
 * Putting other data in the place of a folder's files, and keeping the old: for `data repair`, and for a folder that
 * has no data yet. Everything else is a change (`restoring.ts`). A crash may come at any moment; then the
 * folder opens with the old data or with the new, or is refused with the words that the journal is missing. It
 * never opens empty, and never as a mix.
 *
 * That rests on the rules of the store's reading (`reading.ts`): it begins with the newest snapshot; it refuses a
 * snapshot whose next change no segment has or could have; it refuses a change that is not chained to the one before.
 *
 * 1. The new segment is written under the name of a temporary file: what needs room comes first. A start removes it.
 * 2. The folder for the old files is made.
 * 3. An old snapshot of the same number as the new one is copied there.
 * 4. The new snapshot is written. Where its number is the highest, the old segments do not lead on from it (refused),
 *    or they do, since it is of the same history (the old data). Where it is not, an old snapshot is read first.
 * 5. The old segments are moved, oldest first, each durably. What is left is always the end of the journal: it either
 *    still begins early enough (the old data), or too late (refused).
 * 6. The old snapshots are moved. There is no segment: refused.
 * 7. The new segment gets its name: from here on the folder opens with the new data.
 * 8. What else belonged to the old data is moved. None of it is read.
 *
 * Whoever finds the folder refused after a crash gives the command again.
 */
import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import { type Files, syncFolder, writeDurably } from "../store/folder/files.ts";
import { foreignIn } from "../store/folder/folder-names.ts";
import { journalFormat, journalVersion, segmentFile, segmentsIn } from "../store/journal/segment.ts";
import { encodeLine } from "../store/journal/lines.ts";
import { hasData } from "../store/reading.ts";
import { SnapshotAdapter, snapshotFile, snapshotsIn } from "../store/snapshot.ts";

/**
 * Makes sure that a folder has no data, and nothing else that is not ours.
 * @throws Failure `CONFLICT`
 */
export async function requireRoom(files: Files, folder: string): Promise<void> {
  const names = await files.readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (hasData(names)) {
    throw new Failure("CONFLICT", `There is data in ${folder} by now.`, {
      hint: "Give the command again: it shows what would change.",
    });
  }
  const foreign = foreignIn(names);
  if (foreign.length === 0) return;
  throw new Failure(
    "CONFLICT",
    `${folder} is not a data folder: it has ${foreign.slice(0, 3).join(", ")} in it.`,
    {
      hint: "Name an empty folder, or one that does not exist yet, with --data.",
    },
  );
}

/**
 * Puts a database in the place of a folder's data. The caller holds the folder's lock.
 * @param kind what the name of the folder for the old files begins with
 * @returns that folder's name, or null where there was nothing to keep
 */
export async function replaceData(
  files: Files,
  folder: string,
  database: Database<typeof model>,
  kind: "replaced" | "damaged",
  now: number,
): Promise<string | null> {
  const { sequence, chain } = database;
  const names = await files.readdir(folder);
  const snapshots = snapshotsIn(names);
  const segments = segmentsIn(names);
  const kept = hasData(names) ? freeName(names, kind, now) : null;
  const move = async (name: string) => {
    await files.rename(join(folder, name), join(folder, String(kept), name));
    await syncFolder(files, join(folder, String(kept)));
    await syncFolder(files, folder);
  };

  // 1.
  const staged = join(folder, `.${segmentFile(sequence + 1)}.${randomBytes(6).toString("hex")}.tmp`);
  const header = {
    format: journalFormat,
    version: journalVersion,
    first: sequence + 1,
    chain,
    instant: now,
  };
  await writeDurably(files, staged, [Buffer.from(encodeLine(JSON.stringify(header), 0).line)]);
  try {
    if (kept !== null) {
      // 2.
      await files.mkdir(join(folder, kept), { recursive: true });
      await syncFolder(files, folder);
      // 3.
      const same = snapshotFile(sequence);
      if (snapshots.includes(sequence)) {
        await writeDurably(files, join(folder, kept, same), [await files.readFile(join(folder, same))]);
      }
    }
    // 4.
    await new SnapshotAdapter(files, folder, model, () => now).write(database);
    try {
      // 5.
      for (const first of segments) await move(segmentFile(first));
      // 6.
      for (const number of snapshots) if (number !== sequence) await move(snapshotFile(number));
      // 7.
      await files.rename(staged, join(folder, segmentFile(sequence + 1)));
    } catch (cause) {
      throw new Failure("STORE_UNAVAILABLE", `The data in ${folder} was replaced by half.`, {
        hint:
          kept === null
            ? "Empty the folder, and give the command again."
            : `Move the files of ${join(folder, kept)} back into ${folder}, and give the command again.`,
        cause,
      });
    }
  } catch (error) {
    await files.unlink(staged).catch(() => {});
    throw error;
  }
  await syncFolder(files, folder);
  // 8.
  for (const name of names) {
    if (kept !== null && (name === "unsynced" || name.endsWith(".broken"))) await move(name);
  }
  return kept;
}

/** A name that tells when, and that no file has. */
function freeName(names: readonly string[], kind: string, now: number): string {
  const name = `${kind}-${new Date(now).toISOString().replaceAll(":", "-")}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!names.some((each) => basename(each) === candidate)) return candidate;
  }
}
