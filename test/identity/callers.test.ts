/** The cache of callers: through random changes, cached callers equal fresh ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Failure } from "../../src/domain/errors.ts";
import { CallerCache } from "../../src/identity/caller-cache.ts";
import { hashOfToken, newToken } from "../../src/identity/tokens.ts";
import { runs } from "../_depth.ts";
import { assertFailure, day, openWorld, type World } from "../_setup.ts";

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

it("a cached caller equals a fresh one, through random changes", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const world = await openWorld(t);
      const { service, clock } = world;
      const cache = new CallerCache(service.store.data, clock.now);
      const { uuid, token } = await world.player("Ada", { members: { GROVE: 4 } });
      const issued = await service.administer("token.issue", { player: "Ada", expiresIn: 3 * day });
      const short = issued.token;

      const outcome = (callers: CallerCache, each: string): unknown => {
        try {
          const caller = callers.get(each, clock.time);
          const { id, scope, identified, administrator, unrestricted } = caller;
          const ranks = [caller.rankIn("faction", "GROVE"), caller.rankIn("group", "VIP")];
          return [id, scope, identified, administrator, unrestricted, caller.isCalled("ada"), ranks];
        } catch (error) {
          return error instanceof Failure ? error.code : error;
        }
      };
      const assertSame = () => {
        for (const each of [token, short, world.publicToken, `${token}x`]) {
          assert.deepEqual(
            outcome(cache, each),
            outcome(new CallerCache(service.store.data, clock.now), each),
          );
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
        // An impossible change is refused and changes nothing.
        await changes[act]?.().catch(() => {});
        assertSame();
      }
    }),
    { numRuns: runs(30) },
  );
});

describe("a token whose caller is cached", () => {
  /** What ends a token, and the code of its refusal. */
  const ends: readonly (readonly [string, string, (world: World, id: string) => unknown])[] = [
    ["expires", "TOKEN_EXPIRED", ({ clock }) => clock.advance(day)],
    ["is revoked", "TOKEN_REVOKED", ({ service }, id) => service.administer("token.revoke", { id })],
    [
      "loses its player",
      "TOKEN_UNKNOWN",
      ({ service }) => service.administer("player.remove", { player: "Ada" }),
    ],
  ];
  for (const [what, code, end] of ends) {
    it(`a token whose caller is cached is refused as soon as it ${what}`, async (t) => {
      const world = await openWorld(t);
      await world.service.administer("player.add", { name: "Ada", members: [] });
      const issued = await world.service.administer("token.issue", { player: "Ada", expiresIn: day });
      await world.ok(issued.token, "/event");
      world.clock.advance(day - 1);
      await world.ok(issued.token, "/event");
      world.clock.advance(1 - day);
      await end(world, issued.id);
      for (let count = 0; count < 2; count += 1) {
        assertFailure(await world.get(issued.token, "/event"), 401, code);
      }
    });
  }
});

it("the cache has at most 10,000 callers and evicts the least recently used", async (t) => {
  const { service, clock } = await openWorld(t);
  const tokens = Array.from({ length: 10_001 }, () => newToken().token);
  await service.store.change({ who: "operator", operation: "test" }, (draft) => {
    for (const [number, token] of tokens.entries()) {
      const id = number.toString(16).padStart(8, "0");
      const none = { uuid: null, label: null, addonVersion: null, expiresAt: null, revokedAt: null };
      draft.tokens.put({ id, hash: hashOfToken(token) ?? "", ...none, issuedAt: clock.time });
    }
  });
  const callers = new CallerCache(service.store.data, clock.now);
  const [first = "", second = ""] = tokens;
  const [firstCaller, secondCaller] = tokens.map((token) => callers.get(token, clock.time));
  assert.ok(callers.get(second, clock.time) === secondCaller, "the second is still cached");
  assert.ok(callers.get(first, clock.time) !== firstCaller, "the first was evicted");
});
