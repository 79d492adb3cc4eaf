/** The target list and its states (specification, sections 3 and 4.3; contract, section 3). */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertFailure, describeOverTransports, openWorld } from "../_setup.ts";

describeOverTransports("the target list", (transport) => {
  it("is empty at first", async (t) => {
    const world = await openWorld(t, { transport });
    assert.deepEqual(await world.ok(world.publicToken, "/targetlist"), []);
  });

  it("lists the oldest entry first, with the UUID of whoever is registered", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Hunter", { groups: ["TARGETLIST"] });
    const ada = await world.player("Ada");
    for (const name of ["Zoe", "ada", "Bert"]) await world.ok(token, "/targetlist/add", { name });
    assert.deepEqual(await world.ok(token, "/targetlist"), [
      { name: "Zoe", uuid: null, done: false },
      { name: "Ada", uuid: ada.uuid, done: false },
      { name: "Bert", uuid: null, done: false },
    ]);
  });

  it("an entry that is marked done stays on the list, at its place", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Hunter", { groups: ["TARGETLIST"] });
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

  it("adding an entry that is done lists it again", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Hunter", { groups: ["TARGETLIST"] });
    await world.ok(token, "/targetlist/add", { name: "Zoe" });
    await world.ok(token, "/targetlist/done", { name: "Zoe" });
    await world.ok(token, "/targetlist/add", { name: "zoe" });
    assert.deepEqual(await world.ok(token, "/targetlist"), [{ name: "zoe", uuid: null, done: false }]);
  });

  it("an entry is removed whether listed or done, and comes back as the youngest", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Hunter", { groups: ["TARGETLIST"] });
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

  it("marking done or removing whoever is not listed is 404", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Hunter", { groups: ["TARGETLIST"] });
    await world.ok(token, "/targetlist/add", { name: "Zoe" });
    for (const path of ["/targetlist/done", "/targetlist/remove"]) {
      const answer = await world.get(token, path, { name: "Hunter" });
      assertFailure(answer, 404, "UNKNOWN_ENTRY");
      assert.match(answer.body.info, /Hunter/);
    }
    assert.deepEqual(await world.ok(token, "/targetlist"), [{ name: "Zoe", uuid: null, done: false }]);
  });

  it("an entry stays the same player's when that player registers", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Hunter", { groups: ["TARGETLIST"] });
    await world.ok(token, "/targetlist/add", { name: "ada" });
    const ada = await world.player("Ada");
    await world.ok(token, "/targetlist/add", { name: "Ada" });
    assert.deepEqual(await world.ok(token, "/targetlist"), [{ name: "Ada", uuid: ada.uuid, done: false }]);
    await world.ok(token, "/targetlist/remove", { name: "ADA" });
    assert.deepEqual(await world.ok(token, "/targetlist"), []);
  });
});
