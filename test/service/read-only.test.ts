/** Read-only tokens: they can read whatever their caller may read, and change nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HeldChanges } from "../_held-changes.ts";
import { operations } from "../_operations.ts";
import { assertFailure, everyRight, openAs, openWorld, type World } from "../_setup.ts";

/** Issues a read-only token for a player, or a public one. */
async function readOnlyToken({ service }: World, player?: string): Promise<string> {
  const { token } = await service.administer("token.issue", { player, readOnly: true });
  return token;
}

/** Returns a path with its placeholders filled. */
const called = (path: string) => path.replace("{player}", "Ada").replace("{factionString}", "GROVE");

describe("a read-only token", () => {
  for (const player of ["Ada", undefined]) {
    const kind = player === undefined ? "public" : "player's";

    it(`a ${kind} read-only token is refused every change, before its parameters are checked`, async (t) => {
      const world = await openWorld(t);
      await world.player("Ada", everyRight);
      const token = await readOnlyToken(world, player);
      const before = world.snapshot();
      for (const { path, changes } of operations) {
        if (!changes) continue;
        assertFailure(await world.get(token, called(path)), 403, "READ_ONLY");
      }
      assert.deepEqual(world.snapshot(), before);
    });
  }

  it("a read-only token can read whatever its player may read", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    const readOnly = await readOnlyToken(world, "Ada");
    for (const { path, changes } of operations) {
      if (changes || path.startsWith("/mgmt")) continue;
      assert.deepEqual(await world.ok(readOnly, called(path)), await world.ok(token, called(path)), path);
    }
    await world.ok(readOnly, "/houseban", { advanced: "true" });
    await world.ok(readOnly, "/bundle");
  });

  it("a read-only token is refused as such even if its caller is denied the change", async (t) => {
    const world = await openWorld(t);
    const answer = await world.get(await readOnlyToken(world), "/targetlist/add", { name: "Mallory" });
    assertFailure(answer, 403, "READ_ONLY");
    assert.equal(answer.body.info, "This addon token is read-only and cannot change anything.");
  });

  it("a read-only token is refused as excluded, revoked or speculative first", async (t) => {
    const world = await openWorld(t);
    await world.player("Mallory", { groups: ["BLACKLIST"] });
    const path = "/event/gangwar?attacker=1&defender=1";
    const excluded = await readOnlyToken(world, "Mallory");
    assertFailure(await world.get(excluded, path), 403, "EXCLUDED");
    const { token, id } = await world.service.administer("token.issue", { readOnly: true });
    const headers = { "Sec-Purpose": "prefetch" };
    assertFailure(await world.get(token, path, {}, { headers }), 425, "SPECULATIVE");
    await world.service.administer("token.revoke", { id });
    assertFailure(await world.get(token, path), 401, "TOKEN_REVOKED");
  });

  it("a read-only token cannot set the addon version of its player", async (t) => {
    const { world, token } = await openAs(t, "Ada", { addonVersion: "2.5.1" });
    const report = (by: string, version: string) =>
      world.get(by, "/event", {}, { headers: { "User-Agent": `gameaddon/${version}` } });
    const versions = async () => {
      const { version } = (await world.ok(world.publicToken, "/statistic/Ada")).gameaddon;
      const [user] = await world.ok(world.publicToken, "/mgmt/users");
      const { versions } = await world.ok(world.publicToken, "/mgmt");
      return [version, user.version, ...versions.map((used: { version: string }) => used.version)];
    };
    world.clock.advance(1000);
    await report(token, "2.6.0");
    assert.deepEqual(await versions(), ["2.6.0", "2.6.0", "2.6.0"]);
    await report(await readOnlyToken(world, "Ada"), "0.0.1");
    assert.deepEqual(await versions(), ["2.6.0", "2.6.0", "2.6.0"]);
  });

  it("a read-only token cannot get the stored answer of another token's addition", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const init = { headers: { "Idempotency-Key": "k-1" } };
    assert.equal((await world.get(token, "/statistic/Ada/add", { type: "KILL" }, init)).status, 200);
    const readOnly = await readOnlyToken(world, "Ada");
    assertFailure(await world.get(readOnly, "/statistic/Ada/add", { type: "KILL" }, init), 403, "READ_ONLY");
  });
});

describe("tokens in the data", () => {
  it("a change is refused if its token becomes read-only before it is decided", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada", everyRight);
    const held = new HeldChanges(t, world.service);
    const { store } = world.service;
    // No command does this today; an import of edited data can.
    const narrowed = await held.submit(() =>
      store.change({ who: "operator", operation: "test" }, (draft) => {
        for (const token of draft.tokens.find("player", uuid)) draft.tokens.put({ ...token, readOnly: true });
      }),
    );
    const asked = await held.submit(() => world.get(token, "/targetlist/add", { name: "Mallory" }));
    await held.release();
    await narrowed.outcome;
    assertFailure(await asked.outcome, 403, "READ_ONLY");
    assert.equal(store.data.targets.size, 0);
  });

  it("a token of an older version allows changes, and is listed so", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada", everyRight);
    await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
      for (const { readOnly: _, ...old } of draft.tokens.find("player", uuid)) draft.tokens.put(old);
    });
    await world.ok(token, "/targetlist/add", { name: "Mallory" });
    const listed = await world.service.administer("token.list", {});
    assert.deepEqual(
      listed.filter(({ player }) => player === "Ada").map(({ readOnly }) => readOnly),
      [false],
    );
  });
});
