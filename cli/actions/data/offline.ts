/** Helpers of the `data` commands: the service on the folder, and exclusive access without one. */
import { connectControl } from "../../../src/control/client.ts";
import type { Holder } from "../../../src/control/operations.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { Fault } from "../../../src/repair/fault.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { lockFolder } from "../../../src/store/folder/folder.ts";
import { wasCut } from "../../../src/store/journal/journal.ts";
import { waitForLock } from "../../data/control.ts";

/** Returns the service that runs on a folder, or null. */
async function holderOf(folder: string): Promise<Holder | null> {
  return (await (await connectControl(folder))?.run("holder", {})) ?? null;
}

/**
 * Returns the service that runs on a folder, or a failure if it does not answer. Commands that only read the files work
 * beside such a service.
 * @throws Failure where the files lack changes that the service has
 */
export async function requireWhole(folder: string): Promise<Holder | Failure | null> {
  const holder = await holderOf(folder).catch((error: unknown) => {
    if (error instanceof Failure && error.code === "STORE_UNAVAILABLE") return error;
    throw error;
  });
  if (holder instanceof Failure || holder?.isCut !== true) return holder;
  const message = `${wasCut}: only the memory of the service has all changes.`;
  const hint =
    "`addon-cli data snapshot` saves them: do not stop the service before. Then repeat the command.";
  throw new Failure("STORE_UNAVAILABLE", message, { hint });
}

/**
 * Runs `work` with exclusive access to the folder, which is created if it is missing.
 * @param what the command, as the beginning of a sentence
 * @throws Failure `STORE_UNAVAILABLE` if a service runs on it
 */
export async function withFolder<T>(folder: string, what: string, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(async () => {
    const holder = await holderOf(folder);
    if (holder !== null) {
      const who = `process ${holder.pid}, ${holder.url}`;
      const sentence = `A service runs on ${folder}: ${who}. ${what} requires it to be stopped.`;
      throw new Failure("STORE_UNAVAILABLE", sentence, {
        hint: "Stop the service and repeat the command. Nothing was changed.",
      });
    }
    return lockFolder(nodeFiles, folder);
  });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

export function describeFault({ file, offset, what }: Fault): string {
  return `${file}: byte ${offset}: ${what}`;
}
