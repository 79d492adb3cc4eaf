/**
 * One holder at a time for a data folder: a lock of the operating system on an open file. It dies with its holder,
 * even by `kill -9`, and can not be confused by a reused process id. The file itself stays where it is: unlinking
 * it would let two processes each lock a file of that name.
 *
 * Operators delete it all the same. So the holder locks the newest segment of the journal as well: a process that
 * comes second can lock a new lock file, but not that segment, and nobody can append without it. This lock moves with
 * the journal: a new segment is locked before it gets its name, and the old one is released after that. The holder
 * checks before each append that the lock file is still its own, and else puts one back; a second process that has
 * the new file for a moment does no harm, since it fails at the segment and gives the file up.
 */
import { fstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { tryLock, unlock } from "fs-native-extensions";
import { segmentFile, segmentsIn } from "../journal/segment.ts";
import { type File, type Files, privateMode } from "./files.ts";
import { FolderHeld, lockFile, lockHolder } from "./lock-file.ts";

/** How often the newest segment is looked for anew, where it changes while a folder is taken. */
const attempts = 10;

/** The lock on a folder, held until it is released or the process ends. */
export class FolderLock {
  readonly #files: Files;
  readonly #folder: string;
  #file: File;
  #identity: string;
  /** The segment that was the newest when the folder was taken, until another one is. */
  #taken: File | undefined;
  /** The segment that the journal appends to. */
  #segment: { readonly path: string; readonly identity: string | undefined } | undefined;

  private constructor(files: Files, folder: string, file: File) {
    this.#files = files;
    this.#folder = folder;
    this.#file = file;
    this.#identity = identityOf(file);
  }

  /** Takes the lock. @throws FolderHeld where another process has it */
  static async take(files: Files, folder: string): Promise<FolderLock> {
    const file = await files.open(lockFile(folder), "a+", privateMode);
    if (!tryLock(file.fd)) {
      await file.close();
      throw new FolderHeld(folder, await lockHolder(folder));
    }
    const lock = new FolderLock(files, folder, file);
    try {
      await lock.#takeNewestSegment();
      await sign(file).catch(() => {});
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Locks a segment that is about to get its name. */
  lockSegment(file: File): void {
    if (!tryLockSegment(file)) throw new FolderHeld(this.#folder, undefined);
  }

  /** Begins with the segment that the journal has opened or created. */
  begin(path: string, file: File): void {
    if (this.#taken === undefined) this.lockSegment(file);
    this.#segment = { path, identity: identityOf(file) };
  }

  /** Goes on with another segment, which is locked already. */
  async follow(path: string, file: File): Promise<void> {
    this.#segment = { path, identity: identityOf(file) };
    const taken = this.#taken;
    this.#taken = undefined;
    await taken?.close();
  }

  /** The path of the segment where it is not the file of that name any more; else undefined. */
  get misplaced(): string | undefined {
    const { path, identity } = this.#segment ?? {};
    return path === undefined || identityAt(path) === identity ? undefined : path;
  }

  /** Puts the lock file back where it is missing or replaced. Returns whether it had to. */
  async keep(): Promise<boolean> {
    const path = lockFile(this.#folder);
    if (identityAt(path) === this.#identity) return false;
    const file = await this.#files.open(path, "a+", privateMode);
    if (!tryLock(file.fd)) {
      // A second process has it until it finds the segment locked: the next call tries again.
      await file.close();
      return false;
    }
    await sign(file).catch(() => {});
    const lost = this.#file;
    this.#file = file;
    this.#identity = identityOf(file);
    await lost.close();
    return true;
  }

  /** Gives the folder up. */
  async release(): Promise<void> {
    await this.#taken?.close();
    await this.#file.truncate(0).catch(() => {});
    unlock(this.#file.fd);
    await this.#file.close();
  }

  async #takeNewestSegment(): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const newest = await this.#newestSegment();
      if (newest === undefined) return;
      const file = await this.#files.open(newest, "r+").catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT" || attempt === attempts - 1) throw error;
        return undefined;
      });
      if (file === undefined) continue;
      const isFree = tryLockSegment(file);
      // Its holder may have gone on in another one, or put another one in its place, before it was locked here.
      if (isFree && (await this.#newestSegment()) === newest && identityAt(newest) === identityOf(file)) {
        this.#taken = file;
        return;
      }
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
 * Locks a segment so that everybody can still read it. Windows keeps others from reading what is locked, so there it
 * is a byte far behind the end; macOS locks whole files only, and keeps nobody from reading.
 */
function tryLockSegment(file: File): boolean {
  return process.platform === "win32" ? tryLock(file.fd, 2 ** 40, 1) : tryLock(file.fd);
}

/** What tells an open file from another one of the same name. */
function identityOf({ fd }: File): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * The same of the file at a path; undefined where none can be found. Synchronous, since it takes 2 µs and runs before
 * and after every append, where a turn of the event loop would cost more.
 */
function identityAt(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Writes this process's id. It only serves messages, so a full disk does not prevent the lock from being taken. */
async function sign(file: File): Promise<void> {
  const id = Buffer.from(`${process.pid}\n`);
  await file.truncate(0);
  await file.write(id, 0, id.length, 0);
}
