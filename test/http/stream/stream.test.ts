/** What a stream sends, over a socket. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import {
  assertFailure,
  assertIncludes,
  day,
  everyRight,
  openAs,
  openWorld,
  prefix,
  shippedRoutes,
} from "../../_setup.ts";
import { type Listening, listen, listenAt } from "./_listening.ts";

const socket = { transport: "socket" } as const;
const none = { bankRob: null, bomb: null, gangwar: { attacker: 0, defender: 0 } };
const theft = { reason: "Theft", points: 3 };

it("a stream begins with the current events, and neither proxies nor clients keep it", async (t) => {
  const world = await openWorld(t, socket);
  const stream = await listen(t, world, world.publicToken);
  assert.equal(stream.response.statusCode, 200);
  const { headers } = stream.response;
  assert.equal(headers["content-type"], "text/event-stream");
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["x-accel-buffering"], "no");
  assert.equal(headers["content-encoding"], undefined);
  assert.equal(headers["access-control-allow-origin"], "*");
  assert.deepEqual(await stream.next(), { event: "event", data: none });
  assert.match(stream.text, /^retry: 2000\n\n/);
});

it("the token of a stream can be in the header", async (t) => {
  const world = await openWorld(t, socket);
  const url = `${world.url}${prefix}/-/stream`;
  const stream = await listenAt(t, url, { Authorization: `Bearer ${world.publicToken}` });
  assert.deepEqual(await stream.next(), { event: "event", data: none });
  assert.equal(stream.response.headers.vary, "Authorization");
  assert.equal((await listenAt(t, url)).response.statusCode, 401);
});

it("a stream at a path that has to be normalised is the same", async (t) => {
  const world = await openWorld(t, socket);
  const stream = await listenAt(t, `${world.url}${prefix}/${world.publicToken}/%73tream/`);
  assert.deepEqual(await stream.next(), { event: "event", data: none });
});

it("a stream sends the current events whenever they change", async (t) => {
  const { world, token } = await openAs(t, "Ada", {}, socket);
  const stream = await listen(t, world, world.publicToken);
  await stream.next();
  const bomb = world.clock.time - day;
  await world.ok(token, "/event/bomb", { startTime: bomb });
  assert.deepEqual(await stream.next(), { event: "event", data: { ...none, bomb } });
  await world.ok(token, "/event/bomb", { startTime: bomb });
  const gangwar = { attacker: 3, defender: 2 };
  await world.ok(token, "/event/gangwar", gangwar);
  assert.deepEqual(await stream.next(), { event: "event", data: { ...none, bomb, gangwar } });
});

it("a stream names the resources that have changed, and those that change at once together", async (t) => {
  const { world, token } = await openAs(t, "Ada", everyRight, socket);
  const stream = await listen(t, world, world.publicToken);
  await stream.next();
  await world.ok(token, "/wantedreason/add", theft);
  assert.deepEqual(await stream.next(), { event: "changed", data: { resources: ["wantedreason"] } });
  // In the same step: requests on connections can arrive further apart than changes are collected.
  await Promise.all([
    world.service.call("/targetlist/add", [["name", "Mallory"]]),
    world.service.call("/wantedreason/remove", [["reason", "Theft"]]),
    world.service.call("/event/gangwar", Object.entries({ attacker: "1", defender: "0" })),
  ]);
  assert.equal((await stream.next()).event, "event");
  assert.deepEqual((await stream.next()).data, { resources: ["targetlist", "wantedreason"] });
  // Nothing has changed.
  await world.ok(token, "/targetlist/add", { name: "Mallory" });
  await world.ok(token, "/player/add", { name: "Bob", group: "VIP" });
  assert.deepEqual((await stream.next()).data, { resources: ["player"] });
});

it("a stream names statistics together, after up to five seconds", async (t) => {
  const { world, token } = await openAs(t, "Ada", everyRight, socket);
  const stream = await listen(t, world, world.publicToken);
  await stream.next();
  const began = performance.now();
  await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
  await world.ok(token, "/wantedreason/add", theft);
  assert.deepEqual((await stream.next()).data, { resources: ["wantedreason"] });
  await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
  assert.deepEqual((await stream.next()).data, { resources: ["statistic"] });
  assert.ok(performance.now() - began > 2000, "it was not told of at once");
  assert.deepEqual(stream.waiting, []);
});

it("a house ban that expires changes its list", async (t) => {
  const { world, token } = await openAs(t, "Ada", everyRight, socket);
  await world.ok(token, "/housebanreason/add", { reason: "Theft", days: 1 });
  await world.ok(token, "/houseban/add", { name: "Mallory", reason: "Theft" });
  const stream = await listen(t, world, world.publicToken);
  await stream.next();
  world.clock.advance(day);
  assert.deepEqual((await stream.next()).data, { resources: ["houseban"] });
});

it("HEAD answers the head of a stream, and opens none", async (t) => {
  const world = await openWorld(t);
  const { status, headers } = await world.get(world.publicToken, "/stream", {}, { method: "HEAD" });
  assert.deepEqual([status, headers.get("content-type")], [200, "text/event-stream"]);
  assert.equal(world.service.streams.size, 0);
});

it("opening a stream counts as a read, and is logged once", async (t) => {
  const routes = (await readFile(shippedRoutes, "utf8")).replace(
    /^ {2}reads: .*/m,
    "  reads: { rate: 1/h, burst: 1 }",
  );
  const world = await openWorld(t, { ...socket, routes, limits: true });
  await (await listen(t, world, world.publicToken)).next();
  assertFailure(await world.get(world.publicToken, "/stream"), 429, "RATE_LIMITED");
  assert.deepEqual(
    world.log.map(({ route, status }) => [route, status]),
    [
      ["/stream", 200],
      ["/stream", 429],
    ],
  );
});

