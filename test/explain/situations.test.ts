/** The situations in which players gain and lose an operation: told apart where they differ, and as one where not. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { canI } from "../../src/explain/can-i.ts";
import { type Crowd, diffTables, listPlayers, type TableDiff } from "../../src/explain/diff.ts";
import { checkRoutes } from "../../src/operations.ts";
import type { Table } from "../../src/table/table.ts";
import { openWorld, prefix } from "../_setup.ts";

const world = await openWorld({ after: (end: () => unknown) => after(() => end()) });
await world.player("Ada", { administrator: true });
await world.player("Bob", { groups: ["VIP"] });
await world.player("Cleo", { groups: ["VIP", "BETA"] });
await world.player("Eve", { groups: ["BLACKLIST", "VIP"] });
const { service } = world;

/** Returns a table with some routes, each with a summary. */
function tableOf(...routes: readonly string[]): Table {
  const lines = routes.map((route) => `  ${route}\n`).join("");
  const text = `prefix: ${prefix}/{tokenString}\nexcluded: { group: BLACKLIST }\nroutes:\n${lines}`;
  const { table, faults } = checkRoutes(text, service.vocabulary());
  return table ?? assert.fail(JSON.stringify(faults));
}

const ban = (restriction: string, fallback = "false") =>
  `/houseban: { summary: H., restriction: ${restriction}, parameters: { advanced: { type: boolean, default: ${fallback} } }, handler: houseban.list }`;
const cases = (yes: string, no: string) =>
  `[{ when: { advanced: true }, restriction: ${yes} }, { restriction: ${no} }]`;
const event = "/event: { summary: E., restriction: open, handler: event.current }";

async function diff(before: Table, after: Table) {
  const source = (table: Table) => ({ file: "routes.yaml", table });
  return listPlayers(
    await diffTables(source(before), source(after), service.store.data, service.vocabulary()),
  );
}

const namesOf = ({ players, public: isPublic }: Crowd) => [
  ...players.map(({ name }) => name),
  ...(isPublic ? ["public"] : []),
];

function peopleOf({ routes }: TableDiff) {
  return routes.flatMap(({ people }) =>
    people.map(({ when, gains, loses }) => ({ when, gains: namesOf(gains), loses: namesOf(loses) })),
  );
}

