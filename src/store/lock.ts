/**
 * One holder at a time for a data folder: a lock of the operating system on an open file. It dies with its holder,
 * even by `kill -9`, and can not be confused by a reused process id. The file itself stays where it is: unlinking
 * it would let two processes each lock a file of that name.
 */
import { join } from "node:path";
import { tryLock, unlock } from "fs-native-extensions";
import { Failure } from "../errors.ts";
import { type File, type Files, privateMode } from "./files.ts";

/** Another process has the folder. */
export class FolderHeld extends Failure {
  constructor(folder: string) {
    super("STORE_UNAVAILABLE", `Another process has the data folder ${folder} open.`, {
      hint: "Wait until it is done, or name another folder with --data.",
    });
  }
}

/** The lock on a folder, held until it is released or the process ends. */
export class FolderLock {
  readonly #file: File;

  private constructor(file: File) {
    this.#file = file;
  }

  /** Takes the lock. @throws FolderHeld where another process has it */
  static async take(files: Files, folder: string): Promise<FolderLock> {
    const file = await files.open(join(folder, "lock"), "a+", privateMode);
    if (tryLock(file.fd)) return new FolderLock(file);
    await file.close();
    throw new FolderHeld(folder);
  }

  /** Gives the folder up. */
  async release(): Promise<void> {
    unlock(this.#file.fd);
    await this.#file.close();
  }
}
