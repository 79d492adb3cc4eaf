/** What the command line needs of its surroundings, so that every command can be run and looked at without a process. */
import { fstatSync, write, writeSync } from "node:fs";
import { Failure } from "../../src/domain/errors.ts";

/** A stream to write to. `isTTY` tells whether a person is looking at it. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Standard output and standard error of a command that does not depend on them. */
export interface DetachedOutput {
  /** Writes what waits, as far as that is possible within a second. */
  close(): Promise<void>;
}

export interface IO {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks a person, and gives the line that came, or undefined where there came none. Missing where nobody is there. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Reads standard input to its end, but not more than so many characters. */
  readInput(most: number): Promise<string>;
  /** Relative paths are meant from here. */
  readonly cwd: string;
  /** Writes to standard output what must not be lost. @throws Failure where that fails, or its reader is gone */
  deliver(text: string): Promise<void>;
  /** Calls back whenever the command is to stop: on each SIGINT and SIGTERM. */
  onStop(callback: () => void): void;
  /** Calls back whenever the command is to read its configuration again: on SIGHUP. */
  onReload(callback: () => void): void;
  /**
   * From now on the command neither waits for standard output and standard error nor fails with them: both become
   * bounded buffers.
   * @param dropped told how many lines of standard error were dropped, when it can be written again
   */
  detachOutput(dropped: (lines: number) => void): Promise<DetachedOutput>;
  /** Ends the process, with an exit code and a last message, whatever is under way. */
  abort(code: number, message?: string): void;
  /** Ends the process soon, with the command's exit code, even where something still holds it. */
  leaveSoon(): void;
}

/** How long what is under way may hold up the end of the process, in milliseconds. */
const leaveMilliseconds = 500;

/** The surroundings of this process. */
export function processIO(): IO {
  let stdout: Sink = isFile(1) ? fileSink(1) : process.stdout;
  let stderr: Sink = process.stderr;
  let isDelivering = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever delivers is told.
    if (isDelivering) return;
    // Whoever reads the output may have seen enough, as `head` has: that is no failure.
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`error: ${outputFailed(error).message}\n`);
    process.exit(1);
  });
  // There is no other place where this could be reported.
  process.stderr.on("error", () => {});
  return {
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    env: process.env,
    cwd: process.cwd(),
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : undefined,
    readInput,
    async deliver(text) {
      if (stdout !== process.stdout) {
        stdout.write(text);
        return;
      }
      isDelivering = true;
      await new Promise<void>((resolve, reject) => {
        process.stdout.write(text, (error) => (error == null ? resolve() : reject(outputFailed(error))));
      });
      isDelivering = false;
    },
    onStop(callback) {
      process.on("SIGINT", callback);
      process.on("SIGTERM", callback);
    },
    onReload: (callback) => void process.on("SIGHUP", callback),
    async detachOutput(dropped) {
      const { BufferedSink } = await import("./buffered-sink.ts");
      const errors = new BufferedSink(2, process.stderr.isTTY === true, dropped);
      const results = new BufferedSink(1, process.stdout.isTTY === true);
      [stdout, stderr] = [results, errors];
      return { close: async () => void (await Promise.all([results.close(), errors.close()])) };
    },
    abort,
    leaveSoon: () => void setTimeout(() => abort(Number(process.exitCode ?? 0)), leaveMilliseconds).unref(),
  };
}

/**
 * Ends the process. Node waits for calls of the file system at its exit, and one on a disk or a terminal that hangs
 * would keep it for ever: then the process kills itself.
 */
function abort(code: number, message = ""): void {
  process.exitCode = code;
  // Not by `process.stderr`, which can wait for a reader.
  if (message !== "") write(2, `${message}\n`, () => {});
  const deadline = performance.now() + leaveMilliseconds;
  const leave = () => {
    const isBusy = process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
    if (!isBusy) process.exit(code);
    if (performance.now() > deadline) process.kill(process.pid, "SIGKILL");
    setTimeout(leave, 5);
  };
  leave();
}

/** Whether a descriptor is a regular file or a device such as `/dev/full`, and no terminal. */
function isFile(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFile() || (found.isCharacterDevice() && !process.stdout.isTTY);
  } catch {
    return false;
  }
}

/** Writes all of a text or throws: Node's own stream for a file loses what a full disk takes no more, without an error. */
function fileSink(descriptor: number): Sink {
  return {
    write(text) {
      let rest = Buffer.from(text);
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        throw outputFailed(error as NodeJS.ErrnoException);
      }
    },
  };
}

function outputFailed(cause: NodeJS.ErrnoException): Failure {
  return new Failure("STORE_UNAVAILABLE", `Standard output cannot be written to: ${cause.message}.`, {
    hint: "What the command did before stays done.",
    cause,
  });
}

async function readInput(most: number): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const piece of process.stdin) {
    text += piece;
    if (text.length > most) break;
  }
  return text.slice(0, most);
}

/** Asks on standard error, since standard output is for results. */
async function askOnTerminal(question: string): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string | undefined>((resolve) => {
      // Control-D and Control-C end the question, not the process: nothing has been done yet.
      lines.once("close", () => resolve(undefined));
      void lines.question(question).then(resolve, () => resolve(undefined));
    });
  } finally {
    lines.close();
  }
}
