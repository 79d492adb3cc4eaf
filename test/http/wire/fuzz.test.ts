/**
 * A running service under thousands of connections that send arbitrary bytes and close at arbitrary moments. Afterwards
 * the service answers as before, and has closed every descriptor.
 */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { it } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { runs } from "../../_depth.ts";
import { randomFrom } from "../../_random.ts";
import { serveProcess } from "../../cli/_process.ts";
import { emptyDesk } from "../../cli/_setup.ts";

const connections = runs(10_000);
const atOnce = 200;

class Stranger {
  readonly #random: () => number;
  readonly #port: number;

  constructor(random: () => number, port: number) {
    this.#random = random;
    this.#port = port;
  }

  #one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  #bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => Math.floor(this.#random() * 256)));
  }

  /** Returns complete requests, a part of one, or bytes that are not HTTP. */
  #message(): Buffer {
    const method = this.#one([
      "GET",
      "GET",
      "CONNECT",
      "CONNECT",
      "OPTIONS",
      "POST",
      "HEAD",
      "TRACE",
      "BREW",
      "get",
      "",
    ]);
    const target = this.#one([
      "/",
      "/docs",
      "a:1",
      "*",
      "http://a/b",
      "/%ZZ",
      `/${"x/".repeat(3000)}`,
      "/gameaddon/v1/gat_x/player",
    ]);
    const version = this.#one(["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9"]);
    const headers = [
      "Host: a",
      "Upgrade: websocket\r\nConnection: Upgrade",
      "Connection: close",
      "Expect: 100-continue",
      "Expect: wonders",
      "Content-Length: 100000",
      "Content-Length: x",
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nContent-Length: 3",
      `X: ${"y".repeat(20_000)}`,
      "\u0000: 1",
      "no colon",
    ];
    const some = Array.from({ length: Math.floor(this.#random() * 4) }, () => `${this.#one(headers)}\r\n`);
    const request = Buffer.from(`${method} ${target} ${version}\r\n${some.join("")}\r\n`, "latin1");
    const hello = Buffer.concat([Buffer.from([0x16, 3, 1, 1, 0, 1, 0, 0, 0xfc, 3, 3]), this.#bytes(200)]);
    return this.#one([
      () => request,
      () => request,
      () => request.subarray(0, Math.floor(this.#random() * request.length)),
      () => Buffer.concat(Array.from({ length: 30 }, () => request)),
      () => Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      () => hello,
      () => this.#bytes(1 + Math.floor(this.#random() * 400)),
      () => Buffer.alloc(0),
    ])();
  }

  /** Opens one connection, sends, and closes it at some moment, in some way. */
  async visit(): Promise<void> {
    const socket = connect(this.#port, "127.0.0.1");
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const end = (closing: Socket) => void closing.end();
    const leave = this.#one([reset, reset, destroy, end]);
    const turns = this.#one([0, 0, 1, 2, 5, 20, 100]);
    const message = this.#message();
    const waitsForWrite = this.#random() < 0.5;
    // A client that only ends its side has to read until the server has closed, too.
    if (this.#random() < 0.8 || leave === end) socket.resume();
    socket.once("connect", async () => {
      const written = new Promise<void>((resolve) => socket.write(message, () => resolve()));
      if (waitsForWrite) await written;
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      leave(socket);
    });
    await closed;
  }
}

const reset = (socket: Socket) => void socket.resetAndDestroy();
const destroy = (socket: Socket) => void socket.destroy();

async function descriptorsOf(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

it("the service answers and keeps no descriptor after thousands of hostile connections", {
  timeout: 300_000,
  skip: process.platform === "linux" ? false : "descriptors are counted in /proc",
}, async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const repeat = `the seed was ${seed}`;
  const { child, open } = await serveProcess(await emptyDesk(t), ["--limits", "off"]);
  const ask = () => fetch(open, { headers: { Connection: "close" } });
  const expected = await (await ask()).text();
  const before = await descriptorsOf(child.pid);

  const stranger = new Stranger(randomFrom(seed), Number(new URL(open).port));
  let begun = 0;
  const visit = async () => {
    for (; begun < connections; ) {
      begun += 1;
      await stranger.visit();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, visit));

  const response = await ask();
  assert.equal(response.status, 200, repeat);
  assert.equal(await response.text(), expected, repeat);
  // The service learns of the last closed connections with a delay.
  while ((await descriptorsOf(child.pid)) > before) await setTimeout(50);
  child.signal("SIGTERM");
  assert.equal(await child.ended, 0, repeat);
  assert.doesNotMatch(child.stderr, /Unhandled|"level":[56]0/, repeat);
});
