/** The clock of the shared journal, and how far that of this machine is off. */

/** How far the clock may be off the shared journal's, in milliseconds, before that is said, and before the node stops. */
const tolerated = { warn: 2_000, stop: 60_000 };

export class JournalClock {
  /** What it showed, and when, by the monotonic clock. */
  #last = { shown: 0, at: 0 };
  #skew = 0;
  #isOff = false;

  /** What it shows, in milliseconds since 1970. That of this machine can jump meanwhile. */
  get now(): number {
    return this.#last.shown + performance.now() - this.#last.at;
  }

  /** Why the node must not answer, in a sentence; undefined if it may. */
  get unfit(): string | undefined {
    if (Math.abs(this.#skew) <= tolerated.stop) return undefined;
    return `The clock of this machine is ${Math.round(this.#skew / 1000)} seconds off that of the shared journal.`;
  }

  /**
   * Notes what it showed at a question that took from `began` until now.
   * @param own what the clock of this machine shows now
   * @returns a warning, where the clocks have begun to differ
   */
  note(shown: number, own: number, began: number): string | undefined {
    const now = performance.now();
    const doubt = (now - began) / 2;
    // Rather late than early: it ends what others have.
    this.#last = { shown, at: now };
    this.#skew = own - doubt - shown;
    const wasOff = this.#isOff;
    this.#isOff = Math.abs(this.#skew) > tolerated.warn + doubt;
    if (wasOff || !this.#isOff) return undefined;
    return `The clock of this machine is ${Math.round(this.#skew)} ms off that of the shared journal.`;
  }
}
