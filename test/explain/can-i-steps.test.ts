/** The steps of `can-i`, word by word: which there are, in which order, and what would be enough. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type CallOptions, canI, type Decision } from "../../src/explain/can-i.ts";
import { checkRoutes } from "../../src/operations.ts";
import type { Restriction } from "../../src/table/restriction/restriction.ts";
import type { Table } from "../../src/table/table.ts";
import { openWorld, prefix } from "../_setup.ts";
import { stepsOf, waysOf } from "./_steps.ts";

const world = await openWorld({ after: (end: () => unknown) => after(() => end()) });
await world.player("Ada", { administrator: true });
await world.player("Bob", { members: { GROVE: 3 } });
await world.player("Eve", { groups: ["BLACKLIST"] });
await world.service.administer("player.add", { name: "Zoe", members: [] });
const { service, clock } = world;

const excluding = "excluded: { group: BLACKLIST }";
const nobodyExcluded = "";

/** Returns a table whose routes have this restriction, or `onPlayer` where they have a parameter "player". */
function tableOf(restriction: string, onPlayer = "open", excluded = excluding): Table {
  const text = `
prefix: ${prefix}/{tokenString}
${excluded}
routes:
  /event: { summary: E., restriction: ${restriction}, handler: event.current }
  /targetlist/add: { summary: T., restriction: ${restriction}, parameters: { name: text }, handler: targetlist.add }
  /statistic/{player}: { summary: S., restriction: ${onPlayer}, parameters: { player: text }, handler: statistic.show }
`;
  const { table, faults } = checkRoutes(text, service.vocabulary());
  return table ?? assert.fail(JSON.stringify(faults));
}

function ask(who: string, table: Table, path = "/event", options?: CallOptions): Decision {
  return canI(service.store.data, table, service.vocabulary(), clock.time, [who, path, []], options);
}

const free = (name: string) => `exclusion + ${name} is not in the group BLACKLIST`;

describe("the whole decision of can-i", () => {
  it("for a player who is allowed has no way to be allowed", () => {
    const table = tableOf("{ faction: GROVE, rank: 3 }");
    const { steps, ...rest } = ask("bob", table);
    assert.deepEqual(stepsOf({ ...rest, steps }), [
      free("Bob"),
      "needs · members of the faction GROVE with rank 3 or higher",
      "has + Bob is in the faction GROVE with rank 3",
    ]);
    assert.deepEqual(rest, {
      allowed: true,
      code: null,
      caller: "Bob",
      path: "/event",
      parameters: {},
      revision: table.revision,
    });
  });

  it("for a public token that is not allowed names the token of a player", () => {
    const { steps, ...rest } = ask("PUBLIC", tableOf("open", "{ self: player }"), "/statistic/Bob");
    assert.deepEqual(stepsOf({ ...rest, steps }), [
      "exclusion + a public token is in no group, and so not in BLACKLIST",
      "parameters · player is Bob",
      'needs · the player named in "player"',
      "has - it is a public token, which belongs to nobody",
      'enough · the token of a player, of the player named in "player"',
    ]);
    const { revision: _, ...decided } = rest;
    assert.deepEqual(decided, {
      allowed: false,
      code: "RESTRICTED",
      caller: "public",
      path: "/statistic/{player}",
      parameters: { player: "Bob" },
    });
  });

  it("for an excluded player is EXCLUDED, whatever the token and the restriction are", () => {
    const excluded = "exclusion - Eve is in the group BLACKLIST, whose members may call nothing";
    const readmission = "the end of the exclusion (addon-cli player readmit Eve)";
    const open = ask("Eve", tableOf("open"));
    assert.deepEqual([open.allowed, open.code], [false, "EXCLUDED"]);
    assert.deepEqual(stepsOf(open), [
      excluded,
      "needs · everyone with a valid token",
      "has + Eve has a valid token",
      `enough · ${readmission}`,
    ]);
    const closed = ask("Eve", tableOf("{ anyOf: [administrators, { group: VIP }] }"));
    assert.deepEqual([closed.allowed, closed.code], [false, "EXCLUDED"]);
    assert.deepEqual(waysOf(closed), [
      `${readmission}, and the administrator flag (addon-cli admin grant Eve)`,
      `${readmission}, and membership in the group VIP (addon-cli group add Eve VIP)`,
    ]);
    const change = ask("Eve", tableOf("open"), "/targetlist/add", { readOnly: true });
    assert.deepEqual([change.allowed, change.code], [false, "EXCLUDED"]);
  });

  it("for a table that excludes nobody says so", () => {
    const decision = ask("Eve", tableOf("open", "open", nobodyExcluded));
    assert.deepEqual([decision.allowed, decision.code], [true, null]);
    assert.equal(stepsOf(decision)[0], "exclusion + the table excludes nobody");
    assert.equal(
      stepsOf(ask("public", tableOf("open", "open", nobodyExcluded)))[0],
      "exclusion + the table excludes nobody",
    );
  });

  it("for a player of older data who is called public is that of a player", async () => {
    const uuid = "0123456789abcdef0123456789abcdef";
    await service.store.change({ who: "operator", operation: "player.add" }, (draft) =>
      draft.players.put({ uuid, name: "public", administrator: false, registeredAt: 0 }),
    );
    const decision = ask(uuid, tableOf("identified"));
    assert.deepEqual([decision.caller, decision.allowed], ["public", true]);
    assert.deepEqual(stepsOf(decision).slice(1), [
      free("public"),
      "needs · identified players",
      "has + public is a player",
    ]);
    assert.equal(ask("public", tableOf("identified")).code, "RESTRICTED");
  });

  it("for a read-only token refuses changes alone", () => {
    const change = ask("Bob", tableOf("open"), "/targetlist/add", { readOnly: true });
    assert.deepEqual([change.allowed, change.code], [false, "READ_ONLY"]);
    assert.deepEqual(stepsOf(change), [
      free("Bob"),
      "token - a read-only token allows no changes",
      "needs · everyone with a valid token",
      "has + Bob has a valid token",
    ]);
    const restricted = ask("Bob", tableOf("administrators"), "/targetlist/add", { readOnly: true });
    assert.deepEqual([restricted.allowed, restricted.code], [false, "READ_ONLY"]);
    for (const [path, options] of [
      ["/event", { readOnly: true }],
      ["/targetlist/add", { readOnly: false }],
      ["/targetlist/add", {}],
    ] as const) {
      const decision = ask("Bob", tableOf("open"), path, options);
      assert.deepEqual([decision.allowed, decision.code], [true, null]);
      assert.doesNotMatch(stepsOf(decision).join("\n"), /^token/m);
    }
  });
});

