/**
 * One holder at a time for a data folder: a lock of the operating system on an open file. It dies with its holder,
 * even by `kill -9`, and can not be confused by a reused process id. The file itself stays where it is: unlinking
 * it would let two processes each lock a file of that name.
 */
import { tryLock, unlock } from "fs-native-extensions";
import { type File, type Files, privateMode } from "./files.ts";
import { FolderHeld, lockFile, lockHolder } from "./lock-file.ts";

/** The lock on a folder, held until it is released or the process ends. */
export class FolderLock {
  readonly #file: File;

  private constructor(file: File) {
    this.#file = file;
  }

  /** Takes the lock. @throws FolderHeld where another process has it */
  static async take(files: Files, folder: string): Promise<FolderLock> {
    const file = await files.open(lockFile(folder), "a+", privateMode);
    if (!tryLock(file.fd)) {
      await file.close();
      throw new FolderHeld(folder, await lockHolder(folder));
    }
    await sign(file).catch(() => {});
    return new FolderLock(file);
  }

  /** Gives the folder up. */
  async release(): Promise<void> {
    await this.#file.truncate(0).catch(() => {});
    unlock(this.#file.fd);
    await this.#file.close();
  }
}

/** Writes this process's id. It only serves messages, so a full disk does not prevent the lock from being taken. */
async function sign(file: File): Promise<void> {
  const id = Buffer.from(`${process.pid}\n`);
  await file.truncate(0);
  await file.write(id, 0, id.length, 0);
}
