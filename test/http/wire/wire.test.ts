/** Paths, methods, headers, ETags and speculative requests, over both transports. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type Answered,
  assertFailure,
  assertIncludes,
  assertLacks,
  describeOverTransports,
  everyRight,
  openAs,
  openWorld,
  prefix,
  type World,
} from "../../_setup.ts";

/** Asserts the headers of every answer. */
function assertCommonHeaders({ headers }: Answered): void {
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("access-control-allow-origin"), "*");
  assert.match(headers.get("x-request-id") ?? "", /\S/);
}

/** Returns the methods that a header such as `Allow` lists. */
function methodsIn(header: string | null): string[] {
  return (header ?? "").split(",").map((method) => method.trim());
}

/** Registers a player with every right; returns the token, and the path of a change that succeeds. */
async function openWithChange(world: World) {
  const { token } = await world.player("Root", everyRight);
  return { token, change: `${prefix}/${token}/navipoint/add?name=Pier&x=1&y=2&z=3&article=der` };
}

describeOverTransports("paths", (transport) => {
  it("a slash at the end of a path is ignored", async (t) => {
    const { world, token } = await openAs(t, "Ada", { groups: ["TARGETLIST"] }, { transport });
    for (const path of ["/statistic/top", "/statistic/Ada", "/player", "/player/groups", "/event"]) {
      assert.deepEqual(await world.ok(token, `${path}/`), await world.ok(token, path));
    }
    await world.ok(token, "/targetlist/add/", { name: "Mallory" });
    assert.equal((await world.ok(token, "/targetlist/"))[0].name, "Mallory");
  });

  it("an unknown path is answered with the nearest path", async (t) => {
    const world = await openWorld(t, { transport });
    const answer = await world.get(world.publicToken, "/targetlist/ad");
    assertFailure(answer, 404, "UNKNOWN_PATH");
    assert.match(answer.body.hint, /\/targetlist\/add/);
    assertCommonHeaders(answer);
  });

  it("paths at the prefix, outside of it, and under another version are unknown", async (t) => {
    const world = await openWorld(t, { transport });
    const token = world.publicToken;
    const paths = [prefix, `${prefix}/${token}`, `${prefix}/${token}/`, `/gameaddon/v2/${token}/player`];
    for (const path of [...paths, `/player/groups`, `${prefix}/${token}/player/groups/all`]) {
      const answer = await world.request(path);
      assertFailure(answer, 404, "UNKNOWN_PATH");
      assertLacks(JSON.stringify(answer.body), token);
    }
  });
});

