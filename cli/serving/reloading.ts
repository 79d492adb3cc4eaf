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
 * Handles SIGHUP, which would otherwise end the process, from its construction on. A signal that arrives before the
 * service can reload takes effect later: the start may have read the file before it changed.
 */
export class ReloadSignal {
  #reload: (() => void) | undefined;
  #isPending = false;

  constructor(io: Pick<IO, "onReload">) {
    io.onReload(() => {
      if (this.#reload === undefined) this.#isPending = true;
      else this.#reload();
    });
  }

  /** Calls `reload` for each signal, and at once if there was one before. */
  listen(reload: () => void): void {
    this.#reload = reload;
    if (this.#isPending) reload();
  }
}

/** Puts the changed route table in force. A faulty one is refused and logged, and the old one stays in force. */
export class TableReloader {
  readonly #service: Pick<Service, "routes" | "warnOfRefusal">;
  readonly #log: Pick<Log, "warn">;
  #settling: NodeJS.Timeout | undefined;

  constructor(service: Pick<Service, "routes" | "warnOfRefusal">, log: Pick<Log, "warn">) {
    this.#service = service;
    this.#log = log;
  }

  /** Reloads the table. @param settled the revision that has not changed for {@link settleMilliseconds} */
  async reload(cause: ReloadCause, settled?: string): Promise<void> {
    this.close();
    try {
      await this.#service.routes.reload(cause, settled);
    } catch (error) {
      if (error instanceof UnsettledTable) {
        this.#log.warn(error.message);
        this.close();
        this.#settling = setTimeout(() => void this.reload(cause, error.revision), settleMilliseconds);
      } else if (settled !== undefined && error instanceof Failure && error.code === "CONFLICT") {
        // The file has changed since.
        await this.reload(cause);
      } else {
        this.#service.warnOfRefusal(error);
      }
    }
  }

  close(): void {
    clearTimeout(this.#settling);
  }
}
