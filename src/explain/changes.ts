/** What changes in the text of a route table, in words: routes, their parameters, and the settings beside them. */
import { isDeepStrictEqual } from "node:util";
import type { Parameter } from "../table/parameters.ts";
import { describe } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";

/** The same of two tables. */
export interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

/** Something that is one way before and another after; null where it is not there. */
export interface Change {
  readonly before: string | null;
  readonly after: string | null;
}

/** Something with a name that changes. */
export interface NamedChange extends Change {
  readonly name: string;
}

/** A route that is not the same before and after, without the people. */
export interface RouteChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** In words; null where it stays. Of a route that is added or removed the other side is null. */
  readonly restriction: Change | null;
  /** The operation's name; null where it stays. */
  readonly handler: Change | null;
  readonly summary: Change | null;
  readonly parameters: readonly NamedChange[];
}

/** What is different of a route, or undefined where it is the same. */
export function changeOfRoute(
  path: string,
  { before, after }: Pair<Route | undefined>,
): RouteChange | undefined {
  const changed = (of: (route: Route) => string) => change(before && of(before), after && of(after));
  const parameters = parameterChanges(before?.parameters ?? [], after?.parameters ?? []);
  const said = {
    path,
    restriction: changed((route) => describe(route.restriction)),
    handler: changed((route) => route.handler),
    summary: changed((route) => route.summary),
    parameters,
  };
  if (before === undefined) return { ...said, change: "added" };
  if (after === undefined) return { ...said, change: "removed" };
  const isSame = said.restriction === null && said.handler === null && said.summary === null;
  const decides = !isDeepStrictEqual(before.restriction, after.restriction);
  return isSame && parameters.length === 0 && !decides ? undefined : { ...said, change: "changed" };
}

function change(before: string | undefined, after: string | undefined): Change | null {
  return before === after ? null : { before: before ?? null, after: after ?? null };
}

function parameterChanges(before: readonly Parameter[], after: readonly Parameter[]): NamedChange[] {
  const names = new Set([...before, ...after].map(({ name }) => name));
  const wordsIn = (all: readonly Parameter[], name: string) => {
    const parameter = all.find((each) => each.name === name);
    return parameter && parameterWords(parameter);
  };
  return [...names].flatMap((name) => {
    const different = change(wordsIn(before, name), wordsIn(after, name));
    return different === null ? [] : { name, ...different };
  });
}

/** A parameter's type with all that refines it: "integer, minimum 1, maximum 30, default 7". */
function parameterWords({ type, default: fallback }: Parameter): string {
  const { base, name: _name, description: _description, roundsDown: _, values, ...refinements } = type;
  const words = Object.entries(refinements).flatMap(([key, value]) =>
    value === undefined ? [] : `${key} ${value}`,
  );
  const listed = values === undefined ? [] : [`of ${values.join(" ")}`];
  return [base, ...listed, ...words, ...(fallback === undefined ? [] : [`default ${fallback}`])].join(", ");
}

/** Which settings beside the routes change. */
export function settingsChanged({ before, after }: Pair<Table>): NamedChange[] {
  const settings = [
    { name: "prefix", ...change(before.prefix, after.prefix) },
    { name: "language", ...change(before.language, after.language) },
    { name: "product", ...change(before.product, after.product) },
    { name: "excluded", ...change(before.excludedGroup, after.excludedGroup) },
  ];
  return settings.filter((each): each is NamedChange => "before" in each);
}
