/** The request queue: every request is answered, in the order of its connection, and no connection delays the others. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { it, type TestContext } from "node:test";
import { startServer } from "../../../src/http/server.ts";
import { answerTo, inTime, requestFor } from "../_server.ts";

/** More than the system buffers for a client that does not read. */
const longBody = Buffer.alloc(16 * 1024 * 1024, "x");
const long = { headers: ["Content-Length", String(longBody.length)], body: longBody };

/** Keeps the processor busy. */
function spend(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** Starts a server whose answer depends on the path: at once, late, long, an error, or one that cannot be sent. */
async function open(t: TestContext) {
  const handled: string[] = [];
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    drainMilliseconds: 1,
    fetch: () => new Response("not asked", { status: 500 }),
    answerPlain(request) {
      const { url = "" } = request;
      handled.push(url);
      const answer = answerTo(request);
      if (url.startsWith("/long")) return { ...answer, ...long };
      if (url.startsWith("/slow")) spend(0.5);
      if (url.startsWith("/late")) return new Promise((resolve) => setImmediate(resolve, answer));
      if (url.startsWith("/rejected")) return Promise.reject(new Error("a fault"));
      if (url.startsWith("/thrown")) throw new Error("a fault");
      if (url.startsWith("/unsayable")) return { ...answer, headers: ["X-Wrong", "line\nfeed"] };
      return answer;
    },
  });
  t.after(() => server.close());
  return { url: server.url, handled };
}

/** Opens a connection that sends `count` requests at once, and does not read. */
function flood(t: TestContext, url: string, path: string, count: number): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.write(Array.from({ length: count }, (_, number) => requestFor(`${path}/${number}`)).join(""));
  return socket;
}

/** Counts the requests whose path begins with `path`. */
function countOf(handled: readonly string[], path: string): number {
  return handled.filter((url) => url.startsWith(path)).length;
}

/** Sends requests in one packet over one connection; returns everything received until all are answered. */
function pipeline(url: string, paths: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
      if (received.split("HTTP/1.1 ").length > paths.length && received.endsWith(`for ${paths.at(-1)}`))
        socket.end();
    });
    socket.on("close", () => resolve(received)).on("error", reject);
    socket.write(paths.map(requestFor).join(""));
  });
}

it(
  "the queue answers the requests of one connection in their order, even if a later one is ready first",
  inTime,
  async (t) => {
    const { url } = await open(t);
    const paths = ["/a", "/late/b", "/c", "/late/d", "/e"];
    const received = await pipeline(url, paths);
    assert.deepEqual(
      received.match(/for \S*?(?=HTTP|$)/g),
      paths.map((path) => `for ${path}`),
    );
  },
);

it(
  "the queue answers 80 simultaneous requests, errors with 500, and closes only connections whose answer cannot be sent",
  inTime,
  async (t) => {
    const { url, handled } = await open(t);
    const kinds = ["/plain", "/late", "/unsayable", "/rejected", "/thrown"];
    const paths = Array.from({ length: 80 }, (_, number) => `${kinds[number % kinds.length]}/${number}`);
    const outcomes = await Promise.all(
      paths.map(async (path) => {
        try {
          const response = await fetch(`${url}${path}`);
          return response.status === 500 ? "a fault" : await response.text();
        } catch {
          return "ended";
        }
      }),
    );
    const expected = paths.map((path) => {
      if (/^\/(?:plain|late)/.test(path)) return `for ${path}`;
      return path.startsWith("/unsayable") ? "ended" : "a fault";
    });
    assert.deepEqual(outcomes, expected);
    assert.deepEqual(handled.toSorted(), paths.toSorted());
  },
);

it("of many connections opened at once, the newest does not wait for all others", inTime, async (t) => {
  const { url, handled } = await open(t);
  const { hostname, port } = new URL(url);
  const answers = Array.from({ length: 100 }, async (_, number) => {
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.write(requestFor(`/plain/${number}`));
    await once(socket, "data");
  });
  await Promise.all(answers);
  const [middle, newest] = ["/plain/50", "/plain/99"].map((path) => handled.indexOf(path));
  assert.ok(Number(newest) < Number(middle), handled.join(" "));
});

