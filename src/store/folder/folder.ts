/** Creates data folders. Only the owner can enter one, since it has hashes of tokens, and who did what. */
import { chmod, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/errors.ts";
import { type Files, privateFolderMode, privateMode } from "./files.ts";
import { foreignIn, hasData, hasEarlierData, remainsIn, unsyncedMarker } from "./folder-names.ts";
import { FolderLock } from "./lock.ts";
import { foreignFiles, ofAnotherUser, onlyRemains, unusable } from "./refusals.ts";

/**
 * Creates a data folder for its owner alone. An existing empty folder is closed to others. One with data keeps its
 * permissions: they may be intended.
 * @throws Failure if the folder has no data, but files of somebody else: nothing is written beside them
 * @throws Failure also if it belongs to another user
 */
export async function makeFolder(files: Files, folder: string): Promise<void> {
  await files.mkdir(dirname(folder));
  await files.mkdir(folder, { mode: privateFolderMode });
  await requireOwner(folder);
  const names = await files.readdir(folder);
  if (hasData(names)) return;
  refuseForeign(folder, names);
  if (hasEarlierData(names)) return;
  // Hidden files may be anybody's, as in a home folder.
  if (names.some((name) => name.startsWith("."))) return;
  const { mode } = await stat(folder);
  // A folder with a sticky or setgid bit, such as /tmp, is shared on purpose.
  const isShared = (mode & 0o7000) !== 0;
  // Only its owner can close it; `serve` warns otherwise.
  if (!isShared && (mode & 0o077) !== 0) await chmod(folder, privateFolderMode).catch(() => {});
}

/** @throws Failure if the names have those of somebody else, unless they stand beside earlier data */
function refuseForeign(folder: string, names: readonly string[]): void {
  const foreign = hasEarlierData(names) ? [] : foreignIn(names);
  if (foreign.length > 0) throw foreignFiles("STORE_UNAVAILABLE", folder, foreign);
}

/** @throws Failure if new data must not begin in a folder: beside files of somebody else, or where there was data before */
export function requireNew(folder: string, names: readonly string[]): void {
  // Another process may have begun it meanwhile.
  if (hasData(names)) return;
  refuseForeign(folder, names);
  const remains = remainsIn(names);
  if (remains === undefined) return;
  throw onlyRemains(folder, remains);
}

/** Locks a folder, which is created where it is missing. @throws Failure if it cannot be used */
export async function lockFolder(files: Files, folder: string): Promise<FolderLock> {
  try {
    await makeFolder(files, folder);
    return await FolderLock.take(files, folder);
  } catch (cause) {
    throw cause instanceof Failure ? cause : unusable(folder, cause);
  }
}

/**
 * Refuses a folder of another user, who could replace every file in it. Root, too: the files that it would create are not
 * readable for the folder's own service. A folder with the setgid bit is shared with a group on purpose, as volumes are.
 */
async function requireOwner(folder: string): Promise<void> {
  const { uid, gid, mode } = await stat(folder);
  const user = process.geteuid?.();
  if (user !== undefined && uid !== user && (mode & 0o2000) === 0)
    throw ofAnotherUser(folder, uid, gid, user);
}

/** Returns the mode of a file or folder in octal if it has one of some bits; undefined otherwise, and on Windows. */
export async function modeWith(bits: number, path: string): Promise<string | undefined> {
  const mode = process.platform === "win32" ? 0 : (await stat(path)).mode & 0o7777;
  return (mode & bits) === 0 ? undefined : mode.toString(8).padStart(4, "0");
}

/** Leaves a mark for the next start, which then writes everything again. */
export async function markUnsynced(files: Files, folder: string): Promise<void> {
  const marker = files.open(join(folder, unsyncedMarker), "wx", privateMode);
  // The disk may refuse this as well; what counts is the error before it.
  await marker.then((file) => file.close()).catch(() => {});
}
