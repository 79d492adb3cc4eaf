/**
 * The connections of a server: their number, whether each is read from, and how they are closed.
 *
 * Node closes only the connections that are idle at that moment and have had a request. These classes close the others,
 * too. They check for responses in progress only when the server closes or is full: listening to the end of every
 * response takes a tenth of the time of a request.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../domain/address.ts";
import type { LiveBody } from "../engine/response.ts";
import { cutOffSlowReaders, Unread } from "./unread.ts";

/** The deadline of a TLS handshake, in milliseconds, after which the next sweep cuts it off. */
const handshakeMilliseconds = 10_000;
/** After this time a handshake is closed to make room before any other connection, in milliseconds. */
const slowHandshakeMilliseconds = 2_000;
/** After this time a connection whose client does not read its answer may be closed to make room, in milliseconds. */
const stuckMilliseconds = 10_000;
/**
 * The deadline of silence, in milliseconds: a client that neither sends nor reads any byte is cut off. It starts with a
 * sweep. Node lets it pass once for a write that is blocked.
 */
const silenceMilliseconds = 60_000;
/** A connection is closed when this many bytes arrive on it within this many milliseconds, without a request. */
const sweepMilliseconds = 1_000;
const maxWithoutRequest = 256 * 1024;

/** A connection on which requests arrive: with TLS, the decrypted one. */
export class Connection {
  readonly socket: Socket;
  /** The network of the client or of the proxy in front: see {@link networkOf}. */
  readonly network: string;
  /** The requests that nothing has handled yet, oldest first, and the responses to write their answers to. */
  readonly waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  /** Whether a request is being answered or is in the queue. */
  isBusy = false;
  /** When the last request arrived or else the connection was opened, by `performance.now()`. */
  lastUsed: number;
  /** The response to the newest request. */
  latest: ServerResponse | undefined;
  /** Whether the present answer closes the connection. No request behind it is run (RFC 9112, section 9.6). */
  isEnding = false;
  /** Whether the client has sent many requests at once. */
  pipelines = false;
  /** How many answers in a row were good: no refusal, to a request that a limit counts, of a client that does not pipeline. */
  goodAnswers = 0;
  /** The bytes that had arrived at the last sweep. */
  bytesRead = 0;
  /** The answer that goes on, if it has one. Nothing more is taken from its client. */
  live: LiveBody | undefined;
  isPaused = false;
  /** Whether {@link endAfter} has been called: no further request is taken. */
  isDone = false;
  /** The socket of the kernel: with TLS, the encrypted one. */
  readonly accepted: Socket;
  #unread: Unread | undefined;

  constructor(socket: Socket, now: number, accepted = socket) {
    this.socket = socket;
    this.network = networkOf(accepted.remoteAddress ?? "");
    this.accepted = accepted;
    this.lastUsed = now;
    // Node itself pauses a client that does not read its answers, and resumes when it does.
    socket.on("resume", () => {
      if (this.isPaused) socket.pause();
    });
  }

  /** Whether no request is waiting or in progress. A partial request does not count. */
  get isIdle(): boolean {
    return this.waiting.length === 0 && (this.latest === undefined || this.latest.writableFinished);
  }

  /** Whether it waits for the queue to read from it again. */
  get isHeld(): boolean {
    return this.isPaused && !this.isBusy && !this.isDone;
  }

  get isWelcome(): boolean {
    return this.goodAnswers > 0;
  }

  /** The answers that the client has not read. */
  get unread(): Unread | undefined {
    if (this.#unread?.isRead === true) this.#unread = undefined;
    return this.#unread;
  }

  /** Begins an answer that goes on. It bounds what is unread by itself. */
  goOn(response: ServerResponse, live: LiveBody): void {
    this.live = live;
    const begin = () => {
      live.begin(response, () => this.cutOff());
      // Behind a long body nothing is read any more, not even that the client has gone.
      if (this.waiting.length > 0 || this.isDone) this.cutOff();
    };
    // When the answer before it is written, Node has still to give this one the socket.
    if (response.socket === null) setImmediate(begin);
    else begin();
  }

  /** Notes an answer that was written, in case its client does not read it. */
  noteAnswer(response: ServerResponse, body: Buffer | null): void {
    if (response.writableFinished) return;
    this.#unread = this.unread ?? new Unread(this);
    this.#unread.add(response, body);
  }

  /** Stops reading. What the client sends then waits in the kernel, which slows the client down. */
  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    // Node resumes reading at the end of each request in the chunk that it is parsing.
    process.nextTick(() => {
      if (this.isPaused) this.socket.pause();
    });
  }

  /** Stops reading for good. The connection closes after the response. */
  endAfter(response: ServerResponse): void {
    this.isDone = true;
    response.shouldKeepAlive = false;
    this.pause();
  }

  /**
   * Cuts off a client that does not read. After a plain close the kernel keeps what it has taken for the client, up to
   * 4 MiB, and offers it for minutes; a reset drops it. A Unix socket has no reset.
   */
  cutOff(): void {
    if (this.accepted.remoteAddress === undefined) this.accepted.destroy();
    else this.accepted.resetAndDestroy();
  }

  /** Resumes reading, unless {@link endAfter} has stopped it. */
  resume(): void {
    if (!this.isPaused || this.isDone) return;
    this.isPaused = false;
    this.socket.resume();
  }
}

/** A TLS handshake in progress, and when it began. */
interface Handshake {
  readonly socket: Socket;
  readonly since: number;
}

export interface ConnectionEvents {
  opened?(connection: Connection): void;
  closed?(connection: Connection): void;
}

