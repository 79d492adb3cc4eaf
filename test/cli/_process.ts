/** Runs `addon-cli` as a real process, in a folder of its own. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { builtProject } from "../_build.ts";
import type { Desk, Ran } from "./_setup.ts";

/** The program. */
export const main = join(await builtProject(), "dist", "addon-cli.cjs");

/** The address of a module with this code, for a process to load first. */
export const moduleOf = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/**
 * Returns a module that replaces the writing of files from the start, or after SIGUSR2, which it answers with "Ready.".
 * @param body what writes instead, with the arguments `given`; `write` is the former method, and `form` has it
 */
export const replacingWrites = (body: string, from: "signal" | "start" = "signal") =>
  moduleOf(`
    import { open } from "node:fs/promises";
    import { setTimeout } from "node:timers/promises";
    const file = await open(process.execPath);
    const form = Object.getPrototypeOf(file);
    await file.close();
    const { write } = form;
    const replace = () => { form.write = async function (...given) { ${body} }; };
    ${from === "start" ? "replace()" : 'process.once("SIGUSR2", () => { replace(); process.stderr.write("Ready.\\n"); })'};
  `);

/** The least environment, so that the settings of the developer do not matter. */
export const environment = { PATH: process.env.PATH, HOME: process.env.HOME };

/** A process of the command line. */
export class CliProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  stdout = "";
  stderr = "";
  /** The exit code, or the signal that ended it, after all of its output. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Settles when the process has ended, even before its output is read. */
  readonly exited: Promise<unknown>;
  #waiting: (() => void)[] = [];
  #isOver = false;

  /**
   * @param preload URLs of modules that the process loads first
   * @param wrapper a command line to which that of the process is appended, such as `sh -c 'ulimit -n 64; exec "$@"' sh`
   */
  constructor(
    desk: Desk,
    args: readonly string[],
    preload: readonly string[] = [],
    wrapper: readonly string[] = [],
  ) {
    const imports = preload.flatMap((address) => ["--import", address]);
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

  /** The id of the process, or of a wrapper that did not replace itself. */
  get pid(): number {
    const { pid } = this.#child;
    assert.ok(pid !== undefined, "the process was not started");
    return pid;
  }

  /** Stops reading standard error until {@link resumeErrors}. */
  stallErrors(): void {
    this.#child.stderr.pause();
  }

  resumeErrors(): void {
    this.#child.stderr.resume();
  }

  /** Sends a signal to this process only. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Closes the reader of its standard output, as `head` does. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }

  /** Waits until its output matches. Fails if the process ends before. */
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

/** Runs a command as a process, to its end. */
export async function execute(desk: Desk, args: readonly string[]): Promise<Ran> {
  const child = new CliProcess(desk, args);
  const ended = await child.ended;
  assert.equal(typeof ended, "number", `ended by ${ended}: ${child.stderr}`);
  return { exitCode: Number(ended), stdout: child.stdout, stderr: child.stderr };
}

/** A service as a process, on its first start. */
export interface Serving {
  readonly child: CliProcess;
  /** The URL with the public token that the first start prints. */
  readonly open: string;
  readonly token: string;
  /** The URL up to the token. */
  readonly base: string;
}

/** Serves a folder for the first time on any free port, until the end of the test. */
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
