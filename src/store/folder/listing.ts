/** Reading a data folder without its lock, while a running service may delete files in it. */
import { lstat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import { type Files, isMissing } from "./files.ts";
import { foreignIn, hasData, remainsIn } from "./folder-names.ts";
import { onlyRemains, unusable } from "./refusals.ts";

/** The most times that a folder is read: a service can delete dozens of files in turn, each just before it is read. */
const attempts = 8;

/** The pause after the first attempt, in milliseconds. Each later pause is twice as long: 2.5 s in all. */
const firstPause = 20;

/** Runs `read`, and runs it again where a file has vanished: the running service deletes what is past its retention. */
export async function retryIfMissing<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!isMissing(error) || attempt === attempts) throw error;
      await sleep(firstPause * 2 ** (attempt - 1));
    }
  }
}

/** Returns the names in a folder, none where it does not exist. @throws Failure `STORE_UNAVAILABLE` if it cannot be used */
export async function namesIn(files: Files, folder: string): Promise<string[]> {
  return files.readdir(folder).catch(async (error: unknown) => {
    if (!isMissing(error)) throw unusable(folder, error);
    const link = await lstat(folder).catch(() => undefined);
    // A link to nothing keeps a folder from being created there.
    if (link?.isSymbolicLink())
      throw unusable(folder, Object.assign(new Error("a broken symbolic link"), { code: "EEXIST" }));
    return [];
  });
}

/** Returns the names in a folder. @throws Failure `UNKNOWN_ENTRY` where it has no data */
export async function listData(files: Files, folder: string): Promise<string[]> {
  const names = await namesIn(files, folder);
  if (hasData(names)) return names;
  throw noData(folder, names);
}

/** Returns the refusal of a folder without data. */
export function noData(folder: string, names: readonly string[]): Failure {
  const remains = remainsIn(names);
  if (remains !== undefined && foreignIn(names).length === 0) return onlyRemains(folder, remains);
  return new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`, {
    hint: "`addon-cli serve` and `player add` create it, `data restore` restores it; --data names another folder.",
  });
}
