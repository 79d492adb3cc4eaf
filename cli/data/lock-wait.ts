/** Waiting for another process that has the data folder: a command at work, or a service that starts or stops. */
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../src/domain/errors.ts";
import { FolderHeld, processState } from "../../src/store/folder/lock-file.ts";

/** How long a command waits, in milliseconds. */
const patience = 30_000;
/** How long it waits for a process that is stopped, in milliseconds: somebody may be about to continue it. */
const patienceWithStopped = 3_000;
/** After which time it says that it waits, in milliseconds. */
const silence = 1_000;

/** What a wait can be given. */
export interface WaitOptions {
  /** Gives up; then the wait rejects with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** Told once, in a sentence, when it takes long. */
  readonly remark?: (text: string) => void;
}

/**
 * Repeats an attempt until no other process has the folder.
 * @throws what `attempt` throws; FolderHeld when the other process keeps the folder for too long
 */
export async function whenFree<T>(
  attempt: () => Promise<T>,
  { signal, remark = () => {} }: WaitOptions = {},
): Promise<T> {
  const began = Date.now();
  let isSilent = true;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const waited = Date.now() - began;
      if (!(error instanceof FolderHeld) || waited > patience) throw error;
      if (waited > patienceWithStopped) await refuseStopped(error);
      if (isSilent && waited > silence) {
        const who = error.pid === undefined ? "another process" : `process ${error.pid}`;
        remark(`Waiting for ${who}, which has the data folder open …`);
        isSilent = false;
      }
    }
    await sleep(20 + Math.random() * 30, undefined, { signal });
  }
}

/** @throws Failure where the process that has the folder is stopped */
async function refuseStopped({ message, pid }: FolderHeld): Promise<void> {
  if (pid === undefined || (await processState(pid)) !== "stopped") return;
  throw new Failure("STORE_UNAVAILABLE", `${message.replace(/\.$/, "")}, but it is stopped.`, {
    hint: `Nothing was changed. \`kill -CONT ${pid}\` continues it.`,
  });
}
