/**
 * The coverage of a table by its tests. They cover a route by calling it, and each part of its restriction (each case,
 * each part of an `anyOf` or `allOf`) both ways, with a caller allowed and with a caller denied. `open` denies nobody. A
 * part of an `allOf` decides, and counts, only for a caller whom all other parts allow.
 */
import type { Caller } from "../table/caller.ts";
import {
  applicable,
  conditionOf,
  describe,
  type Input,
  isAllowed,
  isCompound,
  type Restriction,
} from "../table/restriction/restriction.ts";
import type { Route } from "../table/table.ts";

/** How much of something is covered. */
export type Share = Coverage["routes"];

export interface Gap {
  readonly route: string;
  /** The part in words, with its case; null if no test calls the route. */
  readonly restriction: string | null;
  /** What no caller was; null if no test calls the route. */
  readonly untried: "allowed" | "denied" | null;
}

export type Coverage = ReturnType<ReturnType<typeof countCoverage>["sum"]>;

/** A branch of a part of a restriction: that it allows somebody, or that it denies somebody. */
interface Branch {
  readonly part: Restriction;
  /** The part, with its case. */
  readonly words: string;
  readonly outcome: "allowed" | "denied";
}

/** Counts what tests of some routes cover. */
export function countCoverage(routes: readonly Route[]) {
  const called = new Set<Route>();
  /** The parts that have allowed somebody, and those that have denied somebody. */
  const tried = { allowed: new Set<Restriction>(), denied: new Set<Restriction>() };
  const isTried = ({ part, outcome }: Branch) => tried[outcome].has(part);
  return {
    /** Counts a decision of a route's restriction. */
    note(route: Route, caller: Caller, input: Input): void {
      called.add(route);
      for (const part of decisiveParts(route.restriction, caller, input))
        tried[isAllowed(part, caller, input) ? "allowed" : "denied"].add(part);
    },

    /**
     * Returns the coverage so far. Each part of a restriction has two branches, `open` has one; they are named `ways`. The
     * percentage is of routes and branches together, rounded down, so that only full coverage is 100.
     */
    sum() {
      const all = routes.map((route) => ({ route, own: branchesOf(route.restriction, "") }));
      const every = all.flatMap(({ own }) => own);
      const calls = { covered: called.size, total: routes.length };
      const ways = { covered: every.filter(isTried).length, total: every.length };
      const percent = Math.floor((100 * (calls.covered + ways.covered)) / (calls.total + ways.total));
      const gaps = all.flatMap(({ route, own }): Gap[] => {
        const { path } = route;
        if (!called.has(route)) return [{ route: path, restriction: null, untried: null }];
        const untried = own.filter((branch) => !isTried(branch));
        return untried.map(({ words, outcome }) => ({ route: path, restriction: words, untried: outcome }));
      });
      return { percent, routes: calls, ways, gaps };
    },
  };
}

/** Returns the branches of the parts of a restriction. @param condition the case that it belongs to, in words */
function branchesOf(part: Restriction, condition: string): Branch[] {
  if (isCompound(part)) return part.restrictions.flatMap((inner) => branchesOf(inner, condition));
  const joined = (...words: readonly string[]) => words.filter((text) => text !== "");
  if (part.kind === "cases")
    return part.cases.flatMap((own) => {
      const otherwise = part.cases.length > 1 ? "otherwise" : "";
      const words = own.when === undefined ? otherwise : `when ${conditionOf(own)}`;
      return branchesOf(own.restriction, joined(condition, words).join(", "));
    });
  const words = joined(describe(part), condition).join(" ");
  const outcomes = part.kind === "open" ? (["allowed"] as const) : (["allowed", "denied"] as const);
  return outcomes.map((outcome) => ({ part, words, outcome }));
}

/** Returns the parts that decide about a caller. */
function decisiveParts(whole: Restriction, caller: Caller, input: Input): readonly Restriction[] {
  const restriction = applicable(whole, input);
  switch (restriction.kind) {
    case "anyOf":
      return restriction.restrictions.flatMap((part) => decisiveParts(part, caller, input));
    case "allOf": {
      const denying = restriction.restrictions.filter((part) => !isAllowed(part, caller, input));
      if (denying.length > 1) return [];
      return (denying.length === 1 ? denying : restriction.restrictions).flatMap((part) =>
        decisiveParts(part, caller, input),
      );
    }
    default:
      return [restriction];
  }
}
