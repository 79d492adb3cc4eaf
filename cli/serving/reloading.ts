/** SIGHUP, with which `serve` reloads its configuration. */
import type { IO } from "../terminal/io.ts";

/**
 * Handles SIGHUP, which would otherwise end the process, from its construction on. A signal that arrives before the
 * service can reload takes effect later: the start may have read the file before it changed.
 */
export class ReloadSignal {
  #reload: (() => void) | undefined;
  #isPending = false;

  constructor(io: IO) {
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
