/** A file that a command writes for an operator. */
import { basename, dirname, join } from "node:path";
import { tryLock } from "fs-native-extensions";
import { Failure } from "../domain/errors.ts";
import {
  type Creation,
  createDurably,
  type Files,
  type Pieces,
  temporaryName,
  writePieces,
} from "../store/folder/files.ts";

/** The end of the name under which a file is written. No other program has such files. */
const suffix = ".addon-cli.tmp";
const temporaryForm = /^\..+\.[0-9a-f]{12}\.addon-cli\.tmp$/;

/**
 * Makes sure that a file can be written without taking another one's place.
 * @throws Failure `CONFLICT` where it exists and `force` is false, `UNKNOWN_ENTRY` where its folder does not
 */
export async function requireFree(files: Files, path: string, force: boolean): Promise<void> {
  const names = await files.readdir(dirname(path)).catch((cause) => {
    throw new Failure(
      "UNKNOWN_ENTRY",
      `There is no folder ${dirname(path)} to write ${basename(path)} into.`,
      {
        cause,
      },
    );
  });
  if (force || !names.includes(basename(path))) return;
  throw new Failure("CONFLICT", `${path} exists already.`, {
    hint: "Name another file, or give --force to overwrite it.",
  });
}

/**
 * Writes a file durably: its name has at every moment the old file or the whole new one. What commands that were
 * killed have left in the same folder is removed; a command that still writes holds a lock on its file.
 * @param options.verify reads the new file before it gets its name, and throws where it is not right
 * @returns the size in bytes
 */
export async function writeTarget(
  files: Files,
  path: string,
  pieces: Pieces,
  { mode, verify }: Pick<Creation, "mode"> & { verify?: (path: string) => Promise<void> } = {},
): Promise<number> {
  await removeAbandoned(files, dirname(path));
  for (;;) {
    let size = 0;
    let isLocked = true;
    const temporary = temporaryName(path, suffix);
    try {
      const file = await createDurably(
        files,
        path,
        async (file) => {
          // Another command may have found the file before it was locked, and removed it.
          isLocked = tryLock(file.fd) && (await file.stat()).nlink > 0;
          if (!isLocked) throw new Error("the temporary file was removed");
          size = await writePieces(file, pieces);
          await verify?.(temporary);
        },
        { temporary, ...(mode === undefined ? {} : { mode }) },
      );
      await file.close();
      return size;
    } catch (error) {
      if (isLocked) throw error;
    }
  }
}

/** Removes the temporary files that nobody writes any more. What can not be removed stays. */
async function removeAbandoned(files: Files, folder: string): Promise<void> {
  for (const name of await files.readdir(folder)) {
    if (!temporaryForm.test(name)) continue;
    const path = join(folder, name);
    const file = await files.open(path, "r+").catch(() => undefined);
    if (file === undefined) continue;
    try {
      if (tryLock(file.fd)) await files.unlink(path).catch(() => {});
    } finally {
      await file.close();
    }
  }
}
