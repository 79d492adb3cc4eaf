/** What a table may just have and what it may not, and faults that are reported once. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import type { ParameterType } from "../../src/table/parameters.ts";
import type { Table } from "../../src/table/table.ts";
import { shippedRoutes } from "../_setup.ts";
import { assertFaults, edited, itFinds } from "./_faults.ts";
import { check } from "./_library.ts";

const ofReader = "{ anyOf: [{ self: reader }, administrators, { group: STAFF }] }";
const lists = "expected a map, got a list";

function accepted(text: string): Table {
  const { table, faults } = check(text);
  return table ?? assert.fail(JSON.stringify(faults));
}

/** Returns the type of the optional parameter `shelf` or `words`, as a route declares it. */
function typeOf(declaration: string): ParameterType {
  const name = declaration.includes("integer") ? "shelf" : "words";
  const form = `{ summary: S., restriction: open, parameters: { ${name}: ${declaration} }, handler: books.find }`;
  const { routes } = accepted(`prefix: /library/{key}\nroutes:\n  /find: ${form}\n`);
  return routes[0]?.parameters[0]?.type ?? assert.fail("there is no parameter");
}

describe("a fault is reported for", () => {
  itFinds([
    ["an exclusion that is a list", "{ group: BARRED }", "[BARRED]", [3, 1, lists]],
    ["a type that is a list", "kind: { type: enum, values: [novel, poem] }", "kind: [enum]", [7, 3, lists]],
    ["a parameter that is a list", "{ reader: text }", "{ reader: [text] }", [33, 19, lists]],
    [
      "a route that is a list",
      "  /readers/{reader}:\n",
      "  /x: [open]\n  /readers/{reader}:\n",
      [30, 3, lists],
    ],
    [
      "a key of an exclusion that every object has",
      "{ group: BARRED }",
      "{ group: BARRED, constructor: x }",
      [3, 28, '"constructor" cannot be a name'],
    ],
    [
      "a key of a type that every object has",
      "type: text, max",
      "type: text, prototype: x, max",
      [5, 24, '"prototype" cannot be a name'],
    ],
    [
      "a key of a parameter that every object has",
      "{ type: boolean, default: false }",
      "{ type: boolean, __proto__: x }",
      [14, 44, '"__proto__" cannot be a name'],
    ],
    [
      "a language that there is not",
      "product: reader",
      "language: no_such",
      [2, 11, 'expected a BCP 47 tag that this Node.js supports, such as de, got "no_such"'],
    ],
    [
      "a faulty type that no parameter has",
      "  title: {",
      "  unused: { type: integer, minimum: 3, maximum: 2 }\n  title: {",
      [5, 37, "the minimum 3 is above the maximum 2"],
    ],
    [
      "a minimum below all integers",
      "minimum: 1,",
      "minimum: -2147483649,",
      [6, 36, "expected a number from -2147483648 to 2147483647, got -2147483649"],
    ],
    [
      "a maximum above all integers, with the lowest minimum",
      "minimum: 1, maximum: 5000",
      "minimum: -2147483648, maximum: 2147483648",
      [6, 58, "expected a number from -2147483648 to 2147483647, got 2147483648"],
    ],
    [
      "an inherited minimum above the maximum",
      "pages: pages",
      "pages: { type: pages, maximum: 0 }",
      [27, 7, "the minimum 1 is above the maximum 0"],
    ],
  ]);

  it("a file that has only the word for nothing", () =>
    assertFaults("~\n", [1, 1, /expected a (?:map|text|route table), got nothing/]));
});

describe("a table may have", () => {
  it("a number with the same minimum and maximum, and the widest limits", () => {
    const five = typeOf("{ type: integer, minimum: 5, maximum: 5 }");
    assert.deepEqual([five.minimum, five.maximum], [5, 5]);
    const widest = typeOf("{ type: integer, minimum: -2147483648, maximum: 2147483647 }");
    assert.deepEqual([widest.minimum, widest.maximum], [-2_147_483_648, 2_147_483_647]);
  });

  it("a text with the same minLength and maxLength", () => {
    const two = typeOf("{ type: text, minLength: 2, maxLength: 2 }");
    assert.deepEqual([two.minLength, two.maxLength], [2, 2]);
  });

  it("a restriction to rank 1", () => {
    const { routes } = accepted(edited("faction: $branch, rank: 4", "faction: $branch, rank: 1"));
    assert.deepEqual(routes.find(({ handler }) => handler === "books.add")?.restriction, {
      kind: "member",
      of: "faction",
      reference: { parameter: "branch" },
      rank: 1,
    });
  });
});

describe("a faulty parameter is reported once, although its restriction refers to it:", () => {
  const fault = [33, 27, 'unknown type "txet"'] as const;
  for (const restriction of [
    "{ self: reader }",
    "{ self: $reader }",
    "{ group: $reader }",
    "[{ when: { reader: rosa }, group: STAFF }, open]",
    "[{ group: STAFF, when: { reader: 7 } }, { self: reader }]",
    ofReader,
  ]) {
    it(restriction, () => {
      const text = edited(ofReader, restriction).replace("{ reader: text }", "{ reader: txet }");
      assertFaults(text, fault);
    });
  }
});

it("only the integers of an operation that rounds down are rounded down", async () => {
  const names = { group: ["TARGETLIST", "BLACKLIST"], faction: ["GROVE"], service: ["RESCUE", "POLICE"] };
  const { table, faults } = checkRoutes(await readFile(shippedRoutes, "utf8"), names);
  assert.ok(table !== undefined, JSON.stringify(faults));
  const integers = table.routes.flatMap(({ handler, parameters }) =>
    parameters.filter(({ type }) => type.base === "integer").map(({ type }) => ({ handler, type })),
  );
  const rounded = integers.filter(({ type }) => type.roundsDown === true);
  assert.deepEqual([...new Set(rounded.map(({ handler }) => handler))], ["navipoint.add"]);
  assert.ok(integers.length > rounded.length);
});
