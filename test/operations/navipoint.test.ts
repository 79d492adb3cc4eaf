/** Navi points (specification, section 4.7; contract, section 3). */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertFailure, describeOverTransports, openWorld } from "../_setup.ts";

const pier = { name: "Pier", x: 1, y: -2, z: 3, article: "der" };

describeOverTransports("navi points", (transport) => {
  it("there are none at first, and then they are listed by name", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Root", { administrator: true });
    assert.deepEqual(await world.ok(token, "/navipoint"), []);
    const hall = { name: "city-Hall", x: 0, y: 0, z: 0, article: "das" };
    const bank = { name: "Bank", x: 100, y: 64, z: -100, article: "die" };
    for (const point of [pier, hall, bank]) await world.ok(token, "/navipoint/add", point);
    assert.deepEqual(await world.ok(world.publicToken, "/navipoint"), [bank, hall, pier]);
  });

  it("coordinates are whole numbers of 32 bits, below zero too", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Root", { administrator: true });
    const far = { ...pier, x: -2147483648, y: 2147483647, z: -1 };
    await world.ok(token, "/navipoint/add", far);
    assert.deepEqual(await world.ok(token, "/navipoint"), [far]);
    for (const axis of ["x", "y", "z"]) {
      for (const value of ["2147483648", "-2147483649", "1.5", "", "north", "--1", "NaN"]) {
        const query = { ...pier, name: "Other", [axis]: value };
        assertFailure(await world.get(token, "/navipoint/add", query), 400, "PARAMETER_INVALID", axis);
      }
    }
    assert.deepEqual(await world.ok(token, "/navipoint"), [far]);
  });

  it("minus zero is zero", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Root", { administrator: true });
    await world.ok(token, "/navipoint/add", { ...pier, x: "-0" });
    await world.ok(token, "/navipoint/add", { ...pier, x: "0" });
    assert.deepEqual(await world.ok(token, "/navipoint"), [{ ...pier, x: 0 }]);
  });

  it("each of its parameters is needed", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Root", { administrator: true });
    for (const missing of Object.keys(pier)) {
      const query = Object.fromEntries(Object.entries(pier).filter(([name]) => name !== missing));
      assertFailure(await world.get(token, "/navipoint/add", query), 400, "PARAMETER_MISSING", missing);
    }
  });

  it("one is removed in any case of its name; the article is no part of that", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Root", { administrator: true });
    await world.ok(token, "/navipoint/add", pier);
    const wordy = await world.get(token, "/navipoint/remove", { name: "Pier", article: "der" });
    assertFailure(wordy, 400, "PARAMETER_UNKNOWN", "article");
    await world.ok(token, "/navipoint/remove", { name: "PIER" });
    assert.deepEqual(await world.ok(token, "/navipoint"), []);
    assertFailure(await world.get(token, "/navipoint/remove", { name: "Pier" }), 404, "UNKNOWN_ENTRY");
  });

  it("the place of one changes only by removing it first", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Root", { administrator: true });
    await world.ok(token, "/navipoint/add", pier);
    assertFailure(await world.get(token, "/navipoint/add", { ...pier, y: 70 }), 409, "CONFLICT");
    await world.ok(token, "/navipoint/remove", { name: "Pier" });
    await world.ok(token, "/navipoint/add", { ...pier, y: 70 });
    assert.deepEqual(await world.ok(token, "/navipoint"), [{ ...pier, y: 70 }]);
  });
});
