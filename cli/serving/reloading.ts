/** How `serve` is told by SIGHUP to read its configuration again, also before it can. */
import type { IO } from "../terminal/io.ts";

/**
 * Takes SIGHUP, which would end the process by default, from the moment it is made. One that comes before the service
 * can reload is made up for: the start may have read the file before it changed.
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

  /** Calls `reload` for each signal, and at once where one has come already. */
  listen(reload: () => void): void {
    this.#reload = reload;
    if (this.#isPending) reload();
  }
}
