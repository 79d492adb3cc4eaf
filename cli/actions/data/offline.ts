/** Helpers of the `data` commands: exclusive access to the folder, and replacing its data. */
import { replaceFiles } from "../../../src/backup/replace-files.ts";
import { connectControl } from "../../../src/control/client.ts";
import type { Holder } from "../../../src/control/operations.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { model } from "../../../src/domain/model.ts";
import type { Fault } from "../../../src/repair/fault.ts";
import type { Database } from "../../../src/store/collection.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { lockFolder } from "../../../src/store/folder/folder.ts";
import { waitForLock } from "../../data/lock-wait.ts";

/** Returns the service that runs on a folder, or null. */
export async function holderOf(folder: string): Promise<Holder | null> {
  return (await (await connectControl(folder))?.run("holder", {})) ?? null;
}

/**
 * Returns the service that runs on a folder, or a failure if it does not answer. Commands that only read the files work
 * beside such a service.
 */
export async function holderOrFailure(folder: string): Promise<Holder | Failure | null> {
  return holderOf(folder).catch((error: unknown) => {
    if (error instanceof Failure && error.code === "STORE_UNAVAILABLE") return error;
    throw error;
  });
}

/** @throws Failure `STORE_UNAVAILABLE` if a service runs on the folder */
export async function refuseBesideService(folder: string, what: string): Promise<void> {
  const control = await connectControl(folder);
  if (control === undefined) return;
  const holder = await control.run("holder", {});
  const who = holder === null ? "" : `: process ${holder.pid}, ${holder.url}`;
  throw new Failure(
    "STORE_UNAVAILABLE",
    `A service runs on ${folder}${who}. ${what} requires it to be stopped.`,
    {
      hint: "Stop the service and repeat the command. Nothing was changed.",
    },
  );
}

/**
 * Runs `work` with exclusive access to the folder, which is created if it is missing.
 * @param what the command, as the beginning of a sentence
 * @throws Failure `STORE_UNAVAILABLE` if a service runs on it
 */
export async function withFolder<T>(folder: string, what: string, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(async () => {
    await refuseBesideService(folder, what);
    return lockFolder(nodeFiles, folder);
  });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Replaces the data of a folder. The caller holds the folder's lock. */
export async function installData(folder: string, database: Database<typeof model>) {
  const kept = await replaceFiles(nodeFiles, folder, database, "replaced", Date.now());
  return { sequence: database.sequence, kept };
}

/** Returns a fault and its position as one line. */
export function describeFault({ file, offset, what }: Fault): string {
  return `${file}: byte ${offset}: ${what}`;
}
