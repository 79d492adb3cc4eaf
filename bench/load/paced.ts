/** Requests at a steady pace, beside what is measured: so many a second, whether the server keeps up or not. */
import { Agent } from "node:http";
import { ensure } from "../run/failure.ts";
import { fetchOver } from "./loop.ts";

/** How often requests that are due are sent, in milliseconds. */
const beat = 5;

/** Requests that may be under way: a server that is further behind is not asked for more. */
const mostUnderWay = 2000;

/** See the head of this file. */
export class Paced {
  /** How often each path was answered with success. */
  readonly answered: number[];
  readonly #urls: readonly string[];
  readonly #perSecond: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #resumedAt = 0;
  #milliseconds = 0;
  #sent = 0;
  #failed: unknown;

  /** Gets ready to ask. */
  constructor(url: string, paths: readonly string[], perSecond: number) {
    this.#urls = paths.map((path) => `${url}${path}`);
    this.#perSecond = perSecond;
    this.answered = paths.map(() => 0);
  }

  /** Begins to ask, or goes on. */
  resume(): void {
    if (this.#timer !== undefined) return;
    this.#resumedAt = performance.now();
    this.#timer = setInterval(() => this.#send(), beat);
  }

  /** Asks for nothing until it goes on, and has nothing to make up for then. */
  pause(): void {
    if (this.#timer === undefined) return;
    this.#milliseconds = this.#milliseconds + performance.now() - this.#resumedAt;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** How many requests were answered so far. */
  get count(): number {
    return this.answered.reduce((sum, each) => sum + each, 0);
  }

  /** How many seconds it has asked. */
  get seconds(): number {
    const since = this.#timer === undefined ? 0 : performance.now() - this.#resumedAt;
    return (this.#milliseconds + since) / 1000;
  }

  /** Ends, when every request was answered. @throws BenchFailure where one was refused */
  async stop(): Promise<void> {
    this.pause();
    await Promise.all(this.#underWay);
    this.#agent.destroy();
    if (this.#failed !== undefined) throw this.#failed;
  }

  #send(): void {
    const due = this.seconds * this.#perSecond;
    while (this.#sent < due && this.#underWay.size < mostUnderWay) {
      const request = this.#ask(this.#sent % this.#urls.length).catch((error: unknown) => {
        this.#failed ??= error;
      });
      this.#sent += 1;
      this.#underWay.add(request);
      void request.then(() => this.#underWay.delete(request));
    }
  }

  async #ask(which: number): Promise<void> {
    const { status } = await fetchOver(this.#agent, this.#urls[which] ?? "");
    ensure(status === 200, () => `a paced request was answered with ${status}`);
    this.answered[which] = (this.answered[which] ?? 0) + 1;
  }
}
