/**
 * The connections of a server: how many there may be, when each may be read from, and how they are closed.
 *
 * Node closes idle connections only at one moment, and not those on which nothing was asked yet. What is under way is
 * only looked at when the server closes or is full: listening to the end of every response takes a tenth of the time of
 * a request.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long a client may take for its part of a TLS handshake, in milliseconds. */
const handshakeMilliseconds = 10_000;
/** After how long a response that is not read makes room for a new connection, in milliseconds. */
const stuckMilliseconds = 10_000;
/** How often connections are looked at on which much arrives and no request, in milliseconds; and how much is much. */
const sweepMilliseconds = 1_000;
const mostWithoutRequest = 256 * 1024;

/** A request, and what its answer is written to. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A connection that requests come on: with TLS, the decrypted one. */
export class Connection {
  readonly socket: Socket;
  /** The requests that have arrived and are not begun, oldest first. */
  readonly waiting: Exchange[] = [];
  /** Whether a request is being answered, or is next in line. */
  isBusy = false;
  /** When the last request arrived, or else when the connection was opened; by `performance.now()`. */
  lastUsed: number;
  /** The response to the request that arrived last. */
  latest: ServerResponse | undefined;
  /** Whether the answer under way closes it. No request behind that one is run (RFC 9112, 9.6). */
  isEnding = false;
  /** Whether it has sent many requests at once. */
  pipelines = false;
  /** How many bytes had arrived when the connection was looked at last. */
  bytesRead = 0;
  #isPaused = false;
  #isDone = false;

  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.lastUsed = now;
  }

  /** Whether nothing is under way. A request that has arrived in part does not count. */
  get isIdle(): boolean {
    return this.waiting.length === 0 && (this.latest === undefined || this.latest.writableFinished);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Stops reading, behind what was read already. What comes then waits in the kernel, and slows the client down. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    // Node itself resumes reading at the end of each request of the piece that is being parsed now.
    process.nextTick(() => {
      if (this.#isPaused) this.socket.pause();
    });
  }

  /** Stops reading for good: the connection closes behind the response. */
  endAfter(response: ServerResponse): void {
    this.#isDone = true;
    response.shouldKeepAlive = false;
    this.pause();
  }

  /** Goes on reading, unless nothing more is to be read. */
  resume(): void {
    if (!this.#isPaused || this.#isDone) return;
    this.#isPaused = false;
    this.socket.resume();
  }
}

/** A TLS handshake under way, and what ends its deadline. */
interface Handshake {
  readonly socket: Socket;
  readonly end: () => void;
}

/** Told of connections. */
export interface ConnectionEvents {
  opened?(connection: Connection): void;
  closed?(connection: Connection): void;
}

/** See the head of this file. */
export class Connections implements Iterable<Connection> {
  readonly #most: number;
  readonly #events: ConnectionEvents;
  /** As they were accepted: with TLS, below those that requests come on. */
  readonly #accepted = new Set<Socket>();
  /** Those whose TLS handshake is not done, by the client's address and port; oldest first. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #bySocket = new Map<Socket, Connection>();
  /** Those that were closed to make room, until they are gone. */
  readonly #closing = new Set<Socket>();

  /** @param most how many there may be at the same time */
  constructor(most: number, events: ConnectionEvents = {}) {
    this.#most = most;
    this.#events = events;
  }

  /** Takes up the connections that a server accepts from now on. */
  follow(server: Server, secure: boolean): void {
    // Behind this many Node does not even accept: what is being closed still has its descriptor for a moment.
    server.maxConnections = this.#most + 32;
    server.on("connection", (socket: Socket) => this.#accept(socket, secure));
    if (secure) server.on("secureConnection", (socket: Socket) => this.#secured(socket));
    const sweeping = setInterval(() => this.#sweep(), sweepMilliseconds).unref();
    server.once("close", () => clearInterval(sweeping));
  }

  /** The connection of a socket that requests come on. */
  of(socket: Socket): Connection {
    return this.#bySocket.get(socket) ?? this.#open(socket);
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#bySocket.values();
  }

  /** Closes every connection: now, or when the response that is under way on it is written. */
  close(): void {
    for (const { isIdle, latest, socket } of this) {
      if (isIdle || latest === undefined) socket.destroySoon();
      else latest.once("close", () => socket.destroySoon());
    }
  }

  /** Cuts off every connection, whatever is under way on it. */
  destroy(): void {
    for (const socket of this.#accepted) socket.destroy();
  }

  #accept(socket: Socket, secure: boolean): void {
    // Node takes its own listener off a socket that it hands over, as for CONNECT: an error would end the process.
    socket.on("error", ignore);
    this.#accepted.add(socket);
    socket.once("close", () => this.#accepted.delete(socket));
    if (this.#isFull) this.#makeRoom();
    if (this.#isFull) socket.destroy();
    else if (secure) this.#shake(socket);
    else this.#open(socket);
  }

  get #isFull(): boolean {
    return this.#accepted.size - this.#closing.size > this.#most;
  }

  /** Waits for the TLS handshake of a socket. */
  #shake(socket: Socket): void {
    const client = clientOf(socket);
    const deadline = setTimeout(() => socket.destroy(), handshakeMilliseconds);
    const end = () => {
      clearTimeout(deadline);
      this.#handshakes.delete(client);
    };
    this.#handshakes.set(client, { socket, end });
    socket.once("close", end);
  }

  #secured(socket: Socket): void {
    socket.on("error", ignore);
    this.#handshakes.get(clientOf(socket))?.end();
    this.#open(socket);
  }

  #open(socket: Socket): Connection {
    const connection = new Connection(socket, performance.now());
    this.#bySocket.set(socket, connection);
    socket.prependOnceListener("close", () => {
      if (connection.pipelines) traceErrors(false);
    });
    socket.once("close", () => {
      traceErrors(true);
      this.#bySocket.delete(socket);
      this.#events.closed?.(connection);
    });
    this.#events.opened?.(connection);
    return connection;
  }

  /** Closes those on which endless bytes arrive that are no request, such as line feeds: Node's parser passes over them. */
  #sweep(): void {
    const begin = performance.now() - sweepMilliseconds;
    for (const connection of this) {
      const { socket, bytesRead, lastUsed, waiting } = connection;
      connection.bytesRead = socket.bytesRead;
      const isAsking = lastUsed > begin || waiting.length > 0;
      if (!isAsking && connection.bytesRead - bytesRead > mostWithoutRequest) socket.destroy();
    }
  }

  /**
   * Closes some connections at once, so that not every new one looks at all: those that have been idle for longest, and
   * then those whose client has not read its answer for long.
   */
  #makeRoom(): void {
    const some = Math.ceil(this.#most / 64);
    const stuckSince = performance.now() - stuckMilliseconds;
    const isOpen = ({ socket }: { readonly socket: Socket }) => !this.#closing.has(socket);
    const byUse = Array.from(this).sort((a, b) => a.lastUsed - b.lastUsed);
    const candidates = [
      ...this.#handshakes.values(),
      ...byUse.filter(({ isIdle }) => isIdle),
      ...byUse.filter(({ isIdle, lastUsed }) => !isIdle && lastUsed < stuckSince),
    ];
    for (const { socket } of candidates.filter(isOpen).slice(0, some)) {
      this.#closing.add(socket);
      socket.once("close", () => this.#closing.delete(socket));
      socket.destroy();
    }
  }
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

const { stackTraceLimit } = Error;

/**
 * Switches stack traces off and on again. Node makes an error for each request that waits on a connection when that
 * closes: thousands, where a client pipelines and goes away. Their traces take ten times as long as all the rest.
 */
function traceErrors(traced: boolean): void {
  Error.stackTraceLimit = traced ? stackTraceLimit : 0;
}

/** What goes wrong on a connection closes it, and concerns nothing else. */
function ignore(): void {}
