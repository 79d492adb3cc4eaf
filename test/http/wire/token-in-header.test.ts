/** A token in the header `Authorization`, with `-` in its place in the path. */
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
import { ask, assertRefused, closing } from "../_raw.ts";

/** Sends a request with a header `Authorization`, or without one. */
function send(world: World, path: string, authorization?: string, init: RequestInit = {}): Promise<Answered> {
  const sent = authorization === undefined ? {} : { Authorization: authorization };
  return world.request(`${prefix}/-${path}`, { ...init, headers: { ...init.headers, ...sent } });
}

const unknown = `gat_${"A".repeat(43)}`;

describeOverTransports("a token in a header", (transport) => {
  it("identifies its caller, as in the path, in reads and in changes", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada", everyRight, { transport });
    const change = await send(world, "/wantedreason/add?reason=Theft&points=3", `Bearer ${token}`);
    assert.equal(change.status, 200);
    assert.equal(world.log.at(-1)?.caller, uuid);
    const read = await send(world, "/wantedreason", `Bearer ${token}`);
    assert.deepEqual(read.body, [{ reason: "Theft", points: 3 }]);
    assert.deepEqual(read.body, await world.ok(token, "/wantedreason"));
    const refused = await send(
      world,
      "/wantedreason/add?reason=Fraud&points=3",
      `Bearer ${world.publicToken}`,
    );
    assertFailure(refused, 403, "RESTRICTED");
    const percentEncoded = await send(world, "/statistic/%41da", `Bearer ${token}`);
    assert.equal(percentEncoded.body.uuid, uuid);
  });

  it("is found by a scheme in any case, after one or more spaces", async (t) => {
    const world = await openWorld(t, { transport });
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer "]) {
      const answer = await send(world, "/player", `${scheme} ${world.publicToken}`);
      assert.equal(answer.status, 200, scheme);
    }
  });

  it("if missing, is asked for with what to send", async (t) => {
    const world = await openWorld(t, { transport });
    for (const path of ["/player", "/wantedreason/add?reason=Theft&points=3", "/statistic/%41da"]) {
      const answer = await send(world, path);
      assertFailure(answer, 401, "TOKEN_UNKNOWN");
      assertIncludes(answer.body.hint, '"Authorization: Bearer <token>"');
      assert.equal(answer.headers.get("www-authenticate"), "Bearer");
    }
  });

  it("if malformed, is refused with what was expected, and not repeated", async (t) => {
    const world = await openWorld(t, { transport });
    const token = world.publicToken;
    for (const value of [
      token,
      `Basic ${token}`,
      "Bearer",
      `Bearer:${token}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer "${token}"`,
      `Bearer token=${token}`,
      `Bearer%20${token}`,
    ]) {
      const answer = await send(world, "/player", value);
      assertFailure(answer, 401, "TOKEN_UNKNOWN");
      assert.match(answer.body.hint, /^Expected one header "Authorization: Bearer <token>", got /, value);
      assertLacks(JSON.stringify(answer.body), token);
    }
  });

  it("if unknown, expired or revoked, is refused as in the path", async (t) => {
    const world = await openWorld(t, { transport });
    const expired = await world.service.administer("token.issue", { expiresIn: 1 });
    const revoked = await world.service.administer("token.issue", {});
    await world.service.administer("token.revoke", { id: revoked.id });
    world.clock.advance(1);
    for (const [token, code] of [
      [unknown, "TOKEN_UNKNOWN"],
      ["hunter2", "TOKEN_UNKNOWN"],
      ["-", "TOKEN_UNKNOWN"],
      [expired.token, "TOKEN_EXPIRED"],
      [revoked.token, "TOKEN_REVOKED"],
    ] as const) {
      const inHeader = await send(world, "/player", `Bearer ${token}`);
      assertFailure(inHeader, 401, code);
      assert.equal(inHeader.headers.get("www-authenticate"), "Bearer");
      if (token === "-") continue;
      const inPath = await world.get(token, "/player");
      assertFailure(inPath, 401, code);
      assert.equal(inPath.headers.get("www-authenticate"), "Bearer");
      assert.equal(inPath.body.hint, inHeader.body.hint);
    }
  });

  it("is ignored where the path has another token", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada", {}, { transport });
    const headers = { Authorization: `Bearer ${world.publicToken}` };
    const answer = await world.get(token, "/player", {}, { headers });
    assert.equal(answer.status, 200);
    assert.equal(world.log.at(-1)?.caller, uuid);
    assertLacks(answer.headers.get("vary") ?? "", "Authorization");
    for (const malformed of ["Bearer", "Basic YTpi"]) {
      const other = await world.get(token, "/player", {}, { headers: { Authorization: malformed } });
      assert.equal(other.status, 200, malformed);
    }
    assertFailure(await world.get(unknown, "/player", {}, { headers }), 401, "TOKEN_UNKNOWN");
    assertFailure(await world.get("--", "/player", {}, { headers }), 401, "TOKEN_UNKNOWN");
  });

  it("is checked after path and method", async (t) => {
    const world = await openWorld(t, { transport });
    assertFailure(await send(world, "/nowhere"), 404, "UNKNOWN_PATH");
    assertFailure(await send(world, ""), 404, "UNKNOWN_PATH");
    assertFailure(await send(world, "/player", undefined, { method: "POST" }), 405, "METHOD_NOT_ALLOWED");
    const headers = { Purpose: "prefetch" };
    assertFailure(await send(world, "/targetlist/add", undefined, { headers }), 425, "SPECULATIVE");
    const known = await send(world, "/player", `Bearer ${world.publicToken}`, { method: "HEAD" });
    assert.equal(known.status, 200);
  });

  it("is announced by the answer to a preflight, which needs none", async (t) => {
    const world = await openWorld(t, { transport });
    for (const path of ["/player", "/targetlist/add"]) {
      const answer = await send(world, path, undefined, { method: "OPTIONS" });
      assert.equal(answer.status, 204);
      const allowed = (answer.headers.get("access-control-allow-headers") ?? "").split(/, */);
      assert.deepEqual(allowed, ["*", "Authorization"]);
    }
  });

  it("is named in the Vary of a read, also without a body", async (t) => {
    const world = await openWorld(t, { transport });
    const first = await send(world, "/player", `Bearer ${world.publicToken}`);
    const etag = first.headers.get("etag") ?? "";
    const same = await send(world, "/player", `Bearer ${world.publicToken}`, {
      headers: { "If-None-Match": etag },
    });
    assert.deepEqual([first.status, same.status], [200, 304]);
    for (const { headers } of [first, same]) {
      assert.deepEqual((headers.get("vary") ?? "").split(/, */), ["Accept-Encoding", "Authorization"]);
      assert.equal(headers.get("cache-control"), "private, no-cache");
    }
    const inPath = await world.get(world.publicToken, "/player");
    assert.equal(inPath.headers.get("vary"), "Accept-Encoding");
  });

  it("is still refused within a parameter", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport });
    // The beginning in other letters still says what follows.
    for (const written of [token, token.replace("gat", "GAT")]) {
      const answer = await send(world, `/wantedreason/remove?reason=${written}`, `Bearer ${token}`);
      assertFailure(answer, 400, "PARAMETER_INVALID", "reason");
      assertIncludes(answer.body.hint, "Authorization");
      assertLacks(JSON.stringify(answer.body), written);
    }
  });
});

