/** The reasons of decisions in the log: what a restriction requires, and what of that the caller has. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decisionReason } from "../../src/engine/reason.ts";
import type { Caller } from "../../src/table/caller.ts";
import type { Input, Restriction } from "../../src/table/restriction/restriction.ts";

function caller(details: Partial<Caller> = {}): Caller {
  const ranks: Readonly<Record<string, number>> = { "service RESCUE": 2, "faction GROVE": 3, "group VIP": 0 };
  return {
    id: "ada",
    administrator: false,
    unrestricted: false,
    isCalled: (reference) => reference === "ada",
    rankIn: (kind, of) => ranks[`${kind} ${of}`],
    ...details,
  };
}

const ada = caller();
const nobody = caller({ id: null });

const inService = (name: string, rank?: number): Restriction => {
  return { kind: "member", of: "service", reference: { name }, rank };
};
const inGroup = (name: string): Restriction => {
  return { kind: "member", of: "group", reference: { name }, rank: undefined };
};
const inFaction: Restriction = {
  kind: "member",
  of: "faction",
  reference: { parameter: "factionString" },
  rank: 4,
};
const self: Restriction = { kind: "self", parameter: "player" };
const byCase: Restriction = {
  kind: "cases",
  cases: [
    { when: { advanced: true }, restriction: inService("RESCUE") },
    { when: undefined, restriction: { kind: "open" } },
  ],
};

/** A restriction, the parameters and the caller; what the restriction requires, and what the caller has. */
const reasons: readonly (readonly [Restriction, Input, Caller, needs: string, had: string])[] = [
  [{ kind: "open" }, {}, ada, "everyone with a valid token", "needs only a valid token"],
  [{ kind: "identified" }, {}, ada, "identified players", "is a player"],
  [{ kind: "identified" }, {}, nobody, "identified players", "is a public token, which belongs to nobody"],
  [{ kind: "administrators" }, {}, ada, "administrators", "is no administrator"],
  [{ kind: "administrators" }, {}, caller({ administrator: true }), "administrators", "is an administrator"],
  [self, { player: "ada" }, ada, 'the player named in "player"', 'is the player named in "player"'],
  [self, { player: "bob" }, ada, 'the player named in "player"', 'is not the player named in "player"'],
  [
    inService("RESCUE", 4),
    {},
    ada,
    "members of the service RESCUE with rank 4 or higher",
    "is in the service RESCUE with rank 2",
  ],
  [inService("POLICE"), {}, ada, "members of the service POLICE", "is not in the service POLICE"],
  [inGroup("VIP"), {}, ada, "members of the group VIP", "is in the group VIP"],
  [inGroup("MOD"), {}, ada, "members of the group MOD", "is not in the group MOD"],
  [
    inFaction,
    { factionString: "GROVE" },
    ada,
    "members of the faction GROVE with rank 4 or higher",
    "is in the faction GROVE with rank 3",
  ],
  [
    inFaction,
    { factionString: "BALLAS" },
    ada,
    "members of the faction BALLAS with rank 4 or higher",
    "is not in the faction BALLAS",
  ],
  [
    { kind: "anyOf", restrictions: [inService("RESCUE", 4), inGroup("MOD"), inService("RESCUE", 6)] },
    {},
    ada,
    "members of the service RESCUE with rank 4 or higher, members of the group MOD or members of the service RESCUE with rank 6 or higher",
    "is in the service RESCUE with rank 2, is not in the group MOD",
  ],
  [byCase, { advanced: true }, ada, "members of the service RESCUE", "is in the service RESCUE with rank 2"],
  [byCase, { advanced: false }, ada, "everyone with a valid token", "needs only a valid token"],
];

describe("the reason of a decision", () => {
  for (const [restriction, input, who, needs, had] of reasons) {
    it(`the reason names the required ${needs}, and that the caller ${had}`, () => {
      assert.deepEqual(decisionReason(restriction, who, input), { needs, had });
    });
  }
});
