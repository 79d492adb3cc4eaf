/** Restrictions: whom they allow, what they say in words, and which parameters they depend on (specification, section 5). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Caller, MembershipKind } from "../../src/table/caller.ts";
import {
  type Input,
  describe as inWords,
  isAllowed,
  parametersOf,
  type Restriction,
} from "../../src/table/restriction/restriction.ts";

type Ranks = Partial<Record<MembershipKind, Readonly<Record<string, number>>>>;

function player(name: string, ranks: Ranks = {}, administrator = false): Caller {
  return {
    id: name,
    scope: name,
    identified: true,
    administrator,
    unrestricted: false,
    isCalled: (reference) => reference.toLowerCase() === name.toLowerCase(),
    rankIn: (kind, of) => ranks[kind]?.[of],
  };
}

const nobody: Caller = { ...player(""), id: null, identified: false, isCalled: () => false };
const ada = player("Ada");
const chief = player("Chief", {}, true);
const operator: Caller = { ...nobody, id: "operator", unrestricted: true };

function member(of: MembershipKind, name: string, rank?: number): Restriction {
  return { kind: "member", of, reference: { name }, rank };
}

function memberOfParameter(of: MembershipKind, parameter: string, rank?: number): Restriction {
  return { kind: "member", of, reference: { parameter }, rank };
}

const open: Restriction = { kind: "open" };
const identified: Restriction = { kind: "identified" };
const administrators: Restriction = { kind: "administrators" };
const self: Restriction = { kind: "self", parameter: "player" };
const advancedOnlyForRescue: Restriction = {
  kind: "cases",
  cases: [
    { when: { advanced: true }, restriction: member("service", "RESCUE") },
    { when: undefined, restriction: open },
  ],
};

describe("isAllowed", () => {
  /** What is asked for, by whom, with which parameters; and whether they may. */
  const decisions: readonly (readonly [string, Restriction, Caller, Input, boolean])[] = [
    ["allows a public token with open", open, nobody, {}, true],
    ["refuses a public token with identified", identified, nobody, {}, false],
    ["allows a player with identified", identified, ada, {}, true],
    ["refuses a player with administrators", administrators, ada, {}, false],
    ["allows an administrator with administrators", administrators, chief, {}, true],
    ["allows the player of self", self, ada, { player: "ada" }, true],
    ["refuses another player than that of self", self, ada, { player: "Bob" }, false],
    ["refuses an administrator who is not the player of self", self, chief, { player: "Ada" }, false],
    ["refuses a public token with self", self, nobody, { player: "" }, false],
    ["allows a member of the group", member("group", "VIP"), player("A", { group: { VIP: 0 } }), {}, true],
    [
      "refuses a member of another group",
      member("group", "VIP"),
      player("A", { group: { DEV: 0 } }),
      {},
      false,
    ],
    [
      "refuses a member of a faction named like the group",
      member("group", "VIP"),
      player("A", { faction: { VIP: 9 } }),
      {},
      false,
    ],
    ["refuses an administrator who is not a member", member("faction", "GROVE"), chief, {}, false],
    [
      "allows a member of any rank if none is required",
      member("faction", "GROVE"),
      player("A", { faction: { GROVE: 1 } }),
      {},
      true,
    ],
    [
      "refuses a member of rank 3 if 4 is required",
      member("faction", "GROVE", 4),
      player("A", { faction: { GROVE: 3 } }),
      {},
      false,
    ],
    [
      "allows a member of rank 4 if 4 is required",
      member("faction", "GROVE", 4),
      player("A", { faction: { GROVE: 4 } }),
      {},
      true,
    ],
    [
      "allows a member of rank 12 if 4 is required",
      member("service", "RESCUE", 4),
      player("A", { service: { RESCUE: 12 } }),
      {},
      true,
    ],
    [
      "allows a member of the faction that the parameter names",
      memberOfParameter("faction", "of", 4),
      player("A", { faction: { GROVE: 4 } }),
      { of: "GROVE" },
      true,
    ],
    [
      "refuses a member of another faction than the parameter names",
      memberOfParameter("faction", "of", 4),
      player("A", { faction: { GROVE: 4 } }),
      { of: "VAGOS" },
      false,
    ],
    [
      "allows everyone if the condition does not apply",
      advancedOnlyForRescue,
      nobody,
      { advanced: false },
      true,
    ],
    ["refuses others if the condition applies", advancedOnlyForRescue, chief, { advanced: true }, false],
    [
      "allows a member if the condition applies",
      advancedOnlyForRescue,
      player("A", { service: { RESCUE: 1 } }),
      { advanced: true },
      true,
    ],
    ["allows the operator with any requirement", member("service", "RESCUE", 9), operator, {}, true],
    ["allows the operator with self", self, operator, { player: "Ada" }, true],
  ];
  for (const [name, restriction, caller, input, expected] of decisions) {
    it(name, () => assert.equal(isAllowed(restriction, caller, input), expected));
  }

  it("allows whom one part of an anyOf allows", () => {
    const either: Restriction = {
      kind: "anyOf",
      restrictions: [self, administrators, member("group", "SUP")],
    };
    assert.equal(isAllowed(either, ada, { player: "Ada" }), true);
    assert.equal(isAllowed(either, chief, { player: "Ada" }), true);
    assert.equal(isAllowed(either, player("S", { group: { SUP: 0 } }), { player: "Ada" }), true);
    assert.equal(isAllowed(either, player("T", { group: { VIP: 0 } }), { player: "Ada" }), false);
    assert.equal(isAllowed(either, nobody, { player: "Ada" }), false);
  });

  it("allows whom all parts of an allOf allow", () => {
    const both: Restriction = {
      kind: "allOf",
      restrictions: [administrators, member("group", "SUP"), self],
    };
    const support = { group: { SUP: 0 } };
    assert.equal(isAllowed(both, player("Ada", support, true), { player: "Ada" }), true);
    assert.equal(isAllowed(both, player("Ada", support, true), { player: "Bob" }), false);
    assert.equal(isAllowed(both, player("Ada", support), { player: "Ada" }), false);
    assert.equal(isAllowed(both, player("Ada", {}, true), { player: "Ada" }), false);
    assert.equal(isAllowed(both, nobody, { player: "Ada" }), false);
    assert.equal(isAllowed(both, operator, {}), true);
  });

  it("decides by the first case that applies, even if a later one allows more", () => {
    const cases: Restriction = {
      kind: "cases",
      cases: [
        { when: { type: "KILL", amount: 0 }, restriction: administrators },
        { when: { type: "KILL" }, restriction: identified },
        { when: undefined, restriction: open },
      ],
    };
    assert.equal(isAllowed(cases, ada, { type: "KILL", amount: 0 }), false);
    assert.equal(isAllowed(cases, ada, { type: "KILL", amount: 1 }), true);
    assert.equal(isAllowed(cases, nobody, { type: "KILL", amount: 1 }), false);
    assert.equal(isAllowed(cases, nobody, { type: "DEATH", amount: 0 }), true);
  });

  it("applies a case to every spelling of a text: in another case, or with U+FE0F", () => {
    const cases: Restriction = {
      kind: "cases",
      cases: [
        { when: { reason: "❤-robbery" }, restriction: administrators },
        { when: undefined, restriction: open },
      ],
    };
    for (const reason of ["❤-robbery", "❤-ROBBERY", "❤\ufe0f-robbery"]) {
      assert.equal(isAllowed(cases, nobody, { reason }), false, reason);
      assert.equal(isAllowed(cases, chief, { reason }), true, reason);
    }
    assert.equal(isAllowed(cases, nobody, { reason: "robbery" }), true);
  });

  it("refuses everybody if no case applies", () => {
    const cases: Restriction = { kind: "cases", cases: [{ when: { advanced: true }, restriction: open }] };
    assert.equal(isAllowed(cases, chief, { advanced: false }), false);
  });

  it("refuses names of properties that every object has", () => {
    for (const name of ["__proto__", "constructor", "toString"])
      assert.equal(isAllowed(member("group", name), player("A", { group: { VIP: 0 } }), {}), false, name);
  });
});

