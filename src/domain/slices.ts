/** Divides long computations into slices, so that the event loop serves requests in between. */
import { setImmediate } from "node:timers/promises";

/** The length of a slice, in milliseconds. */
const length = 3;

/** Usage: `if (slices.isOver) await slices.next();` in a loop. */
export class Slices {
  readonly #signal: AbortSignal | undefined;
  #end = performance.now() + length;

  /** @param signal ends the computation */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the slice is over. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields to the event loop, and begins the next slice. @throws the reason of the signal */
  async next(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#end = performance.now() + length;
  }
}
