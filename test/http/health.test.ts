/** Tests of `/health` and `/ready`. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { startServer } from "../../src/http/server.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service } from "../../src/service.ts";
import {
  openSharedWorld,
  openWorld,
  prefix,
  shippedRoutes,
  shippedSeed,
  temporaryFolder,
  type World,
} from "../_setup.ts";
import { ruledFiles, systemError } from "../store/_faults.ts";
import { Connection } from "./_raw.ts";

const well = { status: "ready", changes: true, reason: null };

/** Returns the status and the document of a page. */
async function read(world: World, path: string, init: RequestInit = {}): Promise<[number, unknown]> {
  const response = await fetch(`${world.url}${path}`, init);
  return [response.status, await response.json()];
}

/** Returns a service whose journal fails with a code while `broken.code` is set. */
async function openBreakable(t: TestContext, operation: "write" | "datasync") {
  const broken: { code: string | undefined } = { code: undefined };
  const files = ruledFiles((call) =>
    broken.code !== undefined && call.operation === operation && /journal-/.test(call.path)
      ? systemError(broken.code)
      : undefined,
  );
  const world = await openWorld(t, { transport: "socket", files });
  return { broken, world, change: () => world.service.administer("player.add", { name: "Ada" }) };
}

describe("the health pages", () => {
  const open = openSharedWorld({ transport: "socket" });

  it("answer without a token, with or without a slash at the end and a query", async () => {
    const world = open();
    for (const ending of ["", "/", "?probe=1"]) {
      assert.deepEqual(await read(world, `/health${ending}`), [200, { status: "ok" }]);
      assert.deepEqual(await read(world, `/ready${ending}`), [200, well]);
    }
  });

  it("answer only at their paths as they are written", async () => {
    const world = open();
    for (const path of ["/x/../ready", "/./health", "/%72eady", "//ready", "/READY"]) {
      const connection = new Connection(world.url);
      const closed = once(connection.socket, "close");
      await connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      await closed;
      assert.match(connection.received.toString(), /^HTTP\/1\.1 404 /, path);
    }
  });

  it("leave no record for the log, whatever the method", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
      for (const path of ["/health", "/ready"]) {
        await (await fetch(`${world.url}${path}`, { method })).arrayBuffer();
      }
    }
    assert.deepEqual(world.log, []);
  });

  it("are neither stored, revalidated nor compressed, and have the common headers", async () => {
    const world = open();
    for (const path of ["/health", "/ready"]) {
      const { headers } = await fetch(`${world.url}${path}`, { headers: { "Accept-Encoding": "gzip" } });
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      for (const name of ["etag", "content-encoding"]) assert.equal(headers.get(name), null, name);
    }
  });

  it("answer HEAD with the headers of GET", async () => {
    const world = open();
    for (const path of ["/health", "/ready"]) {
      const got = await fetch(`${world.url}${path}`);
      const head = await fetch(`${world.url}${path}`, { method: "HEAD" });
      assert.equal(head.status, 200);
      assert.equal(await head.text(), "");
      const length = String((await got.text()).length);
      assert.equal(head.headers.get("content-length"), length);
    }
  });

  it("refuse other methods in the shape of every failure", async () => {
    const world = open();
    const response = await fetch(`${world.url}/ready`, { method: "POST" });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "GET, HEAD, OPTIONS");
    assert.match(await response.text(), /"code":"METHOD_NOT_ALLOWED"/);
    assert.equal((await fetch(`${world.url}/nothing`)).headers.get("allow"), null);
  });

  it("have paths that no route can have: a prefix has a placeholder, and a route another segment", async (t) => {
    const routes = `prefix: /{tokenString}
routes:
  /health:
    summary: Returns the navi points.
    restriction: open
    handler: navipoint.list
`;
    const world = await openWorld(t, { transport: "socket", routes });
    assert.deepEqual(await read(world, "/health"), [200, { status: "ok" }]);
    assert.deepEqual(await read(world, `/${world.publicToken}/health`), [200, []]);
  });
});

describe("/ready", () => {
  it("while changes cannot be written, names the reason until one succeeds", async (t) => {
    const { broken, world, change } = await openBreakable(t, "write");
    broken.code = "ENOSPC";
    await assert.rejects(change(), { code: "STORE_UNAVAILABLE" });
    const refused = {
      status: "ready",
      changes: false,
      reason: "The last change could not be saved (ENOSPC).",
    };
    assert.deepEqual(await read(world, "/ready"), [200, refused]);
    assert.deepEqual(await read(world, "/health"), [200, { status: "ok" }]);
    broken.code = undefined;
    await change();
    assert.deepEqual(await read(world, "/ready"), [200, well]);
  });

  it("checks the disk once for all who ask meanwhile", async (t) => {
    const { service } = await openWorld(t);
    const { mock } = t.mock.method(service.store, "problem");
    await Promise.all([service.readiness(), service.readiness()]);
    assert.equal(mock.callCount(), 1);
    await service.readiness();
    assert.equal(mock.callCount(), 2);
  });

  it("once the disk is unreliable, says so", async (t) => {
    const { broken, world, change } = await openBreakable(t, "datasync");
    broken.code = "EIO";
    await assert.rejects(change(), { code: "OUTCOME_UNKNOWN" });
    broken.code = undefined;
    const unreliable = { status: "ready", changes: false, reason: "The disk is no longer reliable." };
    assert.deepEqual(await read(world, "/ready"), [200, unreliable]);
  });

  it("while the server closes, is still answered, as is /health, and everything else is refused", async (t) => {
    const stopping = new AbortController();
    const folder = join(await temporaryFolder(t), "data");
    const service = await Service.open({ folder, routes: shippedRoutes, stopping: stopping.signal });
    t.after(() => service.close());
    await service.administer("seed.groups", await readSeed(shippedSeed));
    const { token } = await service.administer("token.issue", { label: "public" });
    await service.routes.load();
    const [entered, release] = [new EventTarget(), new EventTarget()];
    const [isEntered, isReleased] = [once(entered, "done"), once(release, "done")];
    const server = await startServer({
      host: "127.0.0.1",
      port: 0,
      async fetch(request) {
        if (request.url.includes("slow")) {
          entered.dispatchEvent(new Event("done"));
          await isReleased;
        }
        return service.fetch(request);
      },
    });
    const connection = new Connection(server.url);
    const paths = [`${prefix}/${token}/event?slow`, "/health", "/ready", `${prefix}/${token}/event`];
    // At once, so that all have arrived before the server closes.
    await connection.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(""));
    await isEntered;
    stopping.abort();
    const closed = server.close();
    const ended = once(connection.socket, "close");
    release.dispatchEvent(new Event("done"));
    await Promise.all([closed, ended]);
    const received = connection.received.toString();
    const statuses = Array.from(received.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status));
    assert.deepEqual(statuses.slice(1), [200, 503, 503]);
    assert.match(received, /\{"status":"ok"\}/);
    assert.match(received, /\{"status":"stopping","changes":false,"reason":"The service is stopping\."\}/);
    assert.match(received, /"code":"SHUTTING_DOWN"/);
  });
});
