/** Closing the server: its connections and requests in progress, with and without TLS. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connect as connectSecurely } from "node:tls";
import { type Server, startServer } from "../../src/http/server.ts";
import { makeCertificate } from "../_certificate.ts";
import { temporaryFolder } from "../_setup.ts";

/** Longer than the timeout of a test: a server that waits for it fails the test. */
const never = 10 * 60_000;
const inTime = { timeout: 60_000 };

const keptAlive = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** A server that answers its requests when it is told to. */
interface Desk {
  readonly server: Server;
  /** Resolves when `count` requests are in progress. */
  reached(count: number): Promise<void>;
  /** Answers all requests in progress, and every later one at once. */
  release(): void;
  connect(): Promise<Client>;
}

/** A connection, and everything received. */
interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  /** Resolves with everything received, when the server has closed the connection. */
  readonly closed: Promise<string>;
}

async function openDesk(t: TestContext, secure: boolean, drainMilliseconds?: number): Promise<Desk> {
  const folder = await temporaryFolder(t);
  const ca = secure ? await makeCertificate(folder) : "";
  const https = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  const waiting: (() => void)[] = [];
  let changed = () => {};
  let released = false;
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    ...(drainMilliseconds === undefined ? {} : { drainMilliseconds }),
    ...(secure ? { https } : {}),
    async fetch() {
      if (!released) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          changed();
        });
      }
      return new Response("answered", { headers: { "Content-Length": "8" } });
    },
  });
  t.after(() => server.close());
  const port = Number(new URL(server.url).port);
  return {
    server,
    async reached(count) {
      while (waiting.length < count) await new Promise<void>((resolve) => (changed = resolve));
    },
    release() {
      released = true;
      for (const each of waiting.splice(0)) each();
    },
    async connect() {
      const socket = secure ? connectSecurely({ host: "127.0.0.1", port, ca }) : connect(port, "127.0.0.1");
      t.after(() => socket.destroy());
      let text = "";
      socket.setEncoding("utf8").on("data", (piece) => (text += piece));
      // A connection that is cut off can end with an error.
      socket.on("error", () => {});
      const closed = once(socket, "close").then(() => text);
      await once(socket, secure ? "secureConnect" : "connect");
      return { socket, received: () => text, closed };
    },
  };
}

/** Resolves when a complete answer has arrived. */
async function answered({ socket, received }: Client): Promise<void> {
  while (!received().endsWith("answered")) await once(socket, "data");
}

for (const secure of [false, true]) {
  describe(`closing a server${secure ? ", with TLS" : ""}`, () => {
    it("a server that is closed closes connections without a complete request at once", inTime, async (t) => {
      const desk = await openDesk(t, secure, never);
      desk.release();
      const untouched = await desk.connect();
      const begun = await desk.connect();
      begun.socket.write("GET / HTTP/1.1\r\nHost: ");
      const idle = await desk.connect();
      idle.socket.write(keptAlive);
      await answered(idle);
      await desk.server.close();
      assert.equal(await untouched.closed, "");
      assert.equal(await begun.closed, "");
      assert.match(await idle.closed, /^HTTP\/1\.1 200 /);
    });

    it("a server that is closed first answers the requests in progress", inTime, async (t) => {
      const desk = await openDesk(t, secure, never);
      const clients = await Promise.all([1, 2, 3].map(() => desk.connect()));
      for (const { socket } of clients) socket.write(keptAlive);
      await desk.reached(clients.length);
      const closed = desk.server.close();
      desk.release();
      for (const each of clients) assert.match(await each.closed, /^HTTP\/1\.1 200 .*answered$/s);
      await closed;
    });

    it("a server that is closed cuts off requests that exceed the deadline", inTime, async (t) => {
      const desk = await openDesk(t, secure, 0);
      const client = await desk.connect();
      client.socket.write(keptAlive);
      await desk.reached(1);
      await desk.server.close();
      assert.equal(await client.closed, "");
    });

    it("a server can be closed twice", inTime, async (t) => {
      const desk = await openDesk(t, secure, never);
      await desk.server.close();
      await desk.server.close();
    });
  });
}

it("a server that is closed waits 10 seconds for requests in progress by default", inTime, async (t) => {
  for (const [elapsed, expected] of [
    [9_999, /answered$/],
    [10_000, /^$/],
  ] as const) {
    const desk = await openDesk(t, false);
    const client = await desk.connect();
    client.socket.write(keptAlive);
    await desk.reached(1);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const closing = desk.server.close();
    t.mock.timers.tick(elapsed);
    desk.release();
    await closing;
    t.mock.timers.reset();
    assert.match(await client.closed, expected);
  }
});
