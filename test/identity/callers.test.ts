/** Callers that are kept by their token, compared through random changes with callers that are looked up anew. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { Failure } from "../../src/errors.ts";
import { Callers } from "../../src/identity/callers.ts";
import { day, openWorld } from "../_setup.ts";

const step = fc.record({
  act: fc.constantFrom(
    "revoke",
    "grant",
    "demote",
    "rank",
    "leave",
    "join",
    "quit",
    "delete",
    "register",
    "wait",
  ),
  rank: fc.integer({ min: 1, max: 9 }),
});

it("says of a token what looking it up anew says, through random changes", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const world = await openWorld(t);
      const { service, clock } = world;
      const kept = new Callers(service.store.data);
      const { uuid, token } = await world.player("Ada", { members: { GROVE: 4 } });
      const issued = await service.administer("token.issue", { player: "Ada", expiresIn: 3 * day });
      const short = issued.token;

      const says = (callers: Callers, each: string): unknown => {
        try {
          const caller = callers.of(each, clock.time);
          const { id, scope, identified, administrator, unrestricted } = caller;
          const ranks = [caller.rankIn("faction", "GROVE"), caller.rankIn("group", "VIP")];
          return [id, scope, identified, administrator, unrestricted, caller.isCalled("ada"), ranks];
        } catch (error) {
          return error instanceof Failure ? error.code : error;
        }
      };
      const assertSame = () => {
        for (const each of [token, short, world.publicToken, `${token}x`]) {
          assert.deepEqual(says(kept, each), says(new Callers(service.store.data), each));
        }
      };

      assertSame();
      for (const { act, rank } of steps) {
        const player = "Ada";
        const changes: Record<string, () => Promise<unknown>> = {
          revoke: () => service.administer("token.revoke", { id: issued.id }),
          grant: () => service.administer("admin.grant", { player }),
          demote: () => service.administer("admin.revoke", { player }),
          rank: () => service.administer("member.set", { player, organisation: "GROVE", rank }),
          leave: () => service.administer("member.remove", { player, organisation: "GROVE" }),
          join: () => service.administer("group.add", { player, group: "VIP" }),
          quit: () => service.administer("group.remove", { player, group: "VIP" }),
          delete: () => service.administer("player.remove", { player }),
          register: () => service.administer("player.add", { name: player, uuid, members: [] }),
          wait: async () => clock.advance(2 * day),
        };
        // What can not be done at the moment changes nothing.
        await changes[act]?.().catch(() => {});
        assertSame();
      }
    }),
    { numRuns: 30 },
  );
});
