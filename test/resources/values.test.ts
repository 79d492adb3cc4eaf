/** The widest values of handlers, at and beyond each limit. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import {
  count,
  field,
  inputOf,
  integer,
  playerName,
  textReference,
} from "../../src/resources/common/values.ts";
import { defaultDeclarations } from "../../src/table/declared/declarations.ts";

const [reason] = defaultDeclarations().lists.find(({ name }) => name === "wantedreason")?.fields ?? [];
assert.ok(reason !== undefined);
const text = inputOf(reason, false);

describe("the widest values of handlers", () => {
  for (const [what, schema, valid, invalid] of [
    ["integer", integer, [-2147483648, 0, 2147483647], [-2147483649, 2147483648, 1.5]],
    ["count", count, [0, 1, 2147483647], [-1, 2147483648, 0.5]],
    ["player's name", playerName, ["a", "A_b.c-9", "Ömer", "x".repeat(32)], ["", "x".repeat(33), "a b"]],
    [
      "text",
      text,
      ["a", "a-b", "x".repeat(64), "𝔵".repeat(64)],
      ["", "x".repeat(65), "a b", "a\u00a0b", "a\u0007", "a\u200bb", "a\ufff9b", "a\ufffcb"],
    ],
    ["reference to a text", textReference, ["", "a b", "x".repeat(65), "a\u200bb"], [7]],
  ] as const) {
    it(`a ${what} is valid up to its limits, and not beyond`, () => {
      for (const value of valid)
        assert.equal(v.safeParse(schema, value).success, true, JSON.stringify(value));
      for (const value of invalid)
        assert.equal(v.safeParse(schema, value).success, false, JSON.stringify(value));
    });
  }

  it("a text that is refused says what to do", () => {
    const said = (value: string) => v.safeParse(text, value).issues?.map(({ message }) => message);
    assert.deepEqual(said("x".repeat(65)), [
      'expected a reason, with "-" for each space (1 to 64 characters)',
    ]);
    assert.deepEqual(said("a b"), ['expected a reason, with "-" for each space']);
    assert.deepEqual(said("a\u200bb"), ["leave out the invisible character U+200B"]);
  });

  it("a field has its description, and examples only if there are some", () => {
    const [none, some] = [field(v.string(), "A name."), field(v.string(), "A name.", "Ada", "Bob")];
    assert.deepEqual([v.getDescription(none), v.getExamples(none)], ["A name.", []]);
    assert.deepEqual([v.getDescription(some), v.getExamples(some)], ["A name.", ["Ada", "Bob"]]);
    assert.deepEqual(
      [none, some].map((schema) => JSON.stringify(schema).includes('"examples"')),
      [false, true],
    );
  });
});
