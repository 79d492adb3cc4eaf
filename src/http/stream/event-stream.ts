/** One stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import type { ServerResponse } from "node:http";
import { LiveBody } from "../../engine/response.ts";

/** What a client may leave unread, in bytes, beside what the kernel holds for it. It is cut off beyond. */
const maxUnread = 65_536;
/** The time between two heartbeats, in milliseconds: proxies and clients take a silent connection for dead. */
const heartbeatMilliseconds = 15_000;
/** The time in which a client has to read the rest of a stream that ends, in milliseconds. */
const farewellMilliseconds = 500;

const comment = Buffer.from(":\n\n");
/** A heartbeat that scripts can receive: `EventSource` does not deliver comments. */
export const alive = eventOf("alive", "1");
/** After how many milliseconds a browser connects again. */
const beginning = "retry: 2000\n\n";

/** Returns an event, ready to be written. @param data a single line */
export function eventOf(name: string, data: string): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${data}\n\n`);
}

export class EventStream extends LiveBody {
  readonly #began: () => void;
  readonly #ended: () => void;
  readonly #heartbeat: Buffer;
  /** The last event of {@link push}. */
  #pushed: Buffer | undefined;
  #response: ServerResponse | undefined;
  #cutOff = () => {};
  #nextHeartbeat = 0;
  #isEnded = false;

  /**
   * @param ended is called when it has ended, also if it never began
   * @param heartbeat is sent every {@link heartbeatMilliseconds}
   */
  constructor(began: () => void, ended: () => void, heartbeat: Buffer = comment) {
    super();
    this.#heartbeat = heartbeat;
    this.#began = began;
    this.#ended = ended;
  }

  begin(response: ServerResponse, cutOff: () => void): void {
    if (this.#isEnded || response.socket === null || response.socket.readableEnded || response.destroyed) {
      this.end();
      response.end();
      return;
    }
    this.#response = response;
    this.#cutOff = cutOff;
    this.#nextHeartbeat = performance.now() + heartbeatMilliseconds;
    response.once("close", () => this.end());
    // Its own writing side is still open, as `httpAllowHalfOpen` has it. Nobody reads a stream and closes the other side.
    response.socket.once("end", () => this.end());
    response.write(beginning);
    if (this.#pushed !== undefined) this.write(this.#pushed);
    // Last, since that may end this one.
    this.#began();
  }

  /** Writes an event unless it is the same as the last one. Before the beginning it waits, and a later one replaces it. */
  push(event: Buffer | undefined): void {
    const isNew = event !== undefined && this.#pushed?.equals(event) !== true;
    this.#pushed = event;
    if (isNew) this.write(event);
  }

  /** Writes an event, which may be shared with other streams. */
  write(event: Buffer): void {
    const response = this.#response;
    if (response === undefined || this.#isEnded) return;
    response.write(event);
    if (response.writableLength > maxUnread) this.#cutOff();
  }

  /** Writes a heartbeat, if it is time. @param now by `performance.now()` */
  beat(now: number): void {
    if (now < this.#nextHeartbeat) return;
    this.#nextHeartbeat = now + heartbeatMilliseconds;
    this.write(this.#heartbeat);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#ended();
    const response = this.#response;
    if (response === undefined || response.destroyed) return;
    const deadline = setTimeout(this.#cutOff, farewellMilliseconds);
    response.once("close", () => clearTimeout(deadline));
    response.end();
  }
}
