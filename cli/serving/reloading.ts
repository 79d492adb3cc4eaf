/** Reloading while `serve` runs: SIGHUP, and the route table. */
import { Failure } from "../../src/domain/errors.ts";
import type { Service } from "../../src/service.ts";
import {
  type ReloadCause,
  settleMilliseconds,
  UnsettledTable,
} from "../../src/table-in-force/route-table.ts";
import type { IO } from "../terminal/io.ts";
import type { Log } from "./log.ts";

/**
 * Handles SIGHUP, which would otherwise end the process, from this call on. A signal that arrives before the service can
 * reload takes effect later: the start may have read the file before it changed.
 * @returns a function that is given what to call for each signal, and at once if there was one before
 */
export function reloadSignal(io: Pick<IO, "onReload">): (reload: () => void) => void {
  let isPending = false;
  let onSignal = () => {
    isPending = true;
  };
  io.onReload(() => onSignal());
  return (reload) => {
    onSignal = reload;
    if (isPending) reload();
  };
}

/** Returns what puts the changed route table in force. A faulty one is refused and logged, and the old one stays in force. */
export function tableReloader(
  service: Pick<Service, "routes" | "warnOfRefusal">,
  { warn }: Pick<Log, "warn">,
) {
  let settling: NodeJS.Timeout | undefined;
  const close = () => clearTimeout(settling);
  /** Reloads the table. @param settled the revision that has not changed for {@link settleMilliseconds} */
  const reload = async (cause: ReloadCause, settled?: string): Promise<void> => {
    close();
    try {
      await service.routes.reload(cause, settled);
    } catch (error) {
      if (error instanceof UnsettledTable) {
        warn(error.message);
        close();
        settling = setTimeout(() => void reload(cause, error.revision), settleMilliseconds);
      } else if (settled !== undefined && error instanceof Failure && error.code === "CONFLICT") {
        // The file has changed since.
        await reload(cause);
      } else {
        service.warnOfRefusal(error);
      }
    }
  };
  return { reload, close };
}
