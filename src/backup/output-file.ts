/** Writes the output files of commands. */
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { tryLock } from "fs-native-extensions";
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import {
  type Creation,
  createDurably,
  type Files,
  isMissing,
  type Pieces,
  temporaryName,
  writePieces,
} from "../store/folder/files.ts";
import { isServiceFile } from "../store/folder/folder-names.ts";

/** The end of a temporary name. No other program uses it. */
const suffix = ".addon-cli.tmp";
const temporaryForm = /^\..+\.[0-9a-f]{12}\.addon-cli\.tmp$/;

/**
 * Ensures that a file can be written without overwriting another. With `force`, only a regular file is overwritten: the
 * rename would replace a device such as `/dev/full`, or a link such as `/dev/stdout`, for the whole machine.
 * A file of the service is not, and none gets its name: beside a journal, a start would read it as data.
 * @throws Failure `CONFLICT` where it exists and must not be overwritten or has the name of a file of the service,
 *   `UNKNOWN_ENTRY` where its folder does not exist
 */
export async function requireFree(files: Files, path: string, force: boolean): Promise<void> {
  if (isServiceFile(basename(path))) {
    throw new Failure("CONFLICT", `${path} has the name of a file of a data folder.`, {
      hint: "Name another file.",
    });
  }
  const names = await files.readdir(dirname(path)).catch((cause) => {
    const [folder, name] = [dirname(path), basename(path)];
    const info = isMissing(cause)
      ? `There is no folder ${folder} to write ${name} into.`
      : `Cannot write ${name} into ${folder}: ${reasonOf(cause)}.`;
    throw new Failure("UNKNOWN_ENTRY", info, { cause });
  });
  if (!names.includes(basename(path))) return;
  if ((await lstat(path).catch(() => undefined))?.isFile() === false) {
    throw new Failure("CONFLICT", `${path} is not a regular file.`, { hint: "Name another file." });
  }
  if (force) return;
  throw new Failure("CONFLICT", `${path} exists already.`, {
    hint: "Name another file, or give --force to overwrite it.",
  });
}

/**
 * Writes a file durably: at every moment its name is that of the old file or of the whole new one. Temporary files that
 * killed commands left in the same folder are deleted; a command that is still writing holds a lock on its own.
 * @param options.verify reads the new file before it gets its name, and throws if it is not right
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
          // Another command may have found the file before it was locked, and deleted it.
          isLocked = tryLock(file.fd) && (await file.stat()).nlink > 0;
          if (!isLocked) throw new Error("the temporary file was deleted");
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

/** Deletes the temporary files that no process is writing, as far as possible. */
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
