/** Bounds on the cost of requests: only a limited part of a path, of a header or of the known names is examined. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mostCompared } from "../../../src/domain/text.ts";
import { houseBanReason, wantedReason } from "../../_entries.ts";
import { assertFailure, everyRight, openAs, openWorld, prefix } from "../../_setup.ts";

describe("a refusal", () => {
  it("the refusal of a path of more than 200 characters suggests no other path", async (t) => {
    const world = await openWorld(t);
    const near = await world.request(`${prefix}/x/wantedreasn`);
    assertFailure(near, 404, "UNKNOWN_PATH");
    assert.match(near.body.hint, /\/wantedreason\?$/);
    const start = `${prefix}/x/wantedreasn`;
    const at = async (length: number) => {
      // The token fills up the length.
      const answer = await world.request(start.replace("/x/", `/${"x".repeat(length - start.length + 1)}/`));
      assertFailure(answer, 404, "UNKNOWN_PATH");
      return answer.body.hint;
    };
    assert.match(await at(200), /^Did you mean .*\/wantedreason\?$/);
    assert.doesNotMatch(await at(201), /Did you mean/);
  });

  it("the refusal of an unknown player suggests none if there are too many players to compare", async (t) => {
    const world = await openWorld(t);
    const player = { administrator: false, registeredAt: 0 };
    await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
      for (let number = 1; number <= mostCompared; number += 1)
        draft.players.put({ ...player, name: `Player${number}`, uuid: `${number}`.padStart(32, "0") });
    });
    const suggestion = async () => {
      const answer = await world.get(world.publicToken, "/statistic/Plaxer7");
      assertFailure(answer, 404, "UNKNOWN_PLAYER");
      return answer.body.info;
    };
    assert.match(await suggestion(), /Did you mean "Player7"\?$/);
    await world.service.administer("player.add", { name: "OneMore" });
    assert.doesNotMatch(await suggestion(), /Did you mean/);
  });

  it("the refusal of a group, a faction or a parameter of more than 200 characters suggests none", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const long = "v".repeat(5000);
    for (const answer of [
      await world.get(token, "/player/add", { name: "Ada", group: long }),
      await world.get(token, `/blacklistreason/${long}`),
      await world.get(token, "/player", { [long]: 1 }),
    ]) {
      assert.ok(answer.status === 404 || answer.status === 400, `answered ${answer.status}`);
      assert.doesNotMatch(JSON.stringify(answer.body), /Did you mean|v{41}/);
    }
  });

  it("the refusal of an unknown name lists at most 20 of those that exist", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const names = Array.from({ length: 400 }, (_, index) => `N${index}`);
    await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
      for (const [position, name] of names.entries()) {
        draft.entries.put(houseBanReason(name, 1));
        for (const kind of ["group", "faction"] as const) draft.names.put({ kind, name, position });
      }
    });
    for (const [path, query] of [
      ["/houseban/add", { name: "Ada", reason: "None" }],
      ["/player/add", { name: "Ada", group: "None" }],
      ["/blacklistreason/None", {}],
    ] as const) {
      const { body } = await world.get(token, path, query);
      assert.equal(body.hint.split(",").length, 20, body.hint);
      assert.match(body.hint, / or 3\d\d more\.$/);
    }
  });

  it("the refusal of hundreds of malformed parameters decodes only the first hundred", async (t) => {
    const world = await openWorld(t);
    const decode = t.mock.method(globalThis, "decodeURIComponent");
    for (const [piece, code] of [
      ["%", "PARAMETER_UNKNOWN"],
      ["advanced=%", "PARAMETER_REPEATED"],
    ] as const) {
      const search = Array.from({ length: 700 }, () => piece).join("&");
      decode.mock.resetCalls();
      assertFailure(await world.request(`${prefix}/${world.publicToken}/houseban?${search}`), 400, code);
      // Names and values are decoded, and h3 and the transport decode the path.
      assert.ok(decode.mock.callCount() <= 210, `decoded ${decode.mock.callCount()} times`);
    }
  });

  it("a parameter after hundreds of empty ones is accepted", async (t) => {
    const world = await openWorld(t);
    const answer = await world.request(
      `${prefix}/${world.publicToken}/houseban?${"&".repeat(500)}advanced=false`,
    );
    assert.equal(answer.status, 200);
  });
});

describe("a path that is too long for any route", () => {
  it("is refused before its percent-encodings are read", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const malformed = (length: number) => `/${"%ZZ".repeat(length / 3)}`;
    assertFailure(await world.request(malformed(300)), 400, "PARAMETER_INVALID");
    for (const path of [malformed(3000), "/".repeat(3000), `${prefix}/x${malformed(3000)}`])
      assertFailure(await world.request(path), 404, "UNKNOWN_PATH");
  });

  it("is longer than a name of four-byte letters, percent-encoded", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const name = "\u{20000}".repeat(32);
    await world.service.administer("player.add", { name });
    const body = await world.ok(world.publicToken, `/statistic/${encodeURIComponent(name)}`);
    assert.equal(body.name, name);
  });
});

describe("a header of more than 1,000 characters", () => {
  it("counts as absent", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
      for (let points = 0; points < 60; points += 1)
        draft.entries.put(wantedReason(`Reason-${points}`, points));
    });
    const read = (headers: Record<string, string>) =>
      world.get(token, "/wantedreason", {}, { method: "HEAD", headers });
    const etag = (await read({ "Accept-Encoding": "identity" })).headers.get("etag");
    for (const [length, encoding, status, version] of [
      [1001, null, 200, null],
      [1000, "gzip", 304, "2.6.1"],
    ] as const) {
      const long = (text: string) => text.padEnd(length, "x");
      const encoded = await read({
        "Accept-Encoding": long("gzip, "),
        "User-Agent": long("gameaddon/2.6.1 "),
      });
      assert.equal(encoded.headers.get("content-encoding"), encoding);
      assert.equal((await read({ "If-None-Match": long(`${etag}, `) })).status, status);
      assert.equal((await world.ok(token, "/statistic/Ada")).gameaddon.version, version);
    }
  });

  it("counts as present where ignoring it could make or count a change", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const long = "x".repeat(1001);
    for (const [name, status, code] of [
      ["Early-Data", 425, "SPECULATIVE"],
      ["Idempotency-Key", 400, "PARAMETER_INVALID"],
    ] as const) {
      const headers = { [name]: long };
      const answer = await world.get(token, "/statistic/Ada/add", { type: "KILL" }, { headers });
      assertFailure(answer, status, code);
    }
    const headers = { Authorization: `Bearer ${long}` };
    assertFailure(await world.get("-", "/event", {}, { headers }), 401, "TOKEN_UNKNOWN");
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 0);
  });
});
