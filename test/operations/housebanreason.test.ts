/** House-ban reasons (specification, section 4.6; contract, section 3). */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertFailure, describeOverTransports, openWorld } from "../_setup.ts";

describeOverTransports("house-ban reasons", (transport) => {
  it("there are none at first, and then they are listed by reason", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
    for (const [reason, days] of [
      ["Noise", 3],
      ["arson", 3650],
      ["Theft", 1],
    ] as const) {
      await world.ok(token, "/housebanreason/add", { reason, days });
    }
    assert.deepEqual(await world.ok(world.publicToken, "/housebanreason"), [
      { reason: "arson", days: 3650 },
      { reason: "Noise", days: 3 },
      { reason: "Theft", days: 1 },
    ]);
  });

  it("ban for 1 to 3650 days", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    for (const days of ["0", "-1", "3651", "2147483648", "1.5", "", "ten"]) {
      const answer = await world.get(token, "/housebanreason/add", { reason: "Noise", days });
      assertFailure(answer, 400, "PARAMETER_INVALID", "days");
      assert.match(`${answer.body.info} ${answer.body.hint}`, /1 to 3650/);
    }
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
  });

  it("one is removed, and removing it again is 404", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    await world.ok(token, "/housebanreason/remove", { reason: "NOISE" });
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
    const again = await world.get(token, "/housebanreason/remove", { reason: "Noise" });
    assertFailure(again, 404, "UNKNOWN_ENTRY");
  });

  it("one of that name with other days is 409", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    const other = await world.get(token, "/housebanreason/add", { reason: "noise", days: 4 });
    assertFailure(other, 409, "CONFLICT");
    assert.deepEqual(await world.ok(token, "/housebanreason"), [{ reason: "Noise", days: 3 }]);
  });
});
