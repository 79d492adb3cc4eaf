/** Activity, compared with a simple model through random requests. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import fc from "fast-check";
import { Activity } from "../../src/identity/activity.ts";
import { runs } from "../_depth.ts";
import { day, openWorld } from "../_setup.ts";

const step = fc.record({
  act: fc.constantFrom("ask", "ask", "ask", "wait", "back", "save", "delete"),
  who: fc.constantFrom("Ada", "Bob"),
  version: fc.constantFrom(undefined, undefined, "2.5.1", "2.6", "no version"),
  days: fc.constantFrom(1, 3),
});

it("activity has each client's last request and version", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const { service, clock, player } = await openPlayers(t);
      const activity = new Activity(service.store.data);
      const told = new Map<string, { lastSeen: number; version: string | null }>();
      let requests = activity.requests;
      for (const { act, who, version, days } of steps) {
        const uuid = player[who];
        if (act === "wait") clock.advance(days * day);
        if (act === "back") clock.advance(-1000);
        if (act === "save") await activity.save(service.store);
        // Activity of a removed player is not saved, and stays until the next save.
        if (act === "delete") await service.administer("player.remove", { player: who }).catch(() => {});
        if (act !== "ask") continue;
        if (!service.store.data.players.has(uuid)) continue;
        const before = told.get(uuid);
        const valid = version === "no version" ? undefined : version;
        const after = { lastSeen: clock.time, version: valid ?? before?.version ?? null };
        activity.note(uuid, version, clock.time);
        told.set(uuid, after);
        requests += 1;
        const { lastSeen, version: shown } = activity.of(uuid) ?? {};
        assert.deepEqual({ lastSeen, version: shown }, after);
        assert.equal(activity.requests, requests);
      }
    }),
    { numRuns: runs(60) },
  );
});

it("clients whose batch could not be saved are saved the next time, without another request", async (t) => {
  const { service, clock, player } = await openPlayers(t);
  const { store } = service;
  const activity = new Activity(store.data);
  const uuids = [...Array.from({ length: 600 }, () => randomUUID().replaceAll("-", "")), player.Ada];
  for (const uuid of uuids) activity.note(uuid, "2.5", clock.time);
  const change = t.mock.method(store, "change");
  change.mock.mockImplementationOnce(() => Promise.reject(new Error("the disk is full")), 1);
  await assert.rejects(activity.save(store), /the disk is full/);
  assert.equal(store.data.activity.get(player.Ada), undefined);
  await activity.save(store);
  assert.equal(store.data.activity.get(player.Ada)?.version, "2.5");
});

async function openPlayers(t: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(t);
  const uuidOf = async (name: string) => (await world.player(name)).uuid;
  const player = { Ada: await uuidOf("Ada"), Bob: await uuidOf("Bob") };
  return { service: world.service, clock: world.clock, player };
}