describe("describe", () => {
  const words: readonly (readonly [Restriction, string])[] = [
    [open, "everyone with a valid token"],
    [identified, "identified players"],
    [administrators, "administrators"],
    [self, 'the player named in "player"'],
    [member("group", "TARGETLIST"), "members of the group TARGETLIST"],
    [member("service", "RESCUE", 4), "members of the service RESCUE with rank 4 or higher"],
    [
      memberOfParameter("faction", "factionString", 4),
      "members of the faction {factionString} with rank 4 or higher",
    ],
    [
      { kind: "anyOf", restrictions: [self, administrators, member("group", "SUP")] },
      'the player named in "player", administrators or members of the group SUP',
    ],
    [
      { kind: "allOf", restrictions: [administrators, member("group", "SUP")] },
      "those who are both administrators and members of the group SUP",
    ],
    [
      { kind: "allOf", restrictions: [administrators, member("group", "SUP"), self] },
      'those who are all of these: administrators, members of the group SUP and the player named in "player"',
    ],
    [
      {
        kind: "allOf",
        restrictions: [
          administrators,
          { kind: "anyOf", restrictions: [member("group", "SUP"), member("group", "MOD")] },
        ],
      },
      "those who are both administrators and (members of the group SUP or members of the group MOD)",
    ],
    [
      {
        kind: "anyOf",
        restrictions: [{ kind: "allOf", restrictions: [administrators, member("group", "SUP")] }, self],
      },
      '(those who are both administrators and members of the group SUP) or the player named in "player"',
    ],
    [{ kind: "allOf", restrictions: [{ kind: "allOf", restrictions: [administrators] }] }, "administrators"],
    [
      advancedOnlyForRescue,
      "members of the service RESCUE when advanced is true; everyone with a valid token otherwise",
    ],
  ];
  for (const [restriction, expected] of words) {
    it(`returns "${expected}"`, () => assert.equal(inWords(restriction), expected));
  }

  it("names the faction of the request", () => {
    const restriction = memberOfParameter("faction", "factionString", 4);
    const expected = "members of the faction GROVE with rank 4 or higher";
    assert.equal(inWords(restriction, { factionString: "GROVE" }), expected);
  });

  it("describes only the case that applies to the request", () => {
    assert.equal(inWords(advancedOnlyForRescue, { advanced: true }), "members of the service RESCUE");
    assert.equal(inWords(advancedOnlyForRescue, { advanced: false }), "everyone with a valid token");
  });
});

describe("parametersOf returns", () => {
  const dependencies: readonly (readonly [string, Restriction, readonly string[]])[] = [
    ["no parameter for open", open, []],
    ["no parameter for a named faction", member("faction", "GROVE", 4), []],
    ["the parameter of self", self, ["player"]],
    ["the parameter that names a faction", memberOfParameter("faction", "of"), ["of"]],
    ["the parameters of a condition", advancedOnlyForRescue, ["advanced"]],
    [
      "the parameters of all parts of an allOf",
      { kind: "allOf", restrictions: [self, memberOfParameter("faction", "of")] },
      ["player", "of"],
    ],
    [
      "the parameters of all cases and parts",
      {
        kind: "cases",
        cases: [
          {
            when: { mode: "a" },
            restriction: { kind: "anyOf", restrictions: [self, memberOfParameter("service", "at")] },
          },
          { when: undefined, restriction: memberOfParameter("group", "in") },
        ],
      },
      ["mode", "player", "at", "in"],
    ],
  ];
  for (const [name, restriction, expected] of dependencies) {
    it(name, () => assert.deepEqual(parametersOf(restriction), expected));
  }
});
