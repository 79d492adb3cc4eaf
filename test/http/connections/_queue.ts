/** A request queue without a network: its connections have no peer, its turns run when a test asks, on the test's clock. */
import assert from "node:assert/strict";
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { TestContext } from "node:test";
import { Connection } from "../../../src/http/connections.ts";
import { RequestQueue } from "../../../src/http/request-queue.ts";
import type { Answered } from "../../../src/http/send.ts";

/** An answer without a body. */
export const empty: Answered = { status: 200, headers: [], body: null };

/** An answer to a client that has exceeded a limit. */
export const refusal: Answered = { status: 429, headers: [], body: null };

/** Counts paused connections. */
export function pausedOf(connections: readonly Connection[]): number {
  return connections.filter(({ isPaused }) => isPaused).length;
}

/** See the head of this file. */
export class QueueDesk {
  /** What the clock shows, in milliseconds. */
  now = 10_000;
  /** Answers a request. */
  handle: (connection: Connection, response: ServerResponse) => Answered | Promise<Answered> = () => empty;
  /** The connections whose requests were handled, in order. */
  readonly handled: Connection[] = [];
  readonly queue: RequestQueue;
  readonly #connections: Connection[] = [];
  readonly #scheduled: (() => void)[] = [];
  readonly #unread = new Set<ServerResponse>();

  constructor(t: TestContext) {
    // A mock would record each of thousands of calls.
    Object.defineProperty(performance, "now", { value: () => this.now, configurable: true });
    t.after(() => Reflect.deleteProperty(performance, "now"));
    t.mock.method(globalThis, "setImmediate", (turn: () => void) => void this.#scheduled.push(turn));
    this.queue = new RequestQueue(
      (_request, response, connection) => {
        this.handled.push(connection);
        return this.handle(connection, response);
      },
      () => this.#connections,
    );
  }

  /** Whether another turn is due. */
  get isScheduled(): boolean {
    assert.ok(this.#scheduled.length <= 1, "a turn is scheduled once");
    return this.#scheduled.length === 1;
  }

  /** Runs the turn that is due. */
  turn(): void {
    assert.ok(this.isScheduled, "a turn is due");
    for (const turn of this.#scheduled.splice(0)) turn();
  }

  /** Runs turns until none is due. */
  settle(): void {
    for (let turns = 0; this.isScheduled; turns += 1) {
      assert.ok(turns < 1_000, "turns are due only while there is something to do");
      this.turn();
    }
  }

  /** Returns a connection, which is read from. */
  connect(address?: string): Connection {
    const socket = new Socket();
    Object.defineProperty(socket, "remoteAddress", { value: address });
    const connection = new Connection(socket, this.now);
    this.#connections.push(connection);
    return connection;
  }

  /** Returns a connection that the queue has paused as a new one. */
  open(address?: string): Connection {
    const connection = this.connect(address);
    this.queue.opened(connection);
    return connection;
  }

  /** Returns a connection that has sent many requests at once, and that the queue has paused. */
  openPipelining(): Connection {
    const connection = this.connect();
    connection.pipelines = true;
    this.queue.opened(connection);
    return connection;
  }

  /** Lets a request arrive. @param isRead whether the client reads the answer at once */
  send(connection: Connection, headers: IncomingHttpHeaders = {}, isRead = true, url = "/"): ServerResponse {
    const request = new IncomingMessage(connection.socket);
    request.headers = headers;
    request.url = url;
    const response = new ServerResponse(request);
    if (!isRead) this.#unread.add(response);
    Object.defineProperty(response, "writableFinished", {
      get: () => response.writableEnded && !this.#unread.has(response),
    });
    this.queue.take(connection, request, response);
    return response;
  }

  /** Lets several requests arrive, whose answers the client reads at once. */
  sendAll(connection: Connection, count: number): ServerResponse[] {
    return Array.from({ length: count }, () => this.send(connection));
  }

  /** Lets thousands of requests arrive at once, with one response. */
  flood(connection: Connection, count: number): void {
    const request = new IncomingMessage(connection.socket);
    const response = new ServerResponse(request);
    for (let sent = 0; sent < count; sent += 1) this.queue.take(connection, request, response);
  }

  /** Lets the client read an answer. */
  read(response: ServerResponse): void {
    this.#unread.delete(response);
    response.emit("finish");
  }
}
