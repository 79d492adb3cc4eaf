/** Reloading while `serve` runs, by SIGHUP. */
import type { IO } from "../terminal/io.ts";

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
