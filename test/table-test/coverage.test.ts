/** The coverage of tests of a table, and that a bug of the engine is no result of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { testTable } from "../../src/table-test/table-test.ts";
import { prefix } from "../_setup.ts";
import { edited, goodTable } from "../table/_faults.ts";
import { check, vocabulary } from "../table/_library.ts";

function run(text: string, tableText = goodTable, tokenForm = /^tok_/) {
  const { table, faults } = check(tableText);
  assert.ok(table !== undefined, JSON.stringify(faults));
  return testTable(text, table, vocabulary, tokenForm);
}

function coverageOf(text: string, tableText?: string) {
  const { result, faults } = run(text, tableText);
  return result?.coverage ?? assert.fail(JSON.stringify(faults));
}

describe("coverage", () => {
  it("is 100 % if each route is called, and each part of a restriction has allowed and denied", () => {
    const coverage = coverageOf(
      `callers:
  north: { faction: NORTH, rank: 4 }
tests:
  /books:
    - allowed: public
    - { with: { hidden: true }, allowed: { service: DESK }, denied: public }
  /books/NORTH: { allowed: north, denied: public }
  /books/NORTH/add: { allowed: north, denied: public }
  /readers/Ada: { allowed: [{ name: Ada }, { group: STAFF }, { administrator: true }], denied: public }
`,
    );
    assert.deepEqual(coverage, {
      percent: 100,
      routes: { covered: 4, total: 4 },
      ways: { covered: 13, total: 13 },
      gaps: [],
    });
  });

  it("of an allOf requires that each part alone denies somebody", () => {
    const both = goodTable.replace(
      "{ faction: $branch, rank: 4 }",
      "{ allOf: [{ faction: $branch }, administrators] }",
    );
    const callers = `callers:
  both: { faction: NORTH, administrator: true }
  member: { faction: NORTH }
  head: { administrator: true }
`;
    const gapsOf = (denied: string) => {
      const tests = `${callers}tests:\n  /books/NORTH/add: { allowed: both, denied: ${denied} }\n`;
      const coverage = coverageOf(tests, both);
      return coverage.gaps.flatMap(({ route, restriction, untried }) =>
        route === "/books/{branch}/add" ? [`${restriction} ${untried}`] : [],
      );
    };
    assert.deepEqual(gapsOf("[member, head]"), []);
    assert.deepEqual(gapsOf("[member, public]"), ["members of the faction {branch} denied"]);
    assert.deepEqual(gapsOf("public"), ["members of the faction {branch} denied", "administrators denied"]);
  });

  it("lists untested routes, cases and parts, each way", () => {
    const coverage = coverageOf(
      `tests:
  /books: { allowed: public }
  /books/NORTH: { denied: [public, { group: BARRED, members: { NORTH: 4 } }] }
  /readers/Ada: { allowed: { group: STAFF } }
`,
    );
    const member = "members of the faction {branch}";
    assert.deepEqual(coverage.gaps, [
      { route: "/books", restriction: "members of the service DESK when hidden is true", untried: "allowed" },
      { route: "/books", restriction: "members of the service DESK when hidden is true", untried: "denied" },
      { route: "/books/{branch}", restriction: member, untried: "allowed" },
      { route: "/books/{branch}/add", restriction: null, untried: null },
      { route: "/readers/{reader}", restriction: 'the player named in "reader"', untried: "allowed" },
      { route: "/readers/{reader}", restriction: "administrators", untried: "allowed" },
      { route: "/readers/{reader}", restriction: "members of the group STAFF", untried: "denied" },
    ]);
    assert.deepEqual(coverage.routes, { covered: 3, total: 4 });
    assert.deepEqual(coverage.ways, { covered: 5, total: 13 });
    assert.equal(coverage.percent, 47);
  });
});

describe("a gap names its case", () => {
  const gapsOf = (restriction: string) => {
    const table = edited("    restriction: { faction: $branch }\n", `    restriction: ${restriction}\n`);
    const { result } = run("tests:\n  /books/WEST: { UNKNOWN_FACTION: public }\n", table);
    const { result: called } = run("tests:\n  /books/NORTH: { EXCLUDED: { group: BARRED } }\n", table);
    assert.deepEqual([result?.coverage.ways.covered, called?.coverage.ways.covered], [0, 0]);
    const { result: tested } = run("tests:\n  /books/NORTH: { denied: public }\n", table);
    return tested?.coverage.gaps.flatMap(({ route, restriction: words, untried }) =>
      route === "/books/{branch}" ? [`${words}: ${untried}`] : [],
    );
  };

  it("unless there is only one", () => {
    assert.deepEqual(gapsOf("[{ faction: $branch }]"), ["members of the faction {branch}: allowed"]);
  });

  it("or that it is for all other cases", () => {
    assert.deepEqual(gapsOf("[{ when: { branch: SOUTH }, group: STAFF }, { faction: $branch }]"), [
      "members of the group STAFF when branch is SOUTH: allowed",
      "members of the group STAFF when branch is SOUTH: denied",
      "members of the faction {branch} otherwise: allowed",
    ]);
  });

  it("in each part of a compound", () => {
    assert.deepEqual(
      gapsOf("[{ when: { branch: SOUTH }, anyOf: [administrators, { group: STAFF }] }, administrators]"),
      [
        "administrators when branch is SOUTH: allowed",
        "administrators when branch is SOUTH: denied",
        "members of the group STAFF when branch is SOUTH: allowed",
        "members of the group STAFF when branch is SOUTH: denied",
        "administrators otherwise: allowed",
      ],
    );
  });
});

describe("a bug of the engine", () => {
  const add = "tests:\n  /books/NORTH: { allowed: public }\n";

  /** A form of tokens that fails when it is asked for the n-th time, and counts. */
  function failing(time: number) {
    const state = { asked: 0 };
    const tokenForm = Object.assign(/^tok_/, {
      test() {
        state.asked += 1;
        if (state.asked === time) throw new TypeError(`a bug at ${time}`);
        return false;
      },
    });
    return { state, tokenForm };
  }

  it("ends the tests, wherever it is: it is no result", () => {
    const { state, tokenForm } = failing(0);
    run(add, goodTable, tokenForm);
    assert.ok(state.asked > 0);
    for (let time = 1; time <= state.asked; time += 1) {
      assert.throws(() => run(add, goodTable, failing(time).tokenForm), { message: `a bug at ${time}` });
    }
  });
});

it("nobody is allowed with a new text that has an invisible character, even without other parameters", () => {
  const route =
    "{ summary: A., restriction: open, parameters: { reason: text, points: integer }, handler: wantedreason.add }";
  const { table } = checkRoutes(`prefix: ${prefix}/{tokenString}\nroutes:\n  /add: ${route}\n`, vocabulary);
  assert.ok(table !== undefined);
  for (const [reason, failed] of [
    ["Theft", 0],
    ['"The\\u200Bft"', 1],
  ] as const) {
    const text = `tests: { /add: { with: { reason: ${reason} }, allowed: player } }`;
    assert.equal(testTable(text, table, vocabulary).result?.failures.length, failed, reason);
  }
});
