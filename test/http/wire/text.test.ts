/** Texts, names and UUIDs in parameters and answers, over both transports. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, assertIncludes, everyRight, openAs, openWorld, prefix } from "../../_setup.ts";

/** Names of properties of JavaScript objects, which are ordinary names for the service. */
const propertyNames = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];
const uuid = "0123456789abcdef0123456789abcdef";
const dashed = "01234567-89AB-CDEF-0123-456789abcdef";

describe("texts", () => {
  it("the refusal of a text that is too long has its length and the limit, but not the text", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { POLICE: 4 } });
    for (const letters of ["xx", "x🚓"]) {
      const reason = letters.repeat(35);
      const { body } = await world.get(token, "/wantedreason/add", { reason, points: 1 });
      assert.equal(body.code, "PARAMETER_INVALID");
      assert.match(body.info, /\(1 to 64 characters\), not 70 characters\.$/);
    }
  });

  it("a text has 1 to 64 characters", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    for (const reason of ["x", "x".repeat(64), "ü".repeat(64), "🚓".repeat(64)]) {
      await world.ok(token, "/wantedreason/add", { reason, points: 1 });
    }
    assert.equal((await world.ok(token, "/wantedreason")).length, 4);
    for (const reason of ["", "x".repeat(65), "🚓".repeat(65)]) {
      const answer = await world.get(token, "/wantedreason/add", { reason, points: 1 });
      assertFailure(answer, 400, "PARAMETER_INVALID", "reason");
    }
    assert.equal((await world.ok(token, "/wantedreason")).length, 4);
  });

  it("white space and control characters in a text are refused with a hint to write -", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const before = structuredClone(world.snapshot());
    const faulty = ["a b", " ", " a", "a\t", "a\nb", "a\u00a0b", "a\u2003b", "a\u3000b", "a\u2028b"];
    const control = ["a\u0000b", "a\u001fb", "a\u007fb", "a\u0085b", "\u0007"];
    for (const reason of [...faulty, ...control]) {
      const answer = await world.get(token, "/wantedreason/add", { reason, points: 1 });
      assertFailure(answer, 400, "PARAMETER_INVALID", "reason");
      const { info, hint } = answer.body;
      assertIncludes(`${info} ${hint}`, '"-"');
    }
    assert.deepEqual(structuredClone(world.snapshot()), before);
  });

  it("a plus sign in a query is a space, as in forms", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const plus = await world.request(`${prefix}/${token}/wantedreason/add?reason=a+b&points=1`);
    assertFailure(plus, 400, "PARAMETER_INVALID", "reason");
    await world.ok(token, "/wantedreason/add", { reason: "a+b", points: 1 });
    assert.equal((await world.ok(token, "/wantedreason"))[0].reason, "a+b");
  });

  it("a text is stored as NFC: composed and decomposed forms are equal", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    await world.ok(token, "/wantedreason/add", { reason: "Mu\u0308ll", points: 1 });
    assert.equal((await world.ok(token, "/wantedreason"))[0].reason, "M\u00fcll");
    await world.ok(token, "/wantedreason/add", { reason: "M\u00fcll", points: 1 });
    assert.equal((await world.ok(token, "/wantedreason")).length, 1);
    // 64 characters when composed, 128 before.
    await world.ok(token, "/wantedreason/add", { reason: "u\u0308".repeat(64), points: 1 });
    await world.ok(token, "/wantedreason/remove", { reason: "MU\u0308LL" });
    assert.equal((await world.ok(token, "/wantedreason")).length, 1);
  });

  it("texts that differ only in case are equal, and the first spelling is stored", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    await world.ok(token, "/wantedreason/add", { reason: "Bank-Überfall", points: 9 });
    await world.ok(token, "/wantedreason/add", { reason: "BANK-ÜBERFALL", points: 9 });
    assert.deepEqual(await world.ok(token, "/wantedreason"), [{ reason: "Bank-Überfall", points: 9 }]);
    const other = await world.get(token, "/wantedreason/add", { reason: "bank-überfall", points: 8 });
    assertFailure(other, 409, "CONFLICT");
    await world.ok(token, "/wantedreason/remove", { reason: "bank-überfall" });
    assert.deepEqual(await world.ok(token, "/wantedreason"), []);
  });

  it("a text may contain punctuation and any script", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    for (const reason of ["50%-off", "a&b=c", "a/b?c#d", "§-1.(2)", '"quoted"', "強盗", "-", "--"]) {
      await world.ok(token, "/wantedreason/add", { reason, points: 1 });
      assert.deepEqual(await world.ok(token, "/wantedreason"), [{ reason, points: 1 }]);
      await world.ok(token, "/wantedreason/remove", { reason });
    }
  });

  for (const name of propertyNames) {
    it(`${name} is an ordinary text and name`, async (t) => {
      const { world, token } = await openAs(t, "Root", everyRight);
      const player = await world.player(name);
      for (const path of ["/wantedreason", "/housebanreason", "/blacklistreason/GROVE"]) {
        assertFailure(await world.get(token, `${path}/remove`, { reason: name }), 404, "UNKNOWN_ENTRY");
      }
      await world.ok(token, "/wantedreason/add", { reason: name, points: 1 });
      assert.deepEqual(await world.ok(token, "/wantedreason"), [{ reason: name, points: 1 }]);
      await world.ok(token, "/blacklistreason/grove/add", { reason: name, price: 1, kills: 2 });
      const blacklist = await world.ok(token, "/blacklistreason/GROVE");
      assert.deepEqual(blacklist, [{ reason: name, price: 1, kills: 2 }]);
      await world.ok(token, "/housebanreason/add", { reason: name, days: 1 });
      await world.ok(token, "/houseban/add", { name, reason: name });
      const [ban] = await world.ok(token, "/houseban");
      assert.deepEqual([ban.name, ban.uuid], [name, player.uuid]);
      assert.deepEqual(ban.houseBanReasonList, [{ reason: name, days: 1 }]);
      await world.ok(token, "/targetlist/add", { name });
      await world.ok(token, "/player/add", { name, group: "VIP" });
      assert.deepEqual((await world.ok(token, "/player")).VIP, [{ name, uuid: player.uuid }]);
      await world.ok(player.token, `/statistic/${name}/add`, { type: "KILL" });
      assert.equal((await world.ok(token, `/statistic/${name}`)).gameplay.kills, 1);
    });

    it(`${name} is not a group, faction, statistic type, parameter or path`, async (t) => {
      const { world, token } = await openAs(t, "Root", everyRight);
      const ask = (path: string, query = {}) => world.get(token, path, query);
      assertFailure(await ask("/player/add", { name: "Ada", group: name }), 404, "UNKNOWN_GROUP", "group");
      assertFailure(await ask(`/blacklistreason/${name}`), 404, "UNKNOWN_FACTION");
      const type = await ask("/statistic/Root/add", { type: name });
      assertFailure(type, 400, "PARAMETER_INVALID", "type");
      assertFailure(await ask("/player", { [name]: 1 }), 400, "PARAMETER_UNKNOWN", name);
      assertFailure(await ask(`/${name}`), 404, "UNKNOWN_PATH");
      assertFailure(await world.get(name, "/player"), 401, "TOKEN_UNKNOWN");
      assertFailure(await ask(`/statistic/${name}`), 404, "UNKNOWN_PLAYER");
    });
  }
});

