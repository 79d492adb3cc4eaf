/** House bans: their length, their reasons, and who entered them. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { houseBanReason } from "../_entries.ts";
import { assertFailure, day, openWorld, type World } from "../_setup.ts";

interface Scene {
  readonly world: World;
  /** A member of the rescue service of rank 4, with a call to make. */
  readonly chief: { readonly name: string; readonly uuid: string; readonly token: string };
  readonly add: (name: string, reason: string) => Promise<unknown>;
  readonly remove: (name: string, reason: string) => Promise<unknown>;
  readonly bans: () => Promise<Ban[]>;
}

interface Ban {
  readonly name: string;
  readonly uuid: string | null;
  readonly startTime: number;
  readonly duration: number;
  readonly expirationTime: number;
  readonly houseBanReasonList: readonly { reason: string; days: number }[];
}

/** Adds the reasons Arson (7 days), Noise (3 days) and Theft (1 day). */
async function openScene(t: TestContext): Promise<Scene> {
  const world = await openWorld(t);
  const chief = await world.player("Chief", { members: { RESCUE: 4 } });
  for (const [reason, days] of Object.entries({ Noise: 3, Theft: 1, Arson: 7 })) {
    await world.ok(chief.token, "/housebanreason/add", { reason, days });
  }
  return {
    world,
    chief,
    add: (name, reason) => world.ok(chief.token, "/houseban/add", { name, reason }),
    remove: (name, reason) => world.ok(chief.token, "/houseban/remove", { name, reason }),
    bans: () => world.ok(world.publicToken, "/houseban"),
  };
}

describe("/houseban", () => {
  it("/houseban lists bans by name, with the UUIDs of registered players", async (t) => {
    const { world, add, bans } = await openScene(t);
    const ada = await world.player("Ada");
    for (const name of ["Zoe", "bert", "ADA"]) await add(name, "Noise");
    assert.deepEqual(
      (await bans()).map(({ name, uuid }) => ({ name, uuid })),
      [
        { name: "Ada", uuid: ada.uuid },
        { name: "bert", uuid: null },
        { name: "Zoe", uuid: null },
      ],
    );
  });

  it("/houseban/add names the reasons, in order, if there is none of the name", async (t) => {
    const { world, chief } = await openScene(t);
    const answer = await world.get(chief.token, "/houseban/add", { name: "Zoe", reason: "Fraud" });
    assertFailure(answer, 404, "UNKNOWN_ENTRY", "reason");
    assert.equal(answer.body.hint, "Expected Arson, Noise or Theft.");
  });

  it("/houseban answers the end and the reasons of a ban, but not who entered it", async (t) => {
    const { world, add, bans } = await openScene(t);
    const startTime = world.clock.time;
    await add("Mallory", "noise");
    const expected = {
      name: "Mallory",
      uuid: null,
      startTime,
      duration: 3 * day,
      expirationTime: startTime + 3 * day,
      houseBanReasonList: [{ reason: "Noise", days: 3 }],
    };
    assert.deepEqual(await bans(), [expected]);
    assert.deepEqual(await world.ok(world.publicToken, "/houseban", { advanced: "false" }), [expected]);
  });

  it("/houseban names who entered each reason in the advanced view", async (t) => {
    const { world, chief, add } = await openScene(t);
    const other = await world.player("Other", { members: { RESCUE: 5 } });
    const startTime = world.clock.time;
    await add("Mallory", "Noise");
    await world.ok(other.token, "/houseban/add", { name: "Mallory", reason: "Theft" });
    const reader = await world.player("Reader", { members: { RESCUE: 1 } });
    assert.deepEqual(await world.ok(reader.token, "/houseban", { advanced: "true" }), [
      {
        name: "Mallory",
        uuid: null,
        startTime,
        duration: 4 * day,
        expirationTime: startTime + 4 * day,
        houseBanReasonList: [
          { reason: "Noise", days: 3, creatorName: "Chief", creatorUUID: chief.uuid },
          { reason: "Theft", days: 1, creatorName: "Other", creatorUUID: other.uuid },
        ],
      },
    ]);
  });

  it("/houseban names the operator as the creator of a ban that no player entered", async (t) => {
    const { world } = await openScene(t);
    const call = await world.service.call("/houseban/add", [
      ["name", "Mallory"],
      ["reason", "Noise"],
    ]);
    assert.equal(call.status, 200);
    const reader = await world.player("Reader", { members: { RESCUE: 1 } });
    const [ban] = await world.ok(reader.token, "/houseban", { advanced: "true" });
    assert.deepEqual(ban.houseBanReasonList, [
      { reason: "Noise", days: 3, creatorName: "operator", creatorUUID: "" },
    ]);
  });

  it("/houseban stops listing a ban at the millisecond of its end", async (t) => {
    const { world, add, bans } = await openScene(t);
    await add("Mallory", "Theft");
    world.clock.advance(day - 1);
    assert.equal((await bans()).length, 1);
    world.clock.advance(1);
    assert.deepEqual(await bans(), []);
    world.clock.advance(1);
    assert.deepEqual(await bans(), []);
  });
});

