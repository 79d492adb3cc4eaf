/** Whether one restriction implies another: only if everyone whom the first allows is allowed by the second. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { implies } from "../../src/table/restriction/implication.ts";
import type { Compound, Restriction } from "../../src/table/restriction/restriction.ts";

const open: Restriction = { kind: "open" };
const identified: Restriction = { kind: "identified" };
const administrators: Restriction = { kind: "administrators" };
const self: Restriction = { kind: "self", parameter: "player" };
const desk = (rank?: number): Restriction => ({
  kind: "member",
  of: "service",
  reference: { name: "DESK" },
  rank,
});
const named = (name: string): Restriction => ({
  kind: "member",
  of: "faction",
  reference: { name },
  rank: undefined,
});
const branch: Restriction = {
  kind: "member",
  of: "faction",
  reference: { parameter: "branch" },
  rank: undefined,
};
const anyOf = (...restrictions: readonly Restriction[]): Compound => ({ kind: "anyOf", restrictions });
const allOf = (...restrictions: readonly Restriction[]): Compound => ({ kind: "allOf", restrictions });
const cases = (first: Restriction, last: Restriction): Restriction => ({
  kind: "cases",
  cases: [
    { when: { hidden: true }, restriction: first },
    { when: undefined, restriction: last },
  ],
});

type Pair = readonly [what: string, one: Restriction, other: Restriction];

describe("a restriction implies", () => {
  const pairs: readonly Pair[] = [
    ["itself", self, self],
    ["an equal one", desk(4), desk(4)],
    ["open, if it is identified", identified, open],
    ["identified, if it is the administrators", administrators, identified],
    ["identified, if it is the player of a parameter", self, identified],
    ["identified, if it is a membership", branch, identified],
    ["a lower rank of the same service", desk(4), desk(3)],
    ["no rank of the same service", desk(1), desk()],
    ["rank 1 of the same service, if it has no rank", desk(), desk(1)],
    ["an anyOf with a part that it implies", administrators, anyOf(desk(), identified)],
    ["an allOf whose parts it implies all", administrators, allOf(identified, open)],
    ["an anyOf that contains open, if it is open", open, anyOf(desk(), open)],
    ["an allOf of open and such an anyOf, if it is open", open, allOf(open, anyOf(desk(), open))],
    ["what all parts of it imply, if it is an anyOf", anyOf(administrators, desk()), identified],
    ["what one part of it implies, if it is an allOf", allOf(open, administrators), identified],
    ["what all cases of it imply", cases(administrators, desk(4)), anyOf(desk(2), administrators)],
  ];
  for (const [what, one, other] of pairs) it(what, () => assert.equal(implies(one, other), true));
});

describe("a restriction does not imply", () => {
  const pairs: readonly Pair[] = [
    ["identified, if it is open", open, identified],
    ["the administrators, if it is open", open, administrators],
    ["an anyOf without open, if it is open", open, anyOf(identified, administrators)],
    ["an allOf with a part besides open, if it is open", open, allOf(open, identified)],
    ["the administrators, if it is identified", identified, administrators],
    ["the player of a parameter, if it is the administrators", administrators, self],
    ["the player of another parameter", self, { kind: "self", parameter: "other" }],
    ["a membership, if it is the administrators", administrators, desk()],
    ["a higher rank of the same service", desk(3), desk(4)],
    ["rank 2, if it has no rank", desk(), desk(2)],
    ["a membership of another name", named("NORTH"), named("SOUTH")],
    ["a faction by its name, if it is one of a parameter", branch, named("NORTH")],
    ["a faction of the name of a service", named("DESK"), desk()],
    ["an anyOf of which it implies no part", identified, anyOf(administrators, desk())],
    ["an allOf of which it implies only one part", administrators, allOf(identified, desk())],
    ["what only one part of it implies, if it is an anyOf", anyOf(desk(), identified), desk()],
    ["what no part of it implies, if it is an allOf", allOf(open, identified), desk()],
    ["what only one case of it implies", cases(administrators, open), identified],
    ["cases, if it is their last", open, cases(administrators, open)],
  ];
  for (const [what, one, other] of pairs) it(what, () => assert.equal(implies(one, other), false));
});
