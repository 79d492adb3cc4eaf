/** The space on the disk of a data folder. */
import { statfs } from "node:fs/promises";
import { codeInWords } from "./refusals.ts";

/** The bytes that must be free: a batch of changes, and what the file system needs for it. */
const roomNeeded = 128 * 1024;

/**
 * Returns the bytes that this user may still write to the disk of a folder, and why changes do not fit, such as "0 bytes are
 * free"; undefined if they do. Writes nothing.
 */
export async function spaceFor(folder: string) {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  if (free < roomNeeded) return { free, shortage: `${free} bytes are free` };
  // Some file systems do not count files.
  return { free, shortage: files > 0 && ffree === 0 ? "it can hold no more files" : undefined };
}

/** Returns why nothing can be written to a folder, in one sentence without a path; undefined if it can. */
export async function diskProblem(folder: string): Promise<string | undefined> {
  try {
    const { shortage } = await spaceFor(folder);
    return shortage && `The disk is full: ${shortage}.`;
  } catch (error) {
    return `The data folder cannot be read${codeInWords(error)}.`;
  }
}
