/** Restrictions within restrictions: their words, their parts, and cases that lack a parameter. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  applyingCase,
  type Case,
  type Compound,
  type Input,
  describe as inWords,
  isCompound,
  type Restriction,
  withParts,
} from "../../src/table/restriction/restriction.ts";

const open: Restriction = { kind: "open" };
const identified: Restriction = { kind: "identified" };
const administrators: Restriction = { kind: "administrators" };
const support: Restriction = {
  kind: "member",
  of: "group",
  reference: { name: "SUP" },
  rank: undefined,
};

const anyOf = (...restrictions: readonly Restriction[]): Compound => ({ kind: "anyOf", restrictions });
const allOf = (...restrictions: readonly Restriction[]): Compound => ({ kind: "allOf", restrictions });
const casesOf = (...cases: readonly Case[]): Restriction => ({ kind: "cases", cases });
const always = (restriction: Restriction): Case => ({ when: undefined, restriction });
const ifAdvanced = (restriction: Restriction): Case => ({ when: { advanced: true }, restriction });

const either = anyOf(administrators, support);
const eitherWords = "administrators or members of the group SUP";
const both = allOf(administrators, support);
const bothWords = "those who are both administrators and members of the group SUP";

describe("the words of nested restrictions", () => {
  const words: readonly (readonly [string, Restriction, string, Input?])[] = [
    ["a compound of one part are those of the part", anyOf(identified), "identified players"],
    ["a compound that has only another compound need no parentheses", anyOf(both), bothWords],
    [
      "a compound of the same kind join its list",
      anyOf(identified, either),
      `identified players, ${eitherWords}`,
    ],
    [
      "three parts of an allOf, one of them within another, count all three",
      allOf(identified, both),
      "those who are all of these: identified players, administrators and members of the group SUP",
    ],
    [
      "a compound of one part within another need no parentheses",
      allOf(identified, anyOf(support)),
      "those who are both identified players and members of the group SUP",
    ],
    [
      "a compound whose only part joins several are in parentheses",
      allOf(identified, anyOf(anyOf(either))),
      `those who are both identified players and (${eitherWords})`,
    ],
    [
      "an allOf that is the only part of a part of an allOf are in parentheses",
      allOf(identified, anyOf(both)),
      `those who are both identified players and (${bothWords})`,
    ],
    [
      "a single case without a condition are those of its restriction",
      casesOf(always(open)),
      "everyone with a valid token",
    ],
    [
      "a single case within a compound need no parentheses",
      anyOf(administrators, casesOf(always(support))),
      eitherWords,
    ],
    [
      "a single case of several within a compound are in parentheses",
      allOf(identified, casesOf(always(either))),
      `those who are both identified players and (${eitherWords})`,
    ],
    [
      "two cases within a compound are in parentheses",
      anyOf(administrators, casesOf(ifAdvanced(support), always(identified))),
      "administrators or (members of the group SUP when advanced is true; identified players otherwise)",
    ],
    [
      "a request that one case applies to need no parentheses",
      allOf(administrators, casesOf(ifAdvanced(support), always(either))),
      bothWords,
      { advanced: true },
    ],
    [
      "a request that a case of several applies to are in parentheses",
      allOf(identified, casesOf(ifAdvanced(support), always(either))),
      `those who are both identified players and (${eitherWords})`,
      { advanced: false },
    ],
    [
      "a request that no case applies to name nobody",
      anyOf(administrators, casesOf(ifAdvanced(either))),
      "administrators or nobody",
      { advanced: false },
    ],
  ];
  for (const [what, restriction, expected, input] of words)
    it(`of ${what}`, () => assert.equal(inWords(restriction, input), expected));

  it("name several conditions of a case together", () => {
    const restriction = casesOf(
      { when: { type: "KILL", amount: 0 }, restriction: administrators },
      always(open),
    );
    const expected =
      "administrators when type is KILL and amount is 0; everyone with a valid token otherwise";
    assert.equal(inWords(restriction), expected);
  });
});

describe("withParts returns", () => {
  it("a restriction without parts alone", () => {
    for (const restriction of [open, identified, administrators, support])
      assert.deepEqual(withParts(restriction), [restriction]);
  });

  it("a compound, then its parts and theirs, in order", () => {
    assert.deepEqual(withParts(anyOf(both, identified)), [
      anyOf(both, identified),
      both,
      administrators,
      support,
      identified,
    ]);
    assert.deepEqual(withParts(allOf(either, open)), [
      allOf(either, open),
      either,
      administrators,
      support,
      open,
    ]);
  });

  it("cases, then the restriction of each with its parts", () => {
    const restriction = casesOf(ifAdvanced(either), always(open));
    assert.deepEqual(withParts(restriction), [restriction, either, administrators, support, open]);
  });
});

it("anyOf and allOf are compounds, and nothing else is", () => {
  const all = [either, both, open, identified, administrators, support, casesOf(always(either))];
  assert.deepEqual(all.filter(isCompound), [either, both]);
});

describe("a case applies", () => {
  const theft = { when: { reason: "Theft" }, restriction: administrators };
  const twice = { when: { amount: 2 }, restriction: identified };
  const otherwise = always(open);
  const cases = [theft, twice, otherwise];

  it("if every parameter of its condition has the value", () => {
    assert.equal(applyingCase(cases, { reason: "theft", amount: 2 }), theft);
    assert.equal(applyingCase(cases, { reason: "Murder", amount: 2 }), twice);
    assert.equal(applyingCase(cases, { reason: "Murder", amount: 1 }), otherwise);
    const strict = { when: { reason: "Theft", amount: 2 }, restriction: administrators };
    assert.equal(applyingCase([strict], { reason: "Theft", amount: 1 }), undefined);
  });

  it("to no request that lacks the parameter, or has a value of another type", () => {
    assert.equal(applyingCase(cases, {}), otherwise);
    assert.equal(applyingCase(cases, { reason: 7 }), otherwise);
    assert.equal(applyingCase(cases, { amount: "2" }), otherwise);
    assert.equal(applyingCase([theft], {}), undefined);
  });
});
