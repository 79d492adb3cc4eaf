/** House-ban reasons (specification, section 4.6; contract, section 3). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, describeOverTransports, openWorld, temporaryFolder, type World } from "../_setup.ts";

describeOverTransports("house-ban reasons", (transport) => {
  it("there are none at first, and then they are listed by reason", async (t) => {
    const world = await openWorld(t, { transport });
    const { token, uuid } = await world.player("Chief", { members: { RESCUE: 4 } });
    const creator = { creatorName: "Chief", creatorUUID: uuid };
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
    for (const [reason, days] of [
      ["Noise", 3],
      ["arson", 3650],
      ["Theft", 1],
    ] as const) {
      await world.ok(token, "/housebanreason/add", { reason, days });
    }
    assert.deepEqual(await world.ok(world.publicToken, "/housebanreason"), [
      { reason: "arson", days: 3650, ...creator },
      { reason: "Noise", days: 3, ...creator },
      { reason: "Theft", days: 1, ...creator },
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
    const { token, uuid } = await world.player("Chief", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    const other = await world.get(token, "/housebanreason/add", { reason: "noise", days: 4 });
    assertFailure(other, 409, "CONFLICT");
    assert.deepEqual(await world.ok(token, "/housebanreason"), [
      { reason: "Noise", days: 3, creatorName: "Chief", creatorUUID: uuid },
    ]);
  });

  it("a repetition by somebody else changes nothing, and the first creator stays", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    const other = await world.player("Other", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    const before = await world.ok(token, "/housebanreason");
    assert.equal(before[0].creatorName, "Chief");
    await world.ok(other.token, "/housebanreason/add", { reason: "noise", days: 3 });
    assert.deepEqual(await world.ok(token, "/housebanreason"), before);
  });

  it("one that no player added has the operator as its creator", async (t) => {
    const world = await openWorld(t, { transport });
    const added = await world.service.call("/housebanreason/add", [
      ["reason", "Noise"],
      ["days", "3"],
    ]);
    assert.equal(added.status, 200);
    assert.deepEqual(await world.ok(world.publicToken, "/housebanreason"), [
      { reason: "Noise", days: 3, creatorName: "operator", creatorUUID: "" },
    ]);
  });

  it("all cannot be one, in whatever spelling", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    for (const reason of ["all", "ALL", "aLl"]) {
      const answer = await world.get(token, "/housebanreason/add", { reason, days: 1 });
      assertFailure(answer, 400, "PARAMETER_INVALID", "reason");
      assert.match(answer.body.info, /reserved/);
    }
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
    await world.ok(token, "/housebanreason/add", { reason: "all-night-noise", days: 1 });
  });
});

/** Puts down a reason as versions up to 0.1 stored it, without its creator. */
async function addOldReason(world: World): Promise<void> {
  await world.service.store.change({ who: "operator", operation: "housebanreason.add" }, (draft) =>
    draft.houseBanReasons.put({ reason: "Noise", days: 3 }),
  );
}

const shownOld = [{ reason: "Noise", days: 3, creatorName: "operator", creatorUUID: "" }];

describe("house-ban reasons from before creators were stored", () => {
  it("have the operator as their creator, also after the folder is opened again", async (t) => {
    const folder = await temporaryFolder(t);
    const before = await openWorld(t, { folder });
    await addOldReason(before);
    assert.deepEqual(await before.ok(before.publicToken, "/housebanreason"), shownOld);
    await before.service.close({ snapshot: false });
    const after = await openWorld(t, { folder });
    assert.deepEqual(await after.ok(after.publicToken, "/housebanreason"), shownOld);
  });

  it("can be added again, removed, and brought back by an undo", async (t) => {
    const world = await openWorld(t);
    await addOldReason(world);
    const added = world.service.store.sequence;
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    assert.deepEqual(await world.ok(token, "/housebanreason"), shownOld);
    await world.ok(token, "/housebanreason/remove", { reason: "Noise" });
    await world.service.undo(world.service.store.sequence);
    assert.deepEqual(await world.ok(token, "/housebanreason"), shownOld);
    await world.service.undo(added);
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
  });
});
