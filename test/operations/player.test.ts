/** Addon groups and their members. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, openAs, openWorld, temporaryFolder } from "../_setup.ts";

const groups = ["CEO", "DEV", "MOD", "SUP", "BETA", "VIP", "BLACKLIST", "TARGETLIST"];
const empty = Object.fromEntries(groups.map((group) => [group, []]));

describe("/player", () => {
  it("/player lists every group in the seed's order, empty groups included", async (t) => {
    const world = await openWorld(t);
    const overview = await world.ok(world.publicToken, "/player");
    assert.deepEqual(overview, empty);
    assert.deepEqual(Object.keys(overview), groups);
    assert.deepEqual(await world.ok(world.publicToken, "/player/groups"), groups);
  });

  it("/player answers a registered member's UUID, and null for an unregistered one", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", { administrator: true });
    await world.ok(root.token, "/player/add", { name: "ROOT", group: "DEV" });
    await world.ok(root.token, "/player/add", { name: "Somebody", group: "DEV" });
    await world.ok(root.token, "/player/add", { name: "Root", group: "vip" });
    assert.deepEqual(await world.ok(root.token, "/player"), {
      ...empty,
      DEV: [
        { name: "Root", uuid: root.uuid },
        { name: "Somebody", uuid: null },
      ],
      VIP: [{ name: "Root", uuid: root.uuid }],
    });
  });

  it("/player uses a group, faction or service as soon as the operator has added it", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", { administrator: true });
    // Each is requested before, so that its answer is cached.
    assert.deepEqual(await world.ok(root.token, "/player/groups"), groups);
    assert.equal((await world.ok(root.token, "/statistic/Root")).faction, null);
    assert.equal("blacklistreason" in (await world.ok(root.token, "/bundle")), false);
    const seeded = { groups: ["NEW"], factions: ["MAFIA"], services: ["TAXI"] };
    await world.service.administer("seed.groups", seeded);
    assert.deepEqual(await world.ok(root.token, "/player/groups"), [...groups, "NEW"]);
    await world.ok(root.token, "/player/add", { name: "Root", group: "new" });
    const join = (organisation: string, rank: number) =>
      world.service.administer("member.set", { player: "Root", organisation, rank });
    await join("TAXI", 2);
    assert.deepEqual((await world.ok(root.token, "/statistic/Root")).faction, { name: "TAXI", rank: 2 });
    await join("MAFIA", 1);
    assert.deepEqual((await world.ok(root.token, "/statistic/Root")).faction, { name: "MAFIA", rank: 1 });
    assert.equal((await world.ok(root.token, "/statistic/Root")).gameaddon.groups.NEW, true);
    assert.deepEqual(await world.ok(root.token, "/blacklistreason/mafia"), []);
    assert.deepEqual((await world.ok(root.token, "/bundle")).blacklistreason, { MAFIA: [] });
  });

  it("/player keeps the membership of a member who registers, under the UUID", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", { administrator: true });
    await world.ok(root.token, "/player/add", { name: "ada", group: "TARGETLIST" });
    const ada = await world.player("Ada");
    const { TARGETLIST } = await world.ok(root.token, "/player");
    assert.deepEqual(TARGETLIST, [{ name: "Ada", uuid: ada.uuid }]);
    await world.ok(ada.token, "/targetlist/add", { name: "Mallory" });
  });
});

describe("/player/add and /player/remove", () => {
  it("/player/add and /player/remove change the membership in one group alone", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    await world.ok(token, "/player/add", { name: "Ada", group: "BETA" });
    await world.ok(token, "/player/add", { name: "Ada", group: "VIP" });
    const { info } = await world.ok(token, "/player/remove", { name: "ADA", group: "beta" });
    assert.match(info, /BETA/);
    assert.deepEqual(await world.ok(token, "/player"), { ...empty, VIP: [{ name: "Ada", uuid: null }] });
  });

  it("/player/add and /player/remove answer 404 for an unknown group, and name all groups", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const path of ["/player/add", "/player/remove"]) {
      for (const group of ["NOBODY", "GROVE", "RESCUE", ""]) {
        const answer = await world.get(token, path, { name: "Ada", group });
        assertFailure(answer, 404, "UNKNOWN_GROUP", "group");
        assert.match(`${answer.body.info} ${answer.body.hint}`, /TARGETLIST/);
      }
    }
  });

  it("/player/remove answers 404 if the player is not in the group", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    await world.ok(token, "/player/add", { name: "Ada", group: "VIP" });
    const answer = await world.get(token, "/player/remove", { name: "Ada", group: "CEO" });
    assertFailure(answer, 404, "UNKNOWN_ENTRY", "name");
    assert.equal((await world.ok(token, "/player")).VIP.length, 1);
  });

  it("/player keeps the members across a restart", async (t) => {
    const folder = await temporaryFolder(t);
    const { world, token } = await openAs(t, "Root", { administrator: true }, { folder });
    await world.ok(token, "/player/add", { name: "Ada", group: "VIP" });
    await world.service.close();
    const again = await openWorld(t, { folder });
    assert.deepEqual(await again.ok(token, "/player"), { ...empty, VIP: [{ name: "Ada", uuid: null }] });
  });
});
