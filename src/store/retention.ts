/**
 * Deletes snapshots and segments that are past the retention.
 *
 * Restoring any moment of the last 14 days needs the snapshot before that moment and the journal from there on. So a
 * snapshot may be deleted only when a newer one is older than 14 days: that one is the base of all later moments.
 *
 * Ages come from the clock, and clocks jump. One wrong instant must not delete anything, whichever snapshot has it:
 *
 * - "Now" is the earliest instant of the last 3 snapshots. One that was written with the clock 30 days ahead makes none
 *   old.
 * - The base is the third newest of the snapshots that are old by it. One that was written with the clock in 1970 looks
 *   old at once; the true base is then among those before it.
 *
 * A clock that stays wrong for 3 snapshots looks like time that has passed. Even then the last 3 snapshots
 * from before the jump remain, with everything since, unless it jumps ahead again and again.
 */
import { join } from "node:path";
import { dayMilliseconds } from "../domain/instant.ts";
import type { Files } from "./folder/files.ts";
import { segmentFile, segmentsIn, snapshotFile, snapshotsIn } from "./folder/folder-names.ts";
import { numberInHeader } from "./journal/decoding.ts";

/** How far back the data can be restored. */
export interface Retention {
  readonly milliseconds: number;
  /** The snapshots that are kept from before the period, and in all, at least. */
  readonly snapshots: number;
}

/** 14 days, and 3 snapshots. */
export const defaultRetention: Retention = { milliseconds: 14 * dayMilliseconds, snapshots: 3 };

/**
 * Deletes the snapshots before the base, and the segments that it supersedes. The newest snapshot must be durable.
 * @throws what the first file does that cannot be deleted, once the others are
 */
export async function prune(files: Files, folder: string, retention = defaultRetention): Promise<void> {
  const names = await files.readdir(folder);
  const dated: { readonly sequence: number; readonly instant: number }[] = [];
  for (const sequence of snapshotsIn(names)) {
    const instant = await numberInHeader(files, join(folder, snapshotFile(sequence)));
    if (instant !== undefined) dated.push({ sequence, instant });
  }
  const now = Math.min(...dated.slice(-retention.snapshots).map(({ instant }) => instant));
  const old = dated.filter(({ instant }) => now - instant >= retention.milliseconds);
  const base = old.at(-retention.snapshots)?.sequence;
  if (base === undefined) return;
  const failures: unknown[] = [];
  const remove = (name: string) => files.unlink(join(folder, name)).catch((error) => failures.push(error));
  for (const sequence of snapshotsIn(names)) {
    if (sequence < base) await remove(snapshotFile(sequence));
  }
  // The base supersedes a segment if the next one begins no later than the change after the base.
  const segments = segmentsIn(names);
  for (const [index, first] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined || next > base + 1) break;
    await remove(segmentFile(first));
  }
  if (failures.length > 0) throw failures[0];
}