it("a stream has no parameters and needs a token", async (t) => {
  const world = await openWorld(t);
  assertFailure(await world.get(world.publicToken, "/stream", { a: 1 }), 400, "PARAMETER_UNKNOWN");
  assertFailure(await world.get("gat_", "/stream"), 401, "TOKEN_UNKNOWN");
  assertFailure(
    await world.get(world.publicToken, "/stream", {}, { method: "POST" }),
    405,
    "METHOD_NOT_ALLOWED",
  );
});

it("a table without the key has no stream", async (t) => {
  const shipped = await readFile(shippedRoutes, "utf8");
  const world = await openWorld(t, { routes: shipped.replace(/^stream:.*\n/m, "") });
  assertFailure(await world.get(world.publicToken, "/stream"), 404, "UNKNOWN_PATH");
});

it("a player's eleventh stream ends the first, even if no more may be open", async (t) => {
  const shipped = await readFile(shippedRoutes, "utf8");
  const world = await openWorld(t, { ...socket, routes: shipped.replace("most: 2000", "most: 10") });
  const { token } = await world.player("Ada");
  const streams: Listening[] = [];
  while (streams.length < 11) {
    const stream = await listen(t, world, token);
    await stream.next();
    streams.push(stream);
  }
  await streams[0]?.ended;
  assert.equal(world.service.streams.size, 10);
  await world.get(token, "/stream", {}, { method: "HEAD" });
  assert.equal(world.service.streams.size, 10, "HEAD opens none, and ends none");
});

it("no more streams are open than the table says", async (t) => {
  const shipped = await readFile(shippedRoutes, "utf8");
  const world = await openWorld(t, { ...socket, routes: shipped.replace("most: 2000", "most: 2") });
  const streams = await Promise.all([1, 2].map(() => listen(t, world, world.publicToken)));
  const refused = await world.get(world.publicToken, "/stream");
  assertFailure(refused, 503, "STORE_UNAVAILABLE");
  assertIncludes(refused.body.hint, "At most 2");
  streams[0]?.close();
  while (world.service.streams.size === 2) await new Promise(setImmediate);
  assert.equal((await listen(t, world, world.publicToken)).response.statusCode, 200);
});
