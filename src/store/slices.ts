/** Long computations in slices, so that requests get their turn of the event loop in between. */
import { setImmediate } from "node:timers/promises";

/** How long a slice is, in milliseconds. */
const length = 3;

/** Usage: `if (slices.isOver) await slices.next();` in a loop. */
export class Slices {
  #end = performance.now() + length;

  /** Whether it is others' turn. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Gives others their turn, and begins the next slice. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + length;
  }
}
