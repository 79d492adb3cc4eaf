/** Failures: their codes, the order of the checks, and repeated changes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, assertIncludes, everyRight, openAs, prefix } from "../../_setup.ts";

describe("parameters", () => {
  it("a missing parameter is named, with the expected values", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const missing = await world.get(token, "/wantedreason/add", { reason: "Theft" });
    assertFailure(missing, 400, "PARAMETER_MISSING", "points");
    assert.match(`${missing.body.info} ${missing.body.hint}`, /0 to 1000/);
    assertFailure(await world.get(token, "/targetlist/add"), 400, "PARAMETER_MISSING", "name");
    const type = await world.get(token, "/statistic/Root/add");
    assertFailure(type, 400, "PARAMETER_MISSING", "type");
    for (const value of ["DEATH", "KILL", "PLAYTIME", "REVIVE", "SERVICE"]) {
      assertIncludes(`${type.body.info} ${type.body.hint}`, value);
    }
  });

  it("an invalid parameter is named, with the expected and the actual value", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    for (const points of ["many", "", "1.5", "1e2", "0x10", " 1", "1001", "-1", "+1", "999999999999999999"]) {
      const answer = await world.get(token, "/wantedreason/add", { reason: "Theft", points });
      assertFailure(answer, 400, "PARAMETER_INVALID", "points");
      assert.match(`${answer.body.info} ${answer.body.hint}`, /0 to 1000/);
    }
    const answer = await world.get(token, "/wantedreason/add", { reason: "Theft", points: "many" });
    assert.match(answer.body.info, /many/);
  });

  it("an unknown parameter is named, with the nearest known one", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const before = structuredClone(world.snapshot());
    for (const typo of ["resaon", "Reason", "reasons"]) {
      const answer = await world.get(token, "/wantedreason/add", { [typo]: "Theft", points: 1 });
      assertFailure(answer, 400, "PARAMETER_UNKNOWN", typo);
      assert.match(answer.body.info, /"reason"/);
    }
    const extra = { reason: "Theft", points: 1, nonsense: 1 };
    assertFailure(await world.get(token, "/wantedreason/add", extra), 400, "PARAMETER_UNKNOWN", "nonsense");
    assert.deepEqual(structuredClone(world.snapshot()), before);
    assertFailure(await world.get(token, "/player", { page: 2 }), 400, "PARAMETER_UNKNOWN", "page");
    const path = await world.get(token, "/statistic/Root", { player: "Root" });
    assertFailure(path, 400, "PARAMETER_UNKNOWN", "player");
  });

  it("a repeated parameter is named, even with equal values", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    for (const search of ["name=Ada&name=Bob", "name=Ada&name=Ada", "name=Ada&n%61me=Ada", "name&name"]) {
      const answer = await world.request(`${prefix}/${token}/targetlist/add?${search}`);
      assertFailure(answer, 400, "PARAMETER_REPEATED", "name");
    }
    assert.deepEqual(await world.ok(token, "/targetlist"), []);
  });

  it("the order of parameters and empty pieces of the query do not matter", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const answer = await world.request(`${prefix}/${token}/wantedreason/add?&points=5&&reason=Theft&`);
    assert.equal(answer.status, 200);
    assert.deepEqual(await world.ok(token, "/wantedreason"), [{ reason: "Theft", points: 5 }]);
  });

  it("a malformed percent-encoding is refused in the path and in the query", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    for (const wrong of ["%", "%4", "%ZZ", "%E4", "a%FFb", "%C0%AF", "%ED%A0%80"]) {
      assertFailure(await world.request(`${prefix}/${token}/statistic/${wrong}`), 400, "PARAMETER_INVALID");
      const inQuery = await world.request(`${prefix}/${token}/targetlist/add?name=${wrong}`);
      assertFailure(inQuery, 400, "PARAMETER_INVALID", "name");
    }
    assertFailure(await world.request(`${prefix}/${token}/player?%ZZ=1`), 400, "PARAMETER_UNKNOWN");
    assertFailure(await world.request(`${prefix}/%ZZ/player`), 400, "PARAMETER_INVALID");
  });
});

describe("unknown things", () => {
  it("an unknown player, group, faction or entry answers 404 and is named", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const player = await world.get(token, "/statistic/Rooot");
    assertFailure(player, 404, "UNKNOWN_PLAYER");
    assert.match(`${player.body.info} ${player.body.hint}`, /"Root"/);
    const group = await world.get(token, "/player/add", { name: "Ada", group: "VIPS" });
    assertFailure(group, 404, "UNKNOWN_GROUP", "group");
    assert.match(group.body.info, /Did you mean "VIP"\?$/);
    assert.equal(group.body.hint, "Expected CEO, DEV, MOD, SUP, BETA, VIP, BLACKLIST or TARGETLIST.");
    assertFailure(await world.get(token, "/blacklistreason/NOWHERE"), 404, "UNKNOWN_FACTION");
    const entry = await world.get(token, "/wantedreason/remove", { reason: "Theft" });
    assertFailure(entry, 404, "UNKNOWN_ENTRY");
    assert.match(entry.body.info, /Theft/);
  });
});

describe("the order of the checks", () => {
  it("the restriction is checked before the parameters, and these before the entry", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    for (const search of ["", "?x=1", "?name=%ZZ", "?name=a%20b", "?name=a&name=b", "?name=Nobody"]) {
      const path = `/targetlist/remove${search}`;
      assertFailure(await world.get(world.publicToken, path), 403, "RESTRICTED");
      const answer = await world.get(token, path);
      assert.equal(answer.status, search === "?name=Nobody" ? 404 : 400, search);
    }
  });
});

describe("repeating a change", () => {
  it("a statistic counts each time that the request is repeated", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    for (let times = 0; times < 3; times += 1) await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 3);
  });

  it("20 simultaneous additions to a statistic all count", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const adding = Array.from({ length: 20 }, () => world.get(token, "/statistic/Ada/add", { type: "KILL" }));
    for (const { status } of await Promise.all(adding)) assert.equal(status, 200);
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 20);
  });
});
