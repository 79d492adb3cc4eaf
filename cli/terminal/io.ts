/** The environment of a command: streams, signals and the end of the process, so that tests run without a process. */

/** A stream to write to. `isTTY` is true for a terminal. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Standard output and standard error that are decoupled from their readers. */
export interface DetachedOutput {
  /** Returns the number of lines of standard error that were dropped so far, also while it cannot be written. */
  droppedLines(): number;
  /** Writes what is buffered, for at most a second. */
  close(): Promise<void>;
}

/** Control-C at a question. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export interface IO {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the output stays where others can read it, such as in the journal of systemd; missing if not. */
  readonly isOutputKept?: boolean;
  /**
   * Asks a person, and returns the line, or undefined at the end of input. Missing without a terminal.
   * @throws Interrupted
   */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Reads standard input to its end, but at most so many characters. */
  readInput(limit: number): Promise<string>;
  /** The base of relative paths. @throws Failure if it no longer exists */
  readonly cwd: string;
  /** Writes to standard output what must not be lost. @throws Failure if that fails, or the reader is gone */
  deliver(text: string): Promise<void>;
  /** Calls back on each SIGINT and SIGTERM. */
  onStop(callback: () => void): void;
  /** Calls back when SIGINT is about to end the process, until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
  /** Calls back on each SIGHUP. */
  onReload(callback: () => void): void;
  /**
   * Puts bounded buffers before standard output and standard error. The command then neither waits for their readers nor
   * fails with them.
   * @param onDropped called with the number of dropped lines of standard error, once it can be written again
   */
  detachOutput(onDropped: (lines: number) => void): Promise<DetachedOutput>;
  /** Ends the process with an exit code and a last message, whatever is under way. */
  abort(code: number, message?: string): void;
  /** Ends the process soon with the command's exit code, even if something still keeps it alive. */
  leaveSoon(): void;
}
