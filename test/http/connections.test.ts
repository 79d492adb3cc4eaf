/** The connections of the HTTP server: CONNECT, the limit, and bytes that are no request. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, Server as NetServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connect as connectSecurely } from "node:tls";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import { type Server, startServer } from "../../src/http/server.ts";
import { makeCertificate } from "../_certificate.ts";
import { temporaryFolder } from "../_setup.ts";

const inTime = { timeout: 60_000 };
const keptAlive = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";

/** A server, and how clients connect to it. */
interface Desk {
  readonly server: Server;
  readonly log: RequestRecord[];
  connect(): Promise<Client>;
  /** Connects below TLS, and does not shake hands. */
  connectPlainly(): Promise<Client>;
}

/** A connection, with all that has come over it, and whether it is closed. */
interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  readonly isClosed: () => boolean;
  readonly closed: Promise<void>;
}

async function openDesk(t: TestContext, maxConnections: number, secure = false): Promise<Desk> {
  const folder = await temporaryFolder(t);
  const ca = secure ? await makeCertificate(folder) : "";
  const https = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  const log: RequestRecord[] = [];
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    maxConnections,
    drainMilliseconds: 1,
    observe: (record) => void log.push(record),
    ...(secure ? { https } : {}),
    fetch: (request) =>
      request.url.endsWith("/never")
        ? new Promise<Response>(() => {})
        : new Response("answered", { headers: { "Content-Length": "8" } }),
  });
  t.after(() => server.close());
  const port = Number(new URL(server.url).port);
  const client = async (socket: Socket, event: string): Promise<Client> => {
    t.after(() => socket.destroy());
    let text = "";
    let over = false;
    socket.setEncoding("latin1").on("data", (piece) => (text += piece));
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => {
        over = true;
        resolve();
      });
    });
    await Promise.race([once(socket, event).catch(() => {}), closed]);
    return { socket, received: () => text, isClosed: () => over, closed };
  };
  return {
    server,
    log,
    connect: () =>
      secure
        ? client(connectSecurely({ host: "127.0.0.1", port, ca }), "secureConnect")
        : client(connect(port, "127.0.0.1"), "connect"),
    connectPlainly: () => client(connect(port, "127.0.0.1"), "connect"),
  };
}

async function ask({ socket, received }: Client, text = keptAlive): Promise<void> {
  const before = received().length;
  socket.write(text);
  while (!received().slice(before).endsWith("answered")) await once(socket, "data");
}

describe("CONNECT", () => {
  it("refuses CONNECT with 405 and closes the connection", inTime, async (t) => {
    const desk = await openDesk(t, 100);
    const { socket, received, closed } = await desk.connect();
    socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    await closed;
    assert.match(received(), /^HTTP\/1\.1 405 /);
    assert.match(received(), /^Allow: GET, HEAD, OPTIONS\r$/m);
    assert.deepEqual(
      desk.log.map(({ method, status, code }) => [method, status, code]),
      [["CONNECT", 405, "METHOD_NOT_ALLOWED"]],
    );
  });

  it("closes CONNECT connections of clients that neither read nor close", inTime, async (t) => {
    const desk = await openDesk(t, 100);
    const clients = await Promise.all(Array.from({ length: 50 }, () => desk.connect()));
    for (const { socket } of clients) socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    for (const { socket } of clients) socket.pause();
    while (desk.log.length < clients.length) await ask(await desk.connect());
    for (const { socket } of clients) socket.resume();
    await Promise.all(clients.map(({ closed }) => closed));
  });

  it("survives 300 connections that send CONNECT and reset", inTime, async (t) => {
    const desk = await openDesk(t, 100);
    for (let number = 0; number < 300; number += 1) {
      const { socket, closed } = await desk.connect();
      socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", () => {
        if (number % 2 === 0) socket.resetAndDestroy();
        else setImmediate(() => socket.resetAndDestroy());
      });
      await closed;
    }
    await ask(await desk.connect());
  });
});

for (const secure of [false, true]) {
  describe(`the limit of connections${secure ? ", with TLS" : ""}`, () => {
    it("closes the connection that has been idle longest to accept a new one", inTime, async (t) => {
      const desk = await openDesk(t, 4, secure);
      const clients: Client[] = [];
      for (let number = 0; number < 4; number += 1) {
        const client = await desk.connect();
        await ask(client);
        clients.push(client);
      }
      const [first, second, ...others] = clients as [Client, Client, ...Client[]];
      // Now the second has been idle longest.
      await ask(first);
      const fresh = await desk.connect();
      await ask(fresh);
      await second.closed;
      for (const client of [first, ...others, fresh]) await ask(client);
    });

    it("refuses a new connection rather than close one with a request in progress", inTime, async (t) => {
      const desk = await openDesk(t, 2, secure);
      const busy = [await desk.connect(), await desk.connect()];
      for (const client of busy) {
        await ask(client);
        client.socket.write("GET /never HTTP/1.1\r\nHost: here\r\n\r\n");
      }
      // As soon as a new connection is refused, both requests are in progress.
      for (;;) {
        const fresh = await desk.connect();
        fresh.socket.write(keptAlive);
        await Promise.race([fresh.closed, once(fresh.socket, "data").catch(() => {})]);
        if (fresh.received() === "") break;
        fresh.socket.destroy();
        await fresh.closed;
      }
      assert.deepEqual(
        busy.map(({ isClosed }) => isClosed()),
        [false, false],
      );
    });
  });
}

it("closes connections without a TLS handshake first to accept a new one", inTime, async (t) => {
  const desk = await openDesk(t, 3, true);
  const mute = [await desk.connectPlainly(), await desk.connectPlainly()];
  const known = await desk.connect();
  await ask(known);
  const fresh = await desk.connect();
  await ask(fresh);
  await Promise.race(mute.map(({ closed }) => closed));
  await ask(known);
});

describe("bytes that are no request", () => {
  const slow = "GET /slow HTTP/1.1\r\nHost: here\r\n\r\n";

  for (const [what, bytes, status] of [
    ["garbage", "GARBAGE\r\n\r\n", 400],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 405],
  ] as const) {
    it(`refuses ${what} after the answer to the request before it`, inTime, async (t) => {
      const desk = await openDesk(t, 100);
      const client = await desk.connect();
      client.socket.write(slow + bytes + bytes);
      await client.closed;
      const statuses = client.received().match(/HTTP\/1\.1 \d{3}/g);
      assert.deepEqual(statuses, ["HTTP/1.1 200", `HTTP/1.1 ${status}`]);
    });
  }

  it("cuts off a client that sends line feeds without end", inTime, async (t) => {
    const desk = await openDesk(t, 100);
    const client = await desk.connect();
    const feeds = Buffer.alloc(64 * 1024, "\r\n");
    const send = () => {
      if (!client.isClosed()) client.socket.write(feeds, () => setImmediate(send));
    };
    send();
    await client.closed;
    await ask(await desk.connect());
  });
});

it("reports each connection that cannot be accepted, and continues", inTime, async (t) => {
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
