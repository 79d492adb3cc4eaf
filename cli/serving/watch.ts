/** Watches a file by its name: an editor may write to it, or replace it by a rename. */
import { watch } from "node:fs";
import { basename, dirname } from "node:path";

/** The quiet period before the callback, in milliseconds: editors write in several steps. */
const settleMilliseconds = 100;

/** Calls back when a file has changed. Watches its folder, since a rename replaces the file. */
export function watchFile(path: string, changed: () => void): { close(): void } {
  let settling: NodeJS.Timeout | undefined;
  const name = basename(path);
  const watcher = watch(dirname(path), { persistent: false }, (_event, file) => {
    // Some systems do not report the name.
    if (file !== null && file !== name) return;
    clearTimeout(settling);
    settling = setTimeout(changed, settleMilliseconds);
  });
  // A deleted folder ends the watching, not the service.
  watcher.on("error", () => watcher.close());
  return {
    close() {
      clearTimeout(settling);
      watcher.close();
    },
  };
}