describe("the tokens of a player", () => {
  it("are mentioned before everything else if none is valid", () => {
    const says = "token · Zoe has no valid token (addon-cli token issue --player Zoe)";
    for (const path of ["/event", "/targetlist/add"]) {
      const decision = ask("Zoe", tableOf("identified"), path);
      assert.equal(decision.allowed, true, "a token would be enough");
      assert.deepEqual(stepsOf(decision), [
        says,
        free("Zoe"),
        "needs · identified players",
        "has + Zoe is a player",
      ]);
    }
  });

  it("are mentioned if all are read-only and the operation is a change with another token", async () => {
    await service.administer("player.add", { name: "Rob", members: [] });
    await service.administer("token.issue", { player: "Rob", readOnly: true });
    const says =
      "token · Rob has only read-only tokens, which allow no changes (addon-cli token issue --player Rob)";
    const isSaid = (path: string, options?: CallOptions) =>
      stepsOf(ask("Rob", tableOf("open"), path, options)).includes(says);
    assert.deepEqual(
      [isSaid("/targetlist/add"), isSaid("/event"), isSaid("/targetlist/add", { readOnly: true })],
      [true, false, false],
    );
    // One of two tokens is enough.
    await service.administer("token.issue", { player: "Rob", expiresIn: 1000 });
    assert.equal(isSaid("/targetlist/add"), false);
    clock.advance(999);
    assert.equal(isSaid("/targetlist/add"), false);
    clock.advance(1);
    assert.equal(isSaid("/targetlist/add"), true);
  });
});

