/** Lists that a table declares: what each of their operations does, with the table of `examples/another-game`. */

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { describeTable } from "../../src/openapi/openapi.ts";
import { handlersFor } from "../../src/resources/index.ts";
import { assertFailure, openWorld, prefix, projectFolder, type World } from "../_setup.ts";

const league = (await readFile(join(projectFolder, "examples", "another-game", "routes.yaml"), "utf8"))
  .replace("/racing/v1", prefix)
  .replace("BANNED", "BLACKLIST")
  .replaceAll("STEWARD", "MOD");

/** Further routes, for operations that the league does not serve. */
const more = `
  /track/show: { summary: T., restriction: open, handler: track.show }
  /lap: { summary: L., restriction: open, handler: lap.list, parameters: { limit: { type: integer, default: 3 } } }
  /laps/{driver}: { summary: L., restriction: open, handler: lap.list }
  /lap/{track}/{driver}/show: { summary: L., restriction: open, handler: lap.show }
  /lap/{track}/{driver}/remove: { summary: L., restriction: administrators, handler: lap.remove }
  /penalty/remove: { summary: P., restriction: administrators, handler: penalty.remove }
  /place/set: { summary: P., restriction: identified, handler: place.setOwn }
  /place/add: { summary: P., restriction: identified, handler: place.add }
  /place: { summary: P., restriction: open, handler: place.list }
`;

const places = `  place:
    title: place
    key: name
    fields: { name: { type: text, reserved: [all] }, note: { type: text, maxLength: 500, default: none }, open: { type: boolean, default: true }, since: { type: instant, default: 0 } }
    creator: true
    maxEntries: 4
    maxEntriesPerCreator: 2

statistics:`;

function openLeague(t: TestContext, change = (routes: string) => routes): Promise<World> {
  return openWorld(t, { routes: change(league.replace("\nstatistics:", places) + more) });
}

const administrator = { administrator: true };

