/** Waits for a data folder that another process has open: a command, or a service that starts or stops. */
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../src/domain/errors.ts";
import { FolderHeld, processState } from "../../src/store/folder/lock-file.ts";

/** The longest wait, in milliseconds. */
const timeout = 30_000;
/** The longest wait for a stopped process, in milliseconds: somebody may be about to continue it. */
const timeoutIfStopped = 3_000;
/** The time after which a command says that it waits, in milliseconds. */
const quietPeriod = 1_000;

/** The options of a wait. */
export interface WaitOptions {
  /** Ends the wait, which then rejects with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a sentence, once, if the wait is long. */
  readonly remark?: (text: string) => void;
}

/**
 * Repeats an attempt until no other process has the folder open.
 * @throws what `attempt` throws; FolderHeld if the other process does not close the folder in time
 */
export async function waitForLock<T>(
  attempt: () => Promise<T>,
  { signal, remark = () => {} }: WaitOptions = {},
): Promise<T> {
  const began = Date.now();
  let isQuiet = true;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const waited = Date.now() - began;
      if (!(error instanceof FolderHeld) || waited > timeout) throw error;
      if (waited > timeoutIfStopped) await refuseStopped(error);
      if (isQuiet && waited > quietPeriod) {
        const holder = error.pid === undefined ? "another process" : `process ${error.pid}`;
        remark(`Waiting for ${holder}, which has the data folder open …`);
        isQuiet = false;
      }
    }
    await sleep(20 + Math.random() * 30, undefined, { signal });
  }
}

/** @throws Failure if the process that has the folder open is stopped */
async function refuseStopped({ message, pid }: FolderHeld): Promise<void> {
  if (pid === undefined || (await processState(pid)) !== "stopped") return;
  throw new Failure("STORE_UNAVAILABLE", `${message.replace(/\.$/, "")}, but it is stopped.`, {
    hint: `Nothing was changed. \`kill -CONT ${pid}\` continues it.`,
  });
}
