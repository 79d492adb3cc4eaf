/** What a restriction allows a caller whatever the parameters of a request are. */
import { type Caller, nobody, noNames, type Vocabulary } from "../caller.ts";
import { isAllowed, type Restriction } from "./restriction.ts";

/** Whether a caller is allowed: always, never, or depending on parameters. */
export type Access = "yes" | "no" | "depends";

export function accessOf(restriction: Restriction, caller: Caller, vocabulary: Vocabulary): Access {
  if (caller.unrestricted) return "yes";
  switch (restriction.kind) {
    case "self":
      return caller.id === null ? "no" : "depends";
    case "member": {
      const { of, reference } = restriction;
      if ("name" in reference) break;
      const { parameter } = reference;
      const answers = vocabulary[of].map((name) => isAllowed(restriction, caller, { [parameter]: name }));
      return combined(answers.map((allowed) => (allowed ? "yes" : "no")));
    }
    case "anyOf": {
      const parts = restriction.restrictions.map((part) => accessOf(part, caller, vocabulary));
      return parts.includes("yes") ? "yes" : combined(parts);
    }
    case "allOf": {
      const parts = restriction.restrictions.map((part) => accessOf(part, caller, vocabulary));
      return parts.includes("no") ? "no" : combined(parts);
    }
    case "cases":
      return combined(restriction.cases.map((branch) => accessOf(branch.restriction, caller, vocabulary)));
  }
  return isAllowed(restriction, caller, {}) ? "yes" : "no";
}

/** Returns the access that is the same in every case, or else `depends`. */
function combined(all: readonly Access[]): Access {
  const [first = "no", ...others] = new Set(all);
  return others.length === 0 ? first : "depends";
}

/** Returns whether a restriction allows the holder of a public token. */
export function publicAccessOf(restriction: Restriction): Access {
  return accessOf(restriction, nobody, noNames);
}
