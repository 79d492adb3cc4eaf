/** What is legal in a table but suspicious, and how a table says that it is meant. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Operations } from "../../src/engine/operation.ts";
import { checkTable } from "../../src/engine/table.ts";
import { warningsOf } from "../../src/engine/warnings.ts";
import { checkRoutes, operationsToCheck } from "../../src/service.ts";
import { shippedRoutes } from "../_setup.ts";
import { operations, vocabulary } from "./_library.ts";

const library = operations();
const closing = library.get("house.close");
assert.ok(closing);
/** The library's operations, of which closing the house keeps who did it. */
const recording: Operations = new Map([...library, ["house.close", { ...closing, recordsCaller: true }]]);

/** A table of these routes, from its third line on, which says that all else is meant to be left out. */
function tableOf(routes: string): string {
  const left = [...library.keys()].filter((name) => !routes.includes(`handler: ${name}`));
  return `prefix: /library/{key}\nroutes:\n${routes}unserved: [${left.join(", ")}]\n`;
}

interface With {
  readonly members?: ReadonlyMap<string, number>;
  readonly all?: Operations;
}

/** Each warning as `line:column kind`. */
function warnings(text: string, { members, all = library }: With = {}): string[] {
  const { table, faults } = checkTable(text, { operations: all, vocabulary: () => vocabulary });
  assert.ok(table, JSON.stringify(faults));
  const found = warningsOf(table, text, { operations: all, members });
  for (const { message } of found) assert.doesNotMatch(message, /undefined|\[object|NaN|[\r\n]/);
  return found.map(({ line, column, kind }) => `${line}:${column} ${kind}`);
}

const closed = (restriction: string, more = "") =>
  tableOf(`  /close:
    summary: Closes the house.
    restriction: ${restriction}
    handler: house.close
${more}`);

describe("a change that is open", () => {
  for (const [what, restriction, expected] of [
    ["is warned of where it says so", "open", "5:18"],
    ["is warned of as one of several", "{ anyOf: [administrators, open] }", "5:44"],
    ["is warned of in a list of one case", "[open]", "5:19"],
    ["is warned of under the key of a case", "[{ restriction: open }]", "5:34"],
    ["is warned of deep within", "{ anyOf: [administrators, { anyOf: [{ group: STAFF }, open] }] }", "5:72"],
  ] as const) {
    it(what, () => assert.deepEqual(warnings(closed(restriction)), [`${expected} open-change`]));
  }

  it("is warned of where only one of the cases is open", () => {
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

  it("is not warned of where the table says that it is meant", () => {
    assert.deepEqual(warnings(closed("open", "    intended: [open-change]\n")), []);
  });

  for (const restriction of [
    "identified",
    "administrators",
    "{ group: STAFF }",
    "{ service: DESK, rank: 1 }",
  ])
    it(`is none for ${restriction}`, () => assert.deepEqual(warnings(closed(restriction)), []));

  it("is none where the operation only reads", () => {
    const text = tableOf("  /open: { summary: Opens., restriction: open, handler: house.open }\n");
    assert.deepEqual(warnings(text), []);
  });
});

describe("a change that keeps who made it", () => {
  it("is warned of where a public token may make it", () => {
    const all = recording;
    assert.deepEqual(warnings(closed("open"), { all }), ["5:18 open-change", "5:18 unknown-caller"]);
    const meant = "    intended: [open-change]\n";
    assert.deepEqual(warnings(closed("open", meant), { all }), ["5:18 unknown-caller"]);
    const both = "    intended: [open-change, unknown-caller]\n";
    assert.deepEqual(warnings(closed("open", both), { all }), []);
  });

  it("is not warned of where only players may", () => {
    assert.deepEqual(warnings(closed("identified"), { all: recording }), []);
  });
});

describe("a group without members", () => {
  const members = new Map([
    ["STAFF", 2],
    ["FRIENDS", 0],
  ]);
  const friends = "{ anyOf: [{ group: STAFF }, { group: FRIENDS }] }";

  it("is warned of where a restriction names it", () => {
    assert.deepEqual(warnings(closed(friends), { members }), ["5:55 empty-group"]);
  });
  it("is not warned of where it is meant", () => {
    assert.deepEqual(warnings(closed(friends, "    intended: [empty-group]\n"), { members }), []);
  });
  it("is not warned of where it has a member, even if it was meant to have none", () => {
    const full = new Map([...members, ["FRIENDS", 1] as const]);
    assert.deepEqual(warnings(closed(friends, "    intended: [empty-group]\n"), { members: full }), []);
  });
  it("is not warned of without data", () => assert.deepEqual(warnings(closed(friends)), []));
  it("is not warned of where only the exclusion names it", () => {
    const text = closed("identified").replace("prefix:", "excluded: { group: BARRED }\nprefix:");
    assert.deepEqual(warnings(text, { members }), []);
  });
});

describe("operations that no route serves", () => {
  it("are warned of at the routes, by name", () => {
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

describe("an intention", () => {
  it("that says nothing is warned of", () => {
    const text = closed("identified", "    intended: [open-change, unknown-caller]\n");
    assert.deepEqual(warnings(text), ["7:16 not-needed", "7:29 not-needed"]);
  });
  it("to leave out what a route serves is warned of", () => {
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

  it("has nothing to warn of", async () =>
    assert.deepEqual(found(await readFile(shippedRoutes, "utf8")), []));

  it("without the intention of its open change, that is warned of", async () => {
    const text = await readFile(shippedRoutes, "utf8");
    assert.deepEqual(found(text.replace("    intended: [open-change]\n", "")), ["open-change"]);
  });

  it("with a house ban that anybody may enter, that is warned of, since a ban keeps who entered it", async () => {
    const text = await readFile(shippedRoutes, "utf8");
    const at = text.indexOf("/houseban/add:");
    const open = text.slice(0, at) + text.slice(at).replace("{ service: RESCUE, rank: 4 }", "open");
    assert.deepEqual(found(open), ["open-change", "unknown-caller"]);
  });
});
