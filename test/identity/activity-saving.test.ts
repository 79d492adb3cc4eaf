/** Saving activity: no request is lost or counted twice, whatever arrives during the save. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Player } from "../../src/domain/model.ts";
import { Activity } from "../../src/identity/activity.ts";
import { day, openWorld, type World } from "../_setup.ts";
import { ruledFiles, systemError } from "../store/_faults.ts";

/** Returns the activity that a service would load now. */
function saved({ service }: World): Activity {
  return new Activity(service.store.data);
}

describe("saving activity", () => {
  it("saving activity includes the requests of public tokens", async (t) => {
    const world = await openWorld(t);
    const { store } = world.service;
    const activity = new Activity(store.data);
    const before = activity.requests;
    for (let count = 0; count < 3; count += 1) activity.note(null, undefined, world.clock.time);
    await activity.save(store);
    assert.equal(saved(world).requests, before + 3);
  });

  it("saving activity writes nothing without a request since the last save", async (t) => {
    const world = await openWorld(t);
    const { store } = world.service;
    const activity = new Activity(store.data);
    activity.note(null, undefined, world.clock.time);
    await activity.save(store);
    const { sequence } = store;
    await activity.save(store);
    assert.equal(store.sequence, sequence);
  });

  it("saving activity leaves the requests that arrive meanwhile to the next save", async (t) => {
    const world = await openWorld(t);
    const { store } = world.service;
    const activity = new Activity(store.data);
    const before = activity.requests;
    activity.note(null, undefined, world.clock.time);
    const saving = activity.save(store);
    activity.note(null, undefined, world.clock.time);
    activity.note(null, undefined, world.clock.time);
    await saving;
    assert.equal(activity.requests, before + 3);
    assert.equal(saved(world).requests, before + 1);
    await activity.save(store);
    assert.equal(activity.requests, before + 3);
    assert.equal(saved(world).requests, before + 3);
  });

  it("saving activity twice at once counts each request once", async (t) => {
    const { store } = (await openWorld(t)).service;
    const activity = new Activity(store.data);
    const before = activity.requests;
    for (let count = 0; count < 5; count += 1) activity.note(null, undefined, 0);
    await Promise.all([activity.save(store), activity.save(store)]);
    assert.deepEqual([activity.requests, new Activity(store.data).requests], [before + 5, before + 5]);
  });

  for (const [what, later, version] of [
    ["a later request", 1000, "2.5.1"],
    ["another version at the same instant", 0, "2.6.0"],
  ] as const) {
    it(`saving activity leaves ${what} that arrives meanwhile to the next save`, async (t) => {
      const world = await openWorld(t);
      const { store } = world.service;
      const { uuid } = await world.player("Ada");
      const activity = new Activity(store.data);
      const first = world.clock.time;
      activity.note(uuid, "2.5.1", first);
      const saving = activity.save(store);
      activity.note(uuid, version, first + later);
      await saving;
      assert.equal(saved(world).of(uuid)?.lastSeen, first);
      const { lastSeen, version: shown } = activity.of(uuid) ?? {};
      assert.deepEqual([lastSeen, shown], [first + later, version]);
      await activity.save(store);
      assert.deepEqual(saved(world).of(uuid), { uuid, lastSeen: first + later, version });
    });
  }

  it("saving activity of more clients than fit into one change counts each request once", async (t) => {
    const world = await openWorld(t);
    const { store } = world.service;
    const players = Array.from({ length: 1001 }, (_, number): Player => {
      const uuid = number.toString(16).padStart(32, "0");
      return { uuid, name: `Player${number}`, administrator: false, registeredAt: world.clock.time };
    });
    await store.change({ who: "operator", operation: "test" }, (draft) => {
      for (const player of players) draft.players.put(player);
    });
    const activity = new Activity(store.data);
    const before = activity.requests;
    for (const { uuid } of players) activity.note(uuid, "2.5.1", world.clock.time);
    await activity.save(store);
    const after = saved(world);
    assert.equal(after.requests, before + players.length);
    const seen = players.filter(({ uuid }) => after.of(uuid)?.lastSeen === world.clock.time);
    assert.equal(seen.length, players.length);
  });

  it("saving activity keeps the counts of the latest 90 days with any, although a clock is ahead once", async (t) => {
    const { service, clock } = await openWorld(t);
    const { store } = service;
    const activity = new Activity(store.data);
    const saveOne = async () => {
      activity.note(null, undefined, clock.time);
      activity.addOn(clock.time, "kills");
      await activity.save(store);
      return Array.from(store.data.counters.values(), ({ name, value }) => `${name} ${value}`).sort();
    };
    await saveOne();
    clock.advance(3650 * day);
    assert.deepEqual(await saveOne(), ["2026-11-21/kills 1", "2036-11-18/kills 1", "requests 2"]);
    clock.advance(-3650 * day);
    for (let count = 1; count < 89; count += 1) {
      clock.advance(day);
      await saveOne();
    }
    for (const first of ["2026-11-21/kills 1", "2026-11-22/kills 1"]) {
      clock.advance(day);
      const kept = await saveOne();
      assert.deepEqual([kept[0], kept.length, kept.at(-2)], [first, 92, "2036-11-18/kills 1"]);
    }
  });

  it("saving activity neither saves nor keeps that of a former player", async (t) => {
    const world = await openWorld(t);
    const { service, clock } = world;
    const { uuid } = await world.player("Ada");
    const activity = new Activity(service.store.data);
    activity.note(uuid, "2.5.1", clock.time);
    await service.administer("player.remove", { player: "Ada" });
    await activity.save(service.store);
    assert.equal(saved(world).of(uuid), undefined);
    assert.equal(activity.of(uuid), undefined);
  });

  it("activity that could not be saved is included in the next save", async (t) => {
    let fails = false;
    const files = ruledFiles(({ operation, path }) =>
      fails && operation === "write" && path.includes("journal-") ? systemError("ENOSPC") : undefined,
    );
    const world = await openWorld(t, { files });
    const { store } = world.service;
    const { uuid } = await world.player("Ada");
    const activity = new Activity(store.data);
    const before = activity.requests;
    activity.note(uuid, "2.5.1", world.clock.time);
    fails = true;
    await assert.rejects(activity.save(store), { code: "STORE_UNAVAILABLE" });
    fails = false;
    assert.equal(activity.requests, before + 1);
    await activity.save(store);
    assert.equal(saved(world).requests, before + 1);
    assert.deepEqual(saved(world).of(uuid), { uuid, lastSeen: world.clock.time, version: "2.5.1" });
  });
});
