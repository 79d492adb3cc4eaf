/**
 * A command's turn on the data: in the service that runs on the folder, or on the folder itself. Commands that come
 * at the same time wait for one another. What opens a folder is loaded only where no service runs on it.
 */
import { connectControl, ServiceGone } from "../../src/control/client.ts";
import type { Control } from "../../src/control/control.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { Service } from "../../src/service.ts";
import type { Output } from "../terminal/output.ts";
import { whenFree } from "./lock-wait.ts";
import type { Mode, OpenFolder, Telling } from "./open-folder.ts";
import type { Workplace } from "./workspace.ts";

/**
 * Runs `work` on the data.
 * @param mode what becomes of a folder without data; see {@link Mode}
 */
export async function withControl<T>(
  workplace: Workplace,
  output: Output,
  mode: Mode,
  work: (control: Control) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { running, opened } = await takeTurn(workplace, output, mode);
    try {
      return await work(running ?? opened.control);
    } catch (error) {
      // The service stopped before it was asked for anything: the folder is free, and nothing was done.
      if (!(error instanceof ServiceGone && error.untouched)) throw error;
    } finally {
      await opened?.close();
    }
  }
}

/**
 * Opens the folder to serve it.
 * @param signal gives up waiting; then it rejects with an `AbortError`
 * @throws Failure where a service runs on it already
 */
export async function openAsService(
  workplace: Workplace,
  output: Output,
  telling: Telling,
  signal: AbortSignal,
): Promise<Service> {
  const { running, opened } = await takeTurn(workplace, output, "changes", telling, signal);
  if (opened !== undefined) return opened.service();
  const holder = await running.holder();
  throw new Failure(
    "STORE_UNAVAILABLE",
    `A service runs on ${workplace.folder} already: process ${holder?.pid}, ${holder?.url}.`,
    {
      hint: "Stop it first, or name another folder with --data.",
    },
  );
}

type Turn =
  | { readonly running: Control; readonly opened?: undefined }
  | { readonly running?: undefined; readonly opened: OpenFolder };

/** The service that runs on the folder, or else the folder itself, as soon as no other command has it. */
function takeTurn(
  workplace: Workplace,
  output: Output,
  mode: Mode,
  telling?: Telling,
  signal?: AbortSignal,
): Promise<Turn> {
  const attempt = async (): Promise<Turn> => {
    const running = await connectControl(workplace.folder, signal);
    if (running !== undefined) return { running };
    const { openFolder } = await import("./open-folder.ts");
    return { opened: await openFolder(workplace, output, mode, telling) };
  };
  return whenFree(attempt, { signal, remark: (text) => output.remark(text) });
}
