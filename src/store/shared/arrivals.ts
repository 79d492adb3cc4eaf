/** Requests that wait until their machine knows a change. */

/** How long one waits, in milliseconds, and how many at a time: they need no token for that. */
const [longestWait, mostWaiting] = [500, 1000];

export class Arrivals {
  readonly #known: () => number;
  /** Looks whether a change is known, for each that waits. */
  readonly #waiting = new Set<() => void>();

  /** @param known returns the number of the last change that the machine knows */
  constructor(known: () => number) {
    this.#known = known;
  }

  /** Waits for a change. Resolves to whether the machine knows it: not if that takes long, or too many wait. */
  reach(sequence: number): Promise<boolean> {
    const isKnown = () => this.#known() >= sequence;
    if (isKnown() || this.#waiting.size >= mostWaiting) return Promise.resolve(isKnown());
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(deadline);
        this.#waiting.delete(look);
        resolve(isKnown());
      };
      const look = () => {
        if (isKnown()) settle();
      };
      const deadline = setTimeout(settle, longestWait);
      this.#waiting.add(look);
    });
  }

  /** Notes that the machine may know more. */
  look(): void {
    for (const look of this.#waiting) look();
  }
}
