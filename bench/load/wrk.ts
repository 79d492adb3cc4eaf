/**
 * Load by wrk: one thread, so that with two cores the other one is the server's. To pause, it is stopped as a shell
 * stops a process; its connections stay.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { userAgent } from "../run/ask.ts";
import { BenchFailure, ensure } from "../run/failure.ts";
import { benchFolder } from "../run/project.ts";
import type { Workshop } from "../run/workshop.ts";
import type { Load, Loaded, Running } from "./load.ts";

const script = join(benchFolder, "load", "round-robin.lua");

/** What the script tells; times are in microseconds. */
interface Told {
  readonly requests: number;
  readonly microseconds: number;
  readonly bytes: number;
  /** Answers with a status of 400 or more. */
  readonly refused: number;
  /** Connections that could not be made, read from or written to. */
  readonly broken: number;
  /** Requests that were not answered in time. */
  readonly late: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Longer than anything that is measured: it is interrupted. */
const forever = "-d1h";

/** Gets wrk ready; it is started when it begins. */
export function startWrk(workshop: Workshop, load: Load): Running {
  return new Wrk(workshop, load);
}

class Wrk implements Running {
  readonly #workshop: Workshop;
  readonly #load: Load;
  #started: Started | undefined;
  #pauses = 0;
  #pausedAt: number | undefined;
  #pausedSeconds = 0;

  constructor(workshop: Workshop, load: Load) {
    this.#workshop = workshop;
    this.#load = load;
  }

  resume(): void {
    const { child } = this.#start();
    if (this.#pausedAt === undefined) return;
    this.#pausedSeconds += (performance.now() - this.#pausedAt) / 1000;
    this.#pausedAt = undefined;
    child.kill("SIGCONT");
  }

  pause(): void {
    this.#started?.child.kill("SIGSTOP");
    this.#pauses += 1;
    this.#pausedAt = performance.now();
  }

  async end(): Promise<Loaded> {
    this.resume();
    const { child, began, told } = this.#start();
    // An interrupt before it has begun would be the end of it.
    await began;
    // It ends only when its main thread takes the interrupt, which another one may take right after a pause.
    const interrupting = setInterval(() => child.kill("SIGINT"), 10);
    const { requests, microseconds, bytes, refused, broken, late, p50, p99, max } = await told.finally(() =>
      clearInterval(interrupting),
    );
    if (refused + broken + late > 0) {
      throw new BenchFailure(
        `under load ${refused} answers were no success, ${broken} connections broke, ${late} answers were late`,
      );
    }
    const seconds = microseconds / 1e6 - this.#pausedSeconds;
    const times = { p50: p50 / 1e6, p99: p99 / 1e6, max: max / 1e6 };
    return { requests, seconds, pauses: this.#pauses, bytes, ...times };
  }

  #start(): Started {
    this.#started ??= spawnWrk(this.#workshop, this.#load);
    return this.#started;
  }
}

interface Started {
  readonly child: ChildProcess;
  /** Fulfilled when it has sent a request. */
  readonly began: Promise<void>;
  /** What it tells at the end. */
  readonly told: Promise<Told>;
}

function spawnWrk(workshop: Workshop, { url, paths, connections, think = 0 }: Load): Started {
  const file = workshop.path("paths");
  writeFileSync(file, `${paths.join("\n")}\n`, { mode: 0o600 });
  const agent = ["-H", `User-Agent: ${userAgent}`];
  const args = ["-t1", `-c${connections}`, forever, "--timeout", "60s", ...agent, "-s", script, url];
  const env = { BENCH_PATHS: file, BENCH_THINK: String(think) };
  const child = workshop.spawn("wrk", args, { stdio: ["ignore", "pipe", "pipe"], env });
  let stdout = "";
  let stderr = "";
  const told = once(child, "close").then(([code, signal]): Told => {
    workshop.remove(file);
    const line = /^BENCH (\{.*\})$/m.exec(stdout)?.[1];
    ensure(
      line !== undefined,
      () => `wrk ended with ${code ?? signal} and told nothing:\n${stdout}${stderr}`,
    );
    return JSON.parse(line);
  });
  const began = new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.includes("BENCH begins")) resolve();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    told.catch(reject);
  });
  // A failure is told by whoever ends it.
  began.catch(() => {});
  return { child, began, told };
}
