/**
 * What another route table would change: routes, and in people who gains and who loses which operation, from the data
 * as it is.
 */
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Vocabulary } from "../engine/caller.ts";
import type { Parameter } from "../engine/parameters.ts";
import { describe, type Input } from "../engine/restriction.ts";
import type { Route, Table } from "../engine/table.ts";
import { isExcluded, mayCall, type People, type Person, type Somebody, toPerson } from "./people.ts";
import { type Situation, situationsOf } from "./situations.ts";

/** Something that is one way before and another after; null where it is not there. */
export interface Change {
  readonly before: string | null;
  readonly after: string | null;
}

/** Something with a name that changes. */
export interface NamedChange extends Change {
  readonly name: string;
}

/** Some people, by name. */
export interface Crowd {
  readonly count: number;
  readonly players: readonly Person[];
  /** Whether the holders of public tokens are among them. */
  readonly public: boolean;
  /** Whether this is every registered player. */
  readonly everyone: boolean;
}

/** Who gains and who loses an operation, where its parameters are so. */
export interface Affected {
  /** The values in words of the parameters that decide; empty where they make no difference. */
  readonly when: Readonly<Record<string, string>>;
  readonly gains: Crowd;
  readonly loses: Crowd;
}

/** A route that is not the same before and after. */
export interface RouteDiff {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** In words; null where it stays. Of a route that is added or removed the other side is null. */
  readonly restriction: Change | null;
  /** The operation's name; null where it stays. */
  readonly handler: Change | null;
  readonly summary: Change | null;
  readonly parameters: readonly NamedChange[];
  readonly people: readonly Affected[];
}

/** A table, as a diff names it. */
export interface TableName {
  readonly file: string;
  readonly revision: string;
  readonly routes: number;
}

export interface TableDiff {
  readonly before: TableName;
  readonly after: TableName;
  /** What is said beside the routes: `prefix`, `product`, `excluded`. */
  readonly settings: readonly NamedChange[];
  readonly routes: readonly RouteDiff[];
  /** Who may call nothing any more, and who may again; null where the excluded group stays. */
  readonly exclusion: { readonly excludes: Crowd; readonly readmits: Crowd } | null;
  /** How many. Public tokens are not counted. */
  readonly counts: {
    readonly added: number;
    readonly removed: number;
    readonly changed: number;
    /** Players who gain an operation, or are not excluded any more. */
    readonly gain: number;
    /** Players who lose an operation, or are excluded. */
    readonly lose: number;
  };
  /** Whether somebody can not do any more what they could, or not at the same address. */
  readonly takesAway: boolean;
}

/** A table and the file that it came from. */
export interface Source {
  readonly file: string;
  readonly table: Table;
}

/** How many questions are asked in one go: requests are answered in between. */
const atOnce = 20_000;

/** Compares two tables. People whose memberships change meanwhile may be told of as before or as after that. */
export async function diffTables(
  before: Source,
  after: Source,
  people: People,
  vocabulary: Vocabulary,
): Promise<TableDiff> {
  const old = new Map(before.table.routes.map((route) => [route.path, route]));
  const fresh = new Map(after.table.routes.map((route) => [route.path, route]));
  const tables = { before: before.table, after: after.table };
  const routes: RouteDiff[] = [];
  // In the order of the new table, with what is gone at the end.
  for (const path of new Set([...fresh.keys(), ...old.keys()])) {
    const pair = { before: old.get(path), after: fresh.get(path) };
    const changes = changesOf(pair);
    if (changes === undefined) continue;
    routes.push({ path, ...changes, people: await affected(tables, pair, people, vocabulary) });
  }
  const exclusion = exclusionDiff(tables, people);
  const settings = settingsDiff(tables);
  const of = (change: RouteDiff["change"]) => routes.filter((each) => each.change === change).length;
  const crowds = (side: "gains" | "loses") =>
    routes.flatMap((route) => route.people.map((each) => each[side]));
  const gaining = [...crowds("gains"), ...(exclusion === null ? [] : [exclusion.readmits])];
  const losing = [...crowds("loses"), ...(exclusion === null ? [] : [exclusion.excludes])];
  return {
    before: nameOf(before),
    after: nameOf(after),
    settings,
    routes,
    exclusion,
    counts: {
      added: of("added"),
      removed: of("removed"),
      changed: of("changed"),
      gain: playersIn(gaining),
      lose: playersIn(losing),
    },
    takesAway:
      losing.some((each) => each.count > 0 || each.public) ||
      settings.some(({ name }) => name === "prefix") ||
      routes.some(({ change, handler }) => change === "changed" && handler !== null),
  };
}

interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

function nameOf({ file, table }: Source): TableName {
  return { file, revision: table.revision, routes: table.routes.length };
}

