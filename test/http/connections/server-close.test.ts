/** Closing the server: its connections and requests in progress, with and without TLS. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { startServer } from "../../../src/http/server.ts";
import { everyRight, openAs, prefix } from "../../_setup.ts";
import { Connection, closing } from "../_raw.ts";
import { type Client, inTime, openServer, requestFor } from "../_server.ts";

/** Longer than the timeout of a test: a server that waits for it fails the test. */
const never = 10 * 60_000;

/** Starts a server that answers its requests when it is told to. */
async function open(t: TestContext, secure: boolean, drainMilliseconds?: number) {
  const waiting: (() => void)[] = [];
  let changed = () => {};
  let released = false;
  const server = await openServer(
    t,
    {
      ...(drainMilliseconds === undefined ? {} : { drainMilliseconds }),
      async fetch() {
        if (!released) {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            changed();
          });
        }
        return new Response("answered", { headers: { "Content-Length": "8" } });
      },
    },
    secure,
  );
  return {
    ...server,
    /** Resolves when `count` requests are in progress. */
    async reached(count: number) {
      while (waiting.length < count) await new Promise<void>((resolve) => (changed = resolve));
    },
    /** Answers all requests in progress, and every later one at once. */
    release() {
      released = true;
      for (const end of waiting.splice(0)) end();
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
      const opened = await open(t, secure, never);
      opened.release();
      const untouched = await opened.connect();
      const begun = await opened.connect();
      begun.socket.write("GET / HTTP/1.1\r\nHost: ");
      const idle = await opened.connect();
      idle.socket.write(requestFor("/"));
      await answered(idle);
      await opened.server.close();
      assert.equal(await untouched.closed, "");
      assert.equal(await begun.closed, "");
      assert.match(await idle.closed, /^HTTP\/1\.1 200 /);
    });

    it("a server that is closed first answers the requests in progress", inTime, async (t) => {
      const opened = await open(t, secure, never);
      const clients = await Promise.all([1, 2, 3].map(() => opened.connect()));
      for (const { socket } of clients) socket.write(requestFor("/"));
      await opened.reached(clients.length);
      const closed = opened.server.close();
      opened.release();
      for (const client of clients) assert.match(await client.closed, /^HTTP\/1\.1 200 .*answered$/s);
      await closed;
    });

    it("a server that is closed cuts off requests that exceed the deadline", inTime, async (t) => {
      const opened = await open(t, secure, 0);
      const client = await opened.connect();
      client.socket.write(requestFor("/"));
      await opened.reached(1);
      await opened.server.close();
      assert.equal(await client.closed, "");
    });

    it("a server can be closed twice", inTime, async (t) => {
      const opened = await open(t, secure, never);
      await opened.server.close();
      await opened.server.close();
    });
  });
}

it("a server that is closed waits 10 seconds for requests in progress by default", inTime, async (t) => {
  for (const [elapsed, expected] of [
    [9_999, /answered$/],
    [10_000, /^$/],
  ] as const) {
    const opened = await open(t, false);
    const client = await opened.connect();
    client.socket.write(requestFor("/"));
    await opened.reached(1);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const closing = opened.server.close();
    t.mock.timers.tick(elapsed);
    opened.release();
    await closing;
    t.mock.timers.reset();
    assert.match(await client.closed, expected);
  }
});

it("a server that is closed waits for a client that reads its answer slowly", inTime, async (t) => {
  // More than the kernel takes from a server whose client does not read.
  const body = Buffer.alloc(20_000_000, "x");
  const headers = ["Content-Length", String(body.length)];
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    fetch: () => new Response(),
    answerPlain: () => ({ status: 200, headers, body }),
  });
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(requestFor("/bundle"));
  await once(socket, "readable");
  const closed = server.close();
  let received = 0;
  for await (const chunk of socket) received += (chunk as Buffer).length;
  await closed;
  assert.ok(received > body.length, `${received} bytes`);
});

/** Returns a promise and the function that resolves it. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

it("a server that is closed finishes the request in progress, and runs no later one", async (t) => {
  const { world, token } = await openAs(t, "Ada", everyRight);
  const entered = deferred();
  const release = deferred();
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      if (request.headers.has("x-slow")) {
        entered.resolve();
        await release.promise;
      }
      return world.service.fetch(request);
    },
  });
  const add = (name: string) => `GET ${prefix}/${token}/targetlist/add?name=${name} HTTP/1.1\r\n`;
  const late = new Connection(server.url);
  late.socket.on("error", () => {});
  await late.send(`${add("Late")}Host: localhost\r\n`);
  const slow = new Connection(server.url);
  await slow.send(`${add("Slow")}X-Slow: 1\r\n${closing}`);
  await entered.promise;
  const closed = server.close();
  await late.send("\r\n");
  release.resolve();
  assert.equal((await slow.answer()).status, 200);
  await closed;
  const listed: { name: string }[] = await world.ok(token, "/targetlist");
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["Slow"],
  );
  const refused = connect(Number(new URL(server.url).port), "127.0.0.1");
  const [error] = await once(refused, "error");
  assert.equal(error.code, "ECONNREFUSED");
});
