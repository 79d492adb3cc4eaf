/**
 * Connects commands to the data: to the service that runs on the folder, or else to the folder itself. Concurrent
 * commands wait for each other. The code that opens a folder is loaded only if no service runs on it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { connectControl, ServiceGone } from "../../src/control/client.ts";
import type { Control } from "../../src/control/operations.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { OperatorInput, OperatorReadName, OperatorResult } from "../../src/operator/index.ts";
import type { Service } from "../../src/service.ts";
import { FolderHeld, processState } from "../../src/store/folder/lock-file.ts";
import type { Output } from "../terminal/output.ts";
import type { Mode, OpenFolder, ServiceSettings } from "./open-folder.ts";
import type { Workspace } from "./workspace.ts";

/** The longest wait, in milliseconds. */
const timeout = 30_000;
/** The longest wait for a stopped process, in milliseconds: somebody may be about to continue it. */
const timeoutIfStopped = 3_000;
/** The time after which a command says that it waits, in milliseconds. */
const quietPeriod = 1_000;

/**
 * Runs an operation that only reads: in the service that runs on the folder, or else on its files. Opening the folder
 * instead would take longer, and would wait for another command that has it open.
 * @throws Failure if it refuses
 */
export async function read<N extends OperatorReadName>(
  workspace: Workspace,
  output: Output,
  name: N,
  input: OperatorInput<N>,
): Promise<OperatorResult<N>> {
  const running = await connectControl(workspace.folder);
  if (running === undefined) {
    const { readOffline } = await import("../../src/operator/offline.ts");
    const warn = (warning: string) => output.remark(`warning: ${warning}`);
    const result = await readOffline(workspace.folder, name, input, warn);
    if (result !== undefined) {
      await workspace.remarkCopy();
      return result;
    }
  }
  // Opening the folder shows why its files cannot be read.
  return withControl(workspace, output, "reads", (control) => control.run(name, input));
}

/** Runs `work` on the data. @param mode how to treat a folder without data */
export async function withControl<T>(
  workspace: Workspace,
  output: Output,
  mode: Mode,
  work: (control: Control) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { control, close } = await connectOrOpen(workspace, output, mode);
    try {
      return await work(control);
    } catch (error) {
      // The service stopped before it received a request: the folder is free, and nothing was done.
      if (!(error instanceof ServiceGone && error.untouched)) throw error;
    } finally {
      await close?.();
    }
  }
}

/**
 * Opens the folder to serve it.
 * @param signal ends the wait for the folder with an `AbortError`
 * @throws Failure if a service already runs on it
 */
export async function openAsService(
  workspace: Workspace,
  output: Output,
  settings: ServiceSettings,
  signal: AbortSignal,
): Promise<Service> {
  const opened = await connectOrOpen(workspace, output, "serves", settings, signal);
  if (opened.service !== undefined) {
    const service = await opened.service();
    // So that no list that it serves has what ended while it was stopped.
    await service.removeEnded();
    return service;
  }
  const holder = await opened.control.run("holder", {});
  throw new Failure(
    "STORE_UNAVAILABLE",
    `A service already runs on ${workspace.folder}: process ${holder?.pid}, ${holder?.url}.`,
    { hint: "Stop it first, or name another folder with --data." },
  );
}

/** The data in a running service, or in the folder that was opened. */
type Connection = Pick<OpenFolder, "control"> & Partial<OpenFolder>;

function connectOrOpen(
  workspace: Workspace,
  output: Output,
  mode: Mode,
  settings?: ServiceSettings,
  signal?: AbortSignal,
): Promise<Connection> {
  const attempt = async (): Promise<Connection> => {
    const control = await connectControl(workspace.folder, signal);
    if (control !== undefined) return { control };
    const { openFolder } = await import("./open-folder.ts");
    return openFolder(workspace, output, mode, settings);
  };
  return waitForLock(attempt, (text) => output.remark(text), signal);
}

/**
 * Repeats an attempt until no other process has the folder open.
 * @param remark receives a sentence, once, if the wait is long
 * @param signal ends the wait, which then rejects with an `AbortError`
 * @throws what `attempt` throws; FolderHeld if the other process does not close the folder in time
 */
export async function waitForLock<T>(
  attempt: () => Promise<T>,
  remark: (text: string) => void = () => {},
  signal?: AbortSignal,
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
