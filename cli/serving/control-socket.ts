/** The control socket of a running service, which is created again where somebody has deleted it. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Control } from "../../src/control/control.ts";
import { startControl } from "../../src/control/server.ts";
import type { DataStore } from "../../src/store/data.ts";
import type { Log } from "./log.ts";

/** How often the files are looked for, in milliseconds. Until then a command waits for the folder, for 30 s. */
const interval = 2000;

/** Listens for commands in the store's folder until it is closed. */
export async function keepControl(
  store: DataStore,
  control: Control,
  log: Pick<Log, "info" | "warn">,
): Promise<{ close(): Promise<void> }> {
  const { folder } = store;
  let listening = await startControl(folder, control, log);
  let checking: Promise<void> | undefined;

  const check = async () => {
    if (await store.check()) log.info(`${join(folder, "lock")} was missing: it is back. Nothing is lost.`);
    const path = join(folder, "socket");
    if (!(await isMissing(path))) return;
    await listening.close();
    listening = await startControl(folder, control, log);
    log.info(`${path} was missing: it is back, and commands reach the service again.`);
  };
  const timer = setInterval(() => {
    checking ??= check()
      .catch((error) => log.warn("The lock and the control socket could not be checked.", error))
      .finally(() => {
        checking = undefined;
      });
  }, interval);
  timer.unref();

  return {
    async close() {
      clearInterval(timer);
      await checking;
      await listening.close();
    },
  };
}

function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === "ENOENT",
  );
}
