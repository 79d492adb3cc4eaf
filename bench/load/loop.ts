/**
 * Load by requests of this process, for trying the bench where there is no wrk. It is slower than what it asks, so it
 * says nothing about speed.
 */
import { Agent, get } from "node:http";
import { setTimeout } from "node:timers/promises";
import { userAgent } from "../run/ask.ts";
import { ensure } from "../run/failure.ts";
import type { Load, Loaded, Running } from "./load.ts";

/** Gets a loop ready that asks over as many connections as the load has. */
export function startLoop(load: Load): Running {
  return new Loop(load);
}

class Loop implements Running {
  readonly #load: Load;
  readonly #agent: Agent;
  readonly #took: number[] = [];
  /** Fulfilled while it is not paused. */
  #goesOn = Promise.resolve();
  #goOn: (() => void) | undefined;
  #resumedAt = 0;
  #seconds = 0;
  #pauses = 0;
  #work: Promise<unknown> | undefined;
  #ended = false;
  #asked = 0;
  #bytes = 0;

  constructor(load: Load) {
    this.#load = load;
    this.#agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  }

  resume(): void {
    if (this.#work !== undefined && this.#goOn === undefined) return;
    this.#resumedAt = performance.now();
    this.#goOn?.();
    this.#goOn = undefined;
    if (this.#work !== undefined) return;
    this.#work = Promise.all(Array.from({ length: this.#load.connections }, () => this.#ask()));
    // A failure is told by whoever ends it.
    this.#work.catch(() => {});
  }

  pause(): void {
    this.#seconds += (performance.now() - this.#resumedAt) / 1000;
    this.#pauses += 1;
    this.#goesOn = new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  async end(): Promise<Loaded> {
    this.resume();
    this.#ended = true;
    await this.#work;
    const seconds = this.#seconds + (performance.now() - this.#resumedAt) / 1000;
    this.#agent.destroy();
    const sorted = this.#took.toSorted((a, b) => a - b);
    const share = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
    const times = { p50: share(0.5), p99: share(0.99), max: share(1) };
    return { requests: sorted.length, seconds, pauses: this.#pauses, bytes: this.#bytes, ...times };
  }

  async #ask(): Promise<void> {
    const { url, paths, think = 0 } = this.#load;
    while (!this.#ended) {
      await this.#goesOn;
      if (think > 0) await setTimeout(Math.random() * think);
      const path = paths[this.#asked % paths.length] ?? "";
      this.#asked += 1;
      const began = performance.now();
      const answer = await fetchOver(this.#agent, `${url}${path}`);
      ensure(answer.status < 400, () => `under load an answer had the status ${answer.status}`);
      this.#took.push((performance.now() - began) / 1000);
      this.#bytes += answer.bytes;
    }
  }
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
