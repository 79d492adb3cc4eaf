/** Requests of one turn of the event loop: each is answered, whatever becomes of the others (contract, section 1). */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { it, type TestContext } from "node:test";
import type { RawRequest } from "../src/engine/direct.ts";
import type { Answer } from "../src/engine/response.ts";
import { startServer } from "../src/server.ts";

/** Who waits for an answer that never comes is told so. */
const inTime = { timeout: 60_000 };

/** An answer that says for which request it is. */
function answerTo({ url = "" }: RawRequest): Answer {
  const body = Buffer.from(`for ${url}`);
  return { status: 200, headers: ["Content-Length", String(body.length)], body };
}

/** A server that answers at once, later, never, or with what can not be sent. */
async function open(t: TestContext) {
  const handled: string[] = [];
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    fetch: () => new Response("not asked", { status: 500 }),
    direct(request) {
      const { url = "" } = request;
      handled.push(url);
      const answer = answerTo(request);
      if (url.startsWith("/late")) return new Promise((resolve) => setImmediate(resolve, answer));
      if (url.startsWith("/rejected")) return Promise.reject(new Error("a fault"));
      if (url.startsWith("/unsayable")) return { ...answer, headers: ["X-Wrong", "line\nfeed"] };
      return answer;
    },
  });
  t.after(() => server.close());
  return { url: server.url, handled };
}

/** Sends requests in one packet over one connection, and gives what came until it was closed or all were answered. */
function pipeline(url: string, paths: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let came = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      came += text;
      if (came.split("HTTP/1.1 ").length > paths.length && came.endsWith(`for ${paths.at(-1)}`)) socket.end();
    });
    socket.on("close", () => resolve(came)).on("error", reject);
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`).join(""));
  });
}

it(
  "answers the requests of one connection in their order, also where a later one is ready first",
  inTime,
  async (t) => {
    const { url } = await open(t);
    const paths = ["/a", "/late/b", "/c", "/late/d", "/e"];
    const came = await pipeline(url, paths);
    assert.deepEqual(
      came.match(/for \S*?(?=HTTP|$)/g),
      paths.map((path) => `for ${path}`),
    );
  },
);

it(
  "answers each of many at once, and ends only the connections of those that can not be answered",
  inTime,
  async (t) => {
    const { url, handled } = await open(t);
    const kinds = ["/plain", "/late", "/unsayable", "/rejected"];
    const paths = Array.from({ length: 80 }, (_, number) => `${kinds[number % kinds.length]}/${number}`);
    const outcomes = await Promise.all(
      paths.map(async (path) => {
        try {
          const response = await fetch(`${url}${path}`);
          return await response.text();
        } catch {
          return "ended";
        }
      }),
    );
    const expected = paths.map((path) => (/^\/(?:plain|late)/.test(path) ? `for ${path}` : "ended"));
    assert.deepEqual(outcomes, expected);
    assert.deepEqual(handled.toSorted(), paths.toSorted());
  },
);

it("answers the others where clients have gone away meanwhile", inTime, async (t) => {
  const { url, handled } = await open(t);
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
  assert.ok(handled.includes("/plain"), "the server still answers");
});
