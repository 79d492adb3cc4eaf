/**
 * The reason of a decision: what a restriction requires, and what of that the caller has. It is logged, so it contains
 * no values of parameters except names of groups, factions and services.
 */
import type { Caller } from "../table/caller.ts";
import {
  applicable,
  describe,
  type Input,
  nameOf,
  type Restriction,
} from "../table/restriction/restriction.ts";

export type Reason = ReturnType<typeof decisionReason>;

/**
 * Returns the reason: needs "members of the faction GROVE with rank 4 or higher", had "is in the faction GROVE with rank 3".
 * @param input at least the parameters that the restriction depends on
 */
export function decisionReason(restriction: Restriction, caller: Caller, input: Input) {
  return { needs: describe(restriction, input), had: had(restriction, caller, input) };
}

function had(restriction: Restriction, caller: Caller, input: Input): string {
  if (caller.id === null) return "is a public token, which belongs to nobody";
  const words = possessions(restriction, caller, input);
  return words.length === 0 ? "needs only a valid token" : [...new Set(words)].join(", ");
}

/** Returns a phrase for each thing that the restriction requires. */
function possessions(whole: Restriction, caller: Caller, input: Input): string[] {
  const restriction = applicable(whole, input);
  switch (restriction.kind) {
    case "open":
      return [];
    case "identified":
      return ["is a player"];
    case "administrators":
      return [caller.administrator ? "is an administrator" : "is no administrator"];
    case "self": {
      const { parameter } = restriction;
      const is = caller.isCalled(String(input[parameter])) ? "is" : "is not";
      return [`${is} the player named in "${parameter}"`];
    }
    case "member": {
      const { of, reference } = restriction;
      const name = nameOf(reference, input);
      const rank = caller.rankIn(of, name);
      if (rank === undefined) return [`is not in the ${of} ${name}`];
      return [`is in the ${of} ${name}${of === "group" ? "" : ` with rank ${rank}`}`];
    }
    case "anyOf":
    case "allOf":
      return restriction.restrictions.flatMap((part) => possessions(part, caller, input));
  }
}
