/**
 * Watches a file by its name: an editor may write to it, or replace it by a rename, as may whoever replaces a link. Node's
 * `watchFile` looks at it first a moment after the call, and takes what has changed until then for how it was.
 */
import { type Stats, stat, statSync } from "node:fs";

/** How often the file is looked at, in milliseconds. Not every file system reports changes, nor has every user watches left. */
const pollMilliseconds = 500;

/** The pause before the callback, in milliseconds: editors write in several steps. */
const pauseMilliseconds = 100;

/** A file that is watched. */
export interface WatchedFile {
  /** Calls back when the file has changed, was created or deleted: at once, if it has since it is watched. */
  onChange(callback: () => void): void;
  close(): void;
}

/** Watches a file from now on. */
export function watchFile(path: string): WatchedFile {
  let hasChanged = false;
  let changed = () => {
    hasChanged = true;
  };
  let last: string | undefined;
  try {
    last = stampOf(statSync(path));
  } catch {
    // Whoever reads it reports why.
  }
  let timer: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = () =>
    stat(path, (_error, stats) => {
      if (isClosed) return;
      timer = setTimeout(look, pollMilliseconds).unref();
      const stamp = stampOf(stats);
      if (stamp === last) return;
      last = stamp;
      clearTimeout(settling);
      settling = setTimeout(() => changed(), pauseMilliseconds);
    });
  look();
  return {
    onChange(callback) {
      changed = callback;
      if (hasChanged) callback();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(settling);
    },
  };
}

/** Returns what changes with a file; not the time of its last access, which reading it changes. */
function stampOf(stats: Stats | undefined): string | undefined {
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
