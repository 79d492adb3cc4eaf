/** How V8 is to manage the memory of a process that reads a large data folder. */
import { setFlagsFromString } from "node:v8";

/**
 * Lets new objects always begin as young ones. V8 learns where objects are made that survive, and makes those as old
 * ones. While a large data folder is read all survive, and sometimes it learns that of what each request makes: that,
 * and all that it refers to, is then kept until the next full collection, which a large heap sees rarely. One process
 * in four took twice as long for each request for as long as it lived (docs/performance.md), and one `data verify` in
 * five took twice the memory.
 */
export function keepNewObjectsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