export class Connections implements Iterable<Connection> {
  readonly #max: number;
  readonly #events: ConnectionEvents;
  /** The accepted sockets, but for those that were closed to make room: with TLS, the encrypted ones. */
  readonly #accepted = new Set<Socket>();
  /** The TLS handshakes in progress, by the client's address and port, oldest first. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #bySocket = new Map<Socket, Connection>();

  /** @param max the largest number of connections */
  constructor(max: number, events: ConnectionEvents = {}) {
    this.#max = max;
    this.#events = events;
  }

  /** Tracks the connections that a server accepts from now on. */
  follow(server: Server, secure: boolean): void {
    // Beyond this many, Node closes new connections itself. A closing one keeps its descriptor for a moment.
    server.maxConnections = this.#max + 32;
    server.on("connection", (socket: Socket) => this.#accept(socket, secure));
    if (secure) server.on("secureConnection", (socket: Socket) => this.#secured(socket));
    const sweeping = setInterval(() => this.#sweep(), sweepMilliseconds).unref();
    server.once("close", () => clearInterval(sweeping));
  }

  /** The number of accepted connections that are not closed yet, nor chosen to be closed. */
  get size(): number {
    return this.#accepted.size;
  }

  /** Returns the connection of a socket on which requests arrive. */
  of(socket: Socket): Connection {
    return this.#bySocket.get(socket) ?? this.#open(socket);
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#bySocket.values();
  }

  /** Closes every connection, as soon as its response in progress is written: first those whose answers go on. */
  close(): void {
    for (const { live } of this) live?.end();
    for (const { isIdle, latest, socket } of this) {
      if (isIdle || latest === undefined) socket.destroySoon();
      else latest.once("close", () => socket.destroySoon());
    }
  }

  /** Cuts off every connection. */
  destroy(): void {
    for (const socket of this.#accepted) socket.destroy();
  }

  #accept(socket: Socket, secure: boolean): void {
    // Node removes its own listener from a socket that it hands over, as for CONNECT; an error would end the process.
    socket.on("error", ignore);
    this.#accepted.add(socket);
    socket.once("close", () => this.#accepted.delete(socket));
    if (this.#isFull) this.#makeRoom();
    if (this.#isFull) socket.destroy();
    else if (secure) this.#shake(socket);
    else this.#open(socket);
  }

  get #isFull(): boolean {
    return this.#accepted.size > this.#max;
  }

  #shake(socket: Socket): void {
    const client = clientOf(socket);
    this.#handshakes.set(client, { socket, since: performance.now() });
    socket.once("close", () => this.#handshakes.delete(client));
  }

  #secured(socket: Socket): void {
    socket.on("error", ignore);
    const client = clientOf(socket);
    const handshake = this.#handshakes.get(client);
    this.#handshakes.delete(client);
    this.#open(socket, handshake?.socket);
  }

  #open(socket: Socket, accepted = socket): Connection {
    const connection = new Connection(socket, performance.now(), accepted);
    this.#bySocket.set(socket, connection);
    socket.once("close", () => {
      this.#bySocket.delete(socket);
      this.#events.closed?.(connection);
    });
    this.#events.opened?.(connection);
    return connection;
  }

  /**
   * Closes connections on which endless bytes arrive without a request, such as line feeds, which Node's parser skips.
   * Starts the deadline of silence on those that have none: `server.timeout` would start it with every request, and again
   * with every write. Cuts off slow readers and long handshakes.
   */
  #sweep(): void {
    const now = performance.now();
    for (const { socket, since } of this.#handshakes.values())
      if (now - since >= handshakeMilliseconds) socket.destroy();
    const begin = now - sweepMilliseconds;
    const unread: Unread[] = [];
    for (const connection of this) {
      if (connection.unread !== undefined) unread.push(connection.unread);
      const { socket, bytesRead, isBusy, lastUsed } = connection;
      connection.bytesRead = socket.bytesRead;
      const isAsking = isBusy || lastUsed > begin;
      if (!isAsking && connection.bytesRead - bytesRead > maxWithoutRequest) socket.destroy();
      // After an answer Node replaces it with its own, shorter one, and ends that when the next request begins.
      if ((socket.timeout ?? 0) === 0) socket.setTimeout(silenceMilliseconds);
    }
    cutOffSlowReaders(unread);
  }

  /**
   * Closes some connections at once, so that not every new one searches all: slow handshakes, those that have been idle
   * longest, and those whose client has not read its answer for long. The handshakes of newcomers come last.
   */
  #makeRoom(): void {
    const count = Math.ceil(this.#max / 64);
    const now = performance.now();
    const stuckSince = now - stuckMilliseconds;
    const handshakes = [...this.#handshakes.values()];
    const isSlow = ({ since }: Handshake) => now - since >= slowHandshakeMilliseconds;
    const acceptedOf = (of: Connection | Handshake) => (of instanceof Connection ? of.accepted : of.socket);
    const byUse = Array.from(this).sort((a, b) => a.lastUsed - b.lastUsed);
    const candidates = [
      ...handshakes.filter(isSlow),
      ...byUse.filter(({ isIdle }) => isIdle),
      ...byUse.filter(({ isIdle, lastUsed, live }) => !isIdle && !live && lastUsed < stuckSince),
      ...handshakes.filter((handshake) => !isSlow(handshake)),
    ];
    const open = candidates.filter((candidate) => this.#accepted.has(acceptedOf(candidate)));
    for (const candidate of open.slice(0, count)) {
      // It has a descriptor until it is closed, for which `follow` leaves room.
      this.#accepted.delete(acceptedOf(candidate));
      if (candidate instanceof Connection && !candidate.isIdle) candidate.cutOff();
      else candidate.socket.destroy();
    }
  }
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Node closes the connection after an error. */
function ignore(): void {}