it("only a 401 has WWW-Authenticate", async (t) => {
  const world = await openWorld(t);
  const { publicToken } = world;
  const answers = [
    await world.get(publicToken, "/player"),
    await world.get(publicToken, "/nowhere"),
    await world.get(publicToken, "/navipoint/add"),
    await world.get(publicToken, "/player", {}, { method: "POST" }),
    await world.get(publicToken, "/player", { x: 1 }),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get("www-authenticate")]),
    [200, 404, 403, 405, 400].map((status) => [status, null]),
  );
});

it("several headers Authorization are refused, since a proxy may have checked another one", async (t) => {
  const world = await openWorld(t, { transport: "socket" });
  const { publicToken } = world;
  const one = `Authorization: Bearer ${publicToken}\r\n`;
  for (const path of ["/player", "/statistic/%41da"]) {
    const request = (headers: string) =>
      ask(world.url, `GET ${prefix}/-${path} HTTP/1.1\r\n${headers}${closing}`);
    assertRefused(await request(one + one), 401, "TOKEN_UNKNOWN");
    assertRefused(await request(`${one}authorization: Basic YTpi\r\n`), 401, "TOKEN_UNKNOWN");
    assert.notEqual((await request(one)).status, 401);
  }
  // With the token in the path, they are ignored.
  const ignored = `GET ${prefix}/${publicToken}/player HTTP/1.1\r\n${one}${one}${closing}`;
  assert.equal((await ask(world.url, ignored)).status, 200);
});
