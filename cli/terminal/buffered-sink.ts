/**
 * Standard output and standard error of a service. Whatever becomes of the other end (a full disk, a reader that stalls
 * or goes away, a terminal stopped by Ctrl-S) must not matter to the service: lines wait in a bounded buffer, those
 * that do not fit are dropped and counted, and the count is reported once when writing works again.
 *
 * The descriptor is written to by itself, and not through `process.stdout` and `process.stderr`: these block on a
 * terminal or a file, keep any number of lines for a pipe, and do not recover from an error.
 */
import sonicBoom, { type SonicBoom } from "sonic-boom";
import type { Sink } from "./io.ts";

/** Bytes that wait at most. */
const mostWaiting = 1024 * 1024;
/** After which time a write that failed is repeated, in milliseconds. */
const retryMilliseconds = 1_000;
/** How long closing waits for a reader, in milliseconds. */
const closeMilliseconds = 1_000;

/** See the head of this file. */
export class BufferedSink implements Sink {
  readonly isTTY: boolean;
  readonly #destination: SonicBoom;
  readonly #dropped: (lines: number) => void;
  #droppedLines = 0;
  #retry: NodeJS.Timeout | undefined;
  #isEnding = false;

  /**
   * @param descriptor of an open file, pipe or terminal
   * @param dropped told how many lines were dropped, when writing works again: what it logs is written
   */
  constructor(descriptor: number, isTTY: boolean, dropped: (lines: number) => void = () => {}) {
    this.isTTY = isTTY;
    this.#dropped = dropped;
    // With a minimum, `flush` repeats what failed.
    this.#destination = new sonicBoom.SonicBoom({
      fd: descriptor,
      sync: false,
      minLength: 1,
      maxLength: mostWaiting,
    });
    this.#destination.on("drop", (text: string) => {
      this.#droppedLines += text.split("\n").length - 1;
    });
    this.#destination.on("error", () => this.#retrySoon());
    this.#destination.on("drain", () => this.#report());
  }

  write(text: string): void {
    this.#destination.write(text);
  }

  /**
   * Writes what waits, as far as that is possible within a second. The descriptor stays open, and later lines are
   * still written, but what fails is not tried again.
   */
  async close(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#retry);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, closeMilliseconds).unref();
      this.#destination.flush(() => resolve());
    });
  }

  #retrySoon(): void {
    if (this.#isEnding || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (!this.#isEnding) this.#destination.flush();
    }, retryMilliseconds).unref();
  }

  #report(): void {
    const lines = this.#droppedLines;
    if (lines === 0 || this.#isEnding) return;
    this.#droppedLines = 0;
    this.#dropped(lines);
  }
}
