/** The processes of the torture: the service, and the commands of the operator. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import type { Started } from "./service.ts";

/** The time limit of everything, in milliseconds. */
const patience = 120_000;

/** How a command ended. */
export interface Ended {
  /** null where it was killed. */
  readonly code: number | null;
  /** What it wrote to standard output: JSON, or nothing. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly remarks: string;
}

/** A folder with the compiled project and the tortured data. */
export class Workshop {
  readonly data: string;
  readonly clock: Clock;
  readonly #folder: string;
  readonly #children = new Set<ChildProcess>();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.data = join(folder, "community");
    this.clock = clock;
    process.once("exit", () => {
      for (const child of this.#children) child.kill("SIGKILL");
    });
  }

  /** Starts the service. Returns undefined where it refuses to start. */
  async start(snapshotAfter: number): Promise<RunningService | { readonly refusal: string }> {
    const main = join(this.#folder, "test", "torture", "service.js");
    const child = this.#keep(
      spawn(process.execPath, [main, this.data, String(snapshotAfter)], {
        cwd: this.#folder,
        env: { ...process.env, ...this.clock.env },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    const service = new RunningService(child);
    const lines = createInterface({ input: child.stdout });
    const line = await Promise.race([
      once(lines, "line").then(([first]) => String(first)),
      once(child, "close").then(() => undefined),
      setTimeout(patience, undefined, { ref: false }),
    ]);
    if (line === undefined) {
      await service.end("SIGKILL");
      return { refusal: service.log };
    }
    service.started = JSON.parse(line);
    return service;
  }

  /** Runs a command. @param killAfter milliseconds until it is killed */
  async run(args: readonly string[], killAfter?: number): Promise<Ended> {
    const main = join(this.#folder, "cli", "main.js");
    const child = this.#keep(
      execFile(process.execPath, [main, "--data", this.data, "--json", ...args], {
        cwd: this.#folder,
        env: { ...process.env, ...this.clock.env },
        timeout: killAfter ?? patience,
        killSignal: "SIGKILL",
        maxBuffer: 2 ** 28,
      }),
    );
    let result = "";
    let remarks = "";
    // The streams' own readers fail if a command is killed.
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      result += piece;
    });
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      remarks += piece;
    });
    await once(child, "close");
    const { exitCode: code } = child;
    if (code === null && killAfter === undefined) throw new Error(`${args.join(" ")} took too long`);
    return { code, result: code === null || result === "" ? {} : JSON.parse(result), remarks };
  }

  #keep<C extends ChildProcess>(child: C): C {
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }
}

/** A service that is listening. */
export class RunningService {
  started: Started = { url: "", tokens: {} };
  /** The end of its log. */
  log = "";
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #isToEnd = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "close");
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      this.log = `${this.log}${piece}`.slice(-4096);
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether it has ended without being killed or stopped, which is a fault. */
  get hasFailed(): boolean {
    return !this.isAlive && !this.#isToEnd;
  }

  /** Stops it, or without a signal expects that it ends by itself, and waits for its end. */
  async end(signal?: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#isToEnd = true;
    if (signal !== undefined) this.#child.kill(signal);
    await Promise.race([
      this.#ended,
      setTimeout(patience, undefined, { ref: false }).then(() => {
        throw new Error(`the service did not end by ${signal ?? "itself"}`);
      }),
    ]);
  }

  /** Freezes it for a while. */
  async freeze(milliseconds: number): Promise<void> {
    this.#child.kill("SIGSTOP");
    await setTimeout(milliseconds);
    this.#child.kill("SIGCONT");
  }

  /** Closes the reader of its log. */
  leaveLog(): void {
    this.#child.stderr?.destroy();
  }
}