it("the queue answers other clients after some have disconnected", inTime, async (t) => {
  const { url } = await open(t);
  const { hostname, port } = new URL(url);
  const gone = Array.from({ length: 20 }, (_, number) => `/late/gone/${number}`);
  await Promise.all(
    gone.map(
      (path) =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname);
          socket.on("error", () => {});
          socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`, () => {
            socket.resetAndDestroy();
            resolve();
          });
        }),
    ),
  );
  assert.equal(await (await fetch(`${url}/plain`)).text(), "for /plain");
});

it(
  "the queue begins no request of a connection before the client has read the previous answer",
  inTime,
  async (t) => {
    const { url, handled } = await open(t);
    const socket = flood(t, url, "/long", 500).pause();
    while (countOf(handled, "/long") === 0) await fetch(`${url}/plain`);
    for (let number = 0; number < 50; number += 1) await fetch(`${url}/plain/${number}`);
    assert.equal(countOf(handled, "/long"), 1);
    let bytes = 0;
    socket.on("data", (piece: Buffer) => {
      bytes += piece.length;
    });
    socket.resume();
    while (countOf(handled, "/long") < 4) await fetch(`${url}/plain`);
    assert.ok(bytes > longBody.length, "it goes on as the client reads");
  },
);

it(
  "the queue answers a new connection before earlier requests that keep the processor busy",
  inTime,
  async (t) => {
    const { url, handled } = await open(t);
    // A turn handles only a few of them.
    const [connections, count] = [8, 1400];
    for (let number = 0; number < connections; number += 1) flood(t, url, `/slow/${number}`, count).resume();
    while (countOf(handled, "/slow") < 100) await new Promise((resolve) => setImmediate(resolve));
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    t.after(() => socket.destroy());
    socket.write(requestFor("/plain/new"));
    for await (const text of socket) if (String(text).endsWith("for /plain/new")) break;
    const before = countOf(handled, "/slow");
    assert.ok(before < (connections * count) / 2, `${before} requests were handled before it`);
  },
);

it(
  "the queue answers all requests of 10 connections with 1,400 each, and closes none of them",
  inTime,
  async (t) => {
    const { url, handled } = await open(t);
    const [count, connections] = [1400, 10];
    let closed = 0;
    for (let number = 0; number < connections; number += 1) {
      flood(t, url, `/plain/${number}`, count)
        .resume()
        .once("close", () => {
          // Node closes a connection after 5 s without a request; on a busy machine the others take longer.
          if (countOf(handled, `/plain/${number}/`) < count) closed += 1;
        });
    }
    while (handled.length < connections * count) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(closed, 0);
  },
);

it(
  "the queue continues after resets of connections with thousands of waiting requests",
  inTime,
  async (t) => {
    const { url, handled } = await open(t);
    const { stackTraceLimit } = Error;
    for (let number = 0; number < 10; number += 1) {
      const socket = flood(t, url, `/late/${number}`, 1400);
      while (countOf(handled, `/late/${number}`) === 0) await fetch(`${url}/plain`);
      socket.resetAndDestroy();
    }
    assert.equal(await (await fetch(`${url}/plain/last`)).text(), "for /plain/last");
    assert.ok(countOf(handled, "/late") < 14_000, "requests of closed connections are not handled");
    assert.equal(Error.stackTraceLimit, stackTraceLimit);
  },
);

it("the queue closes connections that do not read when too many requests wait", inTime, async (t) => {
  const { url, handled } = await open(t);
  let closed = 0;
  const sockets = Array.from({ length: 50 }, (_, number) => flood(t, url, `/long/${number}`, 1400).pause());
  for (const socket of sockets) {
    socket.once("error", () => {
      closed += 1;
    });
  }
  while (closed === 0) {
    assert.equal(await (await fetch(`${url}/plain`)).text(), "for /plain");
    // A client that does not read notices the reset only when it sends.
    for (const socket of sockets) socket.write("G");
  }
  assert.equal(await (await fetch(`${url}/plain/last`)).text(), "for /plain/last");
  assert.ok(countOf(handled, "/long") <= 50, "no client got a second answer");
});
