/** House-ban reasons. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, openAs, openWorld, temporaryFolder, type World } from "../_setup.ts";

describe("/housebanreason", () => {
  it("/housebanreason answers an empty list at first, then the reasons by reason", async (t) => {
    const { world, token, uuid } = await openAs(t, "Chief", { members: { RESCUE: 4 } });
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

  it("/housebanreason accepts 1 to 3650 days", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { RESCUE: 4 } });
    for (const days of ["0", "-1", "3651", "2147483648", "1.5", "", "ten"]) {
      const answer = await world.get(token, "/housebanreason/add", { reason: "Noise", days });
      assertFailure(answer, 400, "PARAMETER_INVALID", "days");
      assert.match(`${answer.body.info} ${answer.body.hint}`, /1 to 3650/);
    }
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
  });

  it("/housebanreason keeps the first creator when another player repeats the addition", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { RESCUE: 4 } });
    const other = await world.player("Other", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    const before = await world.ok(token, "/housebanreason");
    assert.equal(before[0].creatorName, "Chief");
    await world.ok(other.token, "/housebanreason/add", { reason: "noise", days: 3 });
    assert.deepEqual(await world.ok(token, "/housebanreason"), before);
  });

  it("/housebanreason names the operator as the creator if no player added the reason", async (t) => {
    const world = await openWorld(t);
    const added = await world.service.call("/housebanreason/add", [
      ["reason", "Noise"],
      ["days", "3"],
    ]);
    assert.equal(added.status, 200);
    assert.deepEqual(await world.ok(world.publicToken, "/housebanreason"), [
      { reason: "Noise", days: 3, creatorName: "operator", creatorUUID: "" },
    ]);
  });

  it("/housebanreason refuses the reason all in any spelling", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { RESCUE: 4 } });
    for (const reason of ["all", "ALL", "aLl"]) {
      const answer = await world.get(token, "/housebanreason/add", { reason, days: 1 });
      assertFailure(answer, 400, "PARAMETER_INVALID", "reason");
      assert.match(answer.body.info, /reserved/);
    }
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
    await world.ok(token, "/housebanreason/add", { reason: "all-night-noise", days: 1 });
  });
});

/** Stores a reason without its creator, as versions up to 0.1 did. */
async function addOldReason(world: World): Promise<void> {
  await world.service.store.change({ who: "operator", operation: "housebanreason.add" }, (draft) =>
    draft.houseBanReasons.put({ reason: "Noise", days: 3 }),
  );
}

const shownOld = [{ reason: "Noise", days: 3, creatorName: "operator", creatorUUID: "" }];

describe("a house-ban reason from before creators were stored", () => {
  it("a house-ban reason without a stored creator has the operator as its creator", async (t) => {
    const folder = await temporaryFolder(t);
    const before = await openWorld(t, { folder });
    await addOldReason(before);
    assert.deepEqual(await before.ok(before.publicToken, "/housebanreason"), shownOld);
    await before.service.close({ snapshot: false });
    const after = await openWorld(t, { folder });
    assert.deepEqual(await after.ok(after.publicToken, "/housebanreason"), shownOld);
  });

  it("a house-ban reason without a stored creator can be added, removed and restored", async (t) => {
    const world = await openWorld(t);
    await addOldReason(world);
    const added = world.service.store.sequence;
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    assert.deepEqual(await world.ok(token, "/housebanreason"), shownOld);
    await world.ok(token, "/housebanreason/remove", { reason: "Noise" });
    await world.service.administer("undo", { sequence: world.service.store.sequence });
    assert.deepEqual(await world.ok(token, "/housebanreason"), shownOld);
    await world.service.administer("undo", { sequence: added });
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
  });
});

it("an unknown house-ban reason is refused with the reasons that there are, in their order", async (t) => {
  const { world, token } = await openAs(t, "Chief", { members: { RESCUE: 4 } });
  const hint = async () => {
    const { body } = await world.get(token, "/houseban/add", { name: "Mallory", reason: "Nonsense" });
    return body.hint;
  };
  assert.equal(await hint(), "There are no house-ban reasons yet.");
  for (const reason of ["Theft", "arson"]) await world.ok(token, "/housebanreason/add", { reason, days: 1 });
  assert.equal(await hint(), "Expected arson or Theft.");
});
