/** Files that operators name, for a restore or an import too. A running service may read them: they must never block. */
import { constants } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import { readRegular, UnexpectedFile } from "../regular-file.ts";
import { nodeFiles, withFile } from "../store/folder/files.ts";

const copyFirst = "Copy what it contains into a file first, and name that file; nothing was changed.";

/**
 * Returns the path under which any process finds a file. `/dev/stdin` and `/proc/self/fd/3`, or links to them, are other
 * files in the service than in the command.
 * @throws Failure as {@link unreadable}, and `STORE_UNAVAILABLE` where the file has no such path
 */
export async function findSourceFile(path: string): Promise<string> {
  const { dev, ino } = await withFile(nodeFiles, path, constants.O_RDONLY, (file) => file.stat()).catch(
    (cause) => {
      throw unreadable(path, cause);
    },
  );
  const real = await realpath(path).catch(() => undefined);
  const same = real === undefined ? undefined : await stat(real).catch(() => undefined);
  // The former path of a deleted file may by now be that of another one.
  if (real !== undefined && same?.ino === ino && same.dev === dev) return real;
  throw new Failure("STORE_UNAVAILABLE", `${path} is a deleted file.`, { hint: copyFirst });
}

/** Returns the text of a file. @param hint what to do where it cannot be read @throws Failure as {@link unreadable} */
export async function readNamed(path: string, hint: string): Promise<string> {
  const bytes = await readRegular(path).catch((cause) => {
    throw unreadable(path, cause, hint);
  });
  return bytes.toString();
}

/**
 * Returns the failure for an error of the file system or of the decompression: `UNKNOWN_ENTRY` where there is no file, else
 * `STORE_UNAVAILABLE`.
 * @param hint what to do about it
 */
export function unreadable(path: string, cause: NodeJS.ErrnoException, hint?: string): Failure {
  const { code, message } = cause;
  if (code === "ENOENT") return new Failure("UNKNOWN_ENTRY", `There is no file ${path}.`, { hint, cause });
  if (code?.startsWith("Z_") === true) {
    return new Failure("STORE_UNAVAILABLE", `${path} is damaged: ${message}.`, {
      hint: "Use another backup; nothing was changed.",
      cause,
    });
  }
  if (cause instanceof UnexpectedFile)
    return new Failure("STORE_UNAVAILABLE", `${cause.message}.`, { hint: hint ?? copyFirst, cause });
  return new Failure("STORE_UNAVAILABLE", `${path} cannot be read: ${reasonOf(cause)}.`, { hint, cause });
}
