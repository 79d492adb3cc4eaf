/** A polite caller: one request after another over one connection, with pauses, each timed. */
import { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fetchOver } from "../load/loop.ts";
import { ensure } from "../run/failure.ts";

/** How long it waits between two requests, in milliseconds. */
const pause = 4;

/** How long its requests took, in seconds. */
export interface Latency {
  readonly count: number;
  readonly p99: number;
  readonly slowest: number;
}

/** Asks for paths in turn. @throws BenchFailure where one is not answered with 200 */
export async function askPolitely(url: string, paths: readonly string[], seconds: number): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const began = performance.now();
    const { status } = await fetchOver(agent, `${url}${paths[took.length % paths.length]}`);
    took.push((performance.now() - began) / 1000);
    ensure(status === 200, () => `a polite request was answered with ${status}`);
    await setTimeout(pause);
  }
  agent.destroy();
  took.sort((a, b) => a - b);
  return { count: took.length, p99: took[Math.floor(took.length * 0.99)] ?? 0, slowest: took.at(-1) ?? 0 };
}
