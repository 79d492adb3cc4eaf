/** Blacklist reasons of factions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, openAs, openWorld } from "../_setup.ts";

describe("/blacklistreason/{factionString}", () => {
  it("/blacklistreason lists the reasons by reason", async (t) => {
    const { world, token } = await openAs(t, "Ada", { members: { GROVE: 4 } });
    for (const [reason, price, kills] of [
      ["Spy", 5000, 20],
      ["attack-on-members", 0, 0],
      ["Treason", 2147483647, 2147483647],
    ] as const) {
      await world.ok(token, "/blacklistreason/GROVE/add", { reason, price, kills });
    }
    assert.deepEqual(await world.ok(token, "/blacklistreason/GROVE"), [
      { reason: "attack-on-members", price: 0, kills: 0 },
      { reason: "Spy", price: 5000, kills: 20 },
      { reason: "Treason", price: 2147483647, kills: 2147483647 },
    ]);
  });

  it("/blacklistreason keeps the reasons of factions apart", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { members: { GROVE: 4 } });
    const bob = await world.player("Bob", { members: { BALLAS: 4 } });
    await world.ok(ada.token, "/blacklistreason/GROVE/add", { reason: "Spy", price: 1, kills: 2 });
    assert.deepEqual(await world.ok(bob.token, "/blacklistreason/BALLAS"), []);
    await world.ok(bob.token, "/blacklistreason/BALLAS/add", { reason: "spy", price: 3, kills: 4 });
    await world.ok(ada.token, "/blacklistreason/grove/remove", { reason: "SPY" });
    assert.deepEqual(await world.ok(ada.token, "/blacklistreason/GROVE"), []);
    const others = [{ reason: "spy", price: 3, kills: 4 }];
    assert.deepEqual(await world.ok(bob.token, "/blacklistreason/BALLAS"), others);
  });

  it("/blacklistreason accepts whole numbers from 0 as price and kills", async (t) => {
    const { world, token } = await openAs(t, "Ada", { members: { GROVE: 4 } });
    const entry = { reason: "Spy", price: "1", kills: "2" };
    for (const parameter of ["price", "kills"]) {
      for (const value of ["-1", "2147483648", "0.5", "", "much"]) {
        const query = { ...entry, [parameter]: value };
        const answer = await world.get(token, "/blacklistreason/GROVE/add", query);
        assertFailure(answer, 400, "PARAMETER_INVALID", parameter);
      }
    }
    const missing = await world.get(token, "/blacklistreason/GROVE/add", { reason: "Spy", price: 1 });
    assertFailure(missing, 400, "PARAMETER_MISSING", "kills");
    assert.deepEqual(await world.ok(token, "/blacklistreason/GROVE"), []);
  });
});
