/** What a newer snapshot has made superfluous, and how long it is kept all the same: to look back, and as a reserve. */
import { join } from "node:path";
import type { Files } from "./files.ts";
import { segmentFile, segmentsIn } from "./journal.ts";
import { snapshotFile, snapshotsIn } from "./snapshot.ts";

/** How long older snapshots and segments are kept. Both limits have to be passed before one is dropped. */
export interface Retention {
  readonly milliseconds: number;
  /** At least so many snapshots. */
  readonly snapshots: number;
}

/** 14 days, and at least the last 3 snapshots. */
export const defaultRetention: Retention = { milliseconds: 14 * 24 * 60 * 60 * 1000, snapshots: 3 };

/**
 * Drops snapshots that are past their retention, and the segments that no snapshot left needs. The caller has
 * made sure that the newest snapshot is durable.
 */
export async function prune(files: Files, folder: string, retention: Retention, now: number): Promise<void> {
  const names = await files.readdir(folder);
  const snapshots = snapshotsIn(names);
  const droppable = snapshots.slice(0, Math.max(0, snapshots.length - retention.snapshots));
  let oldestKept = snapshots[droppable.length] ?? 0;
  for (const sequence of droppable) {
    const path = join(folder, snapshotFile(sequence));
    if (now - (await modifiedAt(files, path)) < retention.milliseconds) {
      oldestKept = sequence;
      break;
    }
    await files.unlink(path);
  }
  // A segment is needed by the oldest snapshot where the one after it begins beyond that snapshot's next change.
  const segments = segmentsIn(names);
  for (const [index, first] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined || next > oldestKept + 1) return;
    const path = join(folder, segmentFile(first));
    if (now - (await modifiedAt(files, path)) < retention.milliseconds) return;
    await files.unlink(path);
  }
}

async function modifiedAt(files: Files, path: string): Promise<number> {
  const file = await files.open(path, "r");
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}
