/** The file system as the store uses it, and sequences of its operations that survive a crash. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, reasonOf } from "../../domain/system-error.ts";
import { openRegular } from "../../regular-file.ts";

/** An open file. */
export type File = Pick<fs.FileHandle, "write" | "datasync" | "sync" | "truncate" | "close" | "stat" | "fd">;

/** The flags of `open`: those of `node:fs` in words, or the sum of its `constants`. */
export type OpenFlags = "r" | keyof typeof flagsByWord | number;

/** The file system: Node's, or a test's that fails on purpose. */
export interface Files {
  open(path: string, flags: OpenFlags, mode?: number): Promise<File>;
  /**
   * The flag of `open` with which each write is durable when it returns: one call instead of a write and a sync. Left out
   * where there is no such flag.
   */
  readonly durable?: number;
  /**
   * Yields the bytes of a file from an offset on, so that a large file is never in memory as a whole. Each piece is
   * overwritten when the next one is taken.
   */
  readPieces(path: string, from?: number): AsyncIterable<Uint8Array>;
  readdir(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Creates a folder, and those above it. */
  mkdir(path: string, options?: { mode?: number }): Promise<void>;
}

/** An error of the file system that names its file, unlike Node's errors about an open file. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string | undefined;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(reasonOf(cause, path), { cause });
    this.code = errorCode(cause);
  }
}

/** Returns an error of the file system with the name of its file; any other error as it is. */
export function naming(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FileError) return error;
  const { path: named }: NodeJS.ErrnoException = error;
  return named === undefined && /^E[A-Z]+$/.test(errorCode(error) ?? "") ? new FileError(path, error) : error;
}

/** Returns whether an error has one of some codes of the operating system. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(error) ?? "");
}

/** Returns whether an error says that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

/** Accepts that a file does not exist, as the handler of a rejection. @throws any other error */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/**
 * Creates a folder, and those above it. Node's own never returns where a folder exists, but can have no others in it:
 * in `/proc`, it tries again for ever.
 */
async function makeFolders(path: string, options: { mode?: number } = {}): Promise<void> {
  const make = () =>
    fs.mkdir(path, options).catch(async (error: unknown) => {
      if (!(await fs.stat(path).catch(() => undefined))?.isDirectory()) throw error;
    });
  await make().catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await makeFolders(dirname(path));
    await make();
  });
}

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL } = constants;
const flagsByWord = {
  "r+": O_RDWR,
  wx: O_WRONLY | O_CREAT | O_EXCL,
} as const;

/** Opens a regular file, or with "r" a folder to sync it. */
function openFile(path: string, flags: OpenFlags, mode?: number): Promise<File> {
  if (flags === "r") return fs.open(path, O_RDONLY | constants.O_NONBLOCK);
  return openRegular(path, typeof flags === "number" ? flags : flagsByWord[flags], mode);
}

/** The bytes that are read at once. */
const pieceLength = 256 * 1024;
/** The bytes of a large file that are synced at once: appends to the journal wait for as long as that takes. */
const syncedLength = 64 * 1024;

/** Node's file system. */
export const nodeFiles: Files = {
  open: openFile,
  // On macOS such a write does not wait for the disk, while a sync does; Windows has none.
  ...(process.platform === "linux" ? { durable: constants.O_DSYNC } : {}),
  readdir: fs.readdir,
  rename: fs.rename,
  unlink: fs.unlink,
  mkdir: makeFolders,
  async *readPieces(path, from = 0) {
    const file = await openRegular(path);
    try {
      // One buffer for all pieces: memory outside V8's heap is released late.
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

/** Yields the bytes of a file as {@link Files.readPieces} does; an error names the file. */
export async function* piecesOf(files: Files, path: string, from = 0): AsyncGenerator<Uint8Array> {
  try {
    yield* files.readPieces(path, from);
  } catch (error) {
    throw naming(path, error);
  }
}

/** Opens a file or a folder, runs `work` on it, and closes it. An error names the file. */
export async function withFile<T>(
  files: Files,
  path: string,
  flags: OpenFlags,
  work: (file: File) => Promise<T>,
): Promise<T> {
  const file = await files.open(path, flags);
  try {
    return await work(file);
  } catch (error) {
    throw naming(path, error);
  } finally {
    await file.close();
  }
}

/** Returns the size of a regular file in bytes. */
export function sizeOf(files: Files, path: string): Promise<number> {
  return withFile(files, path, O_RDONLY, async (file) => (await file.stat()).size);
}

/** Reads a file, or its bytes between two offsets, fewer where it ends earlier. */
export async function readBytes(files: Files, path: string, from = 0, to = Infinity): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let position = from;
  for await (const piece of piecesOf(files, path, from)) {
    pieces.push(Buffer.from(piece.subarray(0, to - position)));
    position += piece.length;
    if (position >= to) break;
  }
  return Buffer.concat(pieces);
}

/** Only its owner may read a data file: it has hashes of tokens, and who did what. */
export const privateMode = 0o600;
/** The same for a folder. */
export const privateFolderMode = 0o700;

/** Returns whether an error says that there is no room for what was to be written, and that it therefore was not. */
export function isFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT", "EFBIG");
}

/** Writes all of `bytes` at `position`. A full disk can cause a short write without an error; the next one throws. */
export async function writeAll(file: File, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    if (bytesWritten === 0) throw Object.assign(new Error("no byte could be written"), { code: "ENOSPC" });
    written += bytesWritten;
  }
}

/** Syncs a folder, which makes the names in it durable. */
export function syncFolder(files: Files, path: string): Promise<void> {
  return withFile(files, path, "r", (folder) => folder.sync());
}

/** Options of {@link createDurably}. */
export interface Creation {
  /** The name under which it is written, in the same folder. */
  readonly temporary?: string;
  readonly mode?: number;
  /** Whether each later write to the file is to be durable when it returns, where the system can; see {@link Files.durable}. */
  readonly durable?: boolean;
}

/** Returns a path in the folder of `path` that no other file has. */
export function temporaryName(path: string, suffix = ".tmp"): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}${suffix}`);
}

/**
 * Creates a file so that at every moment either the old file or the whole new one has its name: it is filled and synced
 * under a temporary name, renamed into place, and the folder is synced.
 * @returns the file, open for writing
 */
export async function createDurably(
  files: Files,
  path: string,
  fill: (file: File) => Promise<void>,
  { temporary = temporaryName(path), mode = privateMode, durable = false }: Creation = {},
): Promise<File> {
  const flags = durable ? O_WRONLY | O_CREAT | O_EXCL | (files.durable ?? 0) : "wx";
  const file = await files.open(temporary, flags, mode);
  try {
    await fill(file);
    await file.sync();
    await files.rename(temporary, path);
    await syncFolder(files, dirname(path));
    return file;
  } catch (error) {
    await file.close().catch(() => {});
    // After the rename there is none.
    await files.unlink(temporary).catch(() => {});
    throw naming(temporary, error);
  }
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

/** The bytes of a file, in pieces. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Writes the pieces of a new file and syncs it as it grows. Returns its size in bytes. */
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
