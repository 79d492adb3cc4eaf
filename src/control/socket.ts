/** The path of the control socket of a data folder, and its limits. */
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import { Failure } from "../domain/errors.ts";
import { hasCode } from "../store/folder/files.ts";
import { unusable } from "../store/folder/refusals.ts";

/** The most bytes in the path of a Unix socket: `sun_path` without its terminating NUL byte. */
const maxPathBytes = process.platform === "linux" ? 107 : 103;

/** Returns what is at a path, undefined if there is nothing. @throws the error of the system if that cannot be examined */
export async function entryAt(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    // The last two are those of a folder that cannot exist. Opening it says why.
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG")) return undefined;
    throw error;
  });
}

/**
 * Returns the path of a folder's socket for this process: absolute or relative, whichever is shorter.
 * @throws Failure `STORE_UNAVAILABLE` if both are too long for a socket
 */
export function socketPath(folder: string): string {
  const path = join(folder, "socket");
  const relativePath = relative(process.cwd(), path);
  const shorter = Buffer.byteLength(relativePath) < Buffer.byteLength(path) ? relativePath : path;
  const bytes = Buffer.byteLength(shorter);
  if (bytes <= maxPathBytes) return shorter;
  throw new Failure(
    "STORE_UNAVAILABLE",
    `The path of the control socket, ${path}, has ${bytes} bytes; the limit is ${maxPathBytes}.`,
    {
      hint: "Choose a data folder with a shorter path (--data), or run the command from a directory nearer to it.",
    },
  );
}

/**
 * Checks that a service can open its socket in a folder, which need not exist yet.
 * @throws Failure `STORE_UNAVAILABLE` if the path is too long, or another kind of file has its name
 */
export async function requireSocketPath(folder: string): Promise<string> {
  const path = socketPath(folder);
  const found = await entryAt(path).catch((error: unknown) => {
    throw unusable(folder, error);
  });
  if (found === undefined || found.isSocket()) return path;
  const what = found.isDirectory() ? "a directory" : "a file";
  throw new Failure(
    "STORE_UNAVAILABLE",
    `Expected a socket or nothing at ${join(folder, "socket")}, the path of the control socket, got ${what}.`,
    { hint: "Move it, or choose another data folder with --data." },
  );
}
