/** The space on the disk of a data folder. */
import { statfs } from "node:fs/promises";

/** See the head of this file. */
export interface Space {
  /** The bytes that this user may still write. */
  readonly free: number;
  /** Why changes do not fit, such as "0 bytes are free"; undefined if they do. */
  readonly shortage: string | undefined;
}

/** The bytes that must be free: a batch of changes, and what the file system needs for it. */
const roomNeeded = 128 * 1024;

/** Returns the space on the disk of a folder. Writes nothing. */
export async function spaceFor(folder: string): Promise<Space> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  if (free < roomNeeded) return { free, shortage: `${free} bytes are free` };
  // Some file systems do not count files.
  return { free, shortage: files > 0 && ffree === 0 ? "it can hold no more files" : undefined };
}
