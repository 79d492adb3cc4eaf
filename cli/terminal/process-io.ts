/** The environment of a command that runs as a process of its own. */
import { fstatSync, write, writeSync } from "node:fs";
import { Failure } from "../../src/domain/errors.ts";
import { reasonOf } from "../../src/domain/system-error.ts";
import { isMissing } from "../../src/store/folder/files.ts";
import { Interrupted, type IO, type Sink } from "./io.ts";
import { isOutputKept } from "./kept-output.ts";

/** The time for which operations under way may delay the end of the process, in milliseconds. */
const leaveMilliseconds = 500;

export function processIO(): IO {
  let stdout: Sink = isFile(1) ? fileSink(1) : process.stdout;
  let stderr: Sink = process.stderr;
  let isDelivering = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // `deliver` reports it.
    if (isDelivering) return;
    // A reader such as `head` may stop early: that is no failure. The command may be about to fail for a reason of its own.
    if (error.code === "EPIPE") {
      setImmediate(() => process.exit());
      return;
    }
    process.stderr.write(`error: ${outputFailed(error).message}\n`);
    process.exit(1);
  });
  // There is no other place to report it.
  process.stderr.on("error", () => {});
  return {
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    env: process.env,
    isOutputKept: isOutputKept(process.env.JOURNAL_STREAM),
    get cwd() {
      return workingDirectory();
    },
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
    onInterrupt(callback) {
      const interrupt = () => {
        callback();
        // So that a shell sees what ended the command, and ends its script.
        process.kill(process.pid, "SIGINT");
      };
      process.once("SIGINT", interrupt);
      return () => void process.off("SIGINT", interrupt);
    },
    onReload: (callback) => void process.on("SIGHUP", callback),
    async detachOutput(onDropped) {
      const { BufferedSink } = await import("./buffered-sink.ts");
      const errors = new BufferedSink(2, process.stderr, onDropped);
      const results = new BufferedSink(1, process.stdout);
      [stdout, stderr] = [results, errors];
      return {
        droppedLines: () => errors.droppedLines,
        close: async () => void (await Promise.all([results.close(), errors.close()])),
      };
    },
    abort,
    leaveSoon: () => void setTimeout(() => abort(Number(process.exitCode ?? 0)), leaveMilliseconds).unref(),
  };
}

/**
 * Ends the process. At its exit Node waits for file system calls, and a call on a hanging disk or terminal would block it
 * forever: then the process kills itself.
 */
function abort(code: number, message = ""): void {
  process.exitCode = code;
  // `process.stderr` can block on a reader.
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

/** Returns the working directory. @throws Failure if it was deleted, or the system does not tell it */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const what = isMissing(cause) ? "no longer exists" : `cannot be determined (${(cause as Error).message})`;
    const remedy = "Change to a folder that exists, and repeat the command.";
    throw new Failure("UNKNOWN_ENTRY", `The working directory ${what}. ${remedy}`, { cause });
  }
}

/** Returns whether a descriptor is a regular file or a device such as `/dev/full`, but not a terminal. */
function isFile(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFile() || (found.isCharacterDevice() && !process.stdout.isTTY);
  } catch {
    return false;
  }
}

/** Returns a sink that writes all or throws: Node's own stream for a file loses data on a full disk without an error. */
function fileSink(descriptor: number): Sink {
  return {
    write(text) {
      let rest = Buffer.from(text);
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        throw outputFailed(error);
      }
    },
  };
}

function outputFailed(cause: unknown): Failure {
  return new Failure("STORE_UNAVAILABLE", `Cannot write to standard output: ${reasonOf(cause)}.`, {
    hint: "The command has done its work, but its output is lost.",
    cause,
  });
}

async function readInput(limit: number): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const piece of process.stdin) {
    text += piece;
    if (text.length > limit) break;
  }
  return text.slice(0, limit);
}

/** Asks on standard error, since results go to standard output. */
async function askOnTerminal(question: string): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  let line: string | undefined;
  try {
    line = await new Promise<string | undefined>((resolve, reject) => {
      lines.once("SIGINT", () => reject(new Interrupted()));
      // Control-D ends the question, not the process.
      lines.once("close", () => resolve(undefined));
      void lines.question(question).then(resolve, () => resolve(undefined));
    });
    return line;
  } finally {
    lines.close();
    // What follows an unanswered question begins a line of its own.
    if (line === undefined) process.stderr.write("\n");
  }
}
