/** `/bundle`: all lists that the caller may read, in one answer with one ETag. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { assertFailure, everyRight, openAs, openWorld, shippedRoutes, type World } from "../_setup.ts";

/** The lists of the interface, each with its path. */
const lists = {
  player: "/player",
  targetlist: "/targetlist",
  houseban: "/houseban",
  housebanreason: "/housebanreason",
  navipoint: "/navipoint",
  wantedreason: "/wantedreason",
  event: "/event",
  top: "/statistic/top",
};

async function fill(world: World): Promise<void> {
  const { token } = await world.player("Ada", everyRight);
  await world.ok(token, "/targetlist/add", { name: "Mallory" });
  await world.ok(token, "/wantedreason/add", { reason: "Theft", points: 10 });
  await world.ok(token, "/navipoint/add", { name: "Base", x: 1, y: 2, z: 3, article: "die" });
  await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
  await world.ok(token, "/houseban/add", { name: "Mallory", reason: "Noise" });
  await world.ok(token, "/blacklistreason/GROVE/add", { reason: "Betrayal", price: 5, kills: 3 });
  await world.ok(token, "/event/gangwar", { attacker: 1, defender: 2 });
  await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
}

/** Returns the answer of each list's own operation. */
async function oneByOne(world: World, token: string, factions: readonly string[]) {
  const expected: Record<string, unknown> = {};
  for (const [name, path] of Object.entries(lists)) expected[name] = await world.ok(token, path);
  const reasons: Record<string, unknown> = {};
  for (const faction of factions) reasons[faction] = await world.ok(token, `/blacklistreason/${faction}`);
  return factions.length === 0 ? expected : { ...expected, blacklistreason: reasons };
}

describe("/bundle", () => {
  it("/bundle has the answers of all lists, with the reasons of the caller's factions", async (t) => {
    const world = await openWorld(t);
    await fill(world);
    const { token } = await world.player("Bob", { members: { GROVE: 1, BALLAS: 2 } });
    assert.deepEqual(await world.ok(token, "/bundle"), await oneByOne(world, token, ["GROVE", "BALLAS"]));
    const body = await world.ok(token, "/bundle");
    assert.deepEqual(body.blacklistreason, {
      GROVE: [{ reason: "Betrayal", price: 5, kills: 3 }],
      BALLAS: [],
    });
  });

  it("/bundle names the caller's faction even if another faction has the same reasons", async (t) => {
    const world = await openWorld(t);
    for (const faction of ["GROVE", "BALLAS"]) {
      const { token } = await world.player(`Of${faction}`, { members: { [faction]: 4 } });
      await world.ok(token, `/blacklistreason/${faction}/add`, { reason: "Betrayal", price: 5, kills: 3 });
    }
    for (const faction of ["GROVE", "BALLAS"]) {
      const { token } = await world.player(`Reader${faction}`, { members: { [faction]: 1 } });
      assert.deepEqual((await world.ok(token, "/bundle")).blacklistreason, {
        [faction]: [{ reason: "Betrayal", price: 5, kills: 3 }],
      });
    }
  });

  it("/bundle leaves out lists that the caller may not read", async (t) => {
    const world = await openWorld(t);
    await fill(world);
    assert.deepEqual(
      await world.ok(world.publicToken, "/bundle"),
      await oneByOne(world, world.publicToken, []),
    );
    const { token } = await world.player("Eve", { members: { POLICE: 9 }, administrator: true });
    assert.equal("blacklistreason" in (await world.ok(token, "/bundle")), false);
  });

  it("/bundle leaves out lists that the table in force denies to the caller", async (t) => {
    // No page shows what the table denies.
    const shipped = (await readFile(shippedRoutes, "utf8")).replace(/^pages: .*\n/m, "");
    const routes = shipped.replace(
      /(summary: Returns the wanted list\.\n {4}restriction: )open/,
      "$1{ service: POLICE, rank: 4 }",
    );
    const world = await openWorld(t, { routes });
    const { token: police } = await world.player("Ada", { members: { POLICE: 4 } });
    const { token: recruit } = await world.player("Bob", { members: { POLICE: 3 } });
    assert.deepEqual((await world.ok(police, "/bundle")).wantedreason, []);
    assert.equal("wantedreason" in (await world.ok(recruit, "/bundle")), false);
  });

  it("/bundle has no more of a list than its routes give", async (t) => {
    const most = "limit: { type: integer, maximum: 1, default: 1 }";
    const shipped = await readFile(shippedRoutes, "utf8");
    const routes = shipped
      .replace(/handler: wantedreason\.list$/m, `$&\n    parameters: { ${most} }`)
      .replace(/handler: navipoint\.list$/m, "$&\n    parameters: { name: { type: text, default: Base } }");
    const world = await openWorld(t, { routes });
    await fill(world);
    await world.service.call("/wantedreason/add", Object.entries({ reason: "Arson", points: "1" }));
    const bundle = await world.ok(world.publicToken, "/bundle");
    assert.deepEqual([bundle.wantedreason.length, "navipoint" in bundle], [1, false]);
  });

  it("/bundle is refused to an excluded player", async (t) => {
    const { world, token } = await openAs(t, "Mallory", { groups: ["BLACKLIST"], members: { GROVE: 9 } });
    assertFailure(await world.get(token, "/bundle"), 403, "EXCLUDED");
  });

  it("/bundle has an ETag that changes with each of its lists, and only then", async (t) => {
    const world = await openWorld(t);
    await fill(world);
    const { token } = await world.player("Bob", { members: { GROVE: 4 } });
    const etag = (await world.get(token, "/bundle")).headers.get("etag") ?? "";
    const again = await world.get(token, "/bundle", {}, { headers: { "If-None-Match": etag } });
    assert.equal(again.status, 304);
    await world.ok(token, "/blacklistreason/GROVE/add", { reason: "Flight", price: 1, kills: 1 });
    const fresh = await world.get(token, "/bundle", {}, { headers: { "If-None-Match": etag } });
    assert.equal(fresh.status, 200);
    assert.equal(fresh.body.blacklistreason.GROVE.length, 2);
    // A caller who may not read those reasons gets another body and another ETag.
    assert.notEqual((await world.get(world.publicToken, "/bundle")).headers.get("etag"), etag);
  });

  it("/bundle never has the advanced view of house bans", async (t) => {
    const world = await openWorld(t);
    await fill(world);
    const { token } = await world.player("Bob", { members: { RESCUE: 9 } });
    const [ban] = (await world.ok(token, "/bundle")).houseban;
    assert.deepEqual(ban.houseBanReasonList, [{ reason: "Noise", days: 3 }]);
  });
});
