/**
 * The request queue: answers requests in batches, in the order of each connection, and fairly between connections.
 *
 * - A batch has at most {@link batchSize} requests: first all are handled, then their answers are written. Parsing,
 *   handling and writing then each run in one go, which suits the processor's caches.
 * - One turn of the event loop handles requests for about {@link turnMilliseconds}. The rest waits for the next turn,
 *   behind the requests that have arrived meanwhile.
 * - A batch alternates between connections that send one request at a time and those that pipeline, so that the first
 *   do not wait behind all requests of the second.
 * - A connection has one request in progress; the next begins when the answer is written. A client that sends many at
 *   once is not read from until they are answered, and one that does not read gets no further answers.
 * - Node parses all that it reads from a connection at once, up to two thousand requests. Therefore a connection that
 *   pipelines is read from only when the queue is nearly empty, and otherwise rarely; new connections one after another,
 *   as fast as turns stay short. If parsing still takes long, all connections are paused and resumed one by one, those
 *   that do not pipeline first.
 * - No operation takes a body. A short one is read and discarded. A longer one is not read, and the connection closes
 *   after the answer: Node would parse it without end, up to 2 MB at once, in chunks of a single byte.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Connection } from "./connections.ts";
import { type Answered, sendAnswer } from "./send.ts";

/** Answers a request. Sets {@link Connection.isEnding} if the answer closes the connection. */
type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
) => Answered | Promise<Answered>;

/** How many requests are handled before their answers are written, and before the queue changes lines. */
const batchSize = 64;
const fewRequests = 8;
/** For how long one turn of the event loop handles requests, in milliseconds. */
const turnMilliseconds = 5;
/** A connection is paused when this many of its requests wait. */
const maxOfConnection = 16;
/**
 * With `some` requests waiting, connections that pipeline are rarely read from; with `much`, new ones, too; with `max`,
 * those that pipeline are closed, since each request takes about 2 KB.
 */
const backlog = { some: 64, much: 4096, max: 65_536 };
/** In every such turn the newest connection and one that pipelines are read from, whatever waits. */
const rarely = 32;
/** The longest body that is read and discarded, in bytes. A chunked one does not declare its length. */
const maxBody = 65_536;
/** The clock is read after this many arriving requests, or one long body, which takes as long. */
const clockInterval = 32;

interface Ready {
  readonly connection: Connection;
  readonly response: ServerResponse;
  readonly answered: Answered;
}

interface Writing {
  readonly connection: Connection;
  readonly response: ServerResponse;
}

