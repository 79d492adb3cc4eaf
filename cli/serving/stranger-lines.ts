/**
 * Bounds the log lines of requests without a known caller. No limit of the table applies to pages, preflights and requests
 * that are not valid HTTP, so that otherwise the log would grow as fast as anybody sends.
 */

/** The most lines in a window, and its length in milliseconds. At 250 bytes, these are 10 lines and 2.5 KB a second. */
export const strangerLines = { most: 600, window: 60_000 };

export class StrangerLines {
  readonly #report: (omitted: number) => void;
  #count = 0;
  #window: NodeJS.Timeout | undefined;

  /** @param report called at the end of each window in which lines were omitted */
  constructor(report: (omitted: number) => void) {
    this.#report = report;
  }

  /** Counts a line. Returns whether it may be written. */
  allow(): boolean {
    this.#window ??= setTimeout(() => this.end(), strangerLines.window).unref();
    this.#count += 1;
    return this.#count <= strangerLines.most;
  }

  /** Ends the window. */
  end(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    const omitted = this.#count - strangerLines.most;
    this.#count = 0;
    if (omitted > 0) this.#report(omitted);
  }
}
