/** The wording of faults: names that are unknown, and values that are not what was expected. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { inOrder, toFault } from "../../src/table/yaml/fault.ts";
import { gotWords, isMap, reportIssue, unknownName } from "../../src/table/yaml/wording.ts";

const digits = Array.from({ length: 10 }, (_, index) => `number${index}`);

it("an unknown name is reported with the valid names and the nearest one", () => {
  assert.equal(
    unknownName("group", "VIPS", ["CEO", "VIP"]),
    'unknown group "VIPS"; expected CEO or VIP. Did you mean "VIP"?',
  );
  assert.equal(unknownName("group", "X", ["CEO", "VIP"]), 'unknown group "X"; expected CEO or VIP');
  assert.equal(unknownName("key", "x", [], { of: "a test" }), 'unknown key "x" of a test; there are none');
});

it("more than ten valid names are listed only if none is suggested", () => {
  const valid = [...digits, "colour"];
  assert.equal(unknownName("type", "color", valid), 'unknown type "color". Did you mean "colour"?');
  assert.match(unknownName("type", "x", valid), /^unknown type "x"; expected number0, .* or colour$/);
  const { length } = unknownName("type", "color", valid.slice(-10));
  assert.ok(length > 'unknown type "color". Did you mean "colour"?'.length, "ten are listed");
});

it("only likely names are suggested, but all valid ones are listed", () => {
  assert.equal(
    unknownName("handler", "list.ad", ["list.add", "list.show"], { likely: ["list.show"] }),
    'unknown handler "list.ad"; expected list.add or list.show',
  );
});

it("a value is named as YAML has it", () => {
  const values = [null, "", [], [1], {}, { a: 1 }, "many", 1.5, true, Number.NaN, Number.POSITIVE_INFINITY];
  assert.deepEqual(values.map(gotWords), [
    "nothing",
    "nothing",
    "an empty list",
    "a list",
    "an empty map",
    "a map",
    '"many"',
    "1.5",
    "true",
    ".nan",
    ".inf",
  ]);
});

it("a value is a map unless it is a list, a scalar or nothing", () => {
  for (const map of [{}, { a: 1 }, Object.create(null)]) assert.equal(isMap(map), true);
  for (const other of [[], [1], null, undefined, "a", 7, true]) assert.equal(isMap(other), false);
});

it("a message of 2000 units is whole, and a longer one lacks its middle", () => {
  const at = { line: 3, column: 7 };
  const longest = `${"a".repeat(1000)}${"b".repeat(1000)}`;
  assert.deepEqual(toFault(at, longest), { ...at, message: longest });
  const cut = `${"a".repeat(1000)} … ${"b".repeat(1000)}`;
  assert.deepEqual(toFault(at, `${"a".repeat(1000)}c${"b".repeat(1000)}`), { ...at, message: cut });
});

it("faults are in the order of lines, and of columns within a line", () => {
  const positions = [
    { line: 2, column: 1 },
    { line: 1, column: 9 },
    { line: 10, column: 3 },
    { line: 2, column: 10 },
    { line: 2, column: 3 },
  ];
  assert.deepEqual(
    inOrder(positions).map(({ line, column }) => `${line}:${column}`),
    ["1:9", "2:1", "2:3", "2:10", "10:3"],
  );
  assert.deepEqual(positions[0], { line: 2, column: 1 }, "the list itself is not changed");
});

describe("what is wrong with a document is reported", () => {
  const limit = v.union([v.literal("off"), v.strictObject({ burst: v.number() })], "off, or a map");
  const schema = v.strictObject({
    name: v.string(),
    size: v.optional(v.pipe(v.number(), v.integer("a whole number"))),
    kind: v.optional(v.picklist(["novel", "poem"])),
    list: v.optional(v.array(v.string())),
    inner: v.optional(v.strictObject({ a: v.number() })),
    limit: v.optional(limit),
    flag: v.optional(v.boolean()),
  });

  for (const [document, ...expected] of [
    [{ name: 7 }, "name value: expected a text, got 7"],
    [{}, 'name key: "name" is missing'],
    [{ name: "n", size: "many" }, 'size value: expected a number, got "many"'],
    [{ name: "n", size: 1.5 }, "size value: expected a whole number, got 1.5"],
    [{ name: "n", flag: "no" }, 'flag value: expected boolean, got "no"'],
    [{ name: "n", list: "novel" }, 'list value: expected a list, got "novel"'],
    [
      { name: "n", list: ["a", 2, null] },
      "list.1 value: expected a text, got 2",
      "list.2 value: expected a text, got nothing",
    ],
    [{ name: "n", inner: [] }, 'inner.a key: "a" is missing'],
    [{ name: "n", inner: 7 }, "inner value: expected a map, got 7"],
    [{ name: "n", inner: { a: 1, b: 2 } }, "inner.b key: unknown inner.b"],
    [{ name: "n", kind: "peom" }, 'kind value: expected novel or poem, got "peom". Did you mean "poem"?'],
    [{ name: "n", kind: "drama" }, 'kind value: expected novel or poem, got "drama"'],
    [{ name: "n", limit: "on" }, 'limit value: expected off, or a map, got "on"'],
    [{ name: "n", limit: "of" }, 'limit value: expected off, or a map, got "of"'],
    [
      { name: "n", limit: { burst: "x", rate: 1 } },
      'limit.burst value: expected a number, got "x"',
      "limit.rate key: unknown limit.rate",
    ],
  ] as const) {
    it(expected.join(" and "), () => {
      const found: string[] = [];
      const { issues = [] } = v.safeParse(schema, document);
      for (const issue of issues) {
        reportIssue(
          issue,
          (path, message, side = "value") => void found.push(`${path.join(".")} ${side}: ${message}`),
          (path) => `unknown ${path.join(".")}`,
        );
      }
      assert.deepEqual(found, expected);
    });
  }
});
