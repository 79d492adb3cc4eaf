/** Limits: which requests count, in which bucket, and how a request beyond a limit is answered. */
import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Answer } from "../../src/engine/response.ts";
import {
  type Answered,
  assertFailure,
  assertLacks,
  describeOverTransports,
  openAs,
  openWorld,
  prefix,
  shippedRoutes,
  type World,
} from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const unknownToken = `gat_${"x".repeat(43)}`;
const prefetch = { headers: { "Sec-Purpose": "prefetch" } };

/** Returns the shipped table with other limits. */
function withLimits(limits: string, from = "", to = ""): string {
  const declared = /^limits:\n(?: {2}.*\n)+/m;
  assert.match(shipped, declared);
  assert.ok(shipped.includes(from));
  return shipped.replace(declared, `limits: ${limits}\n`).replace(from, () => to);
}

/** Returns the size of the journal in bytes. */
async function journalSize({ service }: World): Promise<number> {
  const { folder } = service.store;
  const names = (await readdir(folder)).filter((name) => name.startsWith("journal-"));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const slow =
  "{ reads: { rate: 1/h, burst: 2 }, changes: { rate: 1/h, burst: 2 }, unknown: { rate: 1/h, burst: 2 } }";

/** Asserts that a limit refused a request. */
function assertLimited(answer: Answered, limit: string, seconds: number, q: number, w: number): void {
  assertFailure(answer, 429, "RATE_LIMITED");
  assert.equal(answer.headers.get("retry-after"), String(seconds));
  assert.equal(answer.headers.get("ratelimit"), `"${limit}";r=0;t=${seconds}`);
  assert.equal(answer.headers.get("ratelimit-policy"), `"${limit}";q=${q};w=${w}`);
}

/** Sends a request as from an address. */
async function from(world: World, address: string, path: string, method = "GET"): Promise<number> {
  const request = { method, url: path, headers: {}, socket: { remoteAddress: address } };
  const answer: Answer | undefined = await world.service.answerPlain(request);
  return answer?.status ?? 0;
}

describeOverTransports("the shipped limits", (transport) => {
  it("allow a token 60 reads at once and 10 a second", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport, limits: true });
    for (let number = 0; number < 60; number += 1) await world.ok(token, "/wantedreason");
    const refused = await world.get(token, "/navipoint");
    assertLimited(refused, "reads", 1, 60, 6);
    assert.equal(refused.body.info, "Too many requests: try again in 1 second.");
    assert.match(refused.body.hint, /10\/s, burst 60 .*"reads"/);
    world.clock.advance(100);
    await world.ok(token, "/navipoint");
    assertFailure(await world.get(token, "/navipoint"), 429, "RATE_LIMITED");
    world.clock.advance(1000);
    for (let number = 0; number < 10; number += 1) await world.ok(token, "/wantedreason");
    assertFailure(await world.get(token, "/navipoint"), 429, "RATE_LIMITED");
  });

  it("allow a token 30 changes at once and one a second, and a refused one changes nothing", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport, limits: true });
    for (let number = 0; number < 30; number += 1)
      await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    const before = world.snapshot();
    assertLimited(await world.get(token, "/statistic/Ada/add", { type: "KILL" }), "changes", 1, 30, 30);
    assert.deepEqual(world.snapshot(), before);
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 30);
    world.clock.advance(1000);
    await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
  });

  it("count a path with a malformed percent-encoding as a read of its token", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport, limits: true });
    const path = `${prefix}/${token}/statistic/%ZZ`;
    for (let number = 0; number < 60; number += 1)
      assertFailure(await world.request(path), 400, "PARAMETER_INVALID");
    assertFailure(await world.request(path), 429, "RATE_LIMITED");
    assert.equal(world.log.at(-1)?.limit, "reads");
  });

  it("allow 20 requests without a valid token at once and 20 a minute; a valid token is not affected", async (t) => {
    const world = await openWorld(t, { transport, limits: true });
    const attempts = [
      () => world.get(unknownToken, "/wantedreason"),
      () => world.request(`${prefix}/x/nowhere`),
      () => world.request("/elsewhere"),
      () => world.request(`${prefix}/x/statistic/%ZZ`),
      () => world.get(unknownToken, "/wantedreason", {}, { method: "POST" }),
      () => world.get(unknownToken, "/event/gangwar", {}, prefetch),
    ];
    const statuses: number[] = [];
    for (let number = 0; number < 20; number += 1) {
      const attempt = attempts[number % attempts.length];
      if (attempt !== undefined) statuses.push((await attempt()).status);
    }
    assert.deepEqual(new Set(statuses), new Set([400, 401, 404, 405, 425]));
    for (const attempt of attempts) assertLimited(await attempt(), "unknown", 3, 20, 60);
    const { body } = await world.request(`${prefix}/x/wantedreasn`);
    assert.equal(body.info, "Too many requests without a valid addon token: try again in 3 seconds.");
    assertLacks(body.hint, "/wantedreason");
    await world.ok(world.publicToken, "/wantedreason");
    assertFailure(await world.get(world.publicToken, "/nowhere"), 404, "UNKNOWN_PATH");
    world.clock.advance(3000);
    assertFailure(await world.get(unknownToken, "/wantedreason"), 401, "TOKEN_UNKNOWN");
  });
});

