/** Numbers and booleans where a text is expected: none is compared as another text than the operator wrote. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ParameterValue } from "../../src/table/restriction/restriction.ts";
import { assertFaults, edited, itFinds } from "./_faults.ts";
import { check, Library } from "./_library.ts";

const ofReader = "{ anyOf: [{ self: reader }, administrators, { group: STAFF }] }";
const ofBranch = "{ faction: $branch, rank: 4 }";
const whenReader = (value: string) => `[{ when: { reader: ${value} }, group: STAFF }, open]`;
const quoted = (kind: string, written: string) =>
  `expected a text, got the ${kind} ${written}; write it in quotes: "${written}"`;

describe("a condition on a text is refused for", () => {
  itFinds([
    ...["2.10", "007", "1e3", "0x1F", "0o17", "+7", "-0", ".5", "1.0", "12345678901234567890", ".inf"].map(
      (written) =>
        [
          `the number ${written}`,
          ofReader,
          whenReader(written),
          [32, 37, quoted("number", written)],
        ] as const,
    ),
    ["the boolean True", ofReader, whenReader("True"), [32, 37, quoted("boolean", "True")]],
    [
      "a number of an enum",
      ofBranch,
      "[{ when: { kind: 0x1F }, group: STAFF }, open]",
      [23, 35, quoted("number", "0x1F")],
    ],
    [
      "a number of a faction",
      ofBranch,
      "[{ when: { branch: 1.0 }, group: STAFF }, open]",
      [23, 37, quoted("number", "1.0")],
    ],
  ]);

  it("an alias of such a number", () => {
    const text = edited(ofReader, whenReader("*least")).replace("minimum: 1,", "minimum: &least 0x1F,");
    assertFaults(text, [32, 29, quoted("number", "0x1F")]);
  });

  it("a number in an alias of the condition", () => {
    const cases = "[{ when: &same { reader: 007 }, group: STAFF }, { when: *same, service: DESK }, open]";
    const says = quoted("number", "007");
    assertFaults(edited(ofReader, cases), [32, 43, says], [32, 68, says]);
  });

  it("a word that YAML 1.1 reads as a boolean", () => {
    assertFaults(`%YAML 1.1\n---\n${edited(ofReader, whenReader("yes"))}`, [
      34,
      37,
      quoted("boolean", "yes"),
    ]);
  });
});

describe("a fault is reported for", () => {
  itFinds([
    ["a number as a group", ofReader, "{ group: 007 }", [32, 27, quoted("number", "007")]],
    ["a number as a faction", ofReader, "{ faction: 1e3, rank: 2 }", [32, 29, quoted("number", "1e3")]],
    ["a number as a service in a part", "service: DESK", "service: 2.10", [12, 44, quoted("number", "2.10")]],
    [
      "a number as the default of a text",
      "title: title",
      "title: { type: title, default: 2.10 }",
      [26, 38, quoted("number", "2.10")],
    ],
    [
      "a boolean as the default of a text",
      "title: title",
      "title: { type: title, default: TRUE }",
      [26, 38, quoted("boolean", "TRUE")],
    ],
    ["a number as a key", "  title: {", "  1.0: { type: text }\n  title: {", [5, 3, quoted("number", "1.0")]],
    [
      "nothing as a key",
      "  title: {",
      "  null: { type: text }\n  title: {",
      [5, 3, 'expected a text, got null; write it in quotes: "null"'],
    ],
  ]);
});

describe("a condition is compared with", () => {
  function conditionOf(from: string, to: string, parameter: string): ParameterValue | undefined {
    const { table, faults } = check(edited(from, to));
    assert.deepEqual(faults, []);
    const conditions = (table?.routes ?? []).flatMap(({ restriction }) =>
      restriction.kind === "cases" ? restriction.cases.map(({ when }) => when?.[parameter]) : [],
    );
    return conditions.find((value) => value !== undefined);
  }

  for (const [written, text] of [
    ["7", "7"],
    ["2.5", "2.5"],
    ["-3", "-3"],
    ["true", "true"],
    ['"2.10"', "2.10"],
    ["'007'", "007"],
    ["!!str 1e3", "1e3"],
  ] as const) {
    it(`the text ${text} if it is written as ${written}`, () =>
      assert.equal(conditionOf(ofReader, whenReader(written), "reader"), text));
  }

  for (const [written, value] of [
    ["5", 5],
    ["1e3", 1000],
    ["0x1F", 31],
    ["5.0", 5],
  ] as const) {
    it(`the integer ${value} if it is written as ${written}`, () => {
      const cases = `[{ when: { pages: ${written} }, group: STAFF }, open]`;
      assert.equal(conditionOf(ofBranch, cases, "pages"), value);
    });
  }

  it("a boolean however it is written", () =>
    assert.equal(conditionOf("{ hidden: true }", "{ hidden: True }", "hidden"), true));
});

it("a number in quotes restricts requests with exactly that text", async () => {
  const library = new Library(edited(ofReader, whenReader('"2.10"')));
  assert.equal((await library.ask("rosa", "/readers/2.10")).status, 403);
  assert.equal((await library.ask("rosa", "/readers/2.1")).status, 200);
});
