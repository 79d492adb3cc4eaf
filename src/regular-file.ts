/**
 * Opens and reads regular files only. Whoever can write to a folder can put anything under a name: opening a named pipe
 * would wait for its writer, and reading a device may never end.
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";

/** The error for a path that leads to something else than a regular file, or to one that is too large. */
export class UnexpectedFile extends Error {
  override readonly name = "UnexpectedFile";
}

/** Windows does not have the last two flags. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/** Opens a file. @param flags of `node:fs` `constants` @throws UnexpectedFile, at once, if it is not a regular file */
export async function openRegular(
  path: string,
  flags: number = O_RDONLY,
  mode?: number,
): Promise<FileHandle> {
  const file = await open(path, flags | O_NONBLOCK, mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "ELOOP" && (flags & O_NOFOLLOW) !== 0)
      throw new UnexpectedFile(`${path} is a symbolic link instead of a regular file`);
    // A socket (ENXIO), a folder to write to (EISDIR) and a link to nothing (ENOENT) cannot even be opened.
    if (!["ENOENT", "ENXIO", "EISDIR"].includes(error.code ?? "")) throw error;
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined || found.isFile()) throw error;
    const target = await stat(path).catch(() => found);
    if (target.isFile()) throw error;
    throw new UnexpectedFile(`${path} is ${kindOf(target)} instead of a regular file`);
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new UnexpectedFile(`${path} is ${kindOf(found)} instead of a regular file`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads a file. @param maxBytes the maximum of its size @throws UnexpectedFile where it is not regular, or larger */
export async function readRegular(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new UnexpectedFile(`${path} has ${size} bytes; the maximum is ${maxBytes}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a directory";
  if (found.isFIFO()) return "a pipe";
  if (found.isSymbolicLink()) return "a broken symbolic link";
  return found.isSocket() ? "a socket" : "a device";
}
