/** Closing the server: its connections and requests in progress, with and without TLS. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { type Client, inTime, openServer, requestFor } from "./_server.ts";

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
      for (const each of waiting.splice(0)) each();
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
      for (const each of clients) assert.match(await each.closed, /^HTTP\/1\.1 200 .*answered$/s);
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
