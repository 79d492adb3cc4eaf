/** Serves the control socket, recreates it if somebody deletes or replaces it, and looks after the folder's lock. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Control } from "../../src/control/operations.ts";
import { startControl } from "../../src/control/server.ts";
import type { DataStore } from "../../src/store/data.ts";
import { ignoreMissing } from "../../src/store/folder/files.ts";
import type { Log } from "./log.ts";

/** The interval of the check, in milliseconds. Commands wait up to 30 s for the folder meanwhile. */
const interval = 2000;

/** Serves commands in the store's folder until it is closed. */
export async function serveControl(
  store: DataStore,
  control: Control,
  log: Pick<Log, "info" | "warn">,
): Promise<{ close(): Promise<void> }> {
  const { folder } = store;
  const path = join(folder, "socket");
  const listen = async () => {
    const server = await startControl(folder, control, log);
    return { server, file: (await stat(path).catch(ignoreMissing))?.ino };
  };
  let listening = await listen();
  let isChecking = false;
  let isClosed = false;
  let recreating: Promise<void> | undefined;

  const recreate = async () => {
    const found = await stat(path).catch(ignoreMissing);
    if (found !== undefined && found.ino === listening.file) return;
    await listening.server.close();
    listening = await listen();
    log.info(`Recreated ${path}, which was deleted or replaced. Commands reach the service again.`);
  };
  const check = async () => {
    await store.check();
    if (isClosed) return;
    recreating = recreate();
    await recreating;
  };
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch((error) => log.warn("Cannot check the lock and the control socket.", error))
      .finally(() => {
        isChecking = false;
      });
  }, interval);
  timer.unref();

  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      // It does not wait for the check of the store: that may wait for a change which a shared journal does not confirm.
      await recreating?.catch(() => {});
      await listening.server.close();
    },
  };
}
