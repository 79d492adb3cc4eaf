/** Tokens that end between two requests. */
import { describe, it } from "node:test";
import { assertFailure, day, openWorld, type World } from "../_setup.ts";

describe("a token in use", () => {
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
    it(`a token in use is refused as soon as it ${what}`, async (t) => {
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
