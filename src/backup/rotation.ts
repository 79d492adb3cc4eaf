/**
 * Backups in a folder, named after the time at which they were begun, such as
 * `gameaddon-2026-11-22T03-00-00.123Z.jsonl.gz`. The oldest ones are removed, but only after a new one was verified and
 * is on disk. Of other files, only the temporary ones of killed commands are removed.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import { type Files, isMissing } from "../store/folder/files.ts";
import { remedyFor } from "../store/folder/refusals.ts";
import { writeBackup } from "./backup.ts";

const form = /^gameaddon-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.jsonl\.gz$/;

/** Returns the name of a backup of an instant, in milliseconds since 1970. Names sort by time. */
export function backupName(instant: number): string {
  return `gameaddon-${new Date(instant).toISOString().replaceAll(":", "-")}.jsonl.gz`;
}

/** Returns the instant in the name of a backup; undefined for any other name. */
export function instantIn(name: string): number | undefined {
  const [, hour, minute, second] = form.exec(name) ?? [];
  const instant = Date.parse(`${hour}:${minute}:${second}`);
  return Number.isNaN(instant) || backupName(instant) !== name ? undefined : instant;
}

/**
 * Writes a backup of a data folder into another folder, which exists, and removes the oldest ones there.
 * @param options.keep how many remain, the new one included; undefined removes none
 * @returns what {@link writeBackup} does, the path of the new one, and those of the removed ones, oldest first
 * @throws Failure as {@link writeBackup}, and where an old one cannot be removed; the new one is complete then
 */
export async function writeRotatedBackup(
  files: Files,
  data: string,
  folder: string,
  { keep, now }: { keep: number | undefined; now: () => number },
) {
  const names = await files.readdir(folder);
  let instant = now();
  while (names.includes(backupName(instant))) instant += 1;
  const name = backupName(instant);
  const file = join(folder, name);
  const result = await writeBackup(files, data, file, { force: false, now: instant });
  const { removed, warnings } =
    keep === undefined ? { removed: [], warnings: [] } : await removeOldest(files, folder, name, keep, now());
  return { file, ...result, removed, warnings: [...result.warnings, ...warnings] };
}

/**
 * Removes the oldest backups beyond `keep`, never the one just written. Those with a later date than now were written
 * while the clock was wrong, or it is wrong now: they do not count, and remain.
 */
async function removeOldest(
  files: Files,
  folder: string,
  written: string,
  keep: number,
  now: number,
): Promise<{ removed: string[]; warnings: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile() && instantIn(entry.name) !== undefined);
  // Oldest first.
  const backups = found.map(({ name }) => name).sort();
  const isLater = (name: string) => name !== written && Number(instantIn(name)) > now;
  const warnings = backups
    .filter(isLater)
    .map((name) => `${join(folder, name)} has a date in the future: it is neither counted nor removed.`);
  const removed: string[] = [];
  const failed: unknown[] = [];
  // Another backup may have ended since this one began: the newest ones stay, although this one is older.
  for (const name of backups.filter((name) => !isLater(name)).slice(0, -keep)) {
    if (name === written) continue;
    const path = join(folder, name);
    try {
      await files.unlink(path);
      removed.push(path);
    } catch (error) {
      if (!isMissing(error)) failed.push(error);
    }
  }
  const [first] = failed;
  if (first === undefined) return { removed, warnings };
  const count = failed.length === 1 ? "an older one" : `${failed.length} older ones`;
  throw new Failure(
    "STORE_UNAVAILABLE",
    `Wrote the backup ${join(folder, written)}, but could not remove ${count}: ${reasonOf(first)}.`,
    { hint: remedyFor(first) ?? "Remove the cause; the next backup removes them.", cause: first },
  );
}
