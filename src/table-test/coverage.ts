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
export interface Share {
  readonly covered: number;
  readonly total: number;
}

/** Something that no test covers. */
export interface Gap {
  readonly route: string;
  /** The part in words, with its case; null if no test calls the route. */
  readonly restriction: string | null;
  /** What no caller was; null if no test calls the route. */
  readonly untried: "allowed" | "denied" | null;
}

export interface Coverage {
  /** Of routes and ways together, rounded down, so that only full coverage is 100. */
  readonly percent: number;
  readonly routes: Share;
  /** Allowed and denied for each part of a restriction; for `open`, only allowed. */
  readonly ways: Share;
  readonly gaps: readonly Gap[];
}

/** A part of a restriction, and whether it has allowed and denied somebody. */
interface Part {
  readonly words: string;
  allowed: boolean;
  /** Undefined for `open`. */
  denied: boolean | undefined;
}

/** Counts what tests cover. */
export class CoverageCount {
  readonly #routes: readonly Route[];
  readonly #called = new Set<Route>();
  readonly #parts: ReadonlyMap<Route, ReadonlyMap<Restriction, Part>>;

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
    this.#parts = new Map(routes.map((route) => [route, new Map(partsOf(route.restriction, ""))]));
  }

  /** Counts a decision of a route's restriction. */
  note(route: Route, caller: Caller, input: Input): void {
    this.#called.add(route);
    const parts = this.#parts.get(route);
    for (const restriction of decisiveParts(route.restriction, caller, input)) {
      const part = parts?.get(restriction);
      if (part === undefined) continue;
      if (isAllowed(restriction, caller, input)) part.allowed = true;
      else part.denied = true;
    }
  }

  /** Returns the coverage so far. */
  sum(): Coverage {
    const ways = [...this.#parts.values()].flatMap((parts) =>
      [...parts.values()].flatMap(({ allowed, denied }) =>
        denied === undefined ? [allowed] : [allowed, denied],
      ),
    );
    const routes = { covered: this.#called.size, total: this.#routes.length };
    const share = { covered: ways.filter((tried) => tried).length, total: ways.length };
    const percent = Math.floor((100 * (routes.covered + share.covered)) / (routes.total + share.total));
    return { percent, routes, ways: share, gaps: this.#routes.flatMap((route) => this.#gapsOf(route)) };
  }

  #gapsOf(route: Route): Gap[] {
    if (!this.#called.has(route)) return [{ route: route.path, restriction: null, untried: null }];
    return [...(this.#parts.get(route)?.values() ?? [])].flatMap(({ words, allowed, denied }) => {
      const gap = { route: route.path, restriction: words };
      return [
        ...(allowed ? [] : [{ ...gap, untried: "allowed" } as const]),
        ...(denied === false ? [{ ...gap, untried: "denied" } as const] : []),
      ];
    });
  }
}

/** Yields the parts of a restriction. @param condition the case that it belongs to, in words */
function* partsOf(restriction: Restriction, condition: string): Generator<[Restriction, Part]> {
  if (isCompound(restriction)) {
    for (const part of restriction.restrictions) yield* partsOf(part, condition);
  } else if (restriction.kind === "cases") {
    for (const each of restriction.cases) {
      const otherwise = restriction.cases.length > 1 ? "otherwise" : "";
      const words = each.when === undefined ? otherwise : `when ${conditionOf(each)}`;
      yield* partsOf(each.restriction, [condition, words].filter((text) => text !== "").join(", "));
    }
  } else {
    const words = [describe(restriction), condition].filter((text) => text !== "").join(" ");
    const denied = restriction.kind === "open" ? undefined : false;
    yield [restriction, { words, allowed: false, denied }];
  }
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
