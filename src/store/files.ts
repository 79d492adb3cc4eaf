/** What the store asks of a file system, and the sequences of it that survive a crash. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** An open file, as far as the store uses one. */
export type File = Pick<fs.FileHandle, "write" | "datasync" | "sync" | "truncate" | "close" | "stat" | "fd">;

/** The file system, as far as the store uses it: Node's own, or what a test puts in its place to make it fail. */
export interface Files {
  open(path: string, flags: string, mode?: number): Promise<File>;
  readFile(path: string): Promise<Buffer>;
  readdir(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string, options: { recursive: true }): Promise<string | undefined>;
}

/** Node's file system. */
export const nodeFiles: Files = fs;

/** Only the folder's owner may read what is in it: hashes of tokens, and who did what. */
export const privateMode = 0o600;

/**
 * Writes all of `bytes` at `position`. A write at "no space left" can return a short count without an error; the
 * next one then throws it.
 */
export async function writeAll(file: File, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    if (bytesWritten === 0) throw new Error("no byte could be written");
    written += bytesWritten;
  }
}

/** Syncs a folder, so that the names in it are as durable as the files. */
export async function syncFolder(files: Files, path: string): Promise<void> {
  const folder = await files.open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Writes a file so that at every moment either the old one or the whole new one has its name: under a name of its
 * own, every byte, synced, renamed into place, the folder synced.
 */
export async function writeDurably(
  files: Files,
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<number> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  const file = await files.open(temporary, "wx", privateMode);
  let size = 0;
  try {
    for await (const piece of pieces) {
      await writeAll(file, piece, size);
      size += piece.length;
    }
    await file.sync();
    await file.close();
    await files.rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(files, dirname(path));
  return size;
}
