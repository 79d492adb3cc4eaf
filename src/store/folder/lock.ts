/**
 * The exclusive lock on a data folder: a lock of the operating system on an open file. It ends with its holder, even by
 * `kill -9`, and a reused process id cannot confuse it. The file is never unlinked, since two processes could then each
 * lock a file of that name.
 *
 * Operators delete it all the same. So the holder locks the newest segment of the journal as well: a second process can
 * lock a new lock file, but not that segment, and cannot append without it. This lock moves with the journal: a new
 * segment is locked before it gets its name, and the old one is released afterwards. Around each append the holder
 * checks that both files are still its own. If the lock file is not, it ends. If a segment is not, it goes on: memory has
 * all changes.
 */
import { constants, fstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { tryLock, unlock } from "fs-native-extensions";
import { type File, type Files, hasCode, isMissing, privateMode } from "./files.ts";
import { segmentFile, segmentsIn } from "./folder-names.ts";
import { FolderHeld, lockFile, lockHolder } from "./lock-file.ts";

/** How often the newest segment is tried, if it changes while the folder is being locked. */
const attempts = 10;

export class FolderLock {
  readonly #files: Files;
  readonly #folder: string;
  /** That of the lock file. */
  readonly #path: string;
  readonly #file: File;
  readonly #identity: string;
  /** The newest segment when the folder was locked, until another one is. */
  #taken: File | undefined;
  /** The segment that the journal appends to. */
  #segment: Segment | undefined;
  /** Those before it, with their sizes, that a start reads until a snapshot supersedes them. */
  #earlier: (Segment & { readonly size: number })[] = [];

  private constructor(files: Files, folder: string, file: File) {
    this.#files = files;
    this.#folder = folder;
    this.#path = lockFile(folder);
    this.#file = file;
    this.#identity = identityOf(file);
  }

  /** Locks a folder. @throws FolderHeld where another process has it */
  static async take(files: Files, folder: string): Promise<FolderLock> {
    // Whoever can write to the folder must not have another file signed, so links are not followed.
    const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
    const file = await files.open(lockFile(folder), O_RDWR | O_CREAT | O_NOFOLLOW, privateMode);
    if (!tryLock(file.fd)) {
      await file.close();
      throw new FolderHeld(folder, await lockHolder(folder));
    }
    const lock = new FolderLock(files, folder, file);
    try {
      await lock.takeNewestSegment();
      await sign(file).catch(() => {});
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Locks a segment before it gets its name. */
  lockSegment(file: File): void {
    if (!tryLockSegment(file)) throw new FolderHeld(this.#folder, undefined);
  }

  /** Sets the segment with which the journal begins. One that exists was locked with the folder. */
  begin(path: string, file: File): void {
    this.#segment = { path, identity: identityOf(file) };
  }

  /** Sets the next segment, which is locked already. @param sizeBefore that of the present one */
  async follow(path: string, file: File, sizeBefore: number): Promise<void> {
    if (this.#segment !== undefined && this.#segment.path !== path)
      this.#earlier.push({ ...this.#segment, size: sizeBefore });
    this.begin(path, file);
    const taken = this.#taken;
    this.#taken = undefined;
    await taken?.close();
  }

  /**
   * Returns the path of the lock file if that was moved, deleted or replaced, or of the segment if that was as well, such as
   * with the folder; with the cause if the system does not tell whether it was; else undefined.
   */
  get misplaced(): { readonly path: string; readonly cause?: unknown } | undefined {
    const lost = misplacedAt(this.#path, this.#identity);
    return lost && ((this.#segment && misplacedAt(this.#segment.path, this.#segment.identity)) ?? lost);
  }

  /** Watches a segment before the first one, which a start has read as well. One that is gone by now is lost. */
  watch(path: string): void {
    const { identity = "", size = 0 } = fileAt(path) ?? {};
    this.#earlier.push({ path, identity, size });
  }

  /**
   * Whether the segment was cut, deleted or replaced, or written by somebody else.
   * @param mayBeLonger whether a write to it has failed
   */
  hasLost(size: number, mayBeLonger = false): boolean {
    return this.#segment !== undefined && isLost({ ...this.#segment, size }, mayBeLonger);
  }

  /** The same of those before it. They can be many, after snapshots that failed. */
  get hasLostEarlier(): boolean {
    return this.#earlier.some((segment) => isLost(segment));
  }

  /** Notes that a snapshot supersedes the segments before the present one. */
  supersede(): void {
    this.#earlier = [];
  }

  /** Releases the folder. */
  async release(): Promise<void> {
    await this.#taken?.close();
    await this.#file.truncate(0).catch(() => {});
    unlock(this.#file.fd);
    await this.#file.close();
  }

  /** Locks the newest segment, if there is one: with the folder, or once a segment was put into an empty one. */
  async takeNewestSegment(): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const newest = await this.#newestSegment();
      if (newest === undefined) return;
      const file = await this.#files.open(newest, "r+").catch((error: unknown) => {
        if (!isMissing(error) || attempt === attempts - 1) throw error;
        return undefined;
      });
      if (file === undefined) continue;
      // From here on, releasing the folder closes it.
      await this.#taken?.close();
      this.#taken = file;
      const isFree = tryLockSegment(file);
      // Its holder may have moved on to another one, or replaced it, before it was locked here.
      if (isFree && (await this.#newestSegment()) === newest && fileAt(newest)?.identity === identityOf(file))
        return;
      this.#taken = undefined;
      await file.close();
      if (!isFree) break;
    }
    throw new FolderHeld(this.#folder, undefined);
  }

  async #newestSegment(): Promise<string | undefined> {
    const first = segmentsIn(await this.#files.readdir(this.#folder)).at(-1);
    return first === undefined ? undefined : join(this.#folder, segmentFile(first));
  }
}

/**
 * Locks a segment so that others can still read it. On Windows a lock prevents reading, so it is on a byte far behind the
 * end; macOS locks whole files only, which can still be read.
 */
function tryLockSegment(file: File): boolean {
  return process.platform === "win32" ? tryLock(file.fd, 2 ** 40, 1) : tryLock(file.fd);
}

/** Returns the identity of an open file, whatever its name. */
function identityOf({ fd }: File): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Returns the identity and the size of the file at a path; undefined for none. Synchronous, since it takes 2 µs and runs
 * before and after every append, where a turn of the event loop would cost more.
 */
function fileAt(path: string): { readonly identity: string; readonly size: number } | undefined {
  try {
    const { dev, ino, size } = statSync(path, { bigint: true });
    return { identity: `${dev}:${ino}`, size: Number(size) };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

interface Segment {
  readonly path: string;
  readonly identity: string;
}

/** Returns whether a file is no longer at its path, or has another size. If the system does not tell, it is there. */
function isLost({ path, identity, size }: Segment & { readonly size: number }, mayBeLonger = false): boolean {
  try {
    const found = fileAt(path);
    if (found?.identity !== identity) return true;
    return mayBeLonger ? found.size < size : found.size !== size;
  } catch {
    return false;
  }
}

/** Returns the path if it no longer has the file of an identity, with the cause if the system does not tell; else undefined. */
function misplacedAt(path: string, identity: string | undefined) {
  try {
    return fileAt(path)?.identity === identity ? undefined : { path };
  } catch (cause) {
    return { path, cause };
  }
}

/** Writes the process id, which only messages use: if the disk is full, the lock is taken all the same. */
async function sign(file: File): Promise<void> {
  const id = Buffer.from(`${process.pid}\n`);
  await file.truncate(0);
  await file.write(id, 0, id.length, 0);
}