describe("a list with a key", () => {
  it("is described with the most entries that it can have, or has, and with the names of others", async (t) => {
    const { service } = await openLeague(t);
    const descriptionOf = (size: number) =>
      describeTable(service.routes.table, service.vocabulary(), () => size);
    const most = (size: number) =>
      descriptionOf(size).paths[`${prefix}/{tokenString}/place`]?.get.responses[200];
    for (const [size, maxItems] of [
      [3, 4],
      [9, 9],
    ] as const)
      assert.match(JSON.stringify(most(size)), new RegExp(`"maxItems":${maxItems}}`));
    const [, track] = descriptionOf(0).paths[`${prefix}/{tokenString}/lap/{track}`]?.get.parameters ?? [];
    assert.match(
      JSON.stringify(track),
      /1 to 40 characters\. An older .*"schema":{"type":"string"},"example":"Monza"/,
    );
    assert.match(
      JSON.stringify(descriptionOf(0)),
      /The list is full, or several removed players had the name\. The `Idempotency-Key` was used/,
    );
  });

  it("adds, shows, lists by key and removes entries; the first spelling stays", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", administrator);
    assert.deepEqual(await world.ok(token, "/track"), []);
    assert.deepEqual(await world.ok(token, "/track/add", { name: "Zolder", metres: 4011 }), {
      info: "Added the track Zolder.",
    });
    await world.ok(token, "/track/add", { name: "Ärla", metres: 900 });
    await world.ok(token, "/track/add", { name: "Brno", metres: 5403 });
    assert.deepEqual(await world.ok(token, "/track/add", { name: "ZOLDER", metres: 4011 }), {
      info: "The track Zolder already exists.",
    });
    assertFailure(await world.get(token, "/track/add", { name: "zolder", metres: 4012 }), 409, "CONFLICT");
    assert.deepEqual(await world.ok(token, "/track"), [
      { name: "Ärla", metres: 900 },
      { name: "Brno", metres: 5403 },
      { name: "Zolder", metres: 4011 },
    ]);
    assert.deepEqual(await world.ok(token, "/track/show", { name: "brno" }), { name: "Brno", metres: 5403 });
    await world.ok(token, "/track/remove", { name: "BRNO" });
    assertFailure(await world.get(token, "/track/show", { name: "Brno" }), 404, "UNKNOWN_ENTRY", "name");
    assertFailure(await world.get(token, "/track/remove", { name: "Brno" }), 404, "UNKNOWN_ENTRY");
  });

  it("leaves out the fields that placeholders give, orders by its field, and returns the first so many", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", administrator);
    for (const name of ["Monza", "Spa"]) await world.ok(token, "/track/add", { name, metres: 5000 });
    for (const [driver, time] of Object.entries({ Bob: 83000, Cem: 81000, Dan: 82000, Eve: 81000 })) {
      const other = await world.player(driver);
      await world.ok(other.token, `/lap/monza/${driver}/set`, { time });
      await world.ok(other.token, `/lap/Spa/${driver}/set`, { time: time + 9000, car: "GT3" });
    }
    const bob = await world.ok(token, "/laps/Bob");
    assert.equal(bob.length, 2);
    const { driverUUID } = await world.ok(token, "/lap/Spa/Bob/show");
    assert.deepEqual(await world.ok(token, `/laps/${driverUUID}`), bob, "a UUID finds the same");
    const laps = await world.ok(token, "/lap/MONZA");
    assert.deepEqual(
      laps.map(({ driver, time }: { driver: string; time: number }) => [driver, time]),
      [
        ["Cem", 81000],
        ["Eve", 81000],
        ["Dan", 82000],
        ["Bob", 83000],
      ],
    );
    assert.deepEqual(await world.ok(token, "/lap/MONZA\ufe0f"), laps, "as `set` and `show` find the track");
    assert.deepEqual(Object.keys(laps[0]), ["driver", "driverUUID", "time", "car"]);
    const all = await world.ok(token, "/lap");
    assert.deepEqual(
      all.map(({ track, car }: { track: string; car: string }) => [track, car]),
      [
        ["Monza", "unknown"],
        ["Monza", "unknown"],
        ["Monza", "unknown"],
      ],
    );
    assert.equal((await world.ok(token, "/lap", { limit: 100 })).length, 8);
    assert.deepEqual(await world.ok(token, "/lap", { limit: 0 }), []);
  });

  it("sets an entry only for the better where it keeps the lowest, and says so", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", administrator);
    await world.ok(token, "/track/add", { name: "Monza", metres: 5793 });
    const set = (time: number) => world.ok(token, "/lap/Monza/Ada/set", { time, car: "F1" });
    assert.match((await set(83000)).info, /^Added/);
    const before = world.service.store.sequence;
    for (const time of [83000, 84000])
      assert.match((await set(time)).info, /stays: its time is 83000, and only a lower one/);
    assert.equal(world.service.store.sequence, before, "nothing was changed");
    assert.match((await set(82999)).info, /^Changed/);
    assert.equal((await world.ok(token, "/lap/Monza/Ada/show")).time, 82999);
    const removed = await world.ok(token, "/lap/monza/ada/remove");
    assert.deepEqual(removed, { info: "Removed the lap time Monza, Ada." });
  });

  it("refuses an entry that names no entry of the other list, and to remove one that is named", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", administrator);
    await world.ok(token, "/track/add", { name: "Monza", metres: 5793 });
    const unknown = await world.get(token, "/lap/Monca/Ada/set", { time: 83000 });
    assertFailure(unknown, 404, "UNKNOWN_ENTRY");
    assert.match(unknown.body.info, /Monza/);
    await world.ok(token, "/lap/monza/Ada/set", { time: 83000 });
    const used = await world.get(token, "/track/remove", { name: "Monza" });
    assertFailure(used, 409, "CONFLICT");
    assert.match(used.body.info, /Monza is in use: an entry refers to it, such as the lap time Monza, Ada\./);
    await assert.rejects(
      world.service.administer("undo", { sequence: world.service.store.sequence - 1 }),
      /cannot be undone: the entry lap\/Monza\/Ada refers to the entry track\/Monza/,
    );
    await world.ok(token, "/lap/Monza/Ada/remove");
    await world.ok(token, "/track/remove", { name: "Monza" });
    const handlers = handlersFor(world.service.routes.table.declared);
    const mayConflict = (name: string) => handlers.get(name)?.failures?.CONFLICT;
    assert.deepEqual(
      [mayConflict("track.remove"), mayConflict("penalty.remove")],
      ["Other entries refer to it.", undefined],
    );
  });

  it("is in the order of the table in force, also after a reload", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", { groups: ["MOD"] });
    for (const driver of ["Bob", "Cem"])
      await world.ok(token, "/penalty/add", { driver, reason: "Cutting", seconds: 10 });
    const { file } = world.service.routes;
    const limited = "parameters: { limit: { type: integer, default: 1 } }";
    const first = async (order: string) => {
      const table = (await readFile(file, "utf8")).replace(/order: -?number/, `order: ${order}`);
      await writeFile(file, table.replace("handler: penalty.list }", `handler: penalty.list, ${limited} }`));
      await world.service.reloadRoutes();
      return (await world.ok(token, "/penalty")).map(({ driver }: { driver: string }) => driver);
    };
    assert.deepEqual(await first("-number"), ["Cem"]);
    assert.deepEqual(await first("number"), ["Bob"]);
  });

  it("keeps the entries of factions apart", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", { members: { GROVE: 2, BALLAS: 1 } });
    await world.ok(token, "/setup/GROVE/set", { car: "R8", wing: -3 });
    assert.deepEqual(await world.ok(token, "/setup/grove"), [{ car: "R8", wing: -3 }]);
    assert.deepEqual(await world.ok(token, "/setup/BALLAS"), []);
    assertFailure(await world.get(token, "/setup/BALLAS/set", { car: "R8", wing: 1 }), 403, "RESTRICTED");
  });

  it("lets only its creator change an entry with setOwn, and bounds the list and each creator", async (t) => {
    const world = await openLeague(t);
    const [ada, bob] = [await world.player("Ada"), await world.player("Bob")];
    await world.ok(ada.token, "/place/set", { name: "Den", note: "x".repeat(500) });
    assertFailure(await world.get(bob.token, "/place/set", { name: "den", note: "mine" }), 409, "CONFLICT");
    assert.match((await world.ok(ada.token, "/place/set", { name: "DEN", open: "false" })).info, /^Changed/);
    assert.deepEqual(await world.ok(ada.token, "/place"), [
      { name: "Den", note: "none", open: false, since: 0, creatorName: "Ada", creatorUUID: ada.uuid },
    ]);
    for (const name of ["All", "ALL", "x".repeat(65), "a b", "a\u200bb"])
      assertFailure(await world.get(ada.token, "/place/add", { name }), 400, "PARAMETER_INVALID");
    assertFailure(
      await world.get(ada.token, "/place/add", { name: "Long", note: "x".repeat(501) }),
      400,
      "PARAMETER_INVALID",
    );
    await world.ok(ada.token, "/place/add", { name: "Two" });
    const third = await world.get(ada.token, "/place/add", { name: "Three" });
    assertFailure(third, 409, "CONFLICT");
    assert.match(third.body.info, /list of your places is full: it can have 2/);
    for (const name of ["B1", "B2"]) await world.ok(bob.token, "/place/add", { name });
    const cem = await world.player("Cem");
    const fifth = await world.get(cem.token, "/place/add", { name: "C1" });
    assertFailure(fifth, 409, "CONFLICT");
    assert.match(fifth.body.info, /list of places is full: it can have 4/);
    assert.match((await world.ok(cem.token, "/place/add", { name: "B1" })).info, /already exists/);
  });
});

