/** The connections of the HTTP server: CONNECT, the limit, and bytes that are no request. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Server as NetServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import type { RequestRecord } from "../../../src/engine/exchange.ts";
import { startServer } from "../../../src/http/server.ts";
import { type Client, inTime, openServer, requestFor } from "../_server.ts";

/** Starts a server that answers at once, except at `/never`. */
async function open(t: TestContext, maxConnections: number, secure = false) {
  const log: RequestRecord[] = [];
  const server = await openServer(
    t,
    {
      maxConnections,
      drainMilliseconds: 1,
      observe: (record) => void log.push(record),
      fetch: (request) =>
        request.url.endsWith("/never")
          ? new Promise<Response>(() => {})
          : new Response("answered", { headers: { "Content-Length": "8" } }),
    },
    secure,
  );
  return { ...server, log };
}

async function ask({ socket, received }: Client, text = requestFor("/")): Promise<void> {
  const before = received().length;
  socket.write(text);
  while (!received().slice(before).endsWith("answered")) await once(socket, "data");
}

describe("CONNECT", () => {
  it("the server refuses CONNECT with 405 and closes the connection", inTime, async (t) => {
    const server = await open(t, 100);
    const { socket, received, closed } = await server.connect();
    socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    await closed;
    assert.match(received(), /^HTTP\/1\.1 405 /);
    assert.match(received(), /^Allow: GET, HEAD, OPTIONS\r$/m);
    assert.deepEqual(
      server.log.map(({ method, status, code }) => [method, status, code]),
      [["CONNECT", 405, "METHOD_NOT_ALLOWED"]],
    );
  });

  it("the server closes CONNECT connections of clients that neither read nor close", inTime, async (t) => {
    const server = await open(t, 100);
    const clients = await Promise.all(Array.from({ length: 50 }, () => server.connect()));
    for (const { socket } of clients) socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    for (const { socket } of clients) socket.pause();
    while (server.log.length < clients.length) await ask(await server.connect());
    for (const { socket } of clients) socket.resume();
    await Promise.all(clients.map(({ closed }) => closed));
  });

  it("the server survives 300 connections that send CONNECT and reset", inTime, async (t) => {
    const server = await open(t, 100);
    for (let number = 0; number < 300; number += 1) {
      const { socket, closed } = await server.connect();
      socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", () => {
        if (number % 2 === 0) socket.resetAndDestroy();
        else setImmediate(() => socket.resetAndDestroy());
      });
      await closed;
    }
    await ask(await server.connect());
  });
});

for (const secure of [false, true]) {
  describe(`the limit of connections${secure ? ", with TLS" : ""}`, () => {
    it(
      "the server closes the connection that has been idle longest to accept a new one",
      inTime,
      async (t) => {
        const server = await open(t, 4, secure);
        const clients: Client[] = [];
        for (let number = 0; number < 4; number += 1) {
          const client = await server.connect();
          await ask(client);
          clients.push(client);
        }
        const [first, second, ...others] = clients as [Client, Client, ...Client[]];
        // Now the second has been idle longest.
        await ask(first);
        const fresh = await server.connect();
        await ask(fresh);
        await second.closed;
        for (const client of [first, ...others, fresh]) await ask(client);
      },
    );

    it(
      "the server refuses a new connection rather than close one with a request in progress",
      inTime,
      async (t) => {
        const server = await open(t, 2, secure);
        const busy = [await server.connect(), await server.connect()];
        for (const client of busy) {
          await ask(client);
          client.socket.write(requestFor("/never"));
        }
        // As soon as a new connection is refused, both requests are in progress.
        for (;;) {
          const fresh = await server.connect();
          fresh.socket.write(requestFor("/"));
          await Promise.race([fresh.closed, once(fresh.socket, "data").catch(() => {})]);
          if (fresh.received() === "") break;
          fresh.socket.destroy();
          await fresh.closed;
        }
        assert.deepEqual(
          busy.map(({ socket }) => socket.closed),
          [false, false],
        );
      },
    );
  });
}

describe("bytes that are no request", () => {
  const slow = requestFor("/slow");

  for (const [what, bytes, status] of [
    ["garbage", "GARBAGE\r\n\r\n", 400],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 405],
  ] as const) {
    it(`the server refuses ${what} after the answer to the request before it`, inTime, async (t) => {
      const server = await open(t, 100);
      const client = await server.connect();
      client.socket.write(slow + bytes + bytes);
      await client.closed;
      const statuses = client.received().match(/HTTP\/1\.1 \d{3}/g);
      assert.deepEqual(statuses, ["HTTP/1.1 200", `HTTP/1.1 ${status}`]);
    });
  }

  it("the server cuts off a client that sends line feeds without end", inTime, async (t) => {
    const server = await open(t, 100);
    const client = await server.connect();
    const feeds = Buffer.alloc(64 * 1024, "\r\n");
    const send = () => {
      if (!client.socket.closed) client.socket.write(feeds, () => setImmediate(send));
    };
    send();
    await client.closed;
    await ask(await server.connect());
  });
});

it("the server reports each connection that cannot be accepted, and continues", inTime, async (t) => {
  const listen = t.mock.method(NetServer.prototype, "listen");
  const warnings: string[] = [];
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    warn: (message, error) => void warnings.push(`${message} ${error}`),
    fetch: () => new Response("answered"),
  });
  t.after(() => server.close());
  // The earlier ones only tested whether the port is free.
  const listening = listen.mock.calls.map((call) => call.this).at(-1);
  assert.ok(listening instanceof NetServer && listening.listening, "the server listens");
  for (const number of [1, 2]) listening.emit("error", new Error(`EMFILE ${number}`));
  const expected = [1, 2].map((number) => `A connection could not be accepted. Error: EMFILE ${number}`);
  assert.deepEqual(warnings, expected);
  assert.equal(await (await fetch(server.url)).text(), "answered");
});