/** What is different of a route, or undefined where it is the same. */
function changesOf({
  before,
  after,
}: Pair<Route | undefined>): Omit<RouteDiff, "path" | "people"> | undefined {
  const changed = (of: (route: Route) => string) => change(before && of(before), after && of(after));
  const parameters = parametersDiff(before?.parameters ?? [], after?.parameters ?? []);
  const said = {
    restriction: changed((route) => describe(route.restriction)),
    handler: changed((route) => route.handler),
    summary: changed((route) => route.summary),
    parameters,
  };
  if (before === undefined) return { change: "added", ...said };
  if (after === undefined) return { change: "removed", ...said };
  const isSame = said.restriction === null && said.handler === null && said.summary === null;
  const decides = !isDeepStrictEqual(before.restriction, after.restriction);
  return isSame && parameters.length === 0 && !decides ? undefined : { change: "changed", ...said };
}

function change(before: string | undefined, after: string | undefined): Change | null {
  return before === after ? null : { before: before ?? null, after: after ?? null };
}

function parametersDiff(before: readonly Parameter[], after: readonly Parameter[]): NamedChange[] {
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

function settingsDiff({ before, after }: Pair<Table>): NamedChange[] {
  const settings = [
    { name: "prefix", ...change(before.prefix, after.prefix) },
    { name: "language", ...change(before.language, after.language) },
    { name: "product", ...change(before.product, after.product) },
    { name: "excluded", ...change(before.excludedGroup, after.excludedGroup) },
  ];
  return settings.filter((each): each is NamedChange => "before" in each);
}

function exclusionDiff({ before, after }: Pair<Table>, people: People): TableDiff["exclusion"] {
  if (before.excludedGroup === after.excludedGroup) return null;
  const found = (from: Table, to: Table) =>
    people.players.filter(({ caller }) => !isExcluded(from, caller) && isExcluded(to, caller));
  return {
    excludes: crowdOf(found(before, after), false, people),
    readmits: crowdOf(found(after, before), false, people),
  };
}

/** Who gains and who loses a route, situation by situation, or all in one where they are the same. */
async function affected(
  tables: Pair<Table>,
  routes: Pair<Route | undefined>,
  people: People,
  vocabulary: Vocabulary,
): Promise<Affected[]> {
  const both = [routes.before, routes.after].filter((route) => route !== undefined);
  const parameters = new Map<string, Parameter>();
  for (const route of both) {
    for (const each of route.parameters) if (route.decisive.has(each.name)) parameters.set(each.name, each);
  }
  const restrictions = both.map(({ restriction }) => restriction);
  const situations = situationsOf([...parameters.values()], restrictions, vocabulary, omissible(routes));
  const all: Affected[] = [];
  let asked = 0;
  for (const situation of situations) {
    const gains: Somebody[] = [];
    const loses: Somebody[] = [];
    for (const somebody of people.players) {
      const { before, after } = permitted(tables, routes, somebody, situation);
      if (before && !after) loses.push(somebody);
      if (after && !before) gains.push(somebody);
      asked += 1;
      if (asked % atOnce === 0) await setImmediate();
    }
    const open = permitted(tables, routes, { name: "", caller: people.public }, situation);
    all.push({
      when: situation.when,
      gains: crowdOf(gains, open.after && !open.before, people),
      loses: crowdOf(loses, open.before && !open.after, people),
    });
  }
  const [first] = all;
  const isSame = all.every(
    ({ gains, loses }) => isDeepStrictEqual(gains, first?.gains) && isDeepStrictEqual(loses, first?.loses),
  );
  const told = isSame && first !== undefined ? [{ ...first, when: {} }] : all;
  return told.filter(({ gains, loses }) => !isEmpty(gains) || !isEmpty(loses));
}

function permitted(
  tables: Pair<Table>,
  routes: Pair<Route | undefined>,
  { name, caller }: Pick<Somebody, "name" | "caller">,
  { inputFor }: Situation,
): Pair<boolean> {
  const input = inputFor(name);
  const may = (table: Table, route: Route | undefined) =>
    route !== undefined && mayCall(table, route, caller, { ...defaultsOf(route), ...input });
  return { before: may(tables.before, routes.before), after: may(tables.after, routes.after) };
}

/** The parameters whose default is another one before and after: leaving them out means something else. */
function omissible({ before, after }: Pair<Route | undefined>): string[] {
  if (before === undefined || after === undefined) return [];
  const old = defaultsOf(before);
  return Object.entries(defaultsOf(after)).flatMap(([name, value]) =>
    name in old && old[name] !== value ? name : [],
  );
}

function defaultsOf({ parameters }: Route): Input {
  const entries = parameters.map(({ name, default: value }) => [name, value] as const);
  return Object.fromEntries(entries.filter((each): each is [string, string] => each[1] !== undefined));
}

function crowdOf(players: readonly Somebody[], isPublic: boolean, people: People): Crowd {
  const everyone = players.length > 0 && players.length === people.players.length;
  return { count: players.length, players: players.map(toPerson), public: isPublic, everyone };
}

/** Whether nobody is in it. */
export function isEmpty(crowd: Crowd): boolean {
  return crowd.count === 0 && !crowd.public;
}

function playersIn(crowds: readonly Crowd[]): number {
  return new Set(crowds.flatMap(({ players }) => players.map(({ uuid }) => uuid))).size;
}
