/** Divides long computations into slices, so that the event loop serves requests in between. */
import { setImmediate } from "node:timers/promises";

/** The length of a slice, in milliseconds. */
const length = 3;

/** Usage: `if (slices.isOver) await slices.next();` in a loop. */
export class Slices {
  #end = performance.now() + length;

  /** Whether the slice is over. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields to the event loop, and begins the next slice. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + length;
  }
}
