/** Registration takes over the records about a name or a UUID, however they were made. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, everyRight, openAs, openWorld, type World } from "../_setup.ts";

const uuid = "00112233445566778899aabbccddeeff";

interface Listed {
  readonly name: string;
  readonly uuid: string | null;
}

/** Each list: the operation that adds a player, and a function that returns its entries. */
const lists: Readonly<
  Record<
    string,
    readonly [
      path: string,
      query: Readonly<Record<string, string>>,
      (world: World) => Promise<readonly Listed[]>,
    ]
  >
> = {
  "the target list": ["/targetlist/add", {}, (world) => world.ok(world.publicToken, "/targetlist")],
  "a group": [
    "/player/add",
    { group: "VIP" },
    async (world) => (await world.ok(world.publicToken, "/player")).VIP,
  ],
  "the house bans": [
    "/houseban/add",
    { reason: "Noise" },
    (world) => world.ok(world.publicToken, "/houseban"),
  ],
};

/** The ways to refer to an unregistered player. */
const references: Readonly<Record<string, readonly string[]>> = {
  "the name": ["ada"],
  "the UUID": [uuid],
  "the name and the UUID": ["ada", uuid],
};

describe("registration", () => {
  for (const [list, [path, query, read]] of Object.entries(lists)) {
    for (const [what, names] of Object.entries(references)) {
      it(`a player who registers is on ${list} once if listed by ${what} before`, async (t) => {
        const { world, token } = await openAs(t, "Chief", everyRight);
        await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 1 });
        for (const name of names) await world.ok(token, path, { ...query, name });
        assert.equal((await read(world)).length, names.length);
        await world.player("Ada", { uuid });
        const listed = (await read(world)).map((target) => ({ name: target.name, uuid: target.uuid }));
        assert.deepEqual(listed, [{ name: "Ada", uuid }]);
      });
    }
  }

  for (const [what, names] of Object.entries(references)) {
    it(`a player who registers stays excluded if excluded by ${what} before`, async (t) => {
      const world = await openWorld(t);
      for (const player of names) await world.service.administer("player.exclude", { player });
      const { token } = await world.player("Ada", { uuid });
      assertFailure(await world.get(token, "/event"), 403, "EXCLUDED");
      await world.service.administer("player.readmit", { player: "Ada" });
      await world.ok(token, "/event");
    });
  }
});
