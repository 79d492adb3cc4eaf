/** Where the control socket of a data folder is, and whether this system can use that path. */
import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import { Failure } from "../domain/errors.ts";

/** Bytes that the path of a Unix socket may have: `sun_path` without its terminating NUL byte. */
const longestPath = process.platform === "linux" ? 107 : 103;

/** What the system reports for a path that leads to nothing. */
export const missing: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/**
 * The path by which this process reaches a folder's socket: absolute or relative, whichever is shorter.
 * @throws Failure `STORE_UNAVAILABLE` where both are too long for a socket
 */
export function socketPath(folder: string): string {
  const path = join(folder, "socket");
  const near = relative(process.cwd(), path);
  const shorter = Buffer.byteLength(near) < Buffer.byteLength(path) ? near : path;
  const bytes = Buffer.byteLength(shorter);
  if (bytes <= longestPath) return shorter;
  throw new Failure(
    "STORE_UNAVAILABLE",
    `The path of the control socket, ${path}, has ${bytes} bytes, but a socket's path may have at most ${longestPath}.`,
    {
      hint: "Choose a data folder with a shorter path (--data), or run the command from a directory nearer to it.",
    },
  );
}

/**
 * Checks that a service can open its socket in a folder, which need not exist yet.
 * @throws Failure `STORE_UNAVAILABLE` where the path is too long, or something that is no socket has its name
 */
export async function requireSocketPath(folder: string): Promise<string> {
  const path = socketPath(folder);
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (missing.has(error.code)) return undefined;
    throw error;
  });
  if (found === undefined || found.isSocket()) return path;
  const what = found.isDirectory() ? "a directory" : "a file";
  throw new Failure(
    "STORE_UNAVAILABLE",
    `The service needs the name ${join(folder, "socket")} for its control socket, but ${what} has it.`,
    { hint: "Move it away, or choose another data folder with --data." },
  );
}
