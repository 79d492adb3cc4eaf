/** Collects the log lines of requests into batches. */
import type { RequestRecord } from "../../src/engine/exchange.ts";

/** The most requests in a batch. */
const maxWaiting = 256;

/** The shortest time between batches, in milliseconds. */
const interval = 10;

/** A request, and the time of its answer in milliseconds since 1970. */
interface LoggedRequest {
  readonly record: RequestRecord;
  readonly time: number;
}

/**
 * Collects requests, so that their lines are formatted and written in batches: a line between two requests costs several
 * times as much. A request after a pause is logged within the same turn of the event loop.
 */
export class WaitingRequests {
  readonly #write: (answered: readonly LoggedRequest[]) => void;
  #answered: LoggedRequest[] = [];
  #written = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(write: (answered: readonly LoggedRequest[]) => void) {
    this.#write = write;
  }

  add(record: RequestRecord): void {
    const count = this.#answered.push({ record, time: Date.now() });
    if (count >= maxWaiting) this.flush();
    else if (count === 1) this.#schedule();
  }

  flush(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    if (this.#answered.length === 0) return;
    const answered = this.#answered;
    this.#answered = [];
    this.#written = performance.now();
    this.#write(answered);
  }

  #schedule(): void {
    const rest = this.#written + interval - performance.now();
    if (rest > 0) this.#timer = setTimeout(() => this.flush(), rest);
    else this.#turn = setImmediate(() => this.flush());
  }
}
