/** Warnings about what is valid in a table but possibly unintended, and how a table declares it intended. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { checkRoutes, operationsToCheck } from "../../src/operations.ts";
import type { Operations } from "../../src/table/operation.ts";
import { checkTable } from "../../src/table/table.ts";
import { type HighestRanks, warningsOf } from "../../src/table/warnings.ts";
import { shippedRoutes } from "../_setup.ts";
import { operations, vocabulary } from "./_library.ts";

const library = operations();
const closing = library.get("house.close");
assert.ok(closing);
/** The library's operations, where `house.close` stores the caller. */
const recording: Operations = new Map([...library, ["house.close", { ...closing, recordsCaller: true }]]);

/** Returns a table of these routes, which begin in line 3, with all other operations `unserved`. */
function tableOf(routes: string): string {
  const left = [...library.keys()].filter((name) => !routes.includes(`handler: ${name}`));
  return `prefix: /library/{key}\nroutes:\n${routes}unserved: [${left.join(", ")}]\n`;
}

interface With {
  readonly members?: ReadonlyMap<string, number>;
  readonly ranks?: HighestRanks;
  readonly all?: Operations;
}

/** Returns each warning as `line:column kind`. */
function warnings(text: string, { members, ranks, all = library }: With = {}): string[] {
  const { table, faults } = checkTable(text, { operations: all, vocabulary: () => vocabulary });
  assert.ok(table, JSON.stringify(faults));
  const found = warningsOf(table, text, { operations: all, members, ranks });
  for (const { message } of found) assert.doesNotMatch(message, /undefined|\[object|NaN|[\r\n]/);
  return found.map(({ line, column, kind }) => `${line}:${column} ${kind}`);
}

const closed = (restriction: string, more = "") =>
  tableOf(`  /close:
    summary: Closes the house.
    restriction: ${restriction}
    handler: house.close
${more}`);

describe("open-change warns of a change", () => {
  for (const [what, restriction, expected] of [
    ["with the restriction open", "open", "5:18"],
    ["with open in an anyOf", "{ anyOf: [administrators, open] }", "5:44"],
    ["with open as the only case", "[open]", "5:19"],
    ["with open under the key of a case", "[{ restriction: open }]", "5:34"],
    [
      "with open in nested anyOfs",
      "{ anyOf: [administrators, { anyOf: [{ group: STAFF }, open] }] }",
      "5:72",
    ],
  ] as const) {
    it(what, () => assert.deepEqual(warnings(closed(restriction)), [`${expected} open-change`]));
  }

  it("with open in one of the cases", () => {
    const text = tableOf(`  /books/{branch}/add:
    summary: Adds a book.
    restriction:
      - { when: { kind: poem }, service: DESK }
      - open
    parameters: { branch: faction, title: text, pages: { type: integer, minimum: 1, maximum: 9 }, kind: kind }
    handler: books.add
`);
    const types = "types: { kind: { type: enum, values: [novel, poem] } }\n";
    assert.deepEqual(warnings(text + types), ["7:9 open-change"]);
  });

  it("unless the route declares it intended", () => {
    assert.deepEqual(warnings(closed("open", "    intended: [open-change]\n")), []);
  });

  for (const restriction of [
    "identified",
    "administrators",
    "{ group: STAFF }",
    "{ service: DESK, rank: 1 }",
    "{ allOf: [{ group: STAFF }, { anyOf: [administrators, { service: DESK }] }] }",
  ])
    it(`unless its restriction is ${restriction}`, () => assert.deepEqual(warnings(closed(restriction)), []));

  it("with an allOf only if every part is open", () => {
    const opens = (restriction: string) =>
      warnings(closed(restriction)).filter((each) => each.endsWith("open-change"));
    assert.deepEqual(opens("{ allOf: [open, { group: STAFF }] }"), []);
    assert.deepEqual(opens("{ allOf: [{ anyOf: [open, administrators] }, identified] }"), []);
    assert.deepEqual(opens("{ allOf: [open, { anyOf: [open, administrators] }] }"), ["5:28 open-change"]);
  });

  it("but not of a read", () => {
    const text = tableOf("  /open: { summary: Opens., restriction: open, handler: house.open }\n");
    assert.deepEqual(warnings(text), []);
  });
});

describe("unknown-caller warns of a change that stores its caller", () => {
  it("if a public token may make it", () => {
    const all = recording;
    assert.deepEqual(warnings(closed("open"), { all }), ["5:18 open-change", "5:18 unknown-caller"]);
    const meant = "    intended: [open-change]\n";
    assert.deepEqual(warnings(closed("open", meant), { all }), ["5:18 unknown-caller"]);
    const both = "    intended: [open-change, unknown-caller]\n";
    assert.deepEqual(warnings(closed("open", both), { all }), []);
  });

  it("but not if only players may make it", () => {
    assert.deepEqual(warnings(closed("identified"), { all: recording }), []);
  });
});

describe("empty-group warns of a group without members", () => {
  const members = new Map([
    ["STAFF", 2],
    ["FRIENDS", 0],
  ]);
  const friends = "{ anyOf: [{ group: STAFF }, { group: FRIENDS }] }";

  it("in a restriction", () => {
    assert.deepEqual(warnings(closed(friends), { members }), ["5:55 empty-group"]);
  });
  it("unless the route declares it intended", () => {
    assert.deepEqual(warnings(closed(friends, "    intended: [empty-group]\n"), { members }), []);
  });
  it("but not of a group with a member, even if the route declares emptiness intended", () => {
    const full = new Map([...members, ["FRIENDS", 1] as const]);
    assert.deepEqual(warnings(closed(friends, "    intended: [empty-group]\n"), { members: full }), []);
  });
  it("but not without data", () => assert.deepEqual(warnings(closed(friends)), []));
  it("but not of the excluded group", () => {
    const text = closed("identified").replace("prefix:", "excluded: { group: BARRED }\nprefix:");
    assert.deepEqual(warnings(text, { members }), []);
  });
});

describe("unheld-rank warns of a rank that nobody has", () => {
  const ranks: HighestRanks = {
    faction: new Map([
      ["NORTH", 4],
      ["SOUTH", 9],
    ]),
    service: new Map([["DESK", 2]]),
  };
  const found = (restriction: string, given: HighestRanks | undefined = ranks) =>
    warnings(closed(restriction), given === undefined ? {} : { ranks: given });

  it("at the rank", () => {
    assert.deepEqual(found("{ service: DESK, rank: 44 }"), ["5:41 unheld-rank"]);
    assert.deepEqual(found("{ allOf: [identified, { faction: NORTH, rank: 5 }] }"), [
      "5:28 redundant-part",
      "5:64 unheld-rank",
    ]);
  });
  it("but not if somebody has it or a higher one", () => {
    assert.deepEqual(found("{ service: DESK, rank: 2 }"), []);
    assert.deepEqual(found("{ faction: SOUTH, rank: 5 }"), []);
  });
  it("but not if there are no members, and not without data", () => {
    assert.deepEqual(found("{ service: ARCHIVE, rank: 44 }"), []);
    assert.deepEqual(found("{ service: DESK, rank: 44 }", { faction: new Map(), service: new Map() }), []);
    assert.deepEqual(warnings(closed("{ service: DESK, rank: 44 }")), []);
  });
  it("without data if nobody can ever have it", () => {
    assert.deepEqual(warnings(closed("{ service: DESK, rank: 2147483647 }")), []);
    assert.deepEqual(warnings(closed("{ service: DESK, rank: 2147483648 }")), ["5:41 unheld-rank"]);
  });
  it("unless the route declares it intended, with data or without", () => {
    const meant = closed("{ service: DESK, rank: 44 }", "    intended: [unheld-rank]\n");
    assert.deepEqual(warnings(meant, { ranks }), []);
    assert.deepEqual(warnings(meant), []);
  });
  it("of a faction parameter only if nobody has it in any faction", () => {
    const adding = (rank: number) =>
      tableOf(`  /books/{branch}:
    summary: Returns the books.
    restriction: { faction: $branch, rank: ${rank} }
    parameters: { branch: faction }
    handler: books.of
`);
    assert.deepEqual(warnings(adding(9), { ranks }), []);
    assert.deepEqual(warnings(adding(10), { ranks }), ["5:44 unheld-rank"]);
  });
});

describe("excluded-group warns of the excluded group", () => {
  const text = closed("{ anyOf: [administrators, { group: BARRED }] }").replace(
    "prefix:",
    "excluded: { group: BARRED }\nprefix:",
  );
  it("in a restriction, with data or without", () => {
    assert.deepEqual(warnings(text), ["6:53 excluded-group"]);
    assert.deepEqual(warnings(text, { members: new Map([["BARRED", 0]]) }), ["6:53 excluded-group"]);
  });
  it("but not of another group", () => {
    assert.deepEqual(warnings(text.replace("excluded: { group: BARRED", "excluded: { group: FRIENDS")), []);
  });
});

describe("redundant-part warns of a part of an allOf that another implies", () => {
  for (const [restriction, ...expected] of [
    ["{ allOf: [identified, administrators] }", "5:28"],
    ["{ allOf: [administrators, identified] }", "5:44"],
    ["{ allOf: [open, identified] }", "5:28"],
    ["{ allOf: [{ service: DESK, rank: 4 }, { service: DESK, rank: 2 }] }", "5:56"],
    ["{ allOf: [{ service: DESK }, { service: DESK, rank: 1 }] }", "5:47"],
    ["{ allOf: [administrators, administrators] }", "5:44"],
    ["{ allOf: [{ group: STAFF }, { anyOf: [administrators, { group: STAFF }] }] }", "5:46"],
    ["{ allOf: [{ anyOf: [administrators, { group: STAFF }] }, identified] }", "5:75"],
    ["{ allOf: [administrators, { allOf: [identified, { group: STAFF }] }] }", "5:54"],
    ["{ allOf: [administrators, { group: STAFF }] }"],
    ["{ allOf: [{ service: DESK, rank: 4 }, { service: ARCHIVE, rank: 2 }] }"],
    ["{ allOf: [{ group: STAFF }, { anyOf: [administrators, { group: FRIENDS }] }] }"],
    ["{ anyOf: [identified, administrators] }"],
  ] as const) {
    it(`${expected.length === 0 ? "nowhere" : `at ${expected}`} in ${restriction}`, () => {
      const found = warnings(closed(restriction)).filter((each) => !each.endsWith("open-change"));
      assert.deepEqual(
        found,
        expected.map((at) => `${at} redundant-part`),
      );
    });
  }

  it("unless the route declares it intended, which is not-needed without such a part", () => {
    const meant = "    intended: [redundant-part]\n";
    assert.deepEqual(warnings(closed("{ allOf: [identified, administrators] }", meant)), []);
    assert.deepEqual(warnings(closed("administrators", meant)), ["7:16 not-needed"]);
  });
});

describe("unserved-operation warns of operations without a route", () => {
  it("at the routes, by name", () => {
    const text =
      "prefix: /library/{key}\nroutes:\n  /o: { summary: O., restriction: open, handler: house.open }\n";
    const { table } = checkTable(text, { operations: library, vocabulary: () => vocabulary });
    assert.ok(table);
    const [only, ...others] = warningsOf(table, text, { operations: library });
    assert.deepEqual(others, []);
    assert.deepEqual([only?.line, only?.column, only?.kind], [2, 1, "unserved-operation"]);
    for (const name of ["books.add", "books.list", "house.close"]) assert.ok(only?.message.includes(name));
    assert.ok(!only?.message.includes("house.open"));
  });
});

describe("not-needed warns of an intention", () => {
  it("without a warning that it would suppress", () => {
    const text = closed("identified", "    intended: [open-change, unknown-caller]\n");
    assert.deepEqual(warnings(text), ["7:16 not-needed", "7:29 not-needed"]);
  });
  it("to leave an operation without a route that has one", () => {
    const text = closed("identified").replace("unserved: [", "unserved: [house.close, ");
    assert.deepEqual(warnings(text), ["7:12 not-needed"]);
  });
  for (const [what, from, to, line, column, says] of [
    ["a word", "restriction: open", "restriction: open\n    intended: open-change", 6, 15, /list/],
    [
      "of a kind that there is not",
      "restriction: open",
      "restriction: open\n    intended: [open-chnage]",
      6,
      16,
      /open-chnage.*Did you mean "open-change"\?/,
    ],
    [
      "a handler that there is not",
      "unserved: [",
      "unserved: [books.lst, ",
      7,
      12,
      /books.lst.*"books.list"/,
    ],
  ] as const) {
    it(`that is ${what} is a fault`, () => {
      const text = closed("open").replace(from, to);
      const { faults } = checkTable(text, { operations: library, vocabulary: () => vocabulary });
      assert.deepEqual(
        faults.map((each) => [each.line, each.column]),
        [[line, column]],
        JSON.stringify(faults),
      );
      assert.match(faults[0]?.message ?? "", says);
    });
  }
});

describe("the shipped table", () => {
  const names = {
    group: ["CEO", "DEV", "MOD", "SUP", "BETA", "VIP", "BLACKLIST", "TARGETLIST"],
    faction: ["GROVE"],
    service: ["RESCUE", "POLICE"],
  };
  const found = (text: string) => {
    const { table, faults } = checkRoutes(text, names);
    assert.ok(table, JSON.stringify(faults));
    return warningsOf(table, text, { operations: operationsToCheck() }).map(({ kind }) => kind);
  };

  it("has no warnings", async () => assert.deepEqual(found(await readFile(shippedRoutes, "utf8")), []));

  it("with a case for one player gets player-condition at the player's name or UUID", async () => {
    const text = await readFile(shippedRoutes, "utf8");
    for (const [path, from, parameter] of [
      ["/statistic/{player}:", "restriction: open", "player"],
      ["/targetlist/add:", "restriction: { group: TARGETLIST }", "name"],
    ] as const) {
      const at = text.indexOf(`  ${path}`);
      const to = `restriction: [{ when: { ${parameter}: Ada }, restriction: administrators }, identified]`;
      const edited = text.slice(0, at) + text.slice(at).replace(from, to);
      assert.deepEqual(found(edited), ["player-condition"], path);
      const meant =
        edited.slice(0, at) +
        edited.slice(at).replace("    handler", "    intended: [player-condition]\n    handler");
      assert.deepEqual(found(meant), [], path);
    }
    const byReason = text.replace(
      "restriction: { service: POLICE, rank: 4 }",
      "restriction: [{ when: { reason: Theft }, restriction: administrators }, { service: POLICE, rank: 4 }]",
    );
    assert.deepEqual(found(byReason), []);
  });

  it("without the intention of its open change gets open-change", async () => {
    const text = await readFile(shippedRoutes, "utf8");
    assert.deepEqual(found(text.replace("    intended: [open-change]\n", "")), ["open-change"]);
  });

  it("with a house ban that anybody may enter gets unknown-caller, since a ban stores who entered it", async () => {
    const text = await readFile(shippedRoutes, "utf8");
    const at = text.indexOf("/houseban/add:");
    const open = text.slice(0, at) + text.slice(at).replace("{ service: RESCUE, rank: 4 }", "open");
    assert.deepEqual(found(open), ["open-change", "unknown-caller"]);
  });
});
