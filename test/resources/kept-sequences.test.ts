/** Answers that are cached: asked, changed, asked again; and how many there may be. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { it } from "node:test";
import { ReadyBody } from "../../src/engine/body.ts";
import { Clients } from "../../src/identity/clients.ts";
import { handlers } from "../../src/resources/index.ts";
import { Ranking } from "../../src/resources/ranking.ts";
import { keepAnswers } from "../../src/resources/shared/kept.ts";
import { NameOrder } from "../../src/resources/shared/order.ts";
import { type Shown, ShownPlayers } from "../../src/resources/shared/shown.ts";
import { UserList } from "../../src/resources/user-list.ts";
import { day, everyRight, openWorld, shippedRoutes, type World } from "../_setup.ts";

const names = async (world: World, path: string) =>
  (await world.ok(world.publicToken, path)).map(({ name }: { name: string }) => name);

it("lists a house ban until the instant at which it expires, and again where the clock is set back", async (t) => {
  const world = await openWorld(t);
  const { token } = await world.player("Ada", everyRight);
  await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 1 });
  await world.ok(token, "/houseban/add", { name: "Mallory", reason: "Noise" });
  for (const [step, expected] of [
    [0, ["Mallory"]],
    [day - 1, ["Mallory"]],
    [1, []],
    [-1, ["Mallory"]],
  ] as const) {
    world.clock.advance(step);
    // What the second of them gets was cached for the first.
    for (let count = 0; count < 2; count += 1) assert.deepEqual(await names(world, "/houseban"), expected);
  }
});

it("shows a player with a token until the instant at which it expires, and again where the clock is set back", async (t) => {
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

it("shows a UUID under the name that it is registered with, also after another had it", async (t) => {
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

it("shows whether a player is excluded by the table in force, also after another was put in force", async (t) => {
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

it("caches few answers of an operation, whatever it is asked", async (t) => {
  const { service, clock } = await openWorld(t);
  const { data } = service.store;
  const clients = new Clients(data, service.activity);
  const cached = keepAnswers(handlers, {
    ...data,
    order: new NameOrder(),
    ranking: new Ranking(data),
    clients,
    shown: new ShownPlayers(),
    userList: new UserList(clients),
  }).get("blacklistreason.list");
  const ask = (number: number) => cached?.get({ factionString: `F${number}` }, clock.time);
  const first = ask(0);
  assert.ok(first !== undefined && ask(0) === first, "it is made once");
  for (let number = 1; number <= 1000; number += 1) ask(number);
  assert.ok(ask(0) !== first, "the first of a thousand is no longer cached");
});

it("caches 2,000 players as they are shown, and the one cached first makes room", () => {
  const shownAs = (number: number): Shown => {
    const uuid = String(number);
    const player = { uuid, name: uuid, administrator: false, registeredAt: 0 };
    const rest = { statistic: undefined, token: undefined, version: null, others: 0, from: 0, until: 1 };
    return { body: new ReadyBody(number), player, excludedGroup: undefined, ...rest };
  };
  const players = new ShownPlayers();
  for (let number = 0; number < 2000; number += 1) players.set(String(number), shownAs(number));
  players.set("1999", shownAs(1999));
  assert.ok(players.get("0") !== undefined, "one who is known already needs no room");
  players.set("2000", shownAs(2000));
  assert.equal(players.get("0"), undefined);
  assert.ok(players.get("1") !== undefined, "only one has made room");
});
