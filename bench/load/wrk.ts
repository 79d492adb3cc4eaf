/** Load by wrk: one thread, so that with two cores the other one is the server's. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { userAgent } from "../run/ask.ts";
import { execute } from "../run/execute.ts";
import { BenchFailure, ensure } from "../run/failure.ts";
import { benchFolder } from "../run/project.ts";
import type { Workshop } from "../run/workshop.ts";
import type { Load, Loaded } from "./load.ts";

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

/** Runs wrk for a time. @throws BenchFailure where any request was refused, or a connection broke */
export async function runWrk(workshop: Workshop, load: Load, seconds: number): Promise<Loaded> {
  const { url, paths, connections, think = 0 } = load;
  const file = workshop.path("paths");
  await writeFile(file, `${paths.join("\n")}\n`, { mode: 0o600 });
  const duration = [`-d${Math.ceil(seconds)}s`, "--timeout", "60s"];
  const args = ["-t1", `-c${connections}`, ...duration, "-H", `User-Agent: ${userAgent}`, "-s", script, url];
  const env = { BENCH_PATHS: file, BENCH_THINK: String(think) };
  const toTheEnd = () => execute(workshop, "wrk", "wrk", args, { env });
  // wrk takes whole seconds. An interrupt ends it before that, and it tells what it has; but for one that comes while
  // it still starts.
  const { stdout } = Number.isInteger(seconds)
    ? await toTheEnd()
    : await execute(workshop, "wrk", "wrk", args, { env, afterSeconds: seconds }).catch(toTheEnd);
  workshop.remove(file);
  const line = /^BENCH (\{.*\})$/m.exec(stdout)?.[1];
  ensure(line !== undefined, () => `wrk told nothing:\n${stdout}`);
  return toLoaded(JSON.parse(line));
}

function toLoaded({ requests, microseconds, bytes, refused, broken, late, p50, p99, max }: Told): Loaded {
  if (refused + broken + late > 0) {
    throw new BenchFailure(
      `under load ${refused} answers were no success, ${broken} connections broke, ${late} answers were late`,
    );
  }
  const seconds = microseconds / 1e6;
  return { requests, seconds, bytes, p50: p50 / 1e6, p99: p99 / 1e6, max: max / 1e6 };
}