/** See the head of this file. */
export class RequestQueue {
  readonly #handle: Handle;
  readonly #connections: () => Iterable<Connection>;
  /** The connections whose next request may begin. */
  readonly #next: Record<"single" | "pipelining", Connection[]> = { single: [], pipelining: [] };
  #ready: Ready[] = [];
  /** The paused connections. `known` ones have sent a request before. */
  readonly #held = {
    known: new Set<Connection>(),
    fresh: new Set<Connection>(),
    pipelining: new Set<Connection>(),
  };
  /** How many of those are resumed in a turn. */
  #resumed = 1;
  #turns = 0;
  /** The connections whose next request waits until an answer is written, with that response. */
  #writing: Writing[] = [];
  /** Those of them whose client does not read: writing has taken more than a turn. */
  readonly #stuck = new Set<Connection>();
  /** How many requests wait, in all and on stuck connections. */
  #waiting = 0;
  #waitingStuck = 0;
  /** How many requests have arrived in this turn, and when the first did. */
  #arrived = 0;
  #began = 0;
  #isScheduled = false;

  /**
   * @param connections returns all connections
   */
  constructor(handle: Handle, connections: () => Iterable<Connection>) {
    this.#handle = handle;
    this.#connections = connections;
  }

  /** Adds a new connection, paused. */
  open(connection: Connection): void {
    this.#hold(connection);
  }

  /** Removes a closed connection and its waiting requests. */
  close(connection: Connection): void {
    const { waiting } = connection;
    this.#unstick(connection);
    this.#waiting -= waiting.length;
    waiting.length = 0;
    for (const held of Object.values(this.#held)) held.delete(connection);
  }

  /** Adds a request. */
  take(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    if (connection.socket.destroyed || connection.isEnding) return;
    const isLong = hasLongBody(request);
    this.#arrived += 1;
    if (this.#arrived === 1) this.#began = performance.now();
    else if (isLong || this.#arrived % clockInterval === 0) this.#brake();
    connection.lastUsed = this.#began;
    connection.latest = response;
    if (isLong) connection.endAfter(response);
    connection.waiting.push({ request, response });
    this.#waiting += 1;
    if (this.#stuck.has(connection)) this.#waitingStuck += 1;
    if (connection.waiting.length >= maxOfConnection) {
      connection.pipelines = true;
      connection.pause();
      if (this.#waiting > backlog.max) this.#shed(connection);
    }
    if (connection.isBusy) return;
    connection.isBusy = true;
    this.#line(connection).push(connection);
    this.#schedule();
  }

  /** Pauses all connections where parsing has taken too long. */
  #brake(): void {
    if (performance.now() - this.#began < 2 * turnMilliseconds) return;
    for (const connection of this.#connections()) if (!connection.isPaused) this.#hold(connection);
  }

  /** Closes a connection that pipelines: the one that has been stuck longest, or else the latest sender. */
  #shed(latest: Connection): void {
    const [connection = latest] = this.#stuck;
    connection.socket.destroy();
    this.close(connection);
  }

  #hold(connection: Connection): void {
    connection.pause();
    const { known, fresh, pipelining } = this.#held;
    const held = connection.pipelines ? pipelining : connection.latest === undefined ? fresh : known;
    held.add(connection);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = () => {
    this.#isScheduled = false;
    this.#findStuck();
    const began = performance.now();
    const parsing = this.#arrived === 0 ? 0 : began - this.#began;
    this.#arrived = 0;
    let now = began;
    do {
      this.#batch(began + turnMilliseconds);
      now = performance.now();
    } while (this.#hasNext && now - began < turnMilliseconds);
    const isHolding = this.#resumeSome(parsing + now - began);
    if (this.#hasNext || isHolding) this.#schedule();
  };

  /** @param deadline for beginning a request, by `performance.now()` */
  #batch(deadline: number): void {
    let count = 0;
    do {
      for (const line of [this.#next.single, this.#next.pipelining]) {
        const some = line.splice(0, fewRequests);
        for (const connection of some) this.#begin(connection);
        count += some.length;
      }
    } while (this.#hasNext && count < batchSize && performance.now() < deadline);
    const ready = this.#ready;
    this.#ready = [];
    for (const { connection, response, answered } of ready) {
      connection.noteAnswer(response, sendAnswer(response, answered));
      if (connection.isEnding) this.close(connection);
      this.#end(connection, response);
    }
  }

  /** Begins the next request of a connection. */
  #begin(connection: Connection): void {
    const next = connection.waiting.shift();
    if (next === undefined) return;
    this.#waiting -= 1;
    const { request, response } = next;
    const answered = this.#handle(request, response, connection);
    if (!(answered instanceof Promise)) {
      this.#ready.push({ connection, response, answered });
      return;
    }
    answered.then(
      (each) => {
        this.#ready.push({ connection, response, answered: each });
        this.#schedule();
      },
      () => response.destroy(),
    );
  }

  /** Continues with a connection after an answer. */
  #end(connection: Connection, response: ServerResponse): void {
    if (connection.waiting.length === 0) {
      connection.isBusy = false;
      // It was paused since it sent many requests at once, all of which are answered.
      if (connection.isPaused && !connection.socket.destroyed) this.#hold(connection);
      return;
    }
    if (response.writableFinished) this.#line(connection).push(connection);
    else {
      this.#writing.push({ connection, response });
      response.once("finish", () => {
        this.#unstick(connection);
        this.#line(connection).push(connection);
        this.#schedule();
      });
    }
  }

  #findStuck(): void {
    for (const { connection, response } of this.#writing) {
      if (response.writableFinished || connection.socket.destroyed) continue;
      this.#stuck.add(connection);
      this.#waitingStuck += connection.waiting.length;
    }
    this.#writing = [];
  }

  #unstick(connection: Connection): void {
    if (this.#stuck.delete(connection)) this.#waitingStuck -= connection.waiting.length;
  }

  /** Returns the line in which a connection waits for its turn. */
  #line({ pipelines }: Connection): Connection[] {
    return pipelines ? this.#next.pipelining : this.#next.single;
  }

  get #hasNext(): boolean {
    return this.#next.single.length > 0 || this.#next.pipelining.length > 0;
  }

  /** How many waiting requests can begin. */
  get #backlog(): number {
    return this.#waiting - this.#waitingStuck;
  }

  /**
   * Resumes paused connections: twice as many as in the turn before, or only one of each kind if that turn took long or
   * requests wait. New connections do not wait for known ones, which every turn can pause again, nor for a long backlog,
   * which can take seconds: sometimes the newest is resumed.
   * @returns whether more can be resumed in the next turn
   */
  #resumeSome(milliseconds: number): boolean {
    const { known, fresh, pipelining } = this.#held;
    const isBehind = milliseconds > turnMilliseconds || this.#backlog >= backlog.some;
    const isFarBehind = this.#backlog >= backlog.much;
    this.#turns += 1;
    this.#resumed = isBehind ? 1 : Math.min(2 * this.#resumed, 1024);
    for (let count = 0; count < this.#resumed && known.size + fresh.size > 0; count += 1) {
      resume(known, firstOf(known));
      if (!isFarBehind) resume(fresh, firstOf(fresh));
    }
    if (!isBehind && known.size + fresh.size === 0) resume(pipelining, firstOf(pipelining));
    if (isBehind && this.#turns % rarely === 0) {
      // The newest of a thousand need not wait for all others.
      resume(fresh, Array.from(fresh).at(-1));
      if (!isFarBehind) resume(pipelining, firstOf(pipelining));
    }
    if (known.size + fresh.size > 0) return true;
    // The next turn finds which of those that are being written are stuck. Their requests no longer count then.
    return pipelining.size > 0 && (this.#backlog < backlog.some || this.#writing.length > 0);
  }
}

function hasLongBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > maxBody;
}

function firstOf(held: ReadonlySet<Connection>): Connection | undefined {
  const [first] = held;
  return first;
}

function resume(held: Set<Connection>, connection: Connection | undefined): void {
  if (connection === undefined) return;
  held.delete(connection);
  connection.resume();
}
