/**
 * The queue of requests: answers them in batches, each connection's in their order, and all connections in turn, so that
 * none keeps the others waiting.
 *
 * - A batch is at most {@link batchSize} requests: first all are handled, then their answers are written. Node's code
 *   that parses, the service's, and the one that writes then each run in one go, which the processor's caches reward.
 * - One turn of the event loop handles requests for about {@link turnMilliseconds}; what is left waits for the next one,
 *   behind what has arrived meanwhile.
 * - A batch alternates between connections that send one request at a time and those that pipeline: a caller of the first
 *   kind does not wait behind all of the second.
 * - A connection has one request under way; the next one begins when the answer before it is written. A client that
 *   sends many at once is not read from until they are answered, and one that does not read gets no more answers.
 * - Node parses all that it reads of a connection at once, up to two thousand requests. A connection that pipelines is
 *   therefore read from when hardly anything waits, and otherwise only now and then; new ones one after the other, as fast
 *   as turns stay short. If parsing still takes long, nobody is read from until their turn comes: first those that do not
 *   pipeline.
 * - No operation takes a body. A short one is read and dropped; of any other nothing is read, and the connection closes
 *   behind the answer: Node would parse it without an end, up to 2 MB at once, in chunks of a single byte.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { pipeline, Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { sendNodeResponse } from "srvx/node";
import type { Answer } from "../engine/response.ts";
import { AnswerResponse } from "./answer-response.ts";
import type { Connection } from "./connections.ts";

/** An answer as the engine gives it, or anything else that h3 does, which is a `Response` like any other. */
export type Answered = Answer | Response;

/** Answers a request. Where the answer closes the connection, it says so by {@link Connection.isEnding}. */
type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
) => Answered | Promise<Answered>;

/** How many requests are handled before their answers are written, and before the clock is looked at. */
const batchSize = 64;
const fewRequests = 8;
/** How long requests are handled in one turn of the event loop, in milliseconds. */
const turnMilliseconds = 5;
/** How many requests of a connection may wait before it is not read from. */
const mostOfConnection = 16;
/**
 * How many requests can wait in all until connections that pipeline are only rarely read from, then new ones, too; and
 * until those that pipeline are closed, since each request takes about 2 KB.
 */
