/** The spelling of unregistered names: the latest one replaces that of the record. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everyRight, openAs, type World } from "../_setup.ts";

/** Returns the only name on a list. */
const lists: Readonly<Record<string, (world: World) => Promise<string>>> = {
  "the target list": async (world) => (await world.ok(world.publicToken, "/targetlist"))[0].name,
  "a group": async (world) => (await world.ok(world.publicToken, "/player")).VIP[0].name,
  "the house bans": async (world) => (await world.ok(world.publicToken, "/houseban"))[0].name,
};

type Call = readonly [path: string, query: Readonly<Record<string, string>>];
interface Touch {
  readonly list: string;
  readonly before: readonly Call[];
  readonly call: Call;
}

const listed: Call = ["/targetlist/add", { name: "mallori" }];
const banned: Call = ["/houseban/add", { name: "mallori", reason: "Noise" }];
const touches: readonly Touch[] = [
  { list: "the target list", before: [listed], call: ["/targetlist/add", {}] },
  { list: "the target list", before: [listed], call: ["/targetlist/done", {}] },
  {
    list: "the target list",
    before: [listed, ["/targetlist/done", { name: "mallori" }]],
    call: ["/targetlist/done", {}],
  },
  {
    list: "the target list",
    before: [listed, ["/targetlist/done", { name: "mallori" }]],
    call: ["/targetlist/add", {}],
  },
  {
    list: "a group",
    before: [["/player/add", { name: "mallori", group: "VIP" }]],
    call: ["/player/add", { group: "VIP" }],
  },
  { list: "the house bans", before: [banned], call: ["/houseban/add", { reason: "Noise" }] },
  { list: "the house bans", before: [banned], call: ["/houseban/add", { reason: "Theft" }] },
  {
    list: "the house bans",
    before: [banned, ["/houseban/add", { name: "mallori", reason: "Theft" }]],
    call: ["/houseban/remove", { reason: "Noise" }],
  },
];

describe("the spelling of an unregistered name", () => {
  for (const [index, { list, before, call }] of touches.entries()) {
    const [path, query] = call;
    it(`${path} replaces the spelling of an unregistered name on ${list} (case ${index + 1})`, async (t) => {
      const { world, token } = await openAs(t, "Chief", everyRight);
      for (const reason of ["Noise", "Theft"])
        await world.ok(token, "/housebanreason/add", { reason, days: 1 });
      for (const earlier of before) await world.ok(token, ...earlier);
      const shown = lists[list];
      assert.ok(shown !== undefined);
      assert.equal(await shown(world), "mallori");
      const { info } = await world.ok(token, path, { ...query, name: "Mallori" });
      assert.match(info, /Mallori/);
      assert.equal(await shown(world), "Mallori");
      // Repeating the change writes nothing; nor does a removal that finds nothing.
      const { sequence } = world.service.store;
      await world.get(token, path, { ...query, name: "Mallori" });
      assert.equal(await shown(world), "Mallori");
      if (path !== "/targetlist/add" && !path.endsWith("remove")) {
        assert.equal(world.service.store.sequence, sequence);
      }
    });
  }

  it("a change does not replace the registered spelling of a player", async (t) => {
    const { world, token } = await openAs(t, "Chief", everyRight);
    await world.player("Mallori");
    await world.ok(token, "/targetlist/add", { name: "Mallori" });
    await world.ok(token, "/targetlist/add", { name: "MALLORI" });
    assert.equal(await lists["the target list"]?.(world), "Mallori");
  });
});
