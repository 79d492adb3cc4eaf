/** Slow readers: the deadline for reading an answer, and the bound of what all unread answers hold. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { cutOffSlowReaders, Unread } from "../../../src/http/unread.ts";
import { inTime, openServer, requestFor } from "../_server.ts";

const MiB = 1024 * 1024;

/** Clients that have read part of their answers, and a clock of the test. */
class Desk {
  now = 100_000;
  readonly #all: Unread[] = [];
  readonly #sockets: Socket[] = [];

  constructor(t: TestContext) {
    t.mock.method(performance, "now", () => this.now);
  }

  /** Answers a client. Returns a function that says how many bytes it has read. */
  answer(body: Buffer | null, socket: Socket = new Socket()): (read: number) => void {
    let read = 0;
    Object.defineProperty(socket, "bytesWritten", { get: () => read });
    const unread = new Unread({ socket, cutOff: () => socket.destroy() });
    unread.add(new ServerResponse(new IncomingMessage(socket)), body);
    this.#all.push(unread);
    this.#sockets.push(socket);
    return (bytes) => {
      read = bytes;
    };
  }

  /** Adds an answer to the last client. */
  more(body: Buffer): void {
    this.#all.at(-1)?.add(new ServerResponse(new IncomingMessage(new Socket())), body);
  }

  /** Returns which of the clients are cut off by now. */
  cut(milliseconds = 0): readonly boolean[] {
    this.now += milliseconds;
    cutOffSlowReaders(this.#all.filter((_, index) => this.#sockets[index]?.destroyed === false));
    return this.#sockets.map(({ destroyed }) => destroyed);
  }
}

/** Counts the connections of a port that are closed, but whose clients have not read what the kernel holds for them. */
async function closingOn(port: number): Promise<number> {
  const finWait = "04";
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((line) => line.trim().split(/\s+/));
  return lines.filter(([, own = "", , state]) => own.endsWith(local) && state === finWait).length;
}

describe("a client that does not read its answer", () => {
  it("is cut off after 30 s, and another second for each 20 kB", (t) => {
    const desk = new Desk(t);
    for (const length of [0, 20_000, 2_000_000]) desk.answer(Buffer.alloc(length));
    desk.answer(null);
    assert.deepEqual(desk.cut(30_000), [false, false, false, false]);
    assert.deepEqual(desk.cut(1), [true, false, false, true]);
    assert.deepEqual(desk.cut(1_000), [true, true, false, true]);
    assert.deepEqual(desk.cut(98_999), [true, true, false, true]);
    assert.deepEqual(desk.cut(1), [true, true, true, true]);
  });

  it("has time for all answers that were written one after another, but 30 s only once", (t) => {
    const desk = new Desk(t);
    desk.answer(Buffer.alloc(20_000));
    desk.more(Buffer.alloc(40_000));
    assert.deepEqual(desk.cut(33_000), [false]);
    assert.deepEqual(desk.cut(1), [true]);
  });
});

describe("clients that do not read 64 MiB of answers", () => {
  it("are cut off, beginning with the one that is furthest behind", (t) => {
    const desk = new Desk(t);
    const readers = [40_000, 10_000, 20_000].map((read) => ({
      read,
      answer: desk.answer(Buffer.alloc(30 * MiB)),
    }));
    for (const { read, answer } of readers) answer(read);
    assert.deepEqual(desk.cut(2_000), [false, true, false]);
    // This one has had less time.
    desk.answer(Buffer.alloc(30 * MiB));
    assert.deepEqual(desk.cut(), [false, true, true, false]);
  });

  it("count an answer that they share once", (t) => {
    const desk = new Desk(t);
    const body = Buffer.alloc(60 * MiB);
    for (let count = 0; count < 10; count += 1) desk.answer(body);
    assert.ok(desk.cut().every((cut) => !cut));
  });

  it("count what is encrypted for each of them", (t) => {
    const desk = new Desk(t);
    const body = Buffer.alloc(4 * MiB);
    for (let count = 0; count < 10; count += 1) {
      const socket = new TLSSocket(new Socket());
      Object.defineProperty(socket, "writableLength", { value: 10 * MiB });
      desk.answer(body, socket);
    }
    assert.equal(desk.cut().filter((cut) => !cut).length, 6);
  });

  it("are not cut off for a single answer that is longer", (t) => {
    const desk = new Desk(t);
    desk.answer(Buffer.alloc(65 * MiB));
    assert.deepEqual(desk.cut(), [false]);
  });

  for (const secure of [false, true]) {
    it(`make room for those who do${secure ? ", over TLS" : ""}`, inTime, async (t) => {
      const length = 40 * MiB;
      const answer = t.mock.fn(() => {
        const body = Buffer.alloc(length, "x");
        return { status: 200, headers: ["Content-Length", String(length)], body };
      });
      const server = await openServer(
        t,
        { drainMilliseconds: 1, fetch: () => new Response(), answerPlain: answer },
        secure,
      );
      for (let count = 0; count < 2; count += 1) {
        const { socket } = await server.connect();
        socket.pause().write(requestFor("/"));
      }
      // The server may accept a connection later than the client takes it for made.
      while (answer.mock.callCount() < 2 || server.server.connections === 2) await sleep(10);
      if (process.platform === "linux")
        assert.equal(await closingOn(Number(new URL(server.server.url).port)), 0);
      const { socket, received } = await server.connect();
      socket.write(requestFor("/"));
      while (received().length < length) await once(socket, "data");
      assert.equal(socket.closed, false);
    });
  }
});
