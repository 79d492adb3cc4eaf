/** Cohorts: players are grouped by exactly what restrictions can require of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cohortsOf } from "../../src/explain/cohorts.ts";
import { openWorld, type PlayerDetails, type World } from "../_setup.ts";

async function cohortsIn(world: World, ...named: readonly string[]): Promise<string[]> {
  const { all, registered } = await cohortsOf(world.service.store.data, new Set(named));
  assert.equal(registered, world.service.store.data.players.size);
  return all.map(({ players }) =>
    players
      .map(({ name }) => name)
      .sort()
      .join(" "),
  );
}

describe("cohorts", () => {
  it("are players with the same flag, ranks and groups", async (t) => {
    const world = await openWorld(t);
    const kinds: readonly PlayerDetails[] = [
      {},
      { administrator: true },
      { members: { GROVE: 4 } },
      { members: { GROVE: 3 } },
      { members: { POLICE: 4 } },
      { members: { GROVE: 4 }, groups: ["VIP"] },
      { members: { GROVE: 4, POLICE: 1 }, groups: ["VIP", "BETA"] },
    ];
    for (const [index, details] of kinds.entries()) {
      // In either order, the rights are the same.
      const turned = {
        ...details,
        members: Object.fromEntries(Object.entries(details.members ?? {}).reverse()),
        groups: [...(details.groups ?? [])].reverse(),
      };
      await world.player(`Ada${index}`, details);
      await world.player(`Bob${index}`, turned);
    }
    assert.deepEqual(
      await cohortsIn(world),
      kinds.map((_, index) => `Ada${index} Bob${index}`),
    );
  });

  it("of one are the players whom a restriction names, by name or UUID", async (t) => {
    const world = await openWorld(t);
    for (const name of ["Ada", "Bob", "Cleo"]) await world.player(name);
    const { uuid } = await world.player("Dan");
    assert.deepEqual(await cohortsIn(world), ["Ada Bob Cleo Dan"]);
    assert.deepEqual(await cohortsIn(world, "bob", "nobody", uuid), ["Ada Cleo", "Bob", "Dan"]);
  });

  it("decide as of their creation, whatever happens to the player who represents them", async (t) => {
    const world = await openWorld(t);
    await world.player("Ada", { administrator: true, members: { GROVE: 4 }, groups: ["VIP"] });
    const { all } = await cohortsOf(world.service.store.data, new Set());
    const { caller } = all[0] ?? assert.fail("there is no cohort");
    await world.service.administer("member.set", { player: "Ada", organisation: "GROVE", rank: 1 });
    await world.service.administer("group.remove", { player: "Ada", group: "VIP" });
    assert.deepEqual(
      [caller.rankIn("faction", "GROVE"), caller.rankIn("group", "VIP"), caller.rankIn("group", "BETA")],
      [4, 0, undefined],
    );
    assert.deepEqual(
      [caller.administrator, caller.identified, caller.unrestricted, caller.isCalled("ADA")],
      [true, true, false, true],
    );
  });
});
