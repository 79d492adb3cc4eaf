/** The target list and its states. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, openAs, openWorld, temporaryFolder, type World } from "../_setup.ts";

describe("the target list", () => {
  it("the target list lists the oldest entry first, with the UUIDs of registered players", async (t) => {
    const { world, token } = await openAs(t, "Hunter", { groups: ["TARGETLIST"] });
    const ada = await world.player("Ada");
    for (const name of ["Zoe", "ada", "Bert"]) await world.ok(token, "/targetlist/add", { name });
    assert.deepEqual(await world.ok(token, "/targetlist"), [
      { name: "Zoe", uuid: null, done: false },
      { name: "Ada", uuid: ada.uuid, done: false },
      { name: "Bert", uuid: null, done: false },
    ]);
  });

  it("the target list keeps its order through changes of its entries and a restart", async (t) => {
    const folder = await temporaryFolder(t);
    const { world, token } = await openAs(t, "Hunter", { groups: ["TARGETLIST"] }, { folder });
    for (const name of ["Zoe", "Mia", "Bert", "Carl"]) await world.ok(token, "/targetlist/add", { name });
    await world.ok(token, "/targetlist/done", { name: "Mia" });
    // Registration changes the key of the entry in the data.
    for (const name of ["Bert", "Zoe"]) await world.player(name);
    await world.ok(token, "/targetlist/add", { name: "Mia" });
    const names = async (open: World) =>
      (await open.ok(open.publicToken, "/targetlist")).map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(world), ["Zoe", "Mia", "Bert", "Carl"]);
    await world.service.close();
    const again = await openWorld(t, { folder, clock: world.clock });
    assert.deepEqual(await names(again), ["Zoe", "Mia", "Bert", "Carl"]);
  });

  it("changes of the target list answer what they did, or that nothing was to do", async (t) => {
    const { world, token } = await openAs(t, "Hunter", { groups: ["TARGETLIST"] });
    for (const [change, expected] of [
      ["add", "Added Zoe to the target list."],
      ["add", "Zoe is already on the target list."],
      ["done", "Marked Zoe as done."],
      ["done", "Zoe is already marked as done."],
      ["add", "Zoe is listed again."],
      ["add", "Zoe is already on the target list."],
      ["remove", "Removed Zoe from the target list."],
    ] as const) {
      const { info } = await world.ok(token, `/targetlist/${change}`, { name: "Zoe" });
      assert.equal(info, expected);
    }
  });

  it("the target list keeps an entry that is marked as done at its place", async (t) => {
    const { world, token } = await openAs(t, "Hunter", { groups: ["TARGETLIST"] });
    for (const name of ["Zoe", "Bert"]) await world.ok(token, "/targetlist/add", { name });
    await world.ok(token, "/targetlist/done", { name: "ZOE" });
    const expected = [
      { name: "ZOE", uuid: null, done: true },
      { name: "Bert", uuid: null, done: false },
    ];
    assert.deepEqual(await world.ok(token, "/targetlist"), expected);
    await world.ok(token, "/targetlist/done", { name: "ZOE" });
    assert.deepEqual(await world.ok(token, "/targetlist"), expected);
  });

  it("/targetlist/remove removes a listed or done entry, which can return as the newest", async (t) => {
    const { world, token } = await openAs(t, "Hunter", { groups: ["TARGETLIST"] });
    for (const name of ["Zoe", "Bert", "Carl"]) await world.ok(token, "/targetlist/add", { name });
    await world.ok(token, "/targetlist/done", { name: "Bert" });
    await world.ok(token, "/targetlist/remove", { name: "Zoe" });
    await world.ok(token, "/targetlist/remove", { name: "BERT" });
    await world.ok(token, "/targetlist/add", { name: "Zoe" });
    assert.deepEqual(await world.ok(token, "/targetlist"), [
      { name: "Carl", uuid: null, done: false },
      { name: "Zoe", uuid: null, done: false },
    ]);
  });

  it("/targetlist/done and /targetlist/remove answer 404 if the player is not listed", async (t) => {
    const { world, token } = await openAs(t, "Hunter", { groups: ["TARGETLIST"] });
    await world.ok(token, "/targetlist/add", { name: "Zoe" });
    for (const path of ["/targetlist/done", "/targetlist/remove"]) {
      const answer = await world.get(token, path, { name: "Hunter" });
      assertFailure(answer, 404, "UNKNOWN_ENTRY", "name");
      assert.match(answer.body.info, /Hunter/);
    }
    assert.deepEqual(await world.ok(token, "/targetlist"), [{ name: "Zoe", uuid: null, done: false }]);
  });

  it("the target list keeps the entry of a player who registers", async (t) => {
    const { world, token } = await openAs(t, "Hunter", { groups: ["TARGETLIST"] });
    await world.ok(token, "/targetlist/add", { name: "ada" });
    const ada = await world.player("Ada");
    await world.ok(token, "/targetlist/add", { name: "Ada" });
    assert.deepEqual(await world.ok(token, "/targetlist"), [{ name: "Ada", uuid: ada.uuid, done: false }]);
    await world.ok(token, "/targetlist/remove", { name: "ADA" });
    assert.deepEqual(await world.ok(token, "/targetlist"), []);
  });
});