const backlog = { some: 64, much: 4096, most: 65_536 };
/** In which turns somebody is read from who would have to wait: the newest connection, and one that pipelines. */
const rarely = 32;
/** Up to how many bytes a body is read and dropped. One in chunks does not say how many it has. */
const mostOfBody = 65_536;
/** How much of a body TLS is given at once, in bytes. */
const pieceSize = 65_536;
/** After how many requests of a turn the clock is looked at while they arrive; a long body takes as long as they. */
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
  /** The connections whose next request may begin: those that send one at a time, and those that pipeline. */
  readonly #next: Record<"single" | "pipelining", Connection[]> = { single: [], pipelining: [] };
  #ready: Ready[] = [];
  /** The connections that are not read from until it is their turn: known ones first, new ones, and those that pipeline. */
  readonly #held = {
    known: new Set<Connection>(),
    fresh: new Set<Connection>(),
    pipelining: new Set<Connection>(),
  };
  /** How many of those may go on in a turn. */
  #resumed = 1;
  #turns = 0;
  /** The connections on which requests wait until the answer before them is written, and that answer. */
  #writing: Writing[] = [];
  /** Those of them whose client does not read: it takes more than a turn. What waits on them cannot begin. */
  readonly #stuck = new Set<Connection>();
  /** How many requests wait, and how many of them on connections that are stuck. */
  #waiting = 0;
  #waitingStuck = 0;
  /** How many have arrived in this turn, and when the first of them did. */
  #arrived = 0;
  #began = 0;
  #isScheduled = false;

  /**
   * @param handle answers a request
   * @param connections all that there are
   */
  constructor(handle: Handle, connections: () => Iterable<Connection>) {
    this.#handle = handle;
    this.#connections = connections;
  }

  /** Takes up a new connection. */
  open(connection: Connection): void {
    this.#hold(connection);
  }

  /** Forgets a connection that is closed, and what waits on it. */
  close(connection: Connection): void {
    const { waiting } = connection;
    this.#unstick(connection);
    this.#waiting -= waiting.length;
    waiting.length = 0;
    for (const held of Object.values(this.#held)) held.delete(connection);
  }

  /** Takes a request, to be handled when it is the connection's turn. */
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
    if (connection.waiting.length >= mostOfConnection) {
      connection.pipelines = true;
      connection.pause();
      if (this.#waiting > backlog.most) this.#shed(connection);
    }
    if (connection.isBusy) return;
    connection.isBusy = true;
    this.#line(connection).push(connection);
    this.#schedule();
  }

  /** Stops reading from everybody where what arrives takes too long, until each is let go on. */
  #brake(): void {
    if (performance.now() - this.#began < 2 * turnMilliseconds) return;
    for (const connection of this.#connections()) if (!connection.isPaused) this.#hold(connection);
  }

  /** Closes a connection that pipelines: the one that is stuck for longest, or else the one that has sent just now. */
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
    const isHolding = this.#letGoOn(parsing + now - began);
    if (this.#hasNext || isHolding) this.#schedule();
  };

  /** @param deadline until when requests are begun, by `performance.now()` */
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
      send(response, answered);
      if (connection.isEnding) this.close(connection);
      this.#end(connection, response);
    }
  }

  /** Begins the next request of a connection. */
  #begin(connection: Connection): void {
    const exchange = connection.waiting.shift();
    if (exchange === undefined) return;
    this.#waiting -= 1;
    const { request, response } = exchange;
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

  /** Goes on with a connection behind an answer. */
  #end(connection: Connection, response: ServerResponse): void {
    if (connection.waiting.length === 0) {
      connection.isBusy = false;
      // It has sent much at once, and all of that is answered.
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

  /** How many requests can begin. */
  get #backlog(): number {
    return this.#waiting - this.#waitingStuck;
  }

  /**
   * Lets held connections go on: twice as many as in the turn before, or only one of each kind where that turn took long
   * or requests wait. New ones do not wait for known ones, which can be held again with each turn, nor, where very many
   * requests wait, until those are answered, which can take seconds: then it is now and then the newest's turn.
   * @returns whether there are more that may go on in the next turn
   */
  #letGoOn(milliseconds: number): boolean {
    const { known, fresh, pipelining } = this.#held;
    const isBehind = milliseconds > turnMilliseconds || this.#backlog >= backlog.some;
    const isFarBehind = this.#backlog >= backlog.much;
    this.#turns += 1;
    this.#resumed = isBehind ? 1 : Math.min(2 * this.#resumed, 1024);
    for (let count = 0; count < this.#resumed; count += 1) {
      resume(known, firstOf(known));
      if (!isFarBehind) resume(fresh, firstOf(fresh));
    }
    if (!isBehind && known.size + fresh.size === 0) resume(pipelining, firstOf(pipelining));
    if (isBehind && this.#turns % rarely === 0) {
      // Who comes behind a thousand others need not wait for all of them.
      resume(fresh, Array.from(fresh).at(-1));
      if (!isFarBehind) resume(pipelining, firstOf(pipelining));
    }
    return known.size + fresh.size > 0 || (pipelining.size > 0 && this.#backlog < backlog.some);
  }
}

function hasLongBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > mostOfBody;
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

/** Writes an answer out as it is. What goes wrong in that ends the connection, and nothing else. */
function send(response: ServerResponse, answered: Answered): void {
  const answer = answered instanceof AnswerResponse ? answered.answer : answered;
  if (answer instanceof Response) {
    sendNodeResponse(response, answer).catch(() => response.destroy());
    return;
  }
  try {
    const { status, headers, body } = answer;
    response.writeHead(status, STATUS_CODES[status], headers as string[]);
    if (body !== null && body.length > pieceSize && response.socket instanceof TLSSocket) {
      pipeline(Readable.from(piecesOf(body)), response, () => {});
    } else response.end(body);
  } catch {
    response.destroy();
  }
}

/** Yields a body in pieces: TLS encrypts at once whatever it is given, for a client that may never read it. */
function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += pieceSize) yield body.subarray(start, start + pieceSize);
}
