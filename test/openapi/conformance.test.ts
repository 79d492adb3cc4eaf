/** The check of answers against the description, which all tests use, detects what is not described. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everyRight, openWorld, prefix, type World } from "../_setup.ts";
import type { Exchange } from "./_conformance.ts";
import { conformanceOf } from "./_conformance.ts";

async function open(
  t: Parameters<typeof openWorld>[0],
): Promise<{ world: World; check: (e: Exchange) => void }> {
  const world = await openWorld(t);
  const { service } = world;
  return { world, check: (e) => conformanceOf(service.routes.table, service.vocabulary()).check(e) };
}

/** An answer of the service. */
async function exchange(
  world: World,
  token: string,
  path: string,
  init: RequestInit = {},
): Promise<Exchange> {
  const answer = await world.request(`${prefix}/${token}${path}`, init);
  return { ...answer, method: init.method ?? "GET", route: world.log.at(-1)?.route ?? null };
}

/** Returns the headers of an answer with another value of one, or without it. */
function withHeader({ headers }: Exchange, name: string, value?: string): Headers {
  const changed = new Headers(headers);
  if (value === undefined) changed.delete(name);
  else changed.set(name, value);
  return changed;
}

describe("an answer conforms only if", () => {
  it("its status is listed for the operation", async (t) => {
    const { world, check } = await open(t);
    const good = await exchange(world, world.publicToken, "/mgmt");
    check(good);
    assert.throws(() => check({ ...good, status: 201 }), /\/mgmt answered 201, which is not described/);
    assert.throws(() => check({ ...good, status: 404 }), /404, which is not described/);
    assert.throws(() => check({ ...good, route: null }), /no operation answered 200/);
    assert.throws(() => check({ ...good, route: "/nowhere" }), /\/nowhere answered 200/);
    assert.throws(() => check({ ...good, status: 304 }), /with a body/);
    assert.throws(() => check({ ...good, method: "HEAD" }), /with a body/);
    check({ ...good, method: "HEAD", body: undefined });
  });

  it("its body has all properties that are described, of their types, and no others", async (t) => {
    const { world, check } = await open(t);
    const { token } = await world.player("Ada", everyRight);
    await world.ok(token, "/targetlist/add", { name: "Mallory" });
    const good = await exchange(world, token, "/targetlist");
    const [entry] = (await world.get(token, "/targetlist")).body;
    for (const body of [[], [entry, entry], [{ ...entry, uuid: "0".repeat(32) }]]) check({ ...good, body });
    const { done: _done, ...rest } = entry;
    for (const body of [
      {},
      undefined,
      [{ ...entry, more: 1 }],
      [rest],
      [{ ...entry, done: 1 }],
      [{ ...entry, uuid: "x" }],
    ]) {
      assert.throws(() => check({ ...good, body }), /\/targetlist answered 200 with/, JSON.stringify(body));
    }
  });

  it("nested parts of its body are as described", async (t) => {
    const { world, check } = await open(t);
    const { token } = await world.player("Ada", everyRight);
    const good = await exchange(world, token, "/statistic/Ada");
    const { body } = await world.get(token, "/statistic/Ada");
    check({ ...good, body });
    check({ ...good, body: { ...body, faction: null } });
    for (const wrong of [
      { ...body, gameplay: { ...body.gameplay, more: 1 } },
      { ...body, gameplay: { ...body.gameplay, kills: 2 ** 31 } },
      { ...body, faction: { name: "NOBODY", rank: 1 } },
      { ...body, faction: { name: "GROVE", rank: 1, more: 1 } },
      { ...body, gameaddon: { ...body.gameaddon, groups: { CEO: true } } },
      { ...body, gameaddon: { ...body.gameaddon, groups: { ...body.gameaddon.groups, NEW: true } } },
      { ...body, gameaddon: { ...body.gameaddon, tokenGenerateTime: 1.5 } },
    ]) {
      assert.throws(() => check({ ...good, body: wrong }), /\/statistic\/\{player\} answered 200 with/);
    }
    const bundle = await exchange(world, token, "/bundle");
    assert.throws(() => check({ ...bundle, body: { more: 1 } }), /\/bundle answered 200 with/);
  });

  it("its failure has a code that is listed for the operation and the status", async (t) => {
    const { world, check } = await open(t);
    const good = await exchange(world, world.publicToken, "/targetlist/add?name=Ada");
    const { body } = await world.get(world.publicToken, "/targetlist/add", { name: "Ada" });
    assert.equal(body.code, "RESTRICTED");
    check({ ...good, body });
    check({ ...good, body: { ...body, hint: "Ask somebody." } });
    for (const wrong of [
      { ...body, code: "EXCLUDD" },
      { ...body, code: "UNKNOWN_ENTRY" },
      { ...body, httpStatusCode: 404 },
      { ...body, httpStatus: "Not Found" },
      { ...body, more: 1 },
      { ...body, hint: null },
      { ...body, requestId: "1" },
    ]) {
      assert.throws(() => check({ ...good, body: wrong }), /\/targetlist\/add answered 403 with/);
    }
    // The overview is open: nobody is refused it by a restriction.
    assert.throws(() => check({ ...good, route: "/player", body }), /\/player answered 403 with/);
    const nowhere = await exchange(world, world.publicToken, "/nowhere");
    assert.throws(
      () => check({ ...nowhere, body: { info: "Not found." } }),
      /no operation answered 404 with/,
    );
  });

  it("its headers are as described", async (t) => {
    const { world, check } = await open(t);
    const { token } = await world.player("Ada", everyRight);
    const read = await exchange(world, token, "/mgmt");
    const change = await exchange(world, token, "/targetlist/add?name=Mallory");
    for (const name of ["ETag", "X-Request-Id", "Cache-Control", "Content-Type"]) {
      assert.throws(() => check({ ...read, headers: withHeader(read, name) }), new RegExp(name, "i"), name);
    }
    for (const name of ["X-Request-Id", "Cache-Control"]) {
      assert.throws(() => check({ ...change, headers: withHeader(change, name) }), new RegExp(name), name);
    }
    for (const exchanged of [read, change]) {
      const headers = withHeader(exchanged, "Cache-Control", "public");
      assert.throws(() => check({ ...exchanged, headers }), /Cache-Control/);
    }
    assert.throws(
      () => check({ ...read, headers: withHeader(read, "Content-Type", "text/html") }),
      /text\/html/,
    );
    const { body } = await world.get(token, "/nowhere");
    const unavailable = {
      ...body,
      httpStatusCode: 503,
      httpStatus: "Service Unavailable",
      code: "SHUTTING_DOWN",
    };
    const away = { ...change, status: 503, body: unavailable };
    assert.throws(() => check(away), /Retry-After/);
    check({ ...away, headers: withHeader(change, "Retry-After", "5") });
    assert.throws(
      () => check({ ...away, headers: withHeader(change, "Retry-After", "soon") }),
      /Retry-After/,
    );
  });
});
