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
  /** The bytes of a file from an offset on, in pieces: each is gone when the next one is asked for. For {@link piecesOf}. */
  readPieces?(path: string, from?: number): AsyncIterable<Uint8Array>;
  readdir(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string, options: { recursive: true; mode?: number }): Promise<string | undefined>;
}

/** An error of the file system. It names the file: Node's own does not where it was open already. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string | undefined;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(`${cause.message} '${path}'`, { cause });
    this.code = cause.code;
  }
}

/** Has an error of the file system name its file; others are given back as they are. */
export function naming(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FileError) return error;
  const { code = "", path: named }: NodeJS.ErrnoException = error;
  return named === undefined && /^E[A-Z]+$/.test(code) ? new FileError(path, error) : error;
}

/** How many bytes are read at once. */
const pieceLength = 256 * 1024;
/**
 * How many bytes of a large file are synced at once. All of it at its end would keep whoever appends to the journal
 * meanwhile waiting for as long as the disk takes for that.
 */
const syncedLength = 64 * 1024;

/** Node's file system. */
export const nodeFiles: Files = {
  open: fs.open,
  readFile: fs.readFile,
  readdir: fs.readdir,
  rename: fs.rename,
  unlink: fs.unlink,
  mkdir: fs.mkdir,
  async *readPieces(path, from = 0) {
    const file = await fs.open(path, "r");
    try {
      // One buffer for all pieces: what is not on V8's heap is not given back soon.
      const buffer = Buffer.allocUnsafeSlow(pieceLength);
      for (let position = from; ; ) {
        const { bytesRead } = await file.read(buffer, 0, pieceLength, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  },
};

/**
 * The bytes of a file from an offset on, in pieces, so that a large file is never in memory as a whole. A piece is gone
 * when the next one is asked for. A file system that knows no pieces gives the file as one.
 */
export async function* piecesOf(files: Files, path: string, from = 0): AsyncGenerator<Uint8Array> {
  if (files.readPieces === undefined) {
    yield (await readWhole(files, path)).subarray(from);
    return;
  }
  try {
    yield* files.readPieces(path, from);
  } catch (error) {
    throw naming(path, error);
  }
}

/** The bytes of a file between two offsets; fewer where it ends before. */
export async function readRange(files: Files, path: string, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(to - from);
  let length = 0;
  for await (const piece of piecesOf(files, path, from)) {
    const part = piece.subarray(0, bytes.length - length);
    bytes.set(part, length);
    length += part.length;
    if (length === bytes.length) break;
  }
  return bytes.subarray(0, length);
}

/** How many bytes a file has. */
export async function sizeOf(files: Files, path: string): Promise<number> {
  const file = await files.open(path, "r");
  try {
    return (await file.stat()).size;
  } catch (error) {
    throw naming(path, error);
  } finally {
    await file.close();
  }
}

/** All bytes of a file. */
export async function readWhole(files: Files, path: string): Promise<Buffer> {
  try {
    return await files.readFile(path);
  } catch (error) {
    throw naming(path, error);
  }
}

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
  } catch (error) {
    throw naming(path, error);
  } finally {
    await folder.close();
  }
}

/** How {@link createDurably} creates a file. */
export interface Creation {
  /** The name under which it is written, in the same folder. */
  readonly temporary?: string;
  readonly mode?: number;
}

/** A name in the folder of `path` that no other file has. */
export function temporaryName(path: string, suffix = ".tmp"): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}${suffix}`);
}

/**
 * Creates a file so that at every moment either the old file or the whole new one has its name: under a name of its
 * own, filled, synced, renamed into place, the folder synced.
 * @returns the file, still open for writing
 */
export async function createDurably(
  files: Files,
  path: string,
  fill: (file: File) => Promise<void>,
  { temporary = temporaryName(path), mode = privateMode }: Creation = {},
): Promise<File> {
  const file = await files.open(temporary, "wx", mode);
  try {
    await fill(file);
    await file.sync();
    await files.rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(temporary).catch(() => {});
    throw naming(temporary, error);
  }
  try {
    await syncFolder(files, dirname(path));
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
  return file;
}

/** Writes a file as {@link createDurably} does, and closes it. Returns its size in bytes. */
export async function writeDurably(files: Files, path: string, pieces: Pieces): Promise<number> {
  let size = 0;
  const file = await createDurably(files, path, async (file) => {
    size = await writePieces(file, pieces);
  });
  await file.close();
  return size;
}

/** The bytes of a file, one piece after the other. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Writes the pieces of a new file, and syncs it as it grows. Returns its size in bytes. */
export async function writePieces(file: File, pieces: Pieces): Promise<number> {
  let size = 0;
  let synced = 0;
  for await (const piece of pieces) {
    await writeAll(file, piece, size);
    size += piece.length;
    if (size - synced < syncedLength) continue;
    await file.datasync();
    synced = size;
  }
  return size;
}
