/** Watches a file by its name: an editor may write to it, or replace it by a rename, as may whoever replaces a link. */
import { watchFile as poll, type Stats, unwatchFile } from "node:fs";

/** How often the file is looked at, in milliseconds. Not every file system reports changes, nor has every user watches left. */
const pollMilliseconds = 500;

/** The quiet period before the callback, in milliseconds: editors write in several steps. */
const settleMilliseconds = 100;

/** Calls back when a file has changed, was created or deleted. */
export function watchFile(path: string, changed: () => void): { close(): void } {
  let settling: NodeJS.Timeout | undefined;
  const look = (now: Stats, before: Stats) => {
    // Reading the file changes the time of its last access.
    if (now.mtimeMs === before.mtimeMs && now.ino === before.ino && now.size === before.size) return;
    clearTimeout(settling);
    settling = setTimeout(changed, settleMilliseconds);
  };
  poll(path, { persistent: false, interval: pollMilliseconds }, look);
  return {
    close() {
      clearTimeout(settling);
      unwatchFile(path, look);
    },
  };
}