describe("the situations of a changed route", () => {
  const everybody = ["Ada", "Bob", "Cleo"];
  const [no, yes] = [{ advanced: "false" }, { advanced: "true" }];

  for (const [what, before, after, expected] of [
    [
      "are one if the same callers gain in all",
      cases("administrators", "administrators"),
      cases("{ anyOf: [administrators, { group: VIP }] }", "{ anyOf: [{ group: VIP }, administrators] }"),
      [{ when: {}, gains: ["Bob", "Cleo"], loses: [] }],
    ],
    [
      "are two if public tokens gain in one alone",
      cases("administrators", "administrators"),
      cases("identified", "open"),
      [
        { when: no, gains: ["Bob", "Cleo", "public"], loses: [] },
        { when: yes, gains: ["Bob", "Cleo"], loses: [] },
      ],
    ],
    [
      "are two if further players gain in one alone",
      cases("administrators", "administrators"),
      cases("{ group: VIP }", "{ group: BETA }"),
      [
        { when: no, gains: ["Cleo"], loses: ["Ada"] },
        { when: yes, gains: ["Bob", "Cleo"], loses: ["Ada"] },
      ],
    ],
    [
      "are two if as many other players gain",
      cases("administrators", "{ group: BETA }"),
      cases("{ anyOf: [administrators, { group: BETA }] }", "{ anyOf: [administrators, { group: BETA }] }"),
      [
        { when: no, gains: ["Ada"], loses: [] },
        { when: yes, gains: ["Cleo"], loses: [] },
      ],
    ],
    [
      "are two if others lose while the same gain",
      cases("administrators", "{ anyOf: [administrators, { group: BETA }] }"),
      cases("identified", "{ group: VIP }"),
      [
        { when: no, gains: ["Bob"], loses: ["Ada"] },
        { when: yes, gains: ["Bob", "Cleo"], loses: [] },
      ],
    ],
    [
      "are only those in which somebody gains or loses something",
      cases("administrators", "open"),
      cases("administrators", "identified"),
      [{ when: no, gains: [], loses: ["public"] }],
    ],
    [
      "are only those in which somebody gains or loses something, public tokens included",
      cases("open", "open"),
      cases("administrators", "open"),
      [{ when: yes, gains: [], loses: ["Bob", "Cleo", "public"] }],
    ],
    [
      "are none if nobody gains or loses something",
      "administrators",
      cases("administrators", "administrators"),
      [],
    ],
    [
      "are one without cases",
      "open",
      "administrators",
      [{ when: {}, gains: [], loses: ["Bob", "Cleo", "public"] }],
    ],
  ] as const) {
    it(what, async () => {
      const result = await diff(tableOf(ban(before)), tableOf(ban(after)));
      assert.deepEqual(peopleOf(result), expected);
    });
  }

  it("include that a parameter is omitted only if its default changes", async () => {
    const restriction = cases("administrators", "open");
    const changed = await diff(tableOf(ban(restriction)), tableOf(ban(restriction, "true")));
    assert.deepEqual(peopleOf(changed), [
      { when: { advanced: "omitted" }, gains: [], loses: ["Bob", "Cleo", "public"] },
    ]);
  });

  it("of an added or removed route are those of the one table", async () => {
    const [without, whole] = [tableOf(event), tableOf(event, ban(cases("administrators", "open")))];
    const [no, yes] = [{ advanced: "false" }, { advanced: "true" }];
    const added = await diff(without, whole);
    assert.deepEqual(peopleOf(added), [
      { when: no, gains: [...everybody, "public"], loses: [] },
      { when: yes, gains: ["Ada"], loses: [] },
    ]);
    assert.deepEqual(
      [added.takesAway, added.counts],
      [false, { added: 1, removed: 0, changed: 0, gain: 3, lose: 0 }],
    );
    const removed = await diff(whole, without);
    assert.deepEqual(peopleOf(removed), [
      { when: no, gains: [], loses: [...everybody, "public"] },
      { when: yes, gains: [], loses: ["Ada"] },
    ]);
    assert.deepEqual(
      [removed.takesAway, removed.counts],
      [true, { added: 0, removed: 1, changed: 0, gain: 0, lose: 3 }],
    );
  });

  it("have everyone only if every registered player is in them", async () => {
    const everyone = async (before: string, after: string) => {
      const { routes } = await diff(tableOf(ban(before)), tableOf(ban(after)));
      return routes.flatMap(({ people }) =>
        people.map(({ gains, loses }) => [gains.everyone, loses.everyone]),
      );
    };
    // Eve is excluded.
    assert.deepEqual(await everyone("administrators", "open"), [[false, false]]);
    const { routes } = listPlayers(
      await diffTables(
        { file: "routes.yaml", table: tableOf(event) },
        { file: "routes.yaml", table: tableOf(ban("open")) },
        undefined,
        service.vocabulary(),
      ),
    );
    assert.deepEqual(
      routes.map(({ people }) => people.map(({ gains, loses }) => ({ gains, loses }))),
      [
        [
          {
            gains: { count: 0, players: [], public: true, everyone: false },
            loses: { count: 0, players: [], public: false, everyone: false },
          },
        ],
        [
          {
            gains: { count: 0, players: [], public: false, everyone: false },
            loses: { count: 0, players: [], public: true, everyone: false },
          },
        ],
      ],
    );
  });
});

it("another excluded group excludes and readmits players by name, without public tokens", async () => {
  const groups = ["BLACKLIST", "VIP"].map((group) => {
    const { table } = checkRoutes(
      `prefix: ${prefix}/{tokenString}\nexcluded: { group: ${group} }\nroutes:\n  ${event}\n`,
      service.vocabulary(),
    );
    return table ?? assert.fail("the table has faults");
  });
  const [blacklist, vip] = groups;
  assert.ok(blacklist !== undefined && vip !== undefined);
  const there = await diff(blacklist, vip);
  assert.deepEqual(there.exclusion && [there.exclusion.excludes, there.exclusion.readmits].map(namesOf), [
    ["Bob", "Cleo"],
    [],
  ]);
  assert.deepEqual(
    [there.takesAway, there.routes, there.counts],
    [true, [], { added: 0, removed: 0, changed: 0, gain: 0, lose: 2 }],
  );
  const back = await diff(vip, blacklist);
  assert.deepEqual(back.exclusion && [back.exclusion.excludes, back.exclusion.readmits].map(namesOf), [
    [],
    ["Bob", "Cleo"],
  ]);
  assert.deepEqual([back.takesAway, back.counts.gain, back.counts.lose], [false, 2, 0]);
  assert.equal((await diff(vip, vip)).exclusion, null);
});

