/**
 * Appending to the journal (`journal.ts` has its form): the newest segment is open, and whatever is appended to it is
 * synced before anybody is told.
 */
import { join } from "node:path";
import { createDurably, type File, type Files, naming, readWhole, writeAll } from "../folder/files.ts";
import type { FolderLock } from "../folder/lock.ts";
import { unsaved } from "../folder/refusals.ts";
import { headerLine, segmentFile } from "./segment.ts";
import { lineFeed } from "./lines.ts";

/** The newest segment, open for appending. */
export class Journal {
  readonly #files: Files;
  readonly #folder: string;
  #lock: FolderLock | undefined;
  #file: File;
  #size: number;
  /** The sequence number with which the segment begins. */
  first: number;

  private constructor(files: Files, folder: string, file: File, first: number, size: number) {
    this.#files = files;
    this.#folder = folder;
    this.#file = file;
    this.first = first;
    this.#size = size;
  }

  /** Opens the segment that begins with `first`, to append at `size`. */
  static async open(files: Files, folder: string, first: number, size: number): Promise<Journal> {
    const file = await files.open(join(folder, segmentFile(first)), "r+");
    return new Journal(files, folder, file, first, size);
  }

  /** Creates the segment that begins with `first`, durably. */
  static async create(
    files: Files,
    folder: string,
    first: number,
    chain: number,
    now: number,
  ): Promise<Journal> {
    const { file, size } = await createSegment(files, folder, first, chain, now);
    return new Journal(files, folder, file, first, size);
  }

  /** Has the folder's lock hold the segment, and every one that follows it. */
  guardBy(lock: FolderLock): void {
    this.#lock = lock;
    lock.begin(this.#path, this.#file);
  }

  /**
   * Makes sure that what is appended is found by the next start: that the segment and the lock file are where they
   * were. A lock file that is missing is put back. Returns whether that was necessary.
   * @throws FolderLost where the segment is not where it was: nothing may be written any more
   */
  async check(): Promise<boolean> {
    this.#requireInPlace();
    return (await this.#lock?.keep()) ?? false;
  }

  /** The bytes of the segment. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends whole lines and syncs them. When this returns they are durable.
   * @throws Failure `STORE_UNAVAILABLE` where they could not be written; the file is as it was.
   * @throws SyncFailure where it is not known what the disk has: nothing may be written any more.
   */
  async append(lines: Uint8Array): Promise<void> {
    await this.check();
    try {
      await writeAll(this.#file, lines, this.#size);
    } catch (cause) {
      await this.#cutBack(cause);
      throw unsaved(naming(this.#path, cause));
    }
    await this.#sync();
    // Nobody is told of what went into a folder that was moved or deleted meanwhile.
    this.#requireInPlace();
    this.#size += lines.length;
  }

  /**
   * Appends the lines of one bulk change, a piece after the other. Each piece is synced before the next one is written,
   * so the last line, which makes the change count, never reaches the disk before the others. When this returns they
   * are durable.
   * @throws as {@link append}, and what `pieces` throws; the file is as it was
   */
  async appendRun(pieces: Iterable<Uint8Array>): Promise<void> {
    await this.check();
    let size = this.#size;
    try {
      for (const piece of pieces) {
        await writeAll(this.#file, piece, size);
        size += piece.length;
        await this.#sync();
      }
    } catch (cause) {
      if (cause instanceof SyncFailure) throw cause;
      await this.#cutBack(cause);
      throw unsaved(naming(this.#path, cause));
    }
    this.#requireInPlace();
    this.#size = size;
  }

  /**
   * Goes on in a new segment. One that has no records yet is begun anew, in the present format: where that fails,
   * the journal must not be used any more.
   */
  async rotate(first: number, chain: number, now: number): Promise<void> {
    this.#requireInPlace();
    await requireNoRecords(this.#files, this.#folder, first);
    const segment = createSegment(this.#files, this.#folder, first, chain, now, this.#lock);
    const { file, size } = await segment.catch(async (error: unknown) => {
      // What comes goes on in the present segment; this one would stand in its way.
      const path = join(this.#folder, segmentFile(first));
      if (first !== this.first) await this.#files.unlink(path).catch(() => {});
      throw error;
    });
    const old = this.#file;
    this.#file = file;
    this.#size = size;
    this.first = first;
    await this.#lock?.follow(this.#path, file);
    await old.close();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  get #path(): string {
    return join(this.#folder, segmentFile(this.first));
  }

  #requireInPlace(): void {
    const path = this.#lock?.misplaced;
    if (path !== undefined) throw new FolderLost(path);
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.datasync();
    } catch (cause) {
      throw new SyncFailure("the journal could not be synced", naming(this.#path, cause));
    }
  }

  async #cutBack(cause: unknown): Promise<void> {
    try {
      await this.#file.truncate(this.#size);
      await this.#file.datasync();
    } catch {
      throw new SyncFailure("a failed write to the journal could not be cut back", cause);
    }
  }
}

/** What the disk holds is not known: the process must not go on, since its next answer could be a lie. */
export class SyncFailure extends Error {
  override readonly name: string = "SyncFailure";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** The segment that is appended to is not the file of its name any more: the next start would not find what it gets. */
export class FolderLost extends SyncFailure {
  constructor(path: string) {
    super(
      `${path} was moved, deleted or replaced while it was open. Put the data folder back, or restore a backup, and start again`,
      undefined,
    );
  }
}

/**
 * Creates a segment that has only its header. It appears whole, so that an incomplete header is always damage.
 * A file of that name is what a failed attempt has left: it has no records, since its first one is yet to be written.
 */
async function createSegment(
  files: Files,
  folder: string,
  first: number,
  chain: number,
  now: number,
  lock?: FolderLock,
) {
  const bytes = headerLine(first, chain, now);
  const path = join(folder, segmentFile(first));
  const file = await createDurably(files, path, (file) => {
    lock?.lockSegment(file);
    return writeAll(file, bytes, 0);
  });
  return { file, size: bytes.length };
}

/** Makes sure that a new segment does not take the place of one that has records. */
async function requireNoRecords(files: Files, folder: string, first: number): Promise<void> {
  const name = segmentFile(first);
  if (!(await files.readdir(folder)).includes(name)) return;
  const bytes = await readWhole(files, join(folder, name));
  const header = bytes.indexOf(lineFeed);
  if (header === -1 || header === bytes.length - 1) return;
  throw new Error(`${join(folder, name)} has records that this process has not written`);
}