describe("/houseban/add", () => {
  it("/houseban/add adds the days of a further reason; the ban still starts with the first", async (t) => {
    const { world, add, bans } = await openScene(t);
    const startTime = world.clock.time;
    await add("Mallory", "Noise");
    world.clock.advance(2 * day);
    await add("MALLORY", "Arson");
    const [ban] = await bans();
    assert.deepEqual(
      [ban?.startTime, ban?.duration, ban?.expirationTime],
      [startTime, 10 * day, startTime + 10 * day],
    );
    assert.deepEqual(ban?.houseBanReasonList, [
      { reason: "Noise", days: 3 },
      { reason: "Arson", days: 7 },
    ]);
  });

  it("/houseban/add adds no days for a repeated reason, and keeps its first creator", async (t) => {
    const { world, chief, add, bans } = await openScene(t);
    await add("Mallory", "Noise");
    const before = await bans();
    const other = await world.player("Other", { members: { RESCUE: 5 } });
    world.clock.advance(day);
    await world.ok(other.token, "/houseban/add", { name: "mallory", reason: "NOISE" });
    // The latest spelling of an unregistered name replaces earlier ones.
    assert.deepEqual(
      await bans(),
      before.map((ban: object) => ({ ...ban, name: "mallory" })),
    );
    const [ban] = await world.ok(chief.token, "/houseban", { advanced: "true" });
    assert.equal(ban.houseBanReasonList[0].creatorName, "Chief");
  });

  it("/houseban/add keeps the days of a ban when its reason changes", async (t) => {
    const { world, chief, add, bans } = await openScene(t);
    await add("Mallory", "Noise");
    const before = await bans();
    await world.ok(chief.token, "/housebanreason/remove", { reason: "Noise" });
    assert.deepEqual(await bans(), before);
    await world.ok(chief.token, "/housebanreason/add", { reason: "Noise", days: 30 });
    assert.deepEqual(await bans(), before);
    await add("Trudy", "Noise");
    assert.deepEqual(
      (await bans()).map(({ name, duration }) => [name, duration]),
      [
        ["Mallory", 3 * day],
        ["Trudy", 30 * day],
      ],
    );
  });

  it("/houseban/add makes no ban of a reason of 0 days alone, but adds it to one, which ends with its last other reason", async (t) => {
    const { world, chief, add, bans } = await openScene(t);
    const origin = { who: "operator", operation: "test" };
    await world.service.store.change(origin, (draft) => draft.entries.put(houseBanReason("Warning", 0)));
    const ban = { name: "Mallory", reason: "Warning" };
    assertFailure(await world.get(chief.token, "/houseban/add", ban), 409, "CONFLICT", "reason");
    await add("Mallory", "Noise");
    await add("Mallory", "Warning");
    assert.equal((await bans())[0]?.duration, 3 * day);
    const { info } = await world.ok(chief.token, "/houseban/remove", { name: "Mallory", reason: "Noise" });
    assert.deepEqual([info, await bans()], ["Removed the house ban of Mallory.", []]);
    assert.equal(world.service.store.data.houseBans.size, 0);
  });

  it("/houseban/add starts a new ban without the old reasons after the former one expired", async (t) => {
    const { world, add, bans } = await openScene(t);
    await add("Mallory", "Theft");
    world.clock.advance(5 * day);
    await add("Mallory", "Noise");
    const [ban] = await bans();
    assert.deepEqual([ban?.startTime, ban?.duration], [world.clock.time, 3 * day]);
    assert.deepEqual(ban?.houseBanReasonList, [{ reason: "Noise", days: 3 }]);
    world.clock.advance(3 * day);
    await add("Mallory", "Noise");
    assert.equal((await bans())[0]?.startTime, world.clock.time);
  });

  it("/houseban/add keeps the ban of a player who registers", async (t) => {
    const { world, add, bans } = await openScene(t);
    await add("ada", "Noise");
    const ada = await world.player("Ada");
    await add("Ada", "Theft");
    const all = await bans();
    assert.deepEqual(
      all.map(({ name, uuid, duration }) => ({ name, uuid, duration })),
      [{ name: "Ada", uuid: ada.uuid, duration: 4 * day }],
    );
  });

  it("/houseban/add adds up the longest reasons without loss", async (t) => {
    const { world, chief, add, bans } = await openScene(t);
    for (const reason of ["Forever", "And-a-day"]) {
      await world.ok(chief.token, "/housebanreason/add", { reason, days: 3650 });
      await add("Mallory", reason);
    }
    const [ban] = await bans();
    assert.equal(ban?.duration, 7300 * day);
    assert.equal(ban?.expirationTime, world.clock.time + 7300 * day);
  });
});