describeOverTransports("methods", (transport) => {
  it("HEAD answers a read with the headers of GET and no body", async (t) => {
    const world = await openWorld(t, { transport });
    for (const path of ["/player", "/targetlist", "/statistic/top", "/event"]) {
      const get = await world.get(world.publicToken, path);
      const head = await world.get(world.publicToken, path, {}, { method: "HEAD" });
      assert.equal(head.status, 200);
      assert.equal(head.body, undefined);
      for (const name of ["content-type", "content-length", "etag", "cache-control"]) {
        assert.ok(get.headers.get(name) !== null, `GET ${path} has no ${name}`);
        assert.equal(head.headers.get(name), get.headers.get(name), name);
      }
      assert.equal(Number(get.headers.get("content-length")), JSON.stringify(get.body).length);
      assertCommonHeaders(head);
    }
  });

  it("HEAD of a read matches If-None-Match as GET does", async (t) => {
    const world = await openWorld(t, { transport });
    const etag = (await world.get(world.publicToken, "/player")).headers.get("etag") ?? "";
    const headers = { "If-None-Match": etag };
    assert.equal(
      (await world.get(world.publicToken, "/player", {}, { method: "HEAD", headers })).status,
      304,
    );
  });

  it("HEAD of a change is refused with 405 and changes nothing", async (t) => {
    const world = await openWorld(t, { transport });
    const { change } = await openWithChange(world);
    const before = structuredClone(world.snapshot());
    const answer = await world.request(change, { method: "HEAD" });
    assert.equal(answer.status, 405);
    assert.equal(answer.body, undefined);
    assert.deepEqual(methodsIn(answer.headers.get("allow")), ["GET", "OPTIONS"]);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assertCommonHeaders(answer);
    assert.deepEqual(structuredClone(world.snapshot()), before);
  });

  it("OPTIONS answers a CORS preflight with 204 and changes nothing", async (t) => {
    const world = await openWorld(t, { transport });
    const { token, change } = await openWithChange(world);
    const before = structuredClone(world.snapshot());
    const headers = { Origin: "https://community.example", "Access-Control-Request-Method": "GET" };
    // A browser gives a page the answer to an unknown path only after a preflight that succeeds.
    const unknown = `${prefix}/-/navipoints`;
    assertFailure(await world.request(unknown, { method: "OPTIONS" }), 404, "UNKNOWN_PATH");
    for (const path of [change, `${prefix}/${token}/navipoint`, unknown, `${unknown}/100%`]) {
      const answer = await world.request(path, { method: "OPTIONS", headers });
      assert.equal(answer.status, 204);
      assert.equal(answer.body, undefined);
      assertCommonHeaders(answer);
      assertIncludes(answer.headers.get("access-control-allow-methods") ?? "", "GET");
      assert.equal(answer.headers.get("access-control-allow-headers"), "*, Authorization");
    }
    assert.deepEqual(structuredClone(world.snapshot()), before);
  });

  it("any other method is refused with 405 and Allow, and changes nothing", async (t) => {
    const world = await openWorld(t, { transport });
    const { token, change } = await openWithChange(world);
    const before = structuredClone(world.snapshot());
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"]) {
      for (const path of [change, `${prefix}/${token}/navipoint`]) {
        const answer = await world.request(path, { method });
        assertFailure(answer, 405, "METHOD_NOT_ALLOWED");
        assertCommonHeaders(answer);
        const allowed = path === change ? ["GET", "OPTIONS"] : ["GET", "HEAD", "OPTIONS"];
        assert.deepEqual(methodsIn(answer.headers.get("allow")), allowed);
      }
    }
    assert.deepEqual(structuredClone(world.snapshot()), before);
  });

  it("a body that is sent with a wrong method is ignored", async (t) => {
    const world = await openWorld(t, { transport });
    const { change } = await openWithChange(world);
    const answer = await world.request(change, { method: "POST", body: "name=Pier".repeat(10_000) });
    assertFailure(answer, 405, "METHOD_NOT_ALLOWED");
  });
});

describeOverTransports("headers", (transport) => {
  it("every answer has the common headers and its own request id", async (t) => {
    const world = await openWorld(t, { transport });
    const { token, change } = await openWithChange(world);
    const etag = (await world.get(token, "/player")).headers.get("etag") ?? "";
    const answers = [
      await world.request(change),
      await world.get(token, "/player"),
      await world.get(token, "/player", {}, { headers: { "If-None-Match": etag } }),
      await world.get("gat_nonsense", "/player"),
      await world.get(token, "/nowhere"),
      await world.get(world.publicToken, "/navipoint/add"),
      await world.get(token, "/navipoint/add"),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 304, 401, 404, 403, 400],
    );
    for (const answer of answers) assertCommonHeaders(answer);
    const ids = new Set(answers.map(({ headers }) => headers.get("x-request-id")));
    assert.equal(ids.size, answers.length);
    const logged = world.log.map(({ requestId }) => requestId);
    for (const id of ids) assertIncludes(logged.join(), id ?? "no id");
  });

  it("every body is JSON in UTF-8", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport });
    await world.ok(token, "/wantedreason/add", { reason: "Körperverletzung-🚓", points: 5 });
    const read = await world.get(token, "/wantedreason");
    assert.deepEqual(read.body, [{ reason: "Körperverletzung-🚓", points: 5 }]);
    const length = Buffer.byteLength(JSON.stringify(read.body), "utf8");
    assert.equal(read.headers.get("content-length"), String(length));
    const failure = await world.get(token, "/nowhere");
    const change = await world.get(token, "/wantedreason/remove", { reason: "Körperverletzung-🚓" });
    for (const { headers } of [read, failure, change]) {
      assert.match(headers.get("content-type") ?? "", /^application\/json;\s*charset=utf-8$/i);
    }
  });

  it("a cache must revalidate a read, and must not store a change or a failure", async (t) => {
    const world = await openWorld(t, { transport });
    const { token, change } = await openWithChange(world);
    const read = await world.get(token, "/navipoint");
    assert.equal(read.headers.get("cache-control"), "private, no-cache");
    assert.match(read.headers.get("etag") ?? "", /^(W\/)?"[^"]+"$/);
    const changed = await world.request(change);
    assert.equal(changed.headers.get("cache-control"), "no-store");
    assert.equal(changed.headers.get("etag"), null);
    assert.equal((await world.get(token, "/nowhere")).headers.get("cache-control"), "no-store");
  });
});

