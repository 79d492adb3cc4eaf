/** The clients that are kept, compared through random events with clients that are looked for anew. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { Clients } from "../../src/identity/clients.ts";
import { day, openWorld } from "../_setup.ts";

const step = fc.record({
  act: fc.constantFrom("ask", "ask", "wait", "issue", "revoke", "mark", "outdate", "delete", "save"),
  who: fc.constantFrom("Ada", "Bob"),
  version: fc.constantFrom("2.5.1", "2.6", undefined),
});

it("are what looking for them anew gives, through random events", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
      const world = await openWorld(t);
      const { service, clock } = world;
      const { data } = service.store;
      const kept = new Clients(data, service.activity);
      const admin = await world.player("Admin", { administrator: true });
      const tokens = new Map<string, { id: string; token: string }>();
      for (const player of ["Ada", "Bob"]) {
        await service.administer("player.register", { name: player, members: [] });
        tokens.set(player, await service.administer("token.issue", { player, expiresIn: 5 * day }));
      }
      const assertSame = () => {
        const shown = ({ list, active, users }: ReturnType<Clients["at"]>) => {
          return {
            list: list.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1)),
            active,
            users: [...users].sort(),
          };
        };
        assert.deepEqual(
          shown(kept.at(clock.time)),
          shown(new Clients(data, service.activity).at(clock.time)),
        );
      };
      assertSame();
      for (const { act, who, version } of steps) {
        const given = tokens.get(who) ?? { id: "", token: "" };
        const headers: Record<string, string> =
          version === undefined ? {} : { "User-Agent": `gameaddon/${version}` };
        const acts: Record<string, () => Promise<unknown>> = {
          ask: () => world.get(given.token, "/player/groups", {}, { headers }),
          wait: async () => clock.advance(day),
          issue: async () =>
            tokens.set(who, await service.administer("token.issue", { player: who, addonVersion: version })),
          revoke: () => service.administer("token.revoke", { id: given.id }),
          mark: () => world.get(admin.token, "/mgmt/version", { type: "add", version: "2.6" }),
          outdate: () => world.get(admin.token, "/mgmt/version", { type: "remove", version: "2.6" }),
          delete: () => service.administer("player.delete", { player: who }),
          save: () => service.activity.save(service.store),
        };
        // What can not be done at the moment changes nothing.
        await acts[act]?.().catch(() => {});
        assertSame();
      }
    }),
    { numRuns: 40 },
  );
});
