/** What counts as removing access: `routes reload` asks before it puts such a table in force. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { openWorld, shippedRoutes } from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");

/** Edits, each with the text before and after. */
type Edit = readonly [what: string, from: string, to: string];

const taking: readonly Edit[] = [
  ["a player loses a route", "{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 5 }"],
  [
    "public tokens lose a route",
    "summary: Returns the wanted list.\n    restriction: open",
    "summary: Returns the wanted list.\n    restriction: identified",
  ],
  ["a player is excluded", "excluded: { group: BLACKLIST }", "excluded: { group: VIP }"],
  ["the prefix changes", "prefix: /gameaddon/v1", "prefix: /gameaddon/v2"],
  ["a route runs another operation", "handler: statistic.top", "handler: event.current"],
  ["a route is renamed", "  /statistic/top:", "  /statistic/best:"],
];

const others: readonly Edit[] = [
  ["a restriction that nobody fulfilled is stricter", "{ service: RESCUE, rank: 4 }", "administrators"],
  ["a player gains a route", "{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 3 }"],
  ["a summary changes", "Returns the wanted list.", "Returns the wanted reasons."],
  ["the language changes", "language: en", "language: de"],
  ["the product changes", "product: gameaddon", "product: otheraddon"],
  ["nobody is in the group that is excluded", "excluded: { group: BLACKLIST }", "excluded: { group: MOD }"],
  ["a parameter is tightened", "minimum: 1, maximum: 3650", "minimum: 1, maximum: 30"],
];

for (const [expected, edits] of [
  [true, taking],
  [false, others],
] as const) {
  describe(`a table ${expected ? "removes" : "does not remove"} access`, () => {
    for (const [what, from, to] of edits) {
      it(`where ${what}`, async (t) => {
        const world = await openWorld(t);
        await world.player("Ada", { members: { POLICE: 4 } });
        await world.player("Bob", { members: { POLICE: 3 }, groups: ["VIP"] });
        assert.ok(shipped.includes(from), from);
        const next = { file: "next.yaml", text: shipped.replaceAll(from, to) };
        const { routes, settings, takesAway } = await world.service.questions.diff(next);
        assert.notEqual(routes.length + settings.length, 0, "the edit is seen");
        assert.equal(takesAway, expected);
      });
    }
  });
}

it("a restriction in another form, but with the same words, is a change of its route", async (t) => {
  const world = await openWorld(t);
  const text = shipped.replace(
    "restriction: { self: player }",
    "restriction: [{ restriction: { self: player } }]",
  );
  const { routes } = await world.service.questions.diff({ file: "next.yaml", text });
  assert.deepEqual(
    routes.map(({ path, change, restriction, people }) => ({ path, change, restriction, people })),
    [{ path: "/statistic/{player}/add", change: "changed", restriction: null, people: [] }],
  );
});