describeOverTransports("ETags", (transport) => {
  it("a matching If-None-Match answers 304 without a body: alone, weak, in a list, or as *", async (t) => {
    const world = await openWorld(t, { transport });
    const etag = (await world.get(world.publicToken, "/player")).headers.get("etag") ?? "";
    const weak = `W/${etag.replace(/^W\//, "")}`;
    for (const value of [etag, weak, `"other", ${etag}`, `"a",${weak},"b"`, "*"]) {
      const headers = { "If-None-Match": value };
      const answer = await world.get(world.publicToken, "/player", {}, { headers });
      assert.equal(answer.status, 304, value);
      assert.equal(answer.body, undefined);
      assert.equal(answer.headers.get("etag"), etag);
      assert.equal(answer.headers.get("cache-control"), "private, no-cache");
    }
  });

  it("an If-None-Match with another ETag answers 200 with the body", async (t) => {
    const world = await openWorld(t, { transport });
    const etag = (await world.get(world.publicToken, "/player")).headers.get("etag") ?? "";
    for (const value of ['"other"', 'W/"other"', etag.replaceAll('"', ""), '"a", "b"']) {
      const headers = { "If-None-Match": value };
      const answer = await world.get(world.publicToken, "/player", {}, { headers });
      assert.equal(answer.status, 200, value);
      assert.deepEqual(answer.body.CEO, []);
    }
  });

  it("an ETag stays the same until a change of the data", async (t) => {
    const world = await openWorld(t, { transport });
    const { token, change } = await openWithChange(world);
    const etag = async () => (await world.get(token, "/navipoint")).headers.get("etag");
    const first = await etag();
    assert.equal(await etag(), first);
    await world.request(change);
    assert.notEqual(await etag(), first);
    const headers = { "If-None-Match": first ?? "" };
    assert.equal((await world.get(token, "/navipoint", {}, { headers })).status, 200);
  });

  it("a change ignores If-None-Match", async (t) => {
    const world = await openWorld(t, { transport });
    const { change } = await openWithChange(world);
    const answer = await world.request(change, { headers: { "If-None-Match": "*" } });
    assert.equal(answer.status, 200);
    assert.equal(typeof answer.body.info, "string");
  });
});

const speculative: readonly (readonly [name: string, value: string])[] = [
  ["Sec-Purpose", "prefetch"],
  ["Sec-Purpose", "prefetch;prerender"],
  ["Sec-Purpose", "prerender"],
  ["Purpose", "prefetch"],
  ["Purpose", "Prerender"],
  ["X-Moz", "prefetch"],
  ["Early-Data", "1"],
  ["Early-Data", "0, 1"],
  ["Early-Data", "?1"],
];

describeOverTransports("a speculative request", (transport) => {
  it("a speculative change is refused with 425 and changes nothing", async (t) => {
    const world = await openWorld(t, { transport });
    const { change } = await openWithChange(world);
    const before = structuredClone(world.snapshot());
    for (const [name, value] of speculative) {
      const answer = await world.request(change, { headers: { [name]: value } });
      assertFailure(answer, 425, "SPECULATIVE");
      assertCommonHeaders(answer);
    }
    assert.deepEqual(structuredClone(world.snapshot()), before);
    assert.equal((await world.request(change)).status, 200);
  });

  it("a speculative read is answered", async (t) => {
    const world = await openWorld(t, { transport });
    for (const [name, value] of speculative) {
      const headers = { [name]: value };
      assert.equal((await world.get(world.publicToken, "/player", {}, { headers })).status, 200);
    }
  });

  it("a change is not speculative with other values of these headers", async (t) => {
    const world = await openWorld(t, { transport });
    const { change } = await openWithChange(world);
    const headers = { Purpose: "navigation", "X-Moz": "other" };
    assert.equal((await world.request(change, { headers })).status, 200);
  });
});