describe("a request with a valid token", () => {
  it("counts as a read also as HEAD, for an unchanged answer, an unknown path, a wrong method or a prefetch", async (t) => {
    for (const [path, init, status] of [
      ["/wantedreason", { method: "HEAD" }, 200],
      ["/nowhere", {}, 404],
      ["/wantedreason", { method: "POST" }, 405],
      ["/event/gangwar", { method: "HEAD" }, 405],
      ["/event/gangwar", prefetch, 425],
    ] as const) {
      const { world, token } = await openAs(t, "Ada", {}, { limits: true, routes: withLimits(slow) });
      await world.ok(token, "/wantedreason");
      assert.equal((await world.get(token, path, {}, init)).status, status);
      assert.equal((await world.get(token, path, {}, init)).status, 429);
      assertLimited(await world.get(token, "/wantedreason"), "reads", 3600, 2, 7200);
    }
  });

  it("counts as a read also at a path without the prefix, and at the prefix alone", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { limits: true, routes: withLimits(slow) });
    const init = { headers: { Authorization: `Bearer ${token}` } };
    assert.equal((await world.request(`${prefix}/event`, init)).status, 404);
    assert.equal((await world.request(`${prefix}/${token}`)).status, 404);
    const { status, body } = await world.request("/gameaddon/v2/-/event", init);
    assert.equal(status, 429);
    assertLacks(body.info, "without a valid");
  });

  it("is limited after the token is checked, and before exclusion, restriction and parameters", async (t) => {
    const { world, token } = await openAs(
      t,
      "Mallory",
      { groups: ["BLACKLIST"] },
      { limits: true, routes: withLimits(slow) },
    );
    for (let number = 0; number < 2; number += 1)
      assertFailure(await world.get(token, "/wantedreason"), 403, "EXCLUDED");
    assertFailure(await world.get(token, "/wantedreason", { color: "red" }), 429, "RATE_LIMITED");
    assertFailure(await world.get(unknownToken, "/wantedreason"), 401, "TOKEN_UNKNOWN");
  });

  it("to a route with a limit of its own counts there alone, and a route without a limit is not limited", async (t) => {
    const routes = withLimits(
      slow,
      "    handler: event.gangwar\n",
      "    handler: event.gangwar\n    limit: { rate: 2/min, burst: 1 }\n",
    ).replace("    handler: wantedreason.list\n", "    handler: wantedreason.list\n    limit: off\n");
    const { world, token } = await openAs(t, "Ada", {}, { limits: true, routes });
    const score = { attacker: 1, defender: 2 };
    await world.ok(token, "/event/gangwar", score);
    assertLimited(await world.get(token, "/event/gangwar", score), "/event/gangwar", 30, 1, 30);
    await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    assertFailure(await world.get(token, "/statistic/Ada/add", { type: "KILL" }), 429, "RATE_LIMITED");
    for (let number = 0; number < 5; number += 1) await world.ok(token, "/wantedreason");
    await world.ok(token, "/event");
  });
});

