/**
 * The request queue: answers requests in batches, in the order of each connection, and fairly between connections.
 *
 * - A batch has at most {@link batchSize} requests: first all are handled, then their answers are written. Parsing,
 *   handling and writing then each run in one go, which suits the processor's caches.
 * - One turn of the event loop handles requests for about {@link turnMilliseconds}. The rest waits for the next turn,
 *   behind the requests that have arrived meanwhile. Short turns also let newcomers in: Node accepts one in each.
 * - A connection has one request in progress; the next begins when the client has read the answer. One that pipelines is
 *   not read from until all its requests are answered, and closed if too many wait in all.
 * - A connection is welcome if its last answer was no failure, or one of {@link counted}, and it does not pipeline. The
 *   others make way: a batch alternates between the two kinds, and the others are read from only when their turn comes. A
 *   hostile client is refused sooner or later, since all these requests but those for health, which make nobody welcome,
 *   count against a limit; then neither the number of its connections nor what Node has to parse for them delays anybody else.
 * - Node parses all that has arrived on all connections in one go, up to two thousand requests of each. When that takes
 *   long, all connections are paused. As many are resumed in a turn as keep it short, by turns those with the most good
 *   answers, since the limits bound how many of these a hostile client can collect, and those that wait longest. All others
 *   take turns by network.
 * - No operation takes a body. A short one is read and discarded. A longer one is not read, and the connection closes
 *   after the answer: Node would parse it without end, up to 2 MB at once, in chunks of a single byte.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { LiveBody } from "../engine/response.ts";
import type { Connection, ConnectionEvents } from "./connections.ts";
import { isHealthRequest } from "./health-pages.ts";
import { type Answered, sendAnswer } from "./send.ts";
import { NetworkTurns } from "./turns.ts";

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
const turnMilliseconds = 2;
/** All connections are paused when parsing has taken this long in a turn, in milliseconds. */
const parsingMilliseconds = 10;
/** A connection pipelines, and is paused, when this many of its requests wait. */
const manyOfOne = 16;
/** With this many waiting requests in all, a connection that pipelines is closed: each takes a few KB. */
const maxWaiting = 16_384;
/**
 * While `some` requests wait, connections that pipeline are resumed only in one turn of {@link rarely}; while `many` do,
 * refused ones, too, and new ones only in one turn of {@link sometimes}: an odd number, so that the newest and the oldest
 * take turns.
 */
const waiting = { some: 64, many: 4096 };
const sometimes = 15;
const rarely = 32;
/** The most connections of a kind that are resumed in a turn: several hundred can become ready at the same instant. */
const maxResumed = 4;
/** After so many good answers a connection makes way for paused ones. Pausing it after each takes half as much time again. */
const share = 16;
/** The longest body that is read and discarded, in bytes. A chunked one does not declare its length. */
const maxBody = 65_536;
/** The clock is read after this many arriving requests, or one long body, which takes as long. */
const clockInterval = 32;
/** The statuses of failures that are ordinary answers, and that a limit has counted. */
const counted = new Set([403, 404, 409]);

interface Ready {
  readonly connection: Connection;
  readonly response: ServerResponse;
  readonly answered: Answered;
}

