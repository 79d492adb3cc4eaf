/** Restrictions: whom they let in, how they are said, and what they depend on (specification, section 5). */
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

describe("who is let in", () => {
  /** What is asked for, by whom, with which parameters; and whether they may. */
  const decisions: readonly (readonly [string, Restriction, Caller, Input, boolean])[] = [
    ["the holder of a public token, where it is open", open, nobody, {}, true],
    ["not the holder of a public token, where players are meant", identified, nobody, {}, false],
    ["a player, where players are meant", identified, ada, {}, true],
    ["not a player, where administrators are meant", administrators, ada, {}, false],
    ["an administrator, where administrators are meant", administrators, chief, {}, true],
    ["the player whom the parameter names", self, ada, { player: "ada" }, true],
    ["no other player than the one named", self, ada, { player: "Bob" }, false],
    ["no administrator in place of the player named", self, chief, { player: "Ada" }, false],
    ["not the holder of a public token as the player named", self, nobody, { player: "" }, false],
    ["a member of the group", member("group", "VIP"), player("A", { group: { VIP: 0 } }), {}, true],
    ["no member of another group", member("group", "VIP"), player("A", { group: { DEV: 0 } }), {}, false],
    [
      "not a faction's member for a group's",
      member("group", "VIP"),
      player("A", { faction: { VIP: 9 } }),
      {},
      false,
    ],
    ["no administrator who is not a member", member("faction", "GROVE"), chief, {}, false],
    [
      "a member of any rank, where none is named",
      member("faction", "GROVE"),
      player("A", { faction: { GROVE: 1 } }),
      {},
      true,
    ],
    [
      "not a member of rank 3, where 4 is needed",
      member("faction", "GROVE", 4),
      player("A", { faction: { GROVE: 3 } }),
      {},
      false,
    ],
    [
      "a member of rank 4, where 4 is needed",
      member("faction", "GROVE", 4),
      player("A", { faction: { GROVE: 4 } }),
      {},
      true,
    ],
    [
      "a member of rank 12, where 4 is needed",
      member("service", "RESCUE", 4),
      player("A", { service: { RESCUE: 12 } }),
      {},
      true,
    ],
    [
      "a member of the faction that the parameter names",
      memberOfParameter("faction", "of", 4),
      player("A", { faction: { GROVE: 4 } }),
      { of: "GROVE" },
      true,
    ],
    [
      "no member of another faction than the parameter names",
      memberOfParameter("faction", "of", 4),
      player("A", { faction: { GROVE: 4 } }),
      { of: "VAGOS" },
      false,
    ],
    ["anyone, where the condition does not hold", advancedOnlyForRescue, nobody, { advanced: false }, true],
    ["not anyone, where the condition holds", advancedOnlyForRescue, chief, { advanced: true }, false],
    [
      "whom the condition asks for",
      advancedOnlyForRescue,
      player("A", { service: { RESCUE: 1 } }),
      { advanced: true },
      true,
    ],
    ["the operator, whatever is asked for", member("service", "RESCUE", 9), operator, {}, true],
    ["the operator as any player", self, operator, { player: "Ada" }, true],
  ];
  for (const [name, restriction, caller, input, expected] of decisions) {
    it(name, () => assert.equal(isAllowed(restriction, caller, input), expected));
  }

  it("whoever one of several lets in", () => {
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

  it("whoever all of several let in", () => {
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

  it("by the first case that applies, also where a later one is more generous", () => {
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

  it("by the case of a text however it is written: in another case, or with U+FE0F", () => {
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

  it("nobody, where no case applies", () => {
    const cases: Restriction = { kind: "cases", cases: [{ when: { advanced: true }, restriction: open }] };
    assert.equal(isAllowed(cases, chief, { advanced: false }), false);
  });

  it("nobody by a name that every object has", () => {
    for (const name of ["__proto__", "constructor", "toString"])
      assert.equal(isAllowed(member("group", name), player("A", { group: { VIP: 0 } }), {}), false, name);
  });
});

describe("a restriction in words", () => {
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
    it(`says "${expected}"`, () => assert.equal(inWords(restriction), expected));
  }

  it("names the faction of the request at hand", () => {
    const restriction = memberOfParameter("faction", "factionString", 4);
    const expected = "members of the faction GROVE with rank 4 or higher";
    assert.equal(inWords(restriction, { factionString: "GROVE" }), expected);
  });

  it("says only the case that applies to the request at hand", () => {
    assert.equal(inWords(advancedOnlyForRescue, { advanced: true }), "members of the service RESCUE");
    assert.equal(inWords(advancedOnlyForRescue, { advanced: false }), "everyone with a valid token");
  });
});

describe("a restriction depends on", () => {
  const dependencies: readonly (readonly [string, Restriction, readonly string[]])[] = [
    ["no parameter, where it is open", open, []],
    ["no parameter, where it names a faction", member("faction", "GROVE", 4), []],
    ["the parameter that names the player", self, ["player"]],
    ["the parameter that names the faction", memberOfParameter("faction", "of"), ["of"]],
    ["the parameters of a condition", advancedOnlyForRescue, ["advanced"]],
    [
      "the parameters of every part that has to hold",
      { kind: "allOf", restrictions: [self, memberOfParameter("faction", "of")] },
      ["player", "of"],
    ],
    [
      "all parameters of all parts",
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