describe("limits", () => {
  it("count networks: an IPv4 address, or an IPv6 /56; for a public token, and without a valid token", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { limits: true, routes: withLimits(slow) });
    const statuses = async (path: string, ...addresses: readonly string[]) => {
      const all: number[] = [];
      for (const address of addresses) all.push(await from(world, address, path));
      return all;
    };
    const [first, mapped, other] = ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"];
    const [home, neighbour, far] = ["2001:db8::1", "2001:db8:0:ff::1", "2001:db8:0:100::1"];
    const open = `${prefix}/${world.publicToken}/event`;
    assert.deepEqual(await statuses(open, first, first, mapped, other), [200, 200, 429, 200]);
    assert.deepEqual(await statuses(open, home, home, neighbour, far), [200, 200, 429, 200]);
    assert.deepEqual(await statuses("/elsewhere", first, first, mapped, other), [404, 404, 429, 404]);
    assert.deepEqual(await statuses("/elsewhere", home, home, neighbour, far), [404, 404, 429, 404]);
    const own = `${prefix}/${token}/event`;
    assert.deepEqual(await statuses(own, first, other, home), [200, 200, 429]);
  });

  it("count pages, their files, descriptions and preflights together, and apart from all others", async (t) => {
    const routes = withLimits(slow.replace(" }", " }, pages: { rate: 1/h, burst: 5 }"));
    const world = await openWorld(t, { transport: "socket", limits: true, routes });
    const ask = async (path: string, method = "GET") => {
      const { status, headers } = await fetch(`${world.url}${path}`, { method });
      return [status, headers.get("ratelimit")];
    };
    const preflight = `${prefix}/-/event`;
    const refused = [429, '"pages";r=0;t=3600'];
    for (const path of ["/", "/docs", "/docs/page.js", `${prefix}/openapi.json`])
      assert.deepEqual(await ask(path), [200, null], path);
    assert.deepEqual(await ask(preflight, "OPTIONS"), [204, null]);
    assert.deepEqual(await ask(preflight, "OPTIONS"), refused);
    for (const path of ["/", "/docs", "/docs/page.js", `${prefix}/openapi.yaml`])
      assert.deepEqual(await ask(path), refused, path);
    assert.deepEqual(await ask("/docs", "POST"), refused);
    for (const path of ["/health", "/ready"]) assert.deepEqual(await ask(path), [200, null], path);
    assert.equal((await ask(`${prefix}/${world.publicToken}/event`))[0], 200);
    assert.equal((await ask("/nowhere"))[0], 404);
  });

  it("survive a reload of the table, with the buckets as they are", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { limits: true, routes: withLimits(slow) });
    await world.ok(token, "/event");
    await world.ok(token, "/event");
    const file = world.service.routes.file;
    await writeFile(file, withLimits("{ reads: { rate: 2/min, burst: 5 } }"));
    await world.service.reloadRoutes();
    assertLimited(await world.get(token, "/event"), "reads", 30, 5, 150);
    await writeFile(file, withLimits("off"));
    await world.service.reloadRoutes();
    for (let number = 0; number < 5; number += 1) await world.ok(token, "/event");
  });

  it("can be off: in the table, and for a service", async (t) => {
    const worlds = [
      await openWorld(t, { limits: true, routes: withLimits("off") }),
      await openWorld(t, { limits: false, routes: withLimits(slow) }),
    ];
    for (const world of worlds) {
      for (let number = 0; number < 3; number += 1) {
        await world.ok(world.publicToken, "/event");
        await world.ok(world.publicToken, "/event/gangwar", { attacker: number, defender: 0 });
        assert.equal((await world.get(unknownToken, "/event")).status, 401);
      }
    }
  });

  it("are in the record of a request: which limit, of whom, and whether it refused the last request as well", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada", {}, { limits: true, routes: withLimits(slow) });
    const { id, token: open } = await world.service.administer("token.issue", {});
    for (const caller of [token, open, unknownToken])
      for (let number = 0; number < 4; number += 1) await world.get(caller, "/event");
    await world.get(token, "/nowhere");
    const records = world.log.filter(({ status }) => status === 429);
    assert.deepEqual(
      records.map(({ code, limit, isRepeated, caller, token: public_ }) => [
        code,
        limit,
        isRepeated,
        caller,
        public_,
      ]),
      [
        ["RATE_LIMITED", "reads", false, uuid, undefined],
        ["RATE_LIMITED", "reads", true, uuid, undefined],
        ["RATE_LIMITED", "reads", false, null, id],
        ["RATE_LIMITED", "reads", true, null, id],
        ["RATE_LIMITED", "unknown", false, null, undefined],
        ["RATE_LIMITED", "unknown", true, null, undefined],
        ["RATE_LIMITED", "reads", true, uuid, undefined],
      ],
    );
    world.clock.advance(3_600_000);
    for (let number = 0; number < 2; number += 1) await world.get(token, "/event");
    const [allowed, refused] = world.log.slice(-2);
    assert.deepEqual([allowed?.limit, allowed?.isRepeated], [undefined, undefined]);
    assert.deepEqual([refused?.limit, refused?.isRepeated], ["reads", false]);
  });

  it("bound the journal: a public token that floods /event/gangwar adds less than 2 MB an hour", async (t) => {
    const world = await openWorld(t, { limits: true });
    const before = await journalSize(world);
    const minutes = 2;
    let accepted = 0;
    for (let second = 0; second < minutes * 60; second += 1) {
      for (let number = 0; number < 2; number += 1) {
        const score = { attacker: second, defender: number };
        const { status } = await world.get(world.publicToken, "/event/gangwar", score);
        if (status === 200) accepted += 1;
      }
      world.clock.advance(1000);
    }
    const added = (await journalSize(world)) - before;
    const perHour = (added * 60) / minutes;
    assert.equal(accepted, 30 + minutes * 60 - 1);
    assert.ok(perHour < 2_000_000, `${perHour} bytes`);
  });
});
