/** Real processes: `addon-cli` as an operator starts it, in a folder of its own. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { projectFolder } from "../_setup.ts";
import type { Desk, Ran } from "./_setup.ts";

export const main = join(projectFolder, "cli", "main.ts");
// The folder a process works in has no node_modules: tsx is named by its own address.
export const tsx = import.meta.resolve("tsx");

/** Only what a process needs, so that no setting of whoever runs the tests reaches it. */
export const environment = { PATH: process.env.PATH, HOME: process.env.HOME };

/** A process of the command line. */
export class CliProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  stdout = "";
  stderr = "";
  /** The exit code, or the signal that ended it, once its output is all there. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Settles when the process has ended, whatever of its output is still to be read. */
  readonly exited: Promise<unknown>;
  #waiting: (() => void)[] = [];
  #isOver = false;

  /**
   * @param preload addresses of modules that the process loads first
   * @param wrapper a command line that the process's own is appended to, such as `sh -c 'ulimit -n 64; exec "$@"' sh`
   */
  constructor(
    desk: Desk,
    args: readonly string[],
    preload: readonly string[] = [],
    wrapper: readonly string[] = [],
  ) {
    const imports = [tsx, ...preload].flatMap((address) => ["--import", address]);
    const [command = process.execPath, ...rest] = [...wrapper, process.execPath, ...imports, main, ...args];
    this.#child = spawn(command, rest, {
      cwd: desk.folder,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#wake();
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    this.exited = once(this.#child, "exit");
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        this.#isOver = true;
        this.#wake();
        resolve(code ?? signal);
      });
    });
    desk.beforeClear(async () => {
      if (!this.#isOver) this.#child.kill("SIGKILL");
      await this.ended;
    });
  }

  /** The process's id; the wrapper's, unless that has replaced itself. */
  get pid(): number {
    const { pid } = this.#child;
    assert.ok(pid !== undefined, "the process was not started");
    return pid;
  }

  /** Writes to standard error are not read until {@link resumeErrors}. */
  stallErrors(): void {
    this.#child.stderr.pause();
  }

  resumeErrors(): void {
    this.#child.stderr.resume();
  }

  /** Goes away as the reader of its standard error. */
  closeErrors(): void {
    this.#child.stderr.destroy();
  }

  /** Sends a signal to this process alone. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Goes away as the reader of its standard output, as `head` does. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }

  /** Waits until what it wrote has what matches. Fails where the process ends before. */
  async shows(stream: "stdout" | "stderr", expected: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = expected.exec(this[stream]);
      if (match !== null) return match;
      assert.ok(!this.#isOver, `the process ended without ${expected}:\n${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Runs a command in a process, to its end. */
export async function execute(desk: Desk, args: readonly string[]): Promise<Ran> {
  const child = new CliProcess(desk, args);
  const ended = await child.ended;
  assert.equal(typeof ended, "number", `ended by ${ended}: ${child.stderr}`);
  return { exitCode: Number(ended), stdout: child.stdout, stderr: child.stderr };
}

/** A service in a process, on its first start. */
export interface Serving {
  readonly child: CliProcess;
  /** The address with the public token in it that the first start shows. */
  readonly open: string;
  readonly token: string;
  /** The address up to the token. */
  readonly base: string;
}

/** Serves a folder for the first time, on any free port, until the end of the test. */
export async function serveProcess(
  desk: Desk,
  args: readonly string[] = [],
  preload: readonly string[] = [],
  wrapper: readonly string[] = [],
): Promise<Serving> {
  const child = new CliProcess(desk, ["serve", "--port", "0", ...args], preload, wrapper);
  const [open, base = "", token = ""] = await child.shows(
    "stdout",
    /(https?:\/\/\S+\/gameaddon\/v1)\/(gat_[A-Za-z0-9_-]{43})\/\S*/,
  );
  return { child, open, token, base };
}
