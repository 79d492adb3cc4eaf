/** Tests of a table: their results, their faults with positions, and their coverage. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TestResult, testTable } from "../../src/table-test/table-test.ts";
import { goodTable } from "../table/_faults.ts";
import { check, vocabulary } from "../table/_library.ts";

async function runTests(text: string, tableText = goodTable) {
  const { table, faults } = check(tableText);
  assert.ok(table !== undefined, JSON.stringify(faults));
  return testTable(text, { table, vocabulary });
}

async function resultOf(text: string, tableText?: string): Promise<TestResult> {
  const { result, faults } = await runTests(text, tableText);
  assert.ok(result !== undefined, JSON.stringify(faults));
  return result;
}

/** Asserts that all expectations are met. @param tests what follows `tests:` */
async function assertPass(tests: string, number: number): Promise<void> {
  const { failures, ...result } = await resultOf(`tests:\n${tests}`);
  assert.deepEqual(failures, []);
  assert.equal(result.tests, number);
}

/** Asserts which expectations are not met: line, column, result. */
async function assertFail(tests: string, ...expected: readonly [number, number, string][]): Promise<void> {
  const { failures } = await resultOf(`tests:\n${tests}`);
  const found = failures.map(({ line, column, came }) => [line, column, came]);
  assert.deepEqual(found, expected, JSON.stringify(failures));
}

type ExpectedFault = readonly [line: number, column: number, says: RegExp];

