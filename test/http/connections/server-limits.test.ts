/** The limits of the HTTP server, where it listens, and requests at the edge of what it accepts. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Server as HttpServer } from "node:http";
import { connect, createServer, Server as NetServer, Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Failure } from "../../../src/domain/errors.ts";
import { type Server, type ServerOptions, startServer } from "../../../src/http/server.ts";
import { answerTo, inTime, openServer, requestFor } from "../_server.ts";

const options = { fetch: () => new Response("not asked", { status: 500 }), answerPlain: answerTo };

/** Starts a server. Returns what it listens with, too; the servers before only tested whether the port is free. */
async function start(
  t: TestContext,
  host: string,
  port = 0,
  others: Partial<ServerOptions> = {},
): Promise<{ server: Server; inner: HttpServer }> {
  const listen = t.mock.method(NetServer.prototype, "listen");
  const server = await startServer({ ...options, ...others, host, port });
  t.after(() => server.close());
  const inner = listen.mock.calls.map((call) => call.this).at(-1);
  assert.ok(inner instanceof HttpServer, "it is a server of HTTP");
  return { server, inner };
}

function assertCannotListen(starting: Promise<unknown>, where: string, reason = ""): Promise<void> {
  return assert.rejects(starting, (error) => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.message, `The service cannot listen on ${where}${reason}.`);
    assert.equal(error.code, "STORE_UNAVAILABLE");
    assert.match(error.hint ?? "", /--port.*--host/);
    return true;
  });
}

describe("the limits of a server", () => {
  it("a server gives clients 15 s for headers, and 30 s for a request", inTime, async (t) => {
    const { headersTimeout, requestTimeout } = (await start(t, "127.0.0.1")).inner;
    assert.deepEqual([headersTimeout, requestTimeout], [15_000, 30_000]);
  });

  /** Starts a server that never answers `/never`. Returns a client, and the socket of its connection in the server. */
  async function connected(t: TestContext): Promise<{ client: Socket; socket: Socket }> {
    const { inner, server } = await start(t, "127.0.0.1", 0, {
      answerPlain: (request) => (request.url === "/never" ? new Promise(() => {}) : answerTo(request)),
      drainMilliseconds: 1,
    });
    const accepting = once(inner, "connection");
    const client = connect(Number(new URL(server.url).port), "127.0.0.1").on("error", () => {});
    t.after(() => client.destroy());
    const [socket] = await accepting;
    assert.ok(socket instanceof Socket);
    return { client, socket };
  }

  /** Resolves when a connection has the deadline of silence. */
  async function silent(socket: Socket, { signal }: TestContext): Promise<void> {
    while (socket.timeout !== 60_000) await setTimeout(10, undefined, { signal });
  }

  it("a server closes a connection whose client has been silent for its deadline", inTime, async (t) => {
    const { client, socket } = await connected(t);
    client.write("GET / HTTP/1.1\r\nHost:");
    await silent(socket, t);
    socket.emit("timeout");
    await once(client, "close");
  });

  it("a connection has the deadline of silence again in a second request", inTime, async (t) => {
    const { client, socket } = await connected(t);
    await silent(socket, t);
    client.write(requestFor("/"));
    await once(client, "data");
    assert.notEqual(socket.timeout, 60_000);
    client.write(requestFor("/never"));
    await silent(socket, t);
    socket.emit("timeout");
    await once(client, "close");
  });

  it("a deadline does not close a connection that the server does not read from yet", inTime, async (t) => {
    const { client, socket } = await connected(t);
    // It is paused until the next turn of the queue.
    socket.emit("timeout");
    client.write(requestFor("/"));
    const [answer] = await once(client, "data");
    assert.match(String(answer), /for \/$/);
  });

  it(
    "a connection with CONNECT behind a request in progress has the deadline of silence, too",
    inTime,
    async (t) => {
      const { client, socket } = await connected(t);
      client.write(`${requestFor("/never")}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);
      // Node takes its listeners off then.
      while (socket.listenerCount("data") > 0) await setTimeout(10, undefined, { signal: t.signal });
      await silent(socket, t);
      socket.emit("timeout");
      await once(client, "close");
    },
  );

  it("a server stores at most 100 headers of a request", inTime, async (t) => {
    assert.equal((await start(t, "127.0.0.1")).inner.maxHeadersCount, 100);
  });
});

describe("where a server listens", () => {
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    it(`a server listens on ${host}`, inTime, async (t) => {
      const { inner, server } = await start(t, host);
      const address = inner.address();
      assert.ok(typeof address === "object" && address !== null);
      assert.equal(address.address, host);
      assert.equal(new URL(server.url).port, String(address.port));
    });
  }

  it("a server does not start on a port that is taken", inTime, async (t) => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    t.after(() => other.close());
    const address = other.address();
    assert.ok(typeof address === "object" && address !== null);
    const { port } = address;
    const where = `127.0.0.1:${port}`;
    const reason = ` (listen EADDRINUSE: address already in use ${where})`;
    await assertCannotListen(startServer({ ...options, host: "127.0.0.1", port }), where, reason);
  });

  it("a server does not start on another port instead of one that listhen refuses", inTime, async (t) => {
    const listen = t.mock.method(NetServer.prototype, "listen");
    // A port that browsers block.
    await assertCannotListen(startServer({ ...options, host: "127.0.0.1", port: 10_080 }), "127.0.0.1:10080");
    for (const { this: socket } of listen.mock.calls)
      assert.equal(socket instanceof NetServer && socket.listening, false);
  });

  it("a server that cannot use its certificate says why", inTime, async () => {
    const https = { cert: "--x", key: "--x", names: "", validFrom: 0, validTo: 0, keyMode: 0o600 };
    const starting = startServer({ ...options, host: "127.0.0.1", port: 0, https });
    await assert.rejects(starting, /The service cannot listen on 127\.0\.0\.1:0 \(.*PEM.*\)\.$/);
  });
});

describe("requests at the edge of what a server accepts", () => {
  it("a header with a name as long as Host is no second Host", inTime, async (t) => {
    const server = await openServer(t, options);
    const client = await server.connect();
    client.socket.end("GET /from HTTP/1.1\r\nHost: here\r\nFrom: me\r\nETag: x\r\n\r\n");
    assert.match(await client.closed, /^HTTP\/1\.1 200 OK\r\n.*for \/from$/s);
  });

  it("a request of HTTP/1.0 needs no Host header", inTime, async (t) => {
    const server = await openServer(t, options);
    const client = await server.connect();
    client.socket.end("GET /old HTTP/1.0\r\n\r\n");
    assert.match(await client.closed, /^HTTP\/1\.1 200 OK\r\n.*for \/old$/s);
  });

  for (const [what, bytes, status] of [
    ["garbage", "garbage\r\n\r\n", 400],
    ["an unknown method", "BREW /pot HTTP/1.1\r\nHost: here\r\n\r\n", 405],
    ["an unknown method in small letters", "brew /pot HTTP/1.1\r\nHost: here\r\n\r\n", 400],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 405],
  ] as const) {
    it(`${what} is refused on a connection whose last answer has been read`, inTime, async (t) => {
      const server = await openServer(t, options);
      const { socket, received, closed } = await server.connect();
      socket.write(requestFor("/first"));
      while (!received().endsWith("for /first")) await once(socket, "data");
      socket.write(bytes);
      assert.match(await closed, new RegExp(`for /firstHTTP/1\\.1 ${status} `));
    });
  }
});
