/** What the `data` commands share: the folder for themselves alone, putting data in place, a progress bar. */

import type { Progress } from "../../../src/backup/backup.ts";
import { replaceFiles } from "../../../src/backup/replace-files.ts";
import { connectControl } from "../../../src/control/client.ts";
import type { Holder } from "../../../src/control/control.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { model } from "../../../src/domain/model.ts";
import type { Fault } from "../../../src/repair/fault.ts";
import type { Database } from "../../../src/store/collection.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { makeFolder } from "../../../src/store/folder/folder.ts";
import { FolderLock } from "../../../src/store/folder/lock.ts";
import { whenFree } from "../../data/lock-wait.ts";
import type { IO } from "../../terminal/io.ts";

/** The service that runs on a folder, or null. */
export async function holderOf(folder: string): Promise<Holder | null> {
  return (await (await connectControl(folder))?.holder()) ?? null;
}

/**
 * The service that runs on a folder, for commands that only read the files: they work beside one that does not answer.
 * @returns the failure where there is one that does not answer
 */
export async function holderOrFailure(folder: string): Promise<Holder | Failure | null> {
  return holderOf(folder).catch((error: unknown) => {
    if (error instanceof Failure && error.code === "STORE_UNAVAILABLE") return error;
    throw error;
  });
}

/** @throws Failure `STORE_UNAVAILABLE` where a service runs on the folder */
export async function refuseBesideService(folder: string, what: string): Promise<void> {
  const control = await connectControl(folder);
  if (control === undefined) return;
  const holder = await control.holder();
  const who = holder === null ? "" : `: process ${holder.pid}, ${holder.url}`;
  throw new Failure("STORE_UNAVAILABLE", `A service runs on ${folder}${who}. ${what} needs it stopped.`, {
    hint: "Stop the service, and give the command again; nothing was changed.",
  });
}

/**
 * Runs `work` while nobody else has the folder, which is made where it is missing.
 * @param what the command, as the beginning of a sentence
 * @throws Failure `STORE_UNAVAILABLE` where a service runs on it
 */
export async function withFolder<T>(folder: string, what: string, work: () => Promise<T>): Promise<T> {
  const lock = await whenFree(async () => {
    await refuseBesideService(folder, what);
    return takeLock(folder);
  });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Shows how far something has come: a bar on a terminal, and nothing elsewhere. */
export function progressOn({ stderr }: IO, json: boolean, label: string): Progress {
  if (stderr.isTTY !== true || json) return () => {};
  const width = 30;
  let shown = -1;
  return (share) => {
    const percent = Math.floor(share * 100);
    if (percent === shown) return;
    shown = percent;
    const done = Math.floor(share * width);
    const bar = `${"#".repeat(done)}${"-".repeat(width - done)}`;
    // The line is cleared at the end: what follows is the result.
    stderr.write(share === 1 ? "\r\u001b[K" : `\r${label} [${bar}] ${percent}%`);
  };
}

/** Puts a database in the place of a folder's data. The caller holds the folder's lock. */
export async function putInPlace(folder: string, database: Database<typeof model>) {
  const kept = await replaceFiles(nodeFiles, folder, database, "replaced", Date.now());
  return { sequence: database.sequence, kept };
}

/** @throws Failure `UNKNOWN_ENTRY` where the folder has no data */
export async function requireData(place: { folder: string; hasData(): Promise<boolean> }): Promise<void> {
  if (await place.hasData()) return;
  throw new Failure("UNKNOWN_ENTRY", `There is no data in ${place.folder}.`, {
    hint: "--data names another folder.",
  });
}

/** A fault on one line, with its place. */
export function describeFault({ file, offset, what }: Fault): string {
  return `${file}: byte ${offset}: ${what}`;
}

async function takeLock(folder: string): Promise<FolderLock> {
  try {
    await makeFolder(nodeFiles, folder);
    return await FolderLock.take(nodeFiles, folder);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(
      "STORE_UNAVAILABLE",
      `The data folder ${folder} can not be used: ${(cause as Error).message}.`,
      {
        hint: "It has to be a folder that you may write to; name another one with --data.",
        cause,
      },
    );
  }
}
