/** Watches a file by its name: an editor may write to it, or replace it by a rename, as may whoever replaces a link. */
import { unwatchFile, watchFile as watchByPolling } from "node:fs";

/** How often the file is looked at, in milliseconds. Not every file system reports changes, nor has every user watches left. */
const pollMilliseconds = 500;

/** How long a file must not change before the callback, in milliseconds: editors write in several steps. */
const pauseMilliseconds = 2000;

/**
 * Calls back when a file has changed, was created or deleted, and has then stayed as it is, and once in the beginning: it
 * may have changed since it was read.
 * @returns a function that ends this
 */
export function watchFile(path: string, onChange: () => void): () => void {
  let settling: NodeJS.Timeout | undefined;
  const settle = () => {
    clearTimeout(settling);
    settling = setTimeout(onChange, pauseMilliseconds);
  };
  watchByPolling(path, { interval: pollMilliseconds, persistent: false }, settle);
  settle();
  return () => {
    unwatchFile(path, settle);
    clearTimeout(settling);
  };
}
