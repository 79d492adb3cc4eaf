/** V8 settings of a process that reads a large data folder. */
import { setFlagsFromString } from "node:v8";

/**
 * Disables V8's allocation-site pretenuring, which allocates objects in the old generation if those of the same code used
 * to survive. All objects survive while a large data folder is read, and V8 sometimes concludes the same for those of a
 * request: they and all that they refer to then stay until the next full collection, which is rare in a large heap. One
 * process in four took twice as long for each request (docs/performance.md), one `data verify` in five took twice the
 * memory, and one `audit statistics` in four half as much again.
 */
export function disablePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
