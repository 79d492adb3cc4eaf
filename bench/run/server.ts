/** A server in a process of its own, ours or a peer: started, looked at from outside, ended. */

import type { ChildProcess } from "node:child_process";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { BenchFailure } from "./failure.ts";
import type { Workshop } from "./workshop.ts";

/** How long a server may take to start, in milliseconds. */
const patience = 120_000;

/** Ticks of the kernel's clock of CPU time; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** A server that answers. */
export class ServerProcess {
  /** Without a slash at the end. */
  readonly url: string;
  /** Seconds from the start of the process until it said that it listens. */
  readonly startSeconds: number;
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #log: string;
  readonly #workshop: Workshop;

  private constructor(
    workshop: Workshop,
    child: ChildProcess,
    log: string,
    url: string,
    startSeconds: number,
  ) {
    this.#workshop = workshop;
    this.#child = child;
    this.#pid = child.pid ?? 0;
    this.#log = log;
    this.url = url;
    this.startSeconds = startSeconds;
  }

  /**
   * Starts a program of Node that prints a JSON document with its `url` when it listens. Its standard error, which is
   * its log, goes to a file.
   * @throws BenchFailure where it ends before, or takes too long
   */
  static async start(
    workshop: Workshop,
    args: readonly string[],
    options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  ): Promise<ServerProcess> {
    const [program = ""] = args;
    const log = workshop.path(`${basename(program)}.log`);
    const file = await open(log, "w", 0o600);
    const started = performance.now();
    const child = workshop.spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", file.fd] });
    await file.close();
    let url: string;
    try {
      url = await addressOf(child);
    } catch (error) {
      child.kill("SIGKILL");
      const tail = (await readFile(log, "utf8")).slice(-2000);
      throw new BenchFailure(`${basename(program)} did not start: ${(error as Error).message}\n${tail}`);
    }
    return new ServerProcess(workshop, child, log, url, (performance.now() - started) / 1000);
  }

  /** The CPU time that the process has used, all threads together; undefined where the system does not tell. */
  async cpuSeconds(): Promise<number | undefined> {
    const text = await readFile(`/proc/${this.#pid}/stat`, "utf8").catch(() => undefined);
    // The second field is the program's name in parentheses, and may have anything in it.
    const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** The memory that it has now and had at most, in bytes; undefined where the system does not tell. */
  async memory(): Promise<{ resident: number; most: number } | undefined> {
    const text = await readFile(`/proc/${this.#pid}/status`, "utf8").catch(() => "");
    const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024;
    const [resident, most] = [of("VmRSS"), of("VmHWM")];
    return Number.isNaN(resident) ? undefined : { resident, most };
  }

  /** The lines of its log. */
  async logLines(): Promise<number> {
    let lines = 0;
    for await (const piece of createReadStream(this.#log) as AsyncIterable<Buffer>) {
      for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines += 1;
    }
    return lines;
  }

  /** @throws BenchFailure where the process has ended on its own */
  requireAlive(): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) {
      throw new BenchFailure(`the server at ${this.url} ended with ${exitCode ?? signalCode}`);
    }
  }

  /** Ends it by force: its data is thrown away. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once("exit", resolve));
      this.#child.kill("SIGKILL");
      await ended;
    }
    this.#workshop.remove(this.#log);
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    const timer = setTimeout(() => reject(new Error("it did not listen in time")), patience);
    const settle = (done: () => void) => {
      clearTimeout(timer);
      done();
    };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const url = /"url":\s*"(http:[^"]+?)\/?"/.exec(stdout)?.[1];
      if (url !== undefined) settle(() => resolve(url));
    });
    child.once("error", (error) => settle(() => reject(error)));
    child.once("exit", (code, signal) => settle(() => reject(new Error(`it ended with ${code ?? signal}`))));
  });
}