describe("player names", () => {
  it("a player's name has 1 to 32 letters, digits, _, . or -", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const names = ["a", "A_b.c-9", "Jürgen", "Ωmega", "x".repeat(32), "-", "."];
    for (const name of names) await world.ok(token, "/targetlist/add", { name });
    const listed = await world.ok(token, "/targetlist");
    assert.deepEqual(
      listed.map((entry: { name: string }) => entry.name),
      names,
    );
    for (const name of ["", "x".repeat(33), "a b", "a/b", "a+b", "a$", "<b>", "a\u0000", "🚓", "a\u202eb"]) {
      for (const path of ["/targetlist/add", "/targetlist/done", "/targetlist/remove"]) {
        assertFailure(await world.get(token, path, { name }), 400, "PARAMETER_INVALID", "name");
      }
      const banned = await world.get(token, "/houseban/add", { name, reason: "Noise" });
      assertFailure(banned, 400, "PARAMETER_INVALID", "name");
      const grouped = await world.get(token, "/player/add", { name, group: "VIP" });
      assertFailure(grouped, 400, "PARAMETER_INVALID", "name");
    }
  });

  it("a player's name in any case is answered as registered, or else in its latest spelling", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const jay = await world.player("JürgenX");
    await world.ok(token, "/targetlist/add", { name: "jÜRGENx" });
    await world.ok(token, "/targetlist/add", { name: "Mallory" });
    await world.ok(token, "/targetlist/add", { name: "MALLORY" });
    assert.deepEqual(await world.ok(token, "/targetlist"), [
      { name: "JürgenX", uuid: jay.uuid, done: false },
      { name: "MALLORY", uuid: null, done: false },
    ]);
    await world.ok(token, "/targetlist/remove", { name: "mallory" });
    assert.equal((await world.ok(token, "/targetlist")).length, 1);
    assert.equal((await world.ok(token, `/statistic/${encodeURIComponent("JÜRGENX")}`)).name, "JürgenX");
  });
});

