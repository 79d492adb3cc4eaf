/**
 * Connects commands to the data: to the service that runs on the folder, or else to the folder itself. Concurrent
 * commands wait for each other. The code that opens a folder is loaded only if no service runs on it.
 */
import { connectControl, ServiceGone } from "../../src/control/client.ts";
import type { Control } from "../../src/control/control.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { Service } from "../../src/service.ts";
import type { Output } from "../terminal/output.ts";
import { waitForLock } from "./lock-wait.ts";
import type { Mode, OpenFolder, ServiceSettings } from "./open-folder.ts";
import type { Workspace } from "./workspace.ts";

/** Runs `work` on the data. @param mode how to treat a folder without data */
export async function withControl<T>(
  workspace: Workspace,
  output: Output,
  mode: Mode,
  work: (control: Control) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { running, opened } = await connectOrOpen(workspace, output, mode);
    try {
      return await work(running ?? opened.control);
    } catch (error) {
      // The service stopped before it received a request: the folder is free, and nothing was done.
      if (!(error instanceof ServiceGone && error.untouched)) throw error;
    } finally {
      await opened?.close();
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
  const { running, opened } = await connectOrOpen(workspace, output, "changes", settings, signal);
  if (opened !== undefined) return opened.service();
  const holder = await running.run("holder", {});
  throw new Failure(
    "STORE_UNAVAILABLE",
    `A service already runs on ${workspace.folder}: process ${holder?.pid}, ${holder?.url}.`,
    { hint: "Stop it first, or name another folder with --data." },
  );
}

type Connection =
  | { readonly running: Control; readonly opened?: undefined }
  | { readonly running?: undefined; readonly opened: OpenFolder };

function connectOrOpen(
  workspace: Workspace,
  output: Output,
  mode: Mode,
  settings?: ServiceSettings,
  signal?: AbortSignal,
): Promise<Connection> {
  const attempt = async (): Promise<Connection> => {
    const running = await connectControl(workspace.folder, signal);
    if (running !== undefined) return { running };
    const { openFolder } = await import("./open-folder.ts");
    return { opened: await openFolder(workspace, output, mode, settings) };
  };
  return waitForLock(attempt, { signal, remark: (text) => output.remark(text) });
}