describe("a list without a key", () => {
  it("numbers its entries, and gives no number twice", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", { ...administrator, groups: ["MOD"] });
    const add = (driver: string) =>
      world.ok(token, "/penalty/add", { driver, reason: "Cutting", seconds: 10 });
    for (const driver of ["Bob", "Bob"]) await add(driver);
    await world.ok(token, "/penalty/remove", { number: 2 });
    await add("Cem");
    await world.service.administer("undo", { sequence: world.service.store.sequence });
    await add("Dan");
    const numbers = (await world.ok(token, "/penalty")).map(({ number }: { number: number }) => number);
    assert.deepEqual(numbers, [4, 1]);
    assert.deepEqual(Object.keys((await world.ok(token, "/penalty"))[0]), [
      ...["number", "driver", "driverUUID", "reason", "seconds", "creatorName", "creatorUUID"],
    ]);
  });

  it("counts: an addition is repeated with an Idempotency-Key", async (t) => {
    const world = await openLeague(t);
    const { token } = await world.player("Ada", { groups: ["MOD"] });
    const init = { headers: { "Idempotency-Key": "one" } };
    const query = { driver: "Bob", reason: "Cutting", seconds: 10 };
    for (let time = 0; time < 2; time += 1)
      assert.equal((await world.get(token, "/penalty/add", query, init)).status, 200);
    assert.equal((await world.ok(token, "/penalty")).length, 1);
  });

  it("lets stewards withdraw only their own", async (t) => {
    const world = await openLeague(t);
    const [ada, bob] = [
      await world.player("Ada", { groups: ["MOD"] }),
      await world.player("Bob", { groups: ["MOD"] }),
    ];
    await world.ok(ada.token, "/penalty/add", { driver: "Cem", reason: "Cutting", seconds: 10 });
    assertFailure(await world.get(bob.token, "/penalty/withdraw", { number: 1 }), 404, "UNKNOWN_ENTRY");
    await world.ok(ada.token, "/penalty/withdraw", { number: 1 });
    assert.deepEqual(await world.ok(ada.token, "/penalty"), []);
  });

  it("follows the player of an entry: registering, renaming, removing, personal data", async (t) => {
    const world = await openLeague(t);
    const ada = await world.player("Ada", { groups: ["MOD"] });
    await world.ok(ada.token, "/penalty/add", { driver: "bob", reason: "Cutting", seconds: 10 });
    const bob = await world.player("Bob");
    await world.service.administer("player.rename", { player: "Bob", name: "Rob" });
    await world.service.administer("player.rename", { player: "Ada", name: "Adele" });
    const [entry] = await world.ok(ada.token, "/penalty");
    assert.deepEqual([entry.driver, entry.driverUUID, entry.creatorName], ["Rob", bob.uuid, "Adele"]);
    for (const player of ["Rob", "Adele"]) {
      const { records } = await world.service.administer("player.everything", { player });
      assert.equal(records.entries?.length, 1, player);
    }
  });
});