describe("known names", () => {
  it("a group, a faction or a type is accepted in any case and answered as seeded", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight);
    const added = await world.ok(token, "/player/add", { name: "Ada", group: "vIp" });
    assert.match(added.info, /VIP/);
    assert.deepEqual((await world.ok(token, "/player")).VIP, [{ name: "Ada", uuid: null }]);
    await world.ok(token, "/blacklistreason/gRoVe/add", { reason: "Spy", price: 1, kills: 1 });
    assert.equal((await world.ok(token, "/blacklistreason/GROVE")).length, 1);
    for (const type of ["KILL", "kill", "Kill"]) await world.ok(token, "/statistic/Root/add", { type });
    const statistic = await world.ok(token, "/statistic/Root");
    assert.equal(statistic.gameplay.kills, 3);
    assert.deepEqual(statistic.faction, { name: "GROVE", rank: 9 });
  });
});

describe("UUIDs", () => {
  it("a UUID is accepted with and without dashes in either case, and answered as 32 lower-case digits", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { uuid: dashed });
    assert.equal(ada.uuid, uuid);
    const { token } = await world.player("Hunter", { groups: ["TARGETLIST"] });
    for (const typed of [uuid, uuid.toUpperCase(), dashed, dashed.toUpperCase(), dashed.toLowerCase()]) {
      const answer = await world.ok(world.publicToken, `/statistic/${typed}`);
      assert.deepEqual([answer.name, answer.uuid], ["Ada", uuid]);
      await world.ok(token, "/targetlist/add", { name: typed });
      assert.deepEqual(await world.ok(token, "/targetlist"), [{ name: "Ada", uuid, done: false }]);
      await world.ok(token, "/targetlist/remove", { name: typed });
    }
  });

  it("a UUID that nobody has, or with misplaced dashes, is an unknown player", async (t) => {
    const world = await openWorld(t);
    await world.player("Ada", { uuid });
    const unknown = ["f".repeat(32), `0123456-789ab-cdef-0123-456789abcdef`, uuid.slice(1), `${uuid}-`];
    for (const typed of unknown) {
      assertFailure(await world.get(world.publicToken, `/statistic/${typed}`), 404, "UNKNOWN_PLAYER");
    }
  });
});
