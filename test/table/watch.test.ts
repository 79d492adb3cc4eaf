/** The watch of a table: its limits are parsed, and every fault is reported where it is. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { shippedRoutes } from "../_setup.ts";
import { assertFaults, type ExpectedFault, edited, goodTable } from "./_faults.ts";
import { check } from "./_library.ts";

const head = "excluded: { group: BARRED }\n";

/** The good table with lines behind its third. */
function watching(lines: string): string {
  return edited(head, `${head}${lines}\n`);
}

function itFindsIn(what: string, lines: string, ...faults: readonly ExpectedFault[]): void {
  it(what, () => assertFaults(watching(lines), ...faults));
}

describe("a table's watch", () => {
  it("is parsed into limits", () => {
    const { table, faults } = check(watching("watch:\n  books.add: { kind: { novel: 30, poem: 1 } }"));
    assert.deepEqual(faults, []);
    assert.deepEqual(table?.watch, [
      { operation: "books.add", parameter: "kind", value: "novel", limit: 30 },
      { operation: "books.add", parameter: "kind", value: "poem", limit: 1 },
    ]);
  });

  it("is optional", () => assert.deepEqual(check(goodTable).table?.watch, []));

  it("of the shipped table has a limit for each statistic type", async () => {
    const vocabulary = {
      group: ["CEO", "DEV", "MOD", "SUP", "BETA", "VIP", "BLACKLIST", "TARGETLIST"],
      faction: ["GROVE"],
      service: ["RESCUE", "POLICE"],
    };
    const { table } = checkRoutes(await readFile(shippedRoutes, "utf8"), vocabulary);
    assert.deepEqual(
      table?.watch.map(({ operation, parameter, value }) => [operation, parameter, value]),
      ["DEATH", "KILL", "PLAYTIME", "REVIVE", "SERVICE"].map((type) => ["statistic.add", "type", type]),
    );
    // An hour of play: two additions fall into 60 minutes where the client's clock is a little off.
    assert.equal(table?.watch.find(({ value }) => value === "PLAYTIME")?.limit, 2);
  });
});

describe("a fault in a table's watch is reported for", () => {
  itFindsIn("a key that is misspelt", "wacth:\n  books.add: { kind: { novel: 1 } }", [
    4,
    1,
    /^unknown key "wacth"; expected .*\bwatch\b.* Did you mean "watch"\?$/,
  ]);
  itFindsIn("an empty watch", "watch:", [4, 7, "a map of operations"]);
  itFindsIn("a list", "watch: [books.add]", [4, 1, "got a list"]);
  itFindsIn("a number", "watch: 5", [4, 8, "got 5"]);
  itFindsIn("an unknown operation", "watch:\n  books.ad: { kind: { novel: 1 } }", [
    5,
    3,
    /^unknown handler "books.ad".* Did you mean "books.add"\?$/,
  ]);
  itFindsIn("an unknown operation without a similar one", "watch:\n  weather: { kind: { novel: 1 } }", [
    5,
    3,
    "expected books.add, house.close or shelf.break",
  ]);
  itFindsIn("an operation that only reads", "watch:\n  books.find: { mode: { short: 1 } }", [
    5,
    3,
    "got books.find, which only reads",
  ]);
  itFindsIn("an operation without parameters", "watch:\n  books.add: 5", [
    5,
    14,
    "a map of parameters of books.add",
  ]);
  itFindsIn("an unknown parameter", "watch:\n  books.add: { kimd: { novel: 1 } }", [
    5,
    16,
    /^unknown parameter "kimd" of books.add.* Did you mean "kind"\?$/,
  ]);
  itFindsIn("a parameter of an operation that has none", "watch:\n  house.close: { kind: { novel: 1 } }", [
    5,
    18,
    'unknown parameter "kind" of house.close; there are none',
  ]);
  itFindsIn(
    "a parameter named like a property of every object",
    "watch:\n  books.add: { constructor: { novel: 1 } }",
    [5, 16, 'unknown parameter "constructor"'],
  );
  itFindsIn("a parameter of type text", "watch:\n  books.add: { title: { Faust: 1 } }", [
    5,
    16,
    'expected a parameter of type enum, got "title" of books.add',
  ]);
  itFindsIn("a parameter of type integer", "watch:\n  books.add: { pages: { 5: 1 } }", [5, 16, "enum"]);
  itFindsIn("a parameter without values", "watch:\n  books.add: { kind: {} }", [5, 16, "got an empty map"]);
  itFindsIn("a value that the enum does not have", "watch:\n  books.add: { kind: { novell: 1 } }", [
    5,
    24,
    'unknown value "novell" of "kind"; expected novel, poem or essay. Did you mean "novel"?',
  ]);
  itFindsIn("a value in another case", "watch:\n  books.add: { kind: { NOVEL: 1 } }", [
    5,
    24,
    'Did you mean "novel"?',
  ]);
  for (const [limit, got] of [
    ["0", "0"],
    ["-1", "-1"],
    ["1.5", "1.5"],
    ['"5"', '"5"'],
    ["lots", '"lots"'],
    ["true", "true"],
    [".inf", ".inf"],
    [".nan", ".nan"],
    ["9007199254740993", "9007199254740992"],
  ] as const) {
    itFindsIn(`a limit of ${limit}`, `watch:\n  books.add: { kind: { novel: ${limit} } }`, [
      5,
      31,
      `expected a whole number of 1 or more, got ${got}`,
    ]);
  }
  itFindsIn("a missing limit", "watch:\n  books.add: { kind: { novel: } }", [5, 31, "got nothing"]);
  itFindsIn(
    "several limits, each where it is",
    "watch:\n  books.add:\n    kind: { novel: 0, verse: 3 }\n    colour: { red: 1 }\n  books.sell: {}",
    [6, 20, "got 0"],
    [6, 23, '"verse"'],
    [7, 5, '"colour"'],
    [8, 3, '"books.sell"'],
  );

  it("the watch and the routes at once", () => {
    const text = watching("watch:\n  books.add: { kind: { novel: 0 } }").replace(
      "handler: readers.show",
      "handler: readers.shoe",
    );
    assertFaults(text, [5, 31, "got 0"], [36, 14, "readers.shoe"]);
  });
});
