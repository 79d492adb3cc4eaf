/** What a caller may do before anybody knows the parameters of a request. */
import type { Caller, Vocabulary } from "../caller.ts";
import { isAllowed, type Restriction } from "./restriction.ts";

/** `depends` is on the parameters that `parametersOf` gives. */
export type Verdict = "yes" | "no" | "depends";

/** Whether the restriction lets the caller in: always, never, or as the parameters are. */
export function verdictOf(restriction: Restriction, caller: Caller, vocabulary: Vocabulary): Verdict {
  if (caller.unrestricted) return "yes";
  switch (restriction.kind) {
    case "self":
      return caller.identified ? "depends" : "no";
    case "member": {
      const { of, reference } = restriction;
      if ("name" in reference) break;
      const { parameter } = reference;
      const each = vocabulary[of].map((name) => isAllowed(restriction, caller, { [parameter]: name }));
      return together(each.map((permitted) => (permitted ? "yes" : "no")));
    }
    case "anyOf": {
      const verdicts = restriction.restrictions.map((each) => verdictOf(each, caller, vocabulary));
      return verdicts.includes("yes") ? "yes" : together(verdicts);
    }
    case "allOf": {
      const verdicts = restriction.restrictions.map((each) => verdictOf(each, caller, vocabulary));
      return verdicts.includes("no") ? "no" : together(verdicts);
    }
    case "cases":
      return together(restriction.cases.map((each) => verdictOf(each.restriction, caller, vocabulary)));
  }
  return isAllowed(restriction, caller, {}) ? "yes" : "no";
}

/** What is so in every case, or else that it depends. */
function together(verdicts: readonly Verdict[]): Verdict {
  const [first = "no", ...others] = new Set(verdicts);
  return others.length === 0 ? first : "depends";
}
