/** Requests at a steady rate beside a measurement, whether the server keeps up or not. */
import { Agent } from "node:http";
import { ensure } from "../run/failure.ts";
import { ask } from "../run/http.ts";

/** The interval at which due requests are sent, in milliseconds. */
const interval = 5;

/** The most requests under way: a server that is further behind receives no more. */
const maxUnderWay = 2000;

/** See the head of this file. */
export class Paced {
  /** How often each URL was answered with success. */
  readonly answered: number[];
  readonly #urls: readonly string[];
  readonly #perSecond: number;
  // Without a timeout, Node ignores how long the server keeps an idle connection, and sends on one that it closes just then.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 30_000 });
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #resumedAt = 0;
  #seconds = 0;
  #sent = 0;
  #failure: unknown;

  constructor(urls: readonly string[], perSecond: number) {
    this.#urls = urls;
    this.#perSecond = perSecond;
    this.answered = urls.map(() => 0);
  }

  /** Starts, or continues after a pause. */
  resume(): void {
    if (this.#timer !== undefined) return;
    this.#resumedAt = performance.now();
    this.#timer = setInterval(() => this.#send(), interval);
  }

  /** Sends nothing until it continues. The time of a pause does not count. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#seconds = this.#elapsed();
  }

  /** Ends when every request is answered. @returns the rate that it reached. @throws BenchFailure if one failed */
  async end(): Promise<number> {
    this.pause();
    const answered = this.answered.reduce((sum, count) => sum + count, 0);
    await Promise.all(this.#underWay);
    this.#agent.destroy();
    if (this.#failure !== undefined) throw this.#failure;
    return answered / this.#seconds;
  }

  #elapsed(): number {
    return this.#seconds + (performance.now() - this.#resumedAt) / 1000;
  }

  #send(): void {
    const due = this.#elapsed() * this.#perSecond;
    while (this.#sent < due && this.#underWay.size < maxUnderWay) {
      const request = this.#ask(this.#sent % this.#urls.length).catch((error: unknown) => {
        this.#failure ??= error;
      });
      this.#sent += 1;
      this.#underWay.add(request);
      void request.then(() => this.#underWay.delete(request));
    }
  }

  async #ask(which: number): Promise<void> {
    const { status } = await ask(this.#urls[which] ?? "", {}, this.#agent);
    ensure(status === 200, () => `a paced request was answered with ${status}`);
    this.answered[which] = (this.answered[which] ?? 0) + 1;
  }
}
