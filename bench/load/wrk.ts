/**
 * Load by wrk, with one thread: of two cores the other one is the server's. To pause, it is stopped by SIGSTOP; its
 * connections stay open.
 */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BenchFailure, ensure, NotMeasured } from "../run/failure.ts";
import { benchFolder, userAgent } from "../run/project.ts";
import { spawnChild, temporaryPath } from "../run/temporary.ts";

const script = join(benchFolder, "load", "round-robin.lua");

/** Requests to a server. */
export interface Load {
  /** Requested in turn. They contain tokens. */
  readonly paths: readonly string[];
  /** The number of connections, each with one request under way. */
  readonly connections: number;
  /** The longest time that a connection waits before each request, in milliseconds; the mean is half of it. */
  readonly think?: number;
}

/** The summary of a load, as the script prints it; times are in microseconds. */
interface Summary {
  readonly requests: number;
  readonly microseconds: number;
  readonly bytes: number;
  /** Answers with a status of 400 or more. */
  readonly refused: number;
  /** Connections that could not be opened, read or written. */
  readonly broken: number;
  /** Requests that timed out. */
  readonly late: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A load that can be paused. */
export interface Wrk {
  /** Starts wrk, or continues after a pause. */
  resume(): void;
  /** Sends no request until it continues. The server still answers those under way; they count after the pause. */
  pause(): void;
  /** Ends wrk. @throws BenchFailure if a request was refused or late, or a connection broke */
  end(): Promise<Summary & { readonly pauses: number; readonly seconds: number }>;
}

/** Prepares wrk; its process starts with the first `resume`. */
export function prepareWrk(url: string, load: Load): Wrk {
  let running: ReturnType<typeof start> | undefined;
  let pauses = 0;
  let pausedAt: number | undefined;
  let pausedSeconds = 0;
  const resume = () => {
    running ??= start(url, load);
    if (pausedAt !== undefined) {
      pausedSeconds += (performance.now() - pausedAt) / 1000;
      pausedAt = undefined;
      running.child.kill("SIGCONT");
    }
    return running;
  };
  return {
    resume,
    pause() {
      running?.child.kill("SIGSTOP");
      pauses += 1;
      pausedAt = performance.now();
    },
    async end() {
      const { child, began, ended } = resume();
      // An interrupt before the first request would end it without a summary.
      await began;
      // Only its main thread ends it, and right after a pause another thread may take the interrupt: hence repeated.
      const interrupting = setInterval(() => child.kill("SIGINT"), 10);
      const summary = await ended.finally(() => clearInterval(interrupting));
      const { refused, broken, late, microseconds } = summary;
      if (refused + broken + late > 0) {
        throw new BenchFailure(
          `under load ${refused} requests failed, ${broken} connections broke, ${late} requests timed out`,
        );
      }
      return { ...summary, pauses, seconds: microseconds / 1e6 - pausedSeconds };
    },
  };
}

function start(url: string, { paths, connections, think = 0 }: Load) {
  const file = temporaryPath("paths");
  writeFileSync(file, `${paths.join("\n")}\n`);
  // The duration is longer than any measurement: wrk is interrupted.
  const options = ["-t1", `-c${connections}`, "-d1h", "--timeout", "60s", "-H", `User-Agent: ${userAgent}`];
  const env = { BENCH_PATHS: file, BENCH_THINK: String(think) };
  const child = spawnChild("wrk", [...options, "-s", script, url], { stdio: ["ignore", "pipe", 2], env });
  let stdout = "";
  const firstRequest = new Promise<void>((resolve) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.includes("BENCH begins")) resolve();
    });
  });
  const ended = once(child, "close").then(
    ([code, signal]): Summary => {
      const line = /^BENCH (\{.*\})$/m.exec(stdout)?.[1];
      ensure(line !== undefined, () => `wrk ended with ${code ?? signal} and no summary:\n${stdout}`);
      return JSON.parse(line);
    },
    () => {
      throw new NotMeasured("wrk is missing");
    },
  );
  const began = Promise.race([firstRequest, ended]);
  // Whoever ends it reports a failure.
  began.catch(() => {});
  return { child, began, ended };
}
