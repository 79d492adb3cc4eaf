/**
 * Answers that have been written, but not read. Their bodies stay in memory: each version of a long list for as long as one
 * client reads it. Therefore an answer has a deadline, and all unread answers together have a bound.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** The deadline for reading an answer: some milliseconds, and one more for so many bytes, which is 20 kB a second. */
const deadline = { milliseconds: 30_000, bytes: 20 };
/**
 * What unread answers may hold together, in bytes: fifteen versions of the list of 50,000 clients, or a thousand
 * connections with TLS.
 */
const maxHeld = 64 * 1024 * 1024;

/** The connection of a client that does not read. */
interface UnreadConnection {
  readonly socket: Socket;
  cutOff(): void;
}

/** The answers that the client of one connection has not read yet. */
export class Unread {
  readonly connection: UnreadConnection;
  /** By `performance.now()`. */
  readonly #since: number;
  readonly #sentBefore: number;
  /** Each can be shared by many connections. */
  readonly bodies = new Set<Buffer>();
  #length = 0;
  #last: ServerResponse | undefined;

  constructor(connection: UnreadConnection) {
    this.connection = connection;
    this.#since = performance.now();
    this.#sentBefore = sentOn(connection.socket);
  }

  /** Adds an answer that has been written. Answers are read one after another, so they add to one deadline. */
  add(response: ServerResponse, body: Buffer | null): void {
    this.#last = response;
    if (body === null) return;
    this.bodies.add(body);
    this.#length += body.length;
  }

  get isRead(): boolean {
    return this.#last?.writableFinished !== false;
  }

  get isOverdue(): boolean {
    return performance.now() > this.#since + deadline.milliseconds + this.#length / deadline.bytes;
  }

  /** How far the client is behind one that reads as fast as the deadline assumes, in milliseconds. */
  get delay(): number {
    const sent = sentOn(this.connection.socket) - this.#sentBefore;
    return performance.now() - this.#since - sent / deadline.bytes;
  }

  /** The bytes that no other connection can share: those encrypted for this one. */
  get ownBytes(): number {
    const { socket } = this.connection;
    return socket instanceof TLSSocket ? socket.writableLength : 0;
  }
}

/** Returns how many bytes the kernel has taken. */
function sentOn({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

/** Cuts off the clients that have missed their deadlines, and while the others hold too much, those furthest behind. */
export function cutOffSlowReaders(all: readonly Unread[]): void {
  const inTime: Unread[] = [];
  for (const unread of all) {
    if (unread.isOverdue) unread.connection.cutOff();
    else inTime.push(unread);
  }
  const byDelay = inTime.map((unread) => ({ unread, delay: unread.delay })).sort((a, b) => a.delay - b.delay);
  const held = new Set<Buffer>();
  let bytes = 0;
  for (const { unread } of byDelay) {
    const added = [...unread.bodies].filter((body) => !held.has(body));
    const more = added.reduce((sum, { length }) => sum + length, unread.ownBytes);
    // A single answer may be longer.
    if (bytes > 0 && bytes + more > maxHeld) {
      unread.connection.cutOff();
      continue;
    }
    bytes += more;
    for (const body of added) held.add(body);
  }
}
