/** The file of a restore or an import. The operator names it, and a running service may read it: it must never block. */
import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";

/**
 * Returns the facts about a file. Opening a named pipe would wait for its writer, and the input of a device may never end.
 * @throws Failure `UNKNOWN_ENTRY` where there is none, `STORE_UNAVAILABLE` where it is not a regular file
 */
export async function statSourceFile(path: string): Promise<Stats> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause);
  });
  if (!found.isFile()) throw notAFile(path, found.isDirectory() ? "a directory" : "not a regular file");
  return found;
}

/**
 * Returns the path under which any process finds a file. `/dev/stdin` and `/proc/self/fd/3`, or links to them, are other
 * files in the service than in the command.
 * @throws Failure as {@link statSourceFile}, and `STORE_UNAVAILABLE` where the file has no such path
 */
export async function findSourceFile(path: string): Promise<string> {
  const { dev, ino } = await statSourceFile(path);
  const real = await realpath(path).catch(() => undefined);
  const same = real === undefined ? undefined : await stat(real).catch(() => undefined);
  // The former path of a deleted file may by now be that of another one.
  if (real === undefined || same?.ino !== ino || same.dev !== dev) throw notAFile(path, "a deleted file");
  return real;
}

/** Returns the failure for an error of the file system or of the decompression. */
export function unreadable(path: string, cause: NodeJS.ErrnoException): Failure {
  const { code, message } = cause;
  if (code === "ENOENT") return new Failure("UNKNOWN_ENTRY", `There is no file ${path}.`, { cause });
  if (code?.startsWith("Z_") === true) {
    return new Failure("STORE_UNAVAILABLE", `${path} is damaged: ${message}.`, {
      hint: "Use another backup; nothing was changed.",
      cause,
    });
  }
  return new Failure("STORE_UNAVAILABLE", `${path} cannot be read: ${reasonOf(cause)}.`, { cause });
}

function notAFile(path: string, is: string): Failure {
  return new Failure("STORE_UNAVAILABLE", `Expected a regular file, but ${path} is ${is}.`, {
    hint: "Copy what it contains into a file first, and name that file; nothing was changed.",
  });
}
