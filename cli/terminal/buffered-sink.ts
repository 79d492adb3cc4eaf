/**
 * A bounded buffer before standard output or standard error of a service. A full disk, a reader that stalls or goes away,
 * or a terminal stopped by Ctrl-S must not affect the service: lines are buffered, those that do not fit are dropped, and
 * their number is reported once when writing works again.
 *
 * The buffer writes to the descriptor itself, since `process.stdout` and `process.stderr` block on a terminal or a file,
 * buffer without a bound for a pipe, and do not recover from an error.
 */
import sonicBoom, { type SonicBoom } from "sonic-boom";
import type { Sink } from "./io.ts";

declare module "sonic-boom" {
  interface SonicBoom {
    /** What `contentMode: "buffer"` takes; the package declares only strings. */
    write(bytes: Buffer): boolean;
  }
}

/** The most bytes in the buffer. */
const maxWaiting = 1024 * 1024;
/** The time after which a failed write is repeated, in milliseconds. */
const retryMilliseconds = 1_000;
/** The time for which closing waits for a reader, in milliseconds. */
const closeMilliseconds = 1_000;

export class BufferedSink implements Sink {
  readonly #stream: Omit<Sink, "write">;
  readonly #destination: SonicBoom;
  readonly #onDropped: (lines: number) => void;
  droppedLines = 0;
  /** How many of them have been reported. */
  #reportedLines = 0;
  #retry: NodeJS.Timeout | undefined;
  #isEnding = false;

  /**
   * @param descriptor of an open file, pipe or terminal
   * @param stream Node's own for the descriptor, which says whether it is a terminal, and how wide
   * @param onDropped called with the number of dropped lines when writing works again, so that it can be logged
   */
  constructor(
    descriptor: number,
    stream: Omit<Sink, "write">,
    onDropped: (lines: number) => void = () => {},
  ) {
    this.#stream = stream;
    this.#onDropped = onDropped;
    this.#destination = new sonicBoom.SonicBoom({
      fd: descriptor,
      sync: false,
      // Without a minimum, `flush` does not repeat a failed write.
      minLength: 1,
      maxLength: maxWaiting,
      // As a string, each text would be encoded three times.
      contentMode: "buffer",
    });
    this.#destination.on("drop", (bytes: Buffer) => {
      this.droppedLines += bytes.toString().split("\n").length - 1;
    });
    this.#destination.on("error", () => this.#retrySoon());
    this.#destination.on("drain", () => this.#report());
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  get columns(): number {
    return this.#stream.columns ?? 0;
  }

  write(text: string): void {
    this.#destination.write(Buffer.from(text));
  }

  /**
   * Writes the buffer, for at most a second. The descriptor stays open: later lines are still written, but a failed write
   * is not repeated.
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
    const lines = this.droppedLines - this.#reportedLines;
    if (lines === 0) return;
    this.#reportedLines = this.droppedLines;
    this.#onDropped(lines);
  }
}