export class RequestQueue implements ConnectionEvents {
  readonly #handle: Handle;
  readonly #connections: () => Iterable<Connection>;
  /** The connections whose next request may begin. */
  readonly #next: Record<"welcome" | "other", Connection[]> = { welcome: [], other: [] };
  #ready: Ready[] = [];
  /** The paused connections, in the order in which they are resumed. */
  readonly #held = {
    welcome: new Set<Connection>(),
    /** Those that have had no request yet. */
    fresh: new NetworkTurns(),
    refused: new NetworkTurns(),
    pipelining: new NetworkTurns(),
  };
  /** How many of each kind are resumed in a turn. */
  #resumed = 1;
  #turns = 0;
  /** How many requests have arrived in this turn, and when the first did. */
  #arrived = 0;
  #began = 0;
  #waiting = 0;
  #isScheduled = false;
  /** Whether a connection was opened in this turn. */
  #isAccepting = false;

  constructor(handle: Handle, connections: () => Iterable<Connection>) {
    this.#handle = handle;
    this.#connections = connections;
  }

  /** Adds a new connection, paused. */
  opened(connection: Connection): void {
    this.#isAccepting = true;
    this.#hold(connection);
  }

  /** Removes a closed connection and its waiting requests. */
  closed(connection: Connection): void {
    this.#waiting -= connection.waiting.length;
    connection.waiting.length = 0;
    this.#release(connection);
  }

  take(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    if (connection.socket.destroyed || connection.isEnding || connection.isDone) return;
    // It could never be answered, and would be held in memory.
    if (connection.live !== undefined) {
      connection.cutOff();
      return;
    }
    const isLong = hasLongBody(request);
    this.#arrived += 1;
    if (this.#arrived === 1) this.#began = performance.now();
    else if (isLong || this.#arrived % clockInterval === 0) this.#brake();
    connection.lastUsed = this.#began;
    connection.latest = response;
    if (isLong) connection.endAfter(response);
    connection.waiting.push({ request, response });
    this.#waiting += 1;
    if (connection.waiting.length >= manyOfOne) {
      connection.pipelines = true;
      connection.pause();
      if (this.#waiting > maxWaiting) connection.socket.destroy();
    }
    if (connection.isBusy) return;
    connection.isBusy = true;
    this.#line(connection).push(connection);
    this.#schedule();
  }

  /** Pauses all connections where parsing has taken too long. */
  #brake(): void {
    if (performance.now() - this.#began < parsingMilliseconds) return;
    for (const connection of this.#connections()) if (!connection.isPaused) this.#hold(connection);
  }

  /** Pauses a connection. One with a request in progress is resumed only when it is held again after the answer. */
  #hold(connection: Connection): void {
    connection.pause();
    this.#release(connection);
    const { welcome, fresh, refused, pipelining } = this.#held;
    if (connection.pipelines) pipelining.add(connection);
    else if (connection.isWelcome) welcome.add(connection);
    else if (connection.latest !== undefined) refused.add(connection);
    else fresh.add(connection);
    this.#schedule();
  }

  #release(connection: Connection): void {
    for (const held of Object.values(this.#held)) held.delete(connection);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = () => {
    this.#isScheduled = false;
    const began = performance.now();
    const parsing = this.#arrived === 0 ? 0 : began - this.#began;
    this.#arrived = 0;
    let now = began;
    do {
      this.#batch(began + turnMilliseconds);
      now = performance.now();
    } while (this.#hasNext && now - began < turnMilliseconds);
    const isBehind = this.#hasNext || parsing + now - began > turnMilliseconds;
    this.#resumed = isBehind ? Math.ceil(this.#resumed / 2) : Math.min(this.#resumed + 1, maxResumed);
    if (this.#resumeSome() || this.#hasNext) this.#schedule();
  };

  /** @param deadline for beginning a request, by `performance.now()` */
  #batch(deadline: number): void {
    let count = 0;
    do {
      for (const line of [this.#next.welcome, this.#next.other]) {
        const some = line.splice(0, fewRequests);
        for (const connection of some) this.#begin(connection);
        count += some.length;
      }
    } while (this.#hasNext && count < batchSize && performance.now() < deadline);
    const ready = this.#ready;
    this.#ready = [];
    for (const { connection, response, answered } of ready) {
      // Nothing limits the requests for health.
      const isGood = answered.status < 400 || counted.has(answered.status);
      const isWelcome = isGood && !connection.pipelines && !isHealthRequest(response.req);
      connection.goodAnswers = isWelcome ? connection.goodAnswers + 1 : 0;
      const sent = sendAnswer(response, answered);
      if (sent instanceof LiveBody) connection.goOn(response, sent);
      else connection.noteAnswer(response, sent);
      if (connection.isEnding) {
        // What else the client has sent would be parsed in vain, up to 2 MB.
        connection.pause();
        this.closed(connection);
      } else {
        this.#end(connection, response);
      }
    }
  }

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
      (answer) => {
        this.#ready.push({ connection, response, answered: answer });
        this.#schedule();
      },
      () => response.destroy(),
    );
  }

  /** Continues with a connection after an answer. */
  #end(connection: Connection, response: ServerResponse): void {
    if (connection.waiting.length === 0) {
      connection.isBusy = false;
      const hasHadItsShare = this.#held.welcome.size > 0 && connection.goodAnswers % share === 0;
      const isRest = !connection.isWelcome || connection.isPaused || hasHadItsShare;
      if (isRest && !connection.socket.destroyed) this.#hold(connection);
      return;
    }
    if (response.writableFinished) this.#line(connection).push(connection);
    else {
      response.once("finish", () => {
        this.#line(connection).push(connection);
        this.#schedule();
      });
    }
  }

  /** Returns the line in which a connection waits for its turn. */
  #line({ isWelcome }: Connection): Connection[] {
    return isWelcome ? this.#next.welcome : this.#next.other;
  }

  get #hasNext(): boolean {
    return this.#next.welcome.length > 0 || this.#next.other.length > 0;
  }

  /**
   * Resumes paused connections. Turns have to be short while new ones arrive, and while many requests wait. Every other
   * time the newest are resumed first: they need not wait for thousands.
   * @returns whether there are more
   */
  #resumeSome(): boolean {
    const { welcome, fresh, refused, pipelining } = this.#held;
    const held = () => welcome.size + fresh.size + refused.size + pipelining.size;
    if (held() === 0) return false;
    this.#turns += 1;
    const isCalm = this.#waiting < waiting.some && fresh.size + refused.size === 0;
    // By waiting alone, a burst on 60 connections holds everybody up for 3.5 s. By good answers alone, 2,000 busy callers
    // without limits keep one who seldom asks waiting for up to 30 s.
    const next = Array.from(welcome);
    if (this.#turns % 2 === 1) next.sort((a, b) => b.goodAnswers - a.goodAnswers);
    for (const connection of next.slice(0, this.#resumed)) {
      welcome.delete(connection);
      if (!connection.isBusy) connection.resume();
    }
    const isRare = this.#turns % rarely === 0;
    const hasTime = !this.#isAccepting && this.#waiting < waiting.many;
    if (hasTime || this.#turns % sometimes === 0)
      resume(fresh, hasTime ? this.#resumed : 1, this.#turns % 2 === 0 ? "newest" : "oldest");
    if (hasTime || isRare) resume(refused, this.#resumed, "oldest");
    if (isCalm || isRare) resume(pipelining, 1, "oldest");
    this.#isAccepting = false;
    return held() > 0;
  }
}

/** Resumes some connections, of one network after the other. */
function resume(held: NetworkTurns, count: number, which: "oldest" | "newest"): void {
  for (let left = count; left > 0; left -= 1) {
    const connection = held.take(which);
    if (connection?.isBusy === false) connection.resume();
  }
}

function hasLongBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > maxBody;
}
