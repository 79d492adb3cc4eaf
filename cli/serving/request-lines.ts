/** Lines of requests in the log, as many as there are requests: when they are made, and how. */
import type { RequestRecord } from "../../src/engine/exchange.ts";

/** How many requests wait at most until their lines are made. */
const mostWaiting = 256;

/** How often lines are written at most, in milliseconds. */
const interval = 10;

/** A request, and when it was answered, in milliseconds since 1970. */
interface Answered {
  readonly record: RequestRecord;
  readonly time: number;
}

/**
 * Collects requests, so that the lines of a busy moment are made one after the other and written together: made by
 * itself, between two requests, a line costs several times as much. One that comes after a pause is written in the same
 * turn of the event loop.
 */
export class WaitingRequests {
  readonly #write: (answered: readonly Answered[]) => void;
  #answered: Answered[] = [];
  #written = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(write: (answered: readonly Answered[]) => void) {
    this.#write = write;
  }

  add(record: RequestRecord): void {
    const count = this.#answered.push({ record, time: Date.now() });
    if (count >= mostWaiting) this.flush();
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

/** What the lines of a route share, by method and status. */
interface Shared {
  readonly method: string;
  readonly status: number;
  readonly text: string;
}

/**
 * Lines of requests that went well, as pino makes them of the same fields, but in a third of its time: they are almost
 * all there are. All that they share is made into JSON once, by method, route and status. Nothing in such a line comes
 * from outside, so no token is looked for in it.
 */
export class ServedLines {
  readonly #shared = new Map<string | null, Shared[]>();

  lineOf(record: RequestRecord, time: string): string {
    const { method, route, status, milliseconds, caller, token, address, requestId } = record;
    const shared = this.#sharedBy(method, route, status);
    let own = `"milliseconds":${rounded(milliseconds)},"caller":${JSON.stringify(caller)}`;
    if (token !== undefined) own += `,"token":${JSON.stringify(token)}`;
    if (address !== undefined) own += `,"address":${JSON.stringify(address)}`;
    return `{"level":30${time},${shared},${own},"requestId":"${requestId}"}\n`;
  }

  #sharedBy(method: string, route: string | null, status: number): string {
    const ofRoute = this.#shared.get(route) ?? [];
    const known = ofRoute.find((each) => each.method === method && each.status === status);
    if (known !== undefined) return known.text;
    const text = JSON.stringify({ method, route, status }).slice(1, -1);
    this.#shared.set(route, [...ofRoute, { method, status, text }]);
    return text;
  }
}

/** Milliseconds to thousandths. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