describe("/houseban/remove", () => {
  it("/houseban/remove subtracts the days of a reason, and keeps the start of the ban", async (t) => {
    const { world, add, remove, bans } = await openScene(t);
    const startTime = world.clock.time;
    await add("Mallory", "Noise");
    world.clock.advance(day);
    await add("Mallory", "Arson");
    await remove("MALLORY", "noise");
    const [ban] = await bans();
    assert.deepEqual([ban?.startTime, ban?.duration], [startTime, 7 * day]);
    assert.equal(ban?.expirationTime, startTime + 7 * day);
    assert.deepEqual(ban?.houseBanReasonList, [{ reason: "Arson", days: 7 }]);
  });

  it("/houseban/remove ends a ban whose other reasons have already lasted their days", async (t) => {
    const { world, add, remove, bans } = await openScene(t);
    await add("Mallory", "Theft");
    await add("Mallory", "Arson");
    world.clock.advance(2 * day);
    assert.equal((await bans()).length, 1);
    await remove("Mallory", "Arson");
    assert.deepEqual(await bans(), []);
  });

  it("/houseban/remove removes a reason from a ban even if it is no longer a house-ban reason", async (t) => {
    const { world, chief, add, remove, bans } = await openScene(t);
    await add("Mallory", "Noise");
    await world.ok(chief.token, "/housebanreason/remove", { reason: "Noise" });
    await remove("Mallory", "Noise");
    assert.deepEqual(await bans(), []);
  });

  it("/houseban/remove answers 404 without a ban, for another reason, and after its end", async (t) => {
    const { world, chief, add, bans } = await openScene(t);
    await add("Mallory", "Theft");
    const remove = (name: string, reason: string) =>
      world.get(chief.token, "/houseban/remove", { name, reason });
    assertFailure(await remove("Nobody", "Theft"), 404, "UNKNOWN_ENTRY", "name");
    assertFailure(await remove("Mallory", "Noise"), 404, "UNKNOWN_ENTRY");
    assert.equal((await bans()).length, 1);
    world.clock.advance(day);
    assertFailure(await remove("Mallory", "Theft"), 404, "UNKNOWN_ENTRY");
  });

  for (const all of ["all", "ALL", "al\uFE0Fl"]) {
    it(`/houseban/remove lifts the whole ban for the reason ${JSON.stringify(all)}`, async (t) => {
      const { add, remove, bans } = await openScene(t);
      for (const reason of ["Noise", "Theft"]) await add("Mallory", reason);
      await add("Trudy", "Noise");
      assert.deepEqual(await remove("mallory", all), { info: "Removed the house ban of mallory." });
      assert.deepEqual(
        (await bans()).map(({ name }) => name),
        ["Trudy"],
      );
    });
  }

  it("/houseban/remove answers 404 to the reason all without a ban", async (t) => {
    const { world, chief, add } = await openScene(t);
    await add("Mallory", "Theft");
    world.clock.advance(day);
    for (const name of ["Nobody", "Mallory"]) {
      const answer = await world.get(chief.token, "/houseban/remove", { name, reason: "all" });
      assertFailure(answer, 404, "UNKNOWN_ENTRY");
    }
  });

  it("/houseban/remove removes only the reason all from a ban of older data that has it", async (t) => {
    const { world, add, remove, bans } = await openScene(t);
    await world.service.store.change({ who: "operator", operation: "housebanreason.add" }, (draft) =>
      draft.entries.put(houseBanReason("All", 5)),
    );
    await add("Mallory", "Noise");
    await add("Mallory", "all");
    await remove("Mallory", "ALL");
    assert.deepEqual(
      (await bans()).map(({ houseBanReasonList }) => houseBanReasonList),
      [[{ reason: "Noise", days: 3 }]],
    );
    await remove("Mallory", "all");
    assert.deepEqual(await bans(), []);
  });

  it("an undo restores a ban that /houseban/remove has lifted", async (t) => {
    const { world, add, remove, bans } = await openScene(t);
    for (const reason of ["Noise", "Theft"]) await add("Mallory", reason);
    const before = await bans();
    await remove("Mallory", "all");
    await world.service.administer("undo", { sequence: world.service.store.sequence });
    assert.deepEqual(await bans(), before);
  });
});