describe("who-can", () => {
  const ask = async (path: string, pairs: readonly (readonly [string, string])[] = []) => {
    const answer = await service.questions.whoCan(path, pairs);
    const allowed = answer.allowed.map(({ when, count, players, public: isPublic }) => {
      assert.equal(count, players.length);
      return [when, players.map(({ name }) => name), isPublic];
    });
    return { ...answer, allowed };
  };

  it("answers with the values of its question, in the words of these values", async () => {
    assert.deepEqual(await ask("/houseban"), {
      path: "/houseban",
      restriction: "everyone with a valid token",
      readOnly: true,
      parameters: { advanced: false },
      revision: (await service.routes.load()).revision,
      registered: 4,
      excluded: 1,
      allowed: [[{}, ["Ada", "Bob", "Cleo"], true]],
    });
    const advanced = await ask("/houseban", [["advanced", "true"]]);
    assert.deepEqual(
      [advanced.restriction, advanced.parameters, advanced.allowed],
      ["members of the service RESCUE", { advanced: true }, [[{}, [], false]]],
    );
  });

  it("answers for each value of an open parameter, in the words of the table", async () => {
    await service.administer("member.set", { player: "Bob", organisation: "GROVE", rank: 4 });
    const open = await ask("/blacklistreason/{factionString}/add");
    assert.equal(open.restriction, "members of the faction {factionString} with rank 4 or higher");
    assert.deepEqual([open.readOnly, open.parameters], [false, {}]);
    assert.deepEqual(
      open.allowed,
      service
        .vocabulary()
        .faction.map((name) => [{ factionString: name }, name === "GROVE" ? ["Bob"] : [], false]),
    );
    const own = await ask("/statistic/{player}/add");
    assert.deepEqual(own.allowed, [
      [{ player: "the caller's own name" }, ["Ada", "Bob", "Cleo"], false],
      [{ player: "anything else" }, [], false],
    ]);
  });
});

describe("a question", () => {
  const refused = (path: string, pairs: readonly (readonly [string, string])[], error: object) =>
    assert.rejects(service.questions.canI("public", path, pairs), error);

  it("that lacks a parameter says where to give it", async () => {
    const missing = (parameter: string) => ({
      code: "PARAMETER_MISSING",
      message: `The parameter "${parameter}" is missing: the restriction depends on it.`,
      parameter,
    });
    await refused("/blacklistreason/{factionString}", [], {
      ...missing("factionString"),
      hint: "Give it in place of its placeholder in the path.",
    });
    const table = tableOf(
      "/navipoint/remove: { summary: N., restriction: { self: name }, parameters: { name: text }, handler: navipoint.remove }",
    );
    const { data } = service.store;
    const ask = (pairs: readonly [string, string][]) =>
      canI(data, table, service.vocabulary(), 0, ["Bob", "/navipoint/remove", pairs]);
    assert.throws(() => ask([]), { ...missing("name"), hint: "Give it as name=…." });
    assert.equal(ask([["name", "bob"]]).allowed, true);
  });

  it("with a faulty value that does not decide is refused as a request is", async () => {
    await refused("/wantedreason/add", [["points", "many"]], {
      code: "PARAMETER_INVALID",
      parameter: "points",
    });
    await refused("/wantedreason/add", [["reason", "a b"]], {
      code: "PARAMETER_INVALID",
      parameter: "reason",
    });
    const { allowed } = await service.questions.canI("Ada", "/wantedreason", []);
    assert.equal(allowed, true);
  });

  it("with a name that its path has already is refused with the names that it takes", async () => {
    await refused("/blacklistreason/GROVE/add", [["factionString", "VAGOS"]], {
      code: "PARAMETER_UNKNOWN",
      message: 'This operation has no parameter "factionString".',
      hint: "It takes reason, price and kills.",
    });
    await refused(
      "/houseban",
      [
        ["advanced", "true"],
        ["advanced", "true"],
      ],
      { code: "PARAMETER_REPEATED", message: '"advanced" is repeated.' },
    );
  });

  it("about an unknown path quotes it", async () => {
    await refused("/wantedreasn", [], {
      code: "UNKNOWN_PATH",
      message: 'The route table has no path "/wantedreasn".',
      hint: "Did you mean /wantedreason?",
    });
  });
});
