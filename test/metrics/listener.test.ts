/** Tests of the listener of the metrics, and of `serve --metrics`. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Server as HttpServer } from "node:http";
import { createServer, Server } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { serveMetrics } from "../../src/metrics/listener.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { emptyDesk, type Surroundings, seededDesk } from "../cli/_setup.ts";
import { Connection } from "../http/_raw.ts";
import { scrape, serveMeasured } from "./_setup.ts";

/** Starts a listener, whose text is that of `metrics` or waits for a promise. */
async function listen(t: TestContext, metrics: () => Promise<string> = async () => "a 1\n") {
  const warned: string[] = [];
  const contentType = "text/plain; version=0.0.4; charset=utf-8" as const;
  const registry = { contentType, metrics };
  const warn = (message: string, error: unknown) => void warned.push(`${message} ${error}`);
  const listening = t.mock.method(Server.prototype, "listen").mock;
  const listener = await serveMetrics({ host: "127.0.0.1", port: 0, registry, warn });
  t.after(() => listener.close());
  const inner = listening.calls.at(-1)?.this;
  assert.ok(inner instanceof HttpServer, "it listens");
  return { ...listener, origin: new URL(listener.url).origin, warned, inner };
}

const inTime = { timeout: 60_000 };

describe("the listener of the metrics", () => {
  it("answers GET /metrics in the text format", async (t) => {
    const { url } = await listen(t);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(await response.text(), "a 1\n");
  });

  it("refuses every other path and method", async (t) => {
    const { url, origin } = await listen(t);
    for (const path of ["/", "/metrics/", "/health", "/gameaddon/v1/openapi.json"]) {
      assert.equal((await fetch(`${origin}${path}`)).status, 404, path);
    }
    const posted = await fetch(url, { method: "POST", body: "x" });
    assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET"]);
  });

  it("answers one request on a connection, and closes it", async (t) => {
    let texts = 0;
    const { url } = await listen(t, async () => `a ${texts++}\n`);
    const connection = new Connection(url);
    await connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100));
    await once(connection.socket, "close");
    assert.equal(connection.received.toString().match(/HTTP\/1\.1/g)?.length, 1);
    assert.equal(texts, 1);
  });

  it("closes the connection where the metrics cannot be read, and goes on", inTime, async (t) => {
    let isBroken = true;
    const { url, warned, inner } = await listen(t, async () => {
      if (isBroken) throw new Error("broken");
      return "a 1\n";
    });
    // Only the listener itself closes the connection then.
    inner.timeout = 0;
    await assert.rejects(fetch(url));
    assert.deepEqual(warned, ["The metrics could not be read. Error: broken"]);
    isBroken = false;
    assert.equal((await fetch(url)).status, 200);
  });

  it("closes connections that are idle longest, so that a scrape gets through 100 of them", async (t) => {
    const { url } = await listen(t);
    const idle = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const connection = new Connection(url);
        connection.socket.on("error", () => {});
        await once(connection.socket, "connect");
        return connection;
      }),
    );
    t.after(() => {
      for (const { socket } of idle) socket.destroy();
    });
    assert.equal((await fetch(url)).status, 200);
  });

  it("closes while a scrape is under way", async (t) => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { url, close, inner } = await listen(t, () => {
      asked();
      return new Promise(() => {});
    });
    let isClosed = false;
    inner.once("close", () => {
      isClosed = true;
    });
    const fetched = assert.rejects(fetch(url));
    await isAsked;
    await close();
    assert.equal(isClosed, true);
    await fetched;
  });

  it("gives clients 5 s for a request, and 10 s of silence", async (t) => {
    const { headersTimeout, requestTimeout, timeout } = (await listen(t)).inner;
    assert.deepEqual([headersTimeout, requestTimeout, timeout], [5_000, 5_000, 10_000]);
  });

  it("reports each connection that cannot be accepted, and goes on", async (t) => {
    const { url, inner, warned } = await listen(t);
    for (const number of [1, 2]) inner.emit("error", new Error(`EMFILE ${number}`));
    const expected = [1, 2].map((number) => `The listener of the metrics failed. Error: EMFILE ${number}`);
    assert.deepEqual(warned, expected);
    assert.equal((await fetch(url)).status, 200);
  });

  it("fails on an address that is taken, and says which", async (t) => {
    const { url } = await listen(t);
    const port = Number(new URL(url).port);
    const { registry } = new Metrics();
    await assert.rejects(serveMetrics({ host: "127.0.0.1", port, registry, warn: () => {} }), (error) => {
      assert.ok(error instanceof Failure, String(error));
      const { code, message, hint } = error;
      assert.deepEqual(
        { code, message, hint },
        {
          code: "STORE_UNAVAILABLE",
          message: `Metrics cannot be served on 127.0.0.1:${port} (listen EADDRINUSE: address already in use 127.0.0.1:${port}).`,
          hint: "Another program may be listening there. Choose another address with --metrics.",
        },
      );
      return true;
    });
  });

  it("closes the connection of bytes that are no request", async (t) => {
    const { url } = await listen(t);
    const connection = new Connection(url);
    connection.socket.on("error", () => {});
    await connection.send("\u0016\u0003\u0001\r\n\r\n");
    await once(connection.socket, "close");
    assert.equal(connection.received.length, 0);
    assert.equal((await fetch(url)).status, 200);
  });
});

