/**
 * Load by requests of this process, for trying the bench where there is no wrk. It is slower than what it asks, so it
 * says nothing about speed.
 */
import { Agent, get } from "node:http";
import { setTimeout } from "node:timers/promises";
import { userAgent } from "../run/ask.ts";
import { ensure } from "../run/failure.ts";
import type { Load, Loaded } from "./load.ts";

/** Asks for a time, over as many connections as the load has. @throws BenchFailure where any request was refused */
export async function runLoop(
  { url, paths, connections, think = 0 }: Load,
  seconds: number,
): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const took: number[] = [];
  let asked = 0;
  let bytes = 0;
  const work = async () => {
    while (performance.now() < deadline) {
      if (think > 0) await setTimeout(Math.random() * think);
      const path = paths[asked % paths.length] ?? "";
      asked += 1;
      const began = performance.now();
      const answer = await fetchOver(agent, `${url}${path}`);
      ensure(answer.status < 400, () => `under load an answer had the status ${answer.status}`);
      took.push((performance.now() - began) / 1000);
      bytes += answer.bytes;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  took.sort((a, b) => a - b);
  const share = (part: number) => took[Math.floor((took.length - 1) * part)] ?? 0;
  const measured = (performance.now() - started) / 1000;
  return {
    requests: took.length,
    seconds: measured,
    bytes,
    p50: share(0.5),
    p99: share(0.99),
    max: share(1),
  };
}

/** Asks for an address, and reads the answer to its end. */
export function fetchOver(agent: Agent, url: string): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { "User-Agent": userAgent } }, (response) => {
      let bytes = 0;
      response.on("data", (piece: Buffer) => {
        bytes += piece.length;
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, bytes }));
    });
    request.once("error", reject);
  });
}