async function assertFaults(text: string, ...expected: readonly ExpectedFault[]): Promise<void> {
  const { result, faults } = await runTests(text);
  assert.equal(result, undefined);
  const found = faults.map(({ line, column, message }) => `${line}:${column} ${message}`).join("\n");
  assert.deepEqual(
    faults.map(({ line, column }) => [line, column]),
    expected.map(([line, column]) => [line, column]),
    found,
  );
  for (const [index, [, , says]] of expected.entries()) assert.match(faults[index]?.message ?? "", says);
  assert.doesNotMatch(found, /undefined|\[object|Invalid (?:type|value|key)/);
}

describe("a test of the table", () => {
  it("describes callers by their properties", () =>
    assertPass(
      `  /books/north:
    allowed: [{ faction: NORTH }, { faction: north, rank: 1 }, { members: { NORTH: 3, DESK: 1 } }]
    denied: [public, player, {}, { faction: SOUTH, rank: 9 }, { service: DESK }, { administrator: true }]
  /readers/Ada:
    allowed: [{ name: ada }, { group: STAFF }, { groups: [friends, staff] }, { administrator: true }]
    denied: [public, player, { name: Adam }, { group: FRIENDS }, { administrator: false }]
`,
      18,
    ));

  it("can have one caller without a list, and a path several calls in a list", () =>
    assertPass(
      `  /books:
    - allowed: public
    - with: { hidden: true }
      allowed: { service: DESK }
      denied: public
`,
      3,
    ));

  it("means by `others` every named caller that it does not mention", async () => {
    const { tests, failures } = await resultOf(
      `callers:
  north3: { faction: NORTH, rank: 3 }
  north4: { faction: NORTH, rank: 4 }
tests:
  /books/NORTH/add:
    allowed: north4
    denied: others
`,
    );
    assert.deepEqual(failures, []);
    assert.equal(tests, 4);
  });

  it("may omit parameters that the restriction does not depend on", () =>
    assertPass(
      "  /books/NORTH/add:\n    allowed: { faction: NORTH, rank: 4 }\n    denied: { faction: NORTH, rank: 3 }\n",
      2,
    ));

  it("allows nobody with an invalid parameter, even after a missing one", () =>
    assertFail(
      `  /books/NORTH/add:
    - with: { pages: 0 }
      allowed: { faction: NORTH, rank: 4 }
    - with: { title: T, pages: 1, kind: essay }
      allowed: { faction: NORTH, rank: 4 }
`,
      [4, 16, "PARAMETER_MISSING"],
      [6, 16, "PARAMETER_INVALID"],
    ));

  it("expects the codes of requests, in the order of their steps", () =>
    assertPass(
      `  /books/NORTH/add:
    - with: { title: T, pages: 0, kind: novel }
      PARAMETER_INVALID: { faction: NORTH, rank: 4 }
      RESTRICTED: public
      EXCLUDED: { group: BARRED, administrator: true }
    - with: { title: T }
      PARAMETER_MISSING: { faction: NORTH, rank: 4 }
    - with: { title: T, titel: T }
      PARAMETER_UNKNOWN: { faction: NORTH, rank: 4 }
      denied: public
    - with: { title: [T, U] }
      PARAMETER_REPEATED: { faction: NORTH, rank: 4 }
  /books/WEST:
    UNKNOWN_FACTION: [public, { administrator: true }]
    EXCLUDED: { group: BARRED }
  /books:
    with: { hidden: maybe }
    PARAMETER_INVALID: public
  /films:
    UNKNOWN_PATH: [public, { group: BARRED }]
`,
      13,
    ));

  it("counts an excluded caller as denied, even if everyone is allowed", () =>
    assertFail("  /books:\n    denied: { group: BARRED }\n    allowed: { group: BARRED }\n", [
      4,
      14,
      "EXCLUDED",
    ]));

  it("neither allows nor denies with an invalid decisive parameter", () =>
    assertFail(
      "  /books/WEST:\n    allowed: player\n    denied: public\n",
      [3, 14, "UNKNOWN_FACTION"],
      [4, 13, "UNKNOWN_FACTION"],
    ));

  it("passes parameters as they are written", () =>
    assertFail(
      "  /books/NORTH/add:\n    with: { title: 2.10, pages: 0x10, kind: novel }\n    allowed: { faction: NORTH, rank: 4 }\n",
      [4, 14, "PARAMETER_INVALID"],
    ));

  it("reports where it fails, for whom, with which result, and why", async () => {
    const { failures } = await resultOf(
      `callers:
  north3: { faction: NORTH, rank: 3 }
tests:
  /books/NORTH/add:
    with: { title: T }
    allowed:
      - { faction: NORTH, rank: 4 }
      - north3
  /books:
    denied: [player]
`,
    );
    assert.deepEqual(failures, [
      {
        line: 8,
        column: 9,
        call: "/books/NORTH/add?title=T",
        caller: "north3 (rank 3 in NORTH)",
        expected: "allowed",
        came: "denied",
        why: "Allowed here: members of the faction NORTH with rank 4 or higher. The caller is in the faction NORTH with rank 3.",
      },
      {
        line: 10,
        column: 14,
        call: "/books",
        caller: "player (a player without memberships)",
        expected: "denied",
        came: "allowed",
        why: "Allowed here: everyone with a valid token. The caller has a valid token.",
      },
    ]);
  });
});

describe("a fault in tests of the table is reported", () => {
  it("for every caller, path and parameter at once, with the nearest name", () =>
    assertFaults(
      `callers:
  north3: { faction: NORD, rank: 3 }
  public: {}
  rank: { rank: 4 }
  both: { faction: NORTH, service: DESK, rank: 4 }
  desk: { faction: DESK }
  twice: { faction: NORTH, members: { NORTH: 3 } }
tests:
  /boks/NORTH:
    denied: public
  /books/NORTH:
    denied: [player, nort3]
  /books/{branch}:
    denied: public
  /books?hidden=true:
    denied: public
  /books:
    with: { hiden: true }
    allowed: public
    denied: { group: STAF }
  /readers/Ada:
    - { with: {} }
    - allowed: []
`,
      [2, 22, /unknown faction "NORD".*Did you mean "NORTH"/],
      [3, 3, /"public" is a built-in caller/],
      [4, 11, /"rank" belongs beside "faction" or "service"/],
      [5, 42, /members: \{ NORTH: 4, DESK: 4 \}/],
      [6, 20, /expected a faction, got the service "DESK"/],
      [7, 39, /duplicate membership in NORTH/],
      [9, 3, /no route matches \/boks\/NORTH\. Did you mean "\/books\/NORTH"/],
      [12, 22, /unknown caller "nort3".* Did you mean "north3"/],
      [13, 3, /expected a value, got the placeholder \{branch\}/],
      [15, 3, /under "with"/],
      [18, 13, /unknown query parameter "hiden".*Did you mean "hidden"/],
      [20, 22, /unknown group "STAF".*Did you mean "STAFF"/],
      [22, 7, /a test without any/],
      [23, 7, /at least one caller/],
    ));

  it("for every key and value of the wrong form", () =>
    assertFaults(
      `callers:
  a: { rank: x, administrator: yes, groups: STAFF, name: }
  b: { rnk: 3 }
tests:
  /books: { alowed: public, CONFLICT: public, denied: [[public]] }
  /books/NORTH:
tets: {}
`,
      [2, 14, /expected a whole number of 1 or more, got "x"/],
      [2, 32, /expected true or false, got "yes"/],
      [2, 45, /expected a list, got "STAFF"/],
      [2, 52, /expected a name, got nothing/],
      [3, 8, /unknown key "rnk" of a caller.*Did you mean "rank"/],
      [5, 13, /unknown key "alowed" of a test.*Did you mean "allowed"/],
      [5, 29, /CONFLICT.*runs no operation/],
      [5, 56, /expected a map, got a list/],
      [6, 3, /expected a map, got nothing/],
      [7, 1, /unknown key "tets".*Did you mean "tests"/],
    ));

  for (const [what, text, fault] of [
    ["a file without tests", "callers: {}\n", [1, 1, /"tests" is missing/]],
    ["an empty file", "", [1, 1, /expected tests of a route table, got an empty file/]],
    ["a list of callers", "callers: []\ntests: { /books: { allowed: public } }\n", [1, 10, /expected a map/]],
    ["a list of tests", "tests: [public]\n", [1, 8, /expected a map, got a list/]],
    [
      "a list of parameters",
      "tests: { /books: { with: [], allowed: public } }\n",
      [1, 26, /expected a map, got an empty list/],
    ],
    ["an empty map of tests", "tests: {}\n", [1, 1, /at least one test/]],
    ["a path without tests", "tests:\n  /books: []\n", [2, 3, /at least one test/]],
    ["invalid YAML", "tests: a: b\n", [1, 8, /invalid YAML/]],
    [
      "a duplicate path",
      "tests:\n  /books: { allowed: public }\n  /books: { allowed: player }\n",
      [3, 3, /the first is in line 2; write several calls of one path as a list/],
    ],
    [
      "others, if there are none",
      "tests:\n  /books: { allowed: [public, player, others] }\n",
      [2, 39, /there are no others/],
    ],
  ] as const) {
    it(`for ${what}`, () => assertFaults(text, fault));
  }
});

describe("coverage", () => {
  it("is 100 % if each route is called, and each part of a restriction has allowed and denied", async () => {
    const { coverage } = await resultOf(
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

  it("of an allOf requires that each part alone denies somebody", async () => {
    const both = goodTable.replace(
      "{ faction: $branch, rank: 4 }",
      "{ allOf: [{ faction: $branch }, administrators] }",
    );
    const callers = `callers:
  both: { faction: NORTH, administrator: true }
  member: { faction: NORTH }
  head: { administrator: true }
`;
    const gapsOf = async (denied: string) => {
      const tests = `${callers}tests:\n  /books/NORTH/add: { allowed: both, denied: ${denied} }\n`;
      const { coverage } = await resultOf(tests, both);
      return coverage.gaps.flatMap(({ route, restriction, untried }) =>
        route === "/books/{branch}/add" ? [`${restriction} ${untried}`] : [],
      );
    };
    assert.deepEqual(await gapsOf("[member, head]"), []);
    assert.deepEqual(await gapsOf("[member, public]"), ["members of the faction {branch} denied"]);
    assert.deepEqual(await gapsOf("public"), [
      "members of the faction {branch} denied",
      "administrators denied",
    ]);
  });

  it("lists untested routes, cases and parts, each way", async () => {
    const { coverage } = await resultOf(
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
