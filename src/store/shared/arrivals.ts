/** Requests that wait until their machine knows a change. */
import { EventEmitter, once } from "node:events";

/** How long one waits, in milliseconds, and how many at a time: they need no token for that. */
const [longestWait, mostWaiting] = [500, 1000];

/** See the head of this file. */
export class Arrivals {
  readonly #known: () => number;
  readonly #looks = new EventEmitter().setMaxListeners(mostWaiting);

  /** @param known returns the number of the last change that the machine knows */
  constructor(known: () => number) {
    this.#known = known;
  }

  /** Waits for a change. Resolves to whether the machine knows it: not if that takes long, or too many wait. */
  async reach(sequence: number): Promise<boolean> {
    const signal = AbortSignal.timeout(longestWait);
    const mayWait = () => !signal.aborted && this.#looks.listenerCount("look") < mostWaiting;
    while (this.#known() < sequence && mayWait()) await once(this.#looks, "look", { signal }).catch(() => {});
    return this.#known() >= sequence;
  }

  /** Notes that the machine may know more. */
  look(): void {
    this.#looks.emit("look");
  }
}