describe("serve --metrics", () => {
  it("serves metrics on that address only, and stops with the service", async (t) => {
    const { running, url, metrics } = await serveMeasured(t);
    assert.match((await scrape(metrics)).text, /^gameaddon_info\{version="[\d.]+",node="v\d[^"]*"\} 1$/m);
    assert.equal((await fetch(`${url}/metrics`)).status, 404);
    assert.equal(await running.stop(), 0);
    await assert.rejects(fetch(metrics));
  });

  it("when it is not given, no metrics are served", async (t) => {
    const desk = await seededDesk(t);
    for (const [args, env] of [
      [[], {}],
      [["--metrics", "off"], { ADDON_METRICS: "127.0.0.1:0" }],
      [[], { ADDON_METRICS: "" }],
    ] satisfies [string[], Record<string, string>][]) {
      const running = desk.serve(args, { env });
      await running.shows(/Listening on/);
      assert.equal(await running.stop(), 0);
      assert.doesNotMatch(running.stderr.text, /metrics/);
    }
  });

  it("accepts ADDON_METRICS, and an IPv6 address in brackets", async (t) => {
    const desk = await seededDesk(t);
    for (const [args, surroundings, expected] of [
      [[], { env: { ADDON_METRICS: "127.0.0.1:0" } }, /http:\/\/127\.0\.0\.1:[1-9]\d*\/metrics/],
      [["--metrics", "[::1]:0"], {}, /http:\/\/\[::1\]:[1-9]\d*\/metrics/],
      [["--metrics", "localhost:0"], { env: { ADDON_METRICS: "x" } }, /http:\/\/localhost:[1-9]\d*\/metrics/],
    ] satisfies [string[], Surroundings, RegExp][]) {
      const running = desk.serve(args, surroundings);
      await running.shows(/Listening on/);
      const [url = ""] = expected.exec(running.stderr.text) ?? [];
      assert.match((await scrape(url)).text, /^gameaddon_players 0$/m);
      assert.doesNotMatch(running.stderr.text, /warning/);
      assert.equal(await running.stop(), 0);
    }
  });

  it("warns of an address that other machines can reach", async (t) => {
    const desk = await seededDesk(t);
    const running = desk.serve(["--metrics", "0.0.0.0:0"]);
    await running.shows(/Listening on/);
    assert.match(
      running.stderr.text,
      /warning: Other machines can reach the metrics on 0\.0\.0\.0.*127\.0\.0\.1:9464/,
    );
  });

  it("refuses anything else than a host and a port", async (t) => {
    const desk = await emptyDesk(t);
    for (const wrong of [
      "9464",
      ":9464",
      "127.0.0.1",
      "127.0.0.1:70000",
      "::1:9464",
      "[::1]",
      "http://host:1",
      "on",
    ]) {
      assert.match(
        await desk.misused("serve", "--metrics", wrong),
        /--metrics.*Expected a (?:host and a )?port/s,
        wrong,
      );
      const { exitCode, stderr } = await desk.run(["serve"], { env: { ADDON_METRICS: wrong } });
      assert.equal(exitCode, 2);
      assert.match(stderr, /ADDON_METRICS is .*Expected a/);
    }
  });

  it("when the port is taken, the start fails and says what to do, and the service stops", async (t) => {
    const desk = await seededDesk(t);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    t.after(() => other.close());
    const address = other.address();
    assert.ok(typeof address === "object" && address !== null);
    const taken = `127.0.0.1:${address.port}`;
    const stderr = await desk.fails("serve", "--port", "0", "--metrics", taken);
    assert.match(stderr, /Metrics cannot be served on 127\.0\.0\.1:\d+ \(listen EADDRINUSE.*\n.*--metrics/);
    await desk.ok("player", "add", "Ada");
  });
});
