/** The options of a store, and when it begins a snapshot by itself. */
import type { Model } from "../domain/collection.ts";
import { dayMilliseconds } from "../domain/instant.ts";
import type { Files } from "./folder/files.ts";
import type { Meter } from "./journal/meter.ts";
import type { Retention } from "./retention.ts";
import type { SharedOptions } from "./shared/shared-journal.ts";

/** What a store is opened with. */
export interface StoreOptions<M extends Model> {
  readonly folder: string;
  readonly model: M;
  readonly files?: Files;
  readonly now?: () => number;
  /**
   * A snapshot is begun when the journal has grown by this many bytes since the last one, and to this many times the
   * size of the last one. By default 64 MiB and twice, so that snapshots are at most a third of all writes.
   */
  readonly snapshotAfter?: { readonly bytes: number; readonly snapshots: number };
  /** Whether data of an earlier version stays as it is, and all changes of it are refused. Other data is opened as always. */
  readonly onlyReads?: boolean | undefined;
  /** How long snapshots and segments are kept that a newer snapshot supersedes. */
  readonly retention?: Retention;
  /** The journal that this folder shares with those of other machines; by default it has its own alone. */
  readonly shared?: SharedOptions | undefined;
  /** Receives what the store measures; nothing is measured without it. */
  readonly meter?: Meter | undefined;
  /** Is called when background work fails, such as a snapshot. */
  readonly warn?: (message: string, error: unknown) => void;
  /** Is called when the disk is no longer reliable: the process must end. */
  readonly onFatal?: (error: Error) => void;
}

/**
 * The age of the newest snapshot at which another one begins: only a snapshot lets old history be deleted. One
 * that is as far in the future is from a wrong clock, and must not delay the next one until then.
 */
const maxSnapshotAge = 7 * dayMilliseconds;

/** How long a close waits for changes that the shared journal has not acknowledged, in milliseconds. */
export const closingMilliseconds = 5_000;

/** How long no other snapshot begins by itself after one has failed, in milliseconds. */
const retryMilliseconds = 10 * 60_000;
/** The same where only memory has all changes. */
const retryCutMilliseconds = 5_000;

const defaultSnapshotAfter = { bytes: 64 * 1024 * 1024, snapshots: 2 };

/**
 * Returns whether the journal has grown enough for a snapshot, or is cut, or the newest one is old.
 * @param attempt the present, and when the last attempt failed, if it did
 */
export function isSnapshotDue(
  { size, isCut }: { readonly size: number; readonly isCut: boolean },
  newest: { readonly historySince: number; readonly snapshotBytes: number },
  { now, failedAt }: { readonly now: number; readonly failedAt: number | undefined },
  { bytes, snapshots } = defaultSnapshotAfter,
): boolean {
  // The failed attempt has begun a new segment, so that the journal is small again.
  if (failedAt !== undefined)
    return Math.abs(now - failedAt) >= (isCut ? retryCutMilliseconds : retryMilliseconds);
  const isOld = Math.abs(now - newest.historySince) >= maxSnapshotAge;
  return isCut || isOld || (size >= bytes && size >= snapshots * newest.snapshotBytes);
}
