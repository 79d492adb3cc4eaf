/** Activity, compared through random requests with what each of them has told. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { Activity } from "../../src/identity/activity.ts";
import { day, openWorld } from "../_setup.ts";

const step = fc.record({
  act: fc.constantFrom("ask", "ask", "ask", "wait", "issue", "save", "delete"),
  who: fc.constantFrom("Ada", "Bob"),
  version: fc.constantFrom(undefined, undefined, "2.5.1", "2.6", "no version"),
  days: fc.constantFrom(1, 3),
});

/** Somebody who is active no longer, and comes back. */
const returning = (["ask", "wait", "ask"] as const).map((act) => {
  return { act, who: "Ada", version: undefined, days: 3 } as const;
});

it("knows of each client when it asked last, which version it told last, and when there is news", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const { service, clock, player } = await openPlayers(t);
      const activity = new Activity(service.store.data);
      const told = new Map<string, { lastSeen: number; version: string | null }>();
      let requests = activity.requests;
      /** Of whom there is news with the next request, whatever it tells. */
      const newlyIssued = new Set<string>();
      for (const { act, who, version, days } of steps) {
        const uuid = player[who];
        if (act === "wait") clock.advance(days * day);
        if (act === "save") await activity.save(service.store);
        if (act === "issue") {
          // A token counts as newer only where it is: at the same instant nobody can tell.
          clock.advance(1);
          await service.administer("token.issue", { player: who }).catch(() => {});
          newlyIssued.add(uuid);
        }
        // Of a player who is gone nothing is saved, and what was noted stays until then.
        if (act === "delete") await service.administer("player.delete", { player: who }).catch(() => {});
        if (act !== "ask") continue;
        if (!service.store.data.players.has(uuid)) continue;
        const before = told.get(uuid);
        const valid = version === "no version" ? undefined : version;
        const after = { lastSeen: clock.time, version: valid ?? before?.version ?? null };
        const isNews =
          before === undefined ||
          before.version !== after.version ||
          clock.time - before.lastSeen >= 3 * day ||
          newlyIssued.has(uuid);
        const versionBefore = activity.version;
        activity.note(uuid, version, clock.time);
        told.set(uuid, after);
        newlyIssued.delete(uuid);
        requests += 1;
        const { lastSeen, version: shown } = activity.of(uuid) ?? {};
        assert.deepEqual({ lastSeen, version: shown }, after);
        assert.equal(activity.version > versionBefore, isNews, `news of ${JSON.stringify(after)}`);
        assert.equal(activity.requests, requests);
      }
    }),
    { numRuns: 60, examples: [[returning]] },
  );
});

async function openPlayers(t: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(t);
  const uuidOf = async (name: string) => (await world.player(name)).uuid;
  const player = { Ada: await uuidOf("Ada"), Bob: await uuidOf("Bob") };
  // The tokens of these are older than all that follows.
  world.clock.advance(1);
  return { service: world.service, clock: world.clock, player };
}
