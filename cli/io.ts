/** What the command line needs of its surroundings, so that every command can be run and looked at without a process. */

/** A stream to write to. `isTTY` tells whether a person is looking at it. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface IO {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks a person, and gives the line that came, or undefined where there came none. Missing where nobody is there. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Relative paths are meant from here. */
  readonly cwd: string;
  /** Calls back when the command is to stop: on SIGINT and SIGTERM. */
  onStop(callback: () => void): void;
  /** Calls back whenever the command is to read its configuration again: on SIGHUP. */
  onReload(callback: () => void): void;
  /** Ends the process at once, with an exit code: where the disk can not be relied on. */
  abort(code: number): void;
}

/** The surroundings of this process. */
export function processIO(): IO {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : undefined,
    onStop(callback) {
      process.once("SIGINT", callback);
      process.once("SIGTERM", callback);
    },
    onReload: (callback) => void process.on("SIGHUP", callback),
    abort: (code) => process.exit(code),
  };
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
