/** Watches a file by its name: an editor may write to it, or replace it by a rename. */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** The errors of too many watches look like those of a full disk and of too many open files. */
const remedy =
  "If other programs watch many files, raise fs.inotify.max_user_watches and fs.inotify.max_user_instances.";

/** The quiet period before the callback, in milliseconds: editors write in several steps. */
const settleMilliseconds = 100;

/**
 * Calls back when a file has changed. Watches its folder, since a rename replaces the file.
 * @param warn called if the file cannot be watched, which must not end a service
 */
export function watchFile(
  path: string,
  changed: () => void,
  warn: (message: string, error: unknown) => void,
): { close(): void } {
  let settling: NodeJS.Timeout | undefined;
  const name = basename(path);
  let watcher: FSWatcher;
  try {
    watcher = watch(dirname(path), { persistent: false }, (_event, file) => {
      // Some systems do not report the name.
      if (file !== null && file !== name) return;
      clearTimeout(settling);
      settling = setTimeout(changed, settleMilliseconds);
    });
  } catch (error) {
    warn(`Cannot watch ${path}: send SIGHUP after a change. ${remedy}`, error);
    return { close() {} };
  }
  // A deleted folder ends the watching, not the service.
  watcher.on("error", () => watcher.close());
  return {
    close() {
      clearTimeout(settling);
      watcher.close();
    },
  };
}
