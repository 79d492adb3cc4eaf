/** Watching a file by its name: an editor may write into it, or put another one in its place by a rename. */
import { watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Editors write in several steps: the callback waits until nothing has happened for so many milliseconds. */
const settleMilliseconds = 100;

/** Calls back when the file of a name has changed. The folder is watched, since a renamed file is another one. */
export function watchFile(path: string, changed: () => void): { close(): void } {
  let settling: NodeJS.Timeout | undefined;
  const name = basename(path);
  const watcher = watch(dirname(path), { persistent: false }, (_event, file) => {
    // Some systems do not tell the name: then it may have been this file.
    if (file !== null && file !== name) return;
    clearTimeout(settling);
    settling = setTimeout(changed, settleMilliseconds);
  });
  // A folder that vanishes ends the watching, not the service.
  watcher.on("error", () => watcher.close());
  return {
    close() {
      clearTimeout(settling);
      watcher.close();
    },
  };
}
