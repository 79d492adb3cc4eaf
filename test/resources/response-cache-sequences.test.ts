/** The response cache: requests before and after a change, and its capacity. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { it } from "node:test";
import { Clients } from "../../src/resources/clients.ts";
import type { Sources } from "../../src/resources/common/define.ts";
import { ListVersions } from "../../src/resources/common/list-versions.ts";
import { ResponseCache } from "../../src/resources/common/response-cache.ts";
import { handlersFor } from "../../src/resources/index.ts";
import { Ranking } from "../../src/resources/ranking.ts";
import { defaultDeclarations } from "../../src/table/declared/declarations.ts";
import { day, everyRight, openAs, openWorld, shippedRoutes, type World } from "../_setup.ts";

const handlers = handlersFor(defaultDeclarations());

const names = async (world: World, path: string) =>
  (await world.ok(world.publicToken, path)).map(({ name }: { name: string }) => name);

function sourcesOf({ service }: World): Sources {
  const { data } = service.store;
  return {
    ...data,
    ranking: new Ranking(data),
    clients: new Clients(data, service.activity),
    lists: new ListVersions(data),
  };
}

it("a cached list has a house ban until it expires, and again after the clock is set back", async (t) => {
  const { world, token } = await openAs(t, "Ada", everyRight);
  await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 1 });
  await world.ok(token, "/houseban/add", { name: "Mallory", reason: "Noise" });
  for (const [step, expected] of [
    [0, ["Mallory"]],
    [day - 1, ["Mallory"]],
    [1, []],
    [-1, ["Mallory"]],
  ] as const) {
    world.clock.advance(step);
    // The second answer comes from the cache.
    for (let count = 0; count < 2; count += 1) assert.deepEqual(await names(world, "/houseban"), expected);
  }
});

it("a cached statistic has the time of a token until it expires, even with the clock set back", async (t) => {
  const world = await openWorld(t);
  await world.service.administer("player.add", { name: "Bob", members: [] });
  await world.service.administer("token.issue", { player: "Bob", addonVersion: "2.5", expiresIn: day });
  const issued = world.clock.time;
  for (const [step, expected] of [
    [0, issued],
    [day - 1, issued],
    [1, null],
    [-1, issued],
  ] as const) {
    world.clock.advance(step);
    for (let count = 0; count < 2; count += 1) {
      const { gameaddon } = await world.ok(world.publicToken, "/statistic/Bob");
      assert.equal(gameaddon.tokenGenerateTime, expected);
    }
  }
});

it("a cached list has the current name of a UUID that another name had before", async (t) => {
  const world = await openWorld(t);
  const uuid = "00112233445566778899aabbccddeeff";
  for (const name of ["Bob", "Rob"]) {
    await world.service.administer("player.add", { name, uuid, members: [] });
    for (let count = 0; count < 2; count += 1) {
      assert.equal((await world.ok(world.publicToken, `/statistic/${uuid}`)).name, name);
    }
    await world.service.administer("player.remove", { player: uuid });
  }
});

it("a cached statistic has the exclusion by the table in force, also after a reload", async (t) => {
  const shipped = await readFile(shippedRoutes, "utf8");
  const world = await openWorld(t, { routes: shipped });
  await world.player("Bob", { groups: ["VIP"] });
  const isExcluded = async () =>
    (await world.ok(world.publicToken, "/statistic/Bob")).gameaddon.blacklisted as boolean;
  assert.deepEqual([await isExcluded(), await isExcluded()], [false, false]);
  const other = shipped.replace("excluded: { group: BLACKLIST }", "excluded: { group: VIP }");
  await writeFile(world.service.routes.file, other);
  await world.service.reloadRoutes();
  assert.deepEqual([await isExcluded(), await isExcluded()], [true, true]);
});

it("the response cache has a limited number of answers", async (t) => {
  const world = await openWorld(t);
  const { clock } = world;
  const handler = handlers.get("blacklistreason.list");
  assert.ok(handler?.effect === "read" && handler.cacheable !== undefined);
  const cached = new ResponseCache().cachedRead(
    "blacklistreason.list",
    handler,
    handler.cacheable,
    sourcesOf(world),
  );
  const context = { now: clock.time } as never;
  const ask = (number: number) => cached({ factionString: `F${number}` }, context);
  const first = ask(0);
  assert.equal(ask(0), first, "the answer is computed once");
  const spelled = cached({ factionString: "f0" }, context);
  assert.equal(spelled, first, "another spelling has the same answer");
  const [one, other] = ["heart", "HEART\uFE0F"].map((reason) => cached({ reason }, context));
  assert.equal(one, other, "so have texts that differ only in U+FE0F");
  for (let number = 1; number <= 5000; number += 1) ask(number);
  assert.ok(ask(0) !== first, "the first of 5,000 answers is no longer cached");
});
