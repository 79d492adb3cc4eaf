/** What a restriction allows a caller whatever the parameters of a request are. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Caller } from "../../src/table/caller.ts";
import { accessOf, publicAccessOf } from "../../src/table/restriction/access.ts";
import type { Restriction } from "../../src/table/restriction/restriction.ts";
import { goodTable } from "./_faults.ts";
import { cards, check, owner, vocabulary } from "./_library.ts";

/** Returns the restriction of a route with the parameters of `books.find`. */
function restrictionOf(form: string): Restriction {
  const parameters =
    "{ words: text, at: service, within: group, mode: { type: enum, values: [short, long] } }";
  const route = `  /find: { summary: S., restriction: ${form}, parameters: ${parameters}, handler: books.find }\n`;
  const { table, faults } = check(goodTable + route);
  return table?.routes.at(-1)?.restriction ?? assert.fail(JSON.stringify(faults));
}

function cardOf(name: string): Caller {
  return cards.get(name) ?? assert.fail(`there is no ${name}`);
}

const self = "{ self: words }";
const desk = "{ service: DESK }";
const staff = "{ group: STAFF }";
const ofAt = "{ service: $at }";

/** The restriction; who is always allowed, who depending on parameters, who never. */
const rows: readonly (readonly [
  form: string,
  yes: readonly string[],
  depends: readonly string[],
  no: readonly string[],
])[] = [
  ["open", ["visitor", "rosa"], [], []],
  ["identified", ["rosa", "head"], [], ["visitor"]],
  ["administrators", ["head"], [], ["visitor", "rosa"]],
  [self, [], ["rosa", "head"], ["visitor"]],
  [desk, ["desk1"], [], ["visitor", "archive2", "head"]],
  ["{ service: DESK, rank: 2 }", [], [], ["desk1", "archive2"]],
  [ofAt, [], ["desk1", "archive2"], ["visitor", "rosa", "friend"]],
  ["{ service: $at, rank: 2 }", [], ["archive2"], ["desk1", "rosa"]],
  ["{ group: $within }", [], ["friend"], ["visitor", "desk1"]],
  [`{ anyOf: [${desk}, administrators] }`, ["desk1", "head"], [], ["visitor", "rosa"]],
  [`{ anyOf: [${self}, ${desk}] }`, ["desk1"], ["rosa"], ["visitor"]],
  [`{ allOf: [${self}, ${desk}] }`, [], ["desk1"], ["visitor", "rosa"]],
  [`{ allOf: [identified, ${desk}] }`, ["desk1"], [], ["visitor", "rosa"]],
  [`[{ when: { mode: long }, service: DESK }, open]`, ["desk1"], ["visitor", "rosa"], []],
  [`[{ when: { mode: long }, service: DESK }, ${staff}]`, [], ["desk1"], ["visitor", "rosa"]],
];

for (const [form, yes, depends, no] of rows) {
  describe(`the restriction ${form}`, () => {
    const restriction = restrictionOf(form);
    for (const [expected, names] of Object.entries({ yes, depends, no })) {
      for (const name of names) {
        it(`allows ${name}: ${expected}`, () =>
          assert.equal(accessOf(restriction, cardOf(name), vocabulary), expected));
      }
    }
    it("allows the unrestricted caller: yes", () =>
      assert.equal(accessOf(restriction, owner, vocabulary), "yes"));
  });
}

it("no name for a parameter means no access by it", () => {
  const none = { group: [], faction: [], service: [] };
  assert.equal(accessOf(restrictionOf(ofAt), cardOf("desk1"), none), "no");
});

describe("a public token", () => {
  for (const [form, expected] of [
    ["open", "yes"],
    ["identified", "no"],
    ["administrators", "no"],
    [self, "no"],
    [desk, "no"],
    [ofAt, "no"],
    [`{ anyOf: [${desk}, open] }`, "yes"],
    [`{ allOf: [${desk}, open] }`, "no"],
    [`[{ when: { mode: long }, service: DESK }, open]`, "depends"],
    [`[{ when: { mode: long }, restriction: open }, ${desk}]`, "depends"],
  ] as const) {
    it(`is allowed by ${form}: ${expected}`, () =>
      assert.equal(publicAccessOf(restrictionOf(form)), expected));
  }
});