describe("what would be enough", () => {
  const alternatives: readonly (readonly [restriction: string, player: string[], open: string[]])[] = [
    ["identified", [], ["the token of a player"]],
    [
      "administrators",
      ["the administrator flag (addon-cli admin grant Bob)"],
      ["the token of a player, from among administrators"],
    ],
    [
      "{ group: VIP }",
      ["membership in the group VIP (addon-cli group add Bob VIP)"],
      ["the token of a player, from among members of the group VIP"],
    ],
    [
      "{ faction: BALLAS }",
      ["any rank in the faction BALLAS (addon-cli member set Bob BALLAS 1)"],
      ["the token of a player, from among members of the faction BALLAS"],
    ],
    [
      "{ faction: BALLAS, rank: 1 }",
      ["any rank in the faction BALLAS (addon-cli member set Bob BALLAS 1)"],
      ["the token of a player, from among members of the faction BALLAS with rank 1 or higher"],
    ],
    [
      "{ service: POLICE, rank: 2 }",
      ["rank 2 or higher in the service POLICE (addon-cli member set Bob POLICE 2)"],
      ["the token of a player, from among members of the service POLICE with rank 2 or higher"],
    ],
    [
      "{ anyOf: [{ anyOf: [administrators, { group: VIP }] }, { allOf: [administrators] }] }",
      [
        "the administrator flag (addon-cli admin grant Bob)",
        "membership in the group VIP (addon-cli group add Bob VIP)",
      ],
      [
        "the token of a player, from among administrators",
        "the token of a player, from among members of the group VIP",
      ],
    ],
    [
      "{ allOf: [identified, { faction: GROVE, rank: 4 }, administrators] }",
      [
        "rank 4 or higher in the faction GROVE (addon-cli member set Bob GROVE 4), and " +
          "the administrator flag (addon-cli admin grant Bob)",
      ],
      [
        "the token of a player, from among those who are all of these: identified players, members of the faction GROVE " +
          "with rank 4 or higher and administrators",
      ],
    ],
    [
      "{ allOf: [{ anyOf: [administrators, { allOf: [administrators] }] }] }",
      ["the administrator flag (addon-cli admin grant Bob)"],
      ["the token of a player, from among administrators or administrators"],
    ],
  ];

  for (const [restriction, player, open] of alternatives) {
    it(`for ${restriction} names each way once`, () => {
      const [bob, anybody] = [ask("Bob", tableOf(restriction)), ask("public", tableOf(restriction))];
      assert.deepEqual([bob.allowed, waysOf(bob)], [player.length === 0, player]);
      assert.deepEqual([anybody.allowed, anybody.code, waysOf(anybody)], [false, "RESTRICTED", open]);
    });
  }

  it("for the player of the path is the own name", () => {
    const table = tableOf("open", "{ anyOf: [{ self: player }, administrators] }");
    assert.deepEqual(waysOf(ask("Bob", table, "/statistic/Ada")), [
      'Bob as "player"',
      "the administrator flag (addon-cli admin grant Bob)",
    ]);
    assert.equal(ask("Bob", table, "/statistic/BOB").allowed, true);
  });

  // A table requires a last case that always applies; the type does not.
  const noCase: Restriction = {
    kind: "cases",
    cases: [{ when: { player: "Ada" }, restriction: { kind: "administrators" } }],
  };
  const vip: Restriction = { kind: "member", of: "group", reference: { name: "VIP" }, rank: undefined };
  const withRestriction = (restriction: Restriction): Table => {
    const table = tableOf("open", "{ self: player }");
    return { ...table, routes: table.routes.map((route) => ({ ...route, restriction })) };
  };
  const membership = "membership in the group VIP (addon-cli group add Bob VIP)";

  it("is nothing if no case applies", () => {
    const decision = ask("Bob", withRestriction(noCase), "/statistic/Bob");
    assert.deepEqual([decision.allowed, decision.code], [false, "RESTRICTED"]);
    assert.deepEqual(stepsOf(decision), [
      free("Bob"),
      "parameters · player is Bob",
      "case - no case applies",
      "needs · nobody",
      "has - Bob has a valid token",
    ]);
    const excluded = ask("Eve", withRestriction(noCase), "/statistic/Bob");
    assert.deepEqual(waysOf(excluded), ["the end of the exclusion (addon-cli player readmit Eve)"]);
  });

  it("is nothing if a part of an allOf cannot be met", () => {
    const both = withRestriction({ kind: "allOf", restrictions: [vip, noCase] });
    assert.deepEqual(waysOf(ask("Bob", both, "/statistic/Bob")), []);
    assert.deepEqual(waysOf(ask("Bob", both, "/statistic/Ada")), [
      `${membership}, and the administrator flag (addon-cli admin grant Bob)`,
    ]);
    const either = withRestriction({ kind: "anyOf", restrictions: [vip, noCase] });
    assert.deepEqual(waysOf(ask("Bob", either, "/statistic/Bob")), [membership]);
  });
});

describe("the cases and parts of a restriction", () => {
  const inner = "[{ when: { player: ADA }, self: player }, { anyOf: [administrators, { group: VIP }] }]";

  it("are those that apply, from the outermost on", () => {
    const table = tableOf("open", `{ allOf: [identified, ${inner}] }`);
    assert.deepEqual(stepsOf(ask("Bob", table, "/statistic/Cleo")).slice(1), [
      "parameters · player is Cleo",
      "case · case 2 of 2 applies, for everything else",
      "needs · those who are both identified players and (administrators or members of the group VIP)",
      "part + 1: identified players",
      "part - 2: administrators or members of the group VIP",
      "part - 2.1: administrators",
      "part - 2.2: members of the group VIP",
      "has - Bob is a player, is no administrator, is not in the group VIP",
      "enough · either the administrator flag (addon-cli admin grant Bob) or membership in the group VIP " +
        "(addon-cli group add Bob VIP)",
    ]);
    assert.deepEqual(stepsOf(ask("Ada", table, "/statistic/Ada")).slice(1), [
      "parameters · player is Ada",
      "case · case 1 of 2 applies, for player is ADA",
      'needs · those who are both identified players and the player named in "player"',
      "part + 1: identified players",
      'part + 2: the player named in "player"',
      'has + Ada is a player, is the player named in "player"',
    ]);
  });

  it("are numbered within the case that applies", () => {
    const steps = stepsOf(ask("Ada", tableOf("open", inner), "/statistic/Bob"));
    assert.deepEqual(
      steps.filter((each) => each.startsWith("part")),
      ["part + 1: administrators", "part - 2: members of the group VIP"],
    );
  });
});
