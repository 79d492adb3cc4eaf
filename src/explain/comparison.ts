/**
 * Compares two route tables: their routes and settings, and which cohorts of players gain and lose which operation with
 * the present data. `diff.ts` lists the players by name, `summary.ts` counts them.
 */
import { isDeepStrictEqual } from "node:util";
import { Slices } from "../domain/slices.ts";
import type { Data } from "../store/data.ts";
import { denialOf, isExcluded } from "../table/authorization.ts";
import { type Caller, nobody, type Vocabulary } from "../table/caller.ts";
import type { Parameter } from "../table/parameters.ts";
import { type Input, toInput } from "../table/restriction/restriction.ts";
import { namedTexts, type Situation, situationsOf } from "../table/restriction/situations.ts";
import type { Route, Table } from "../table/table.ts";
import {
  type BeforeAfter,
  changeOfRoute,
  type NamedChange,
  type RouteChange,
  settingsChanged,
} from "./changes.ts";
import { type Cohort, cohortsOf, type Person } from "./cohorts.ts";

/** The settings without which something is no longer served, or answers lack what they had. */
const served =
  /^(?:invitations|stream|pages\..+|(?:statistics|ratios|events|scores|lists\.[^.]+\.fields)\.[^.]+)$/;
/** The settings that name what clients look for: paths, and the fields of answers. */
const naming = /^(?:prefix|statistics\.[^.]+\.counter|events\.[^.]+\.name|scores\.[^.]+\.sides)$/;
/** Those that change what a field of an answer means, or whether answers have it. */
const meaning = /^(?:ratios\.[^.]+\.counters|lists\.[^.]+\.creator)$/;

export interface TableFile {
  readonly file: string;
  readonly table: Table;
}

/** Some players, and possibly public tokens. */
export interface Side {
  /** Their indices in {@link Comparison}. */
  readonly cohorts: readonly number[];
  /** Whether the holders of public tokens are among them. */
  readonly public: boolean;
}

/** Who gains and who loses an operation, for certain values of its parameters. */
export interface Affected<S> {
  /** The values of decisive parameters, in words; empty if they make no difference. */
  readonly when: Readonly<Record<string, string>>;
  readonly gains: S;
  readonly loses: S;
}

/** The numbers of routes and of players, without public tokens. */
export interface Counts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Players who gain an operation, or are no longer excluded. */
  readonly gain: number;
  /** Players who lose an operation, or are excluded. */
  readonly lose: number;
}

/** The difference between two tables, with players in the form `S`. */
export interface Difference<S> {
  readonly before: ReturnType<typeof nameOf>;
  readonly after: ReturnType<typeof nameOf>;
  /** All that changes beside the routes; see {@link settingsChanged}. */
  readonly settings: readonly NamedChange[];
  readonly routes: readonly (RouteChange & { readonly people: readonly Affected<S>[] })[];
  /** Who is newly excluded, and who no longer is; null if the excluded group is the same. */
  readonly exclusion: { readonly excludes: S; readonly readmits: S } | null;
  readonly counts: Counts;
  /**
   * Whether somebody loses an operation, or finds it at another address, or a route refuses calls that it accepted, or
   * answers lose a field or the meaning of one, or codes of invitations, streams or pages end.
   */
  readonly takesAway: boolean;
}

/**
 * A {@link Difference} in cohorts, in which each player occurs once: the lists of 50,000 players and all routes have 40 MB,
 * and a service would serve nobody while it writes them as JSON.
 */
export interface Comparison extends Difference<Side> {
  /** The players of each cohort; none for a cohort that neither gains nor loses anything. */
  readonly cohorts: readonly (readonly Person[])[];
  /** The number of registered players. */
  readonly registered: number;
}

/**
 * Compares two tables, in slices of the event loop.
 * @param data undefined if there is none yet
 * @param now the instant whose memberships count
 */
export async function compareTables(
  before: TableFile,
  after: TableFile,
  data: Data | undefined,
  vocabulary: Vocabulary,
  now = Date.now(),
): Promise<Comparison> {
  const tables = { before: before.table, after: after.table };
  const texts = textsIn(tables);
  const cohorts = data === undefined ? [] : await cohortsOf(data, texts, now);
  const contenders = cohorts.map(({ name, caller }) => ({ name, before: caller, after: caller }));
  const old = new Map(tables.before.routes.map((route) => [route.path, route]));
  const fresh = new Map(tables.after.routes.map((route) => [route.path, route]));
  const routes: Comparison["routes"][number][] = [];
  // In the order of the new table, followed by removed routes.
  for (const path of new Set([...fresh.keys(), ...old.keys()])) {
    const pair = { before: old.get(path), after: fresh.get(path) };
    const change = changeOfRoute(path, pair);
    if (change === undefined) continue;
    routes.push({ ...change, people: await affected(tables, pair, contenders, vocabulary) });
  }
  const exclusion = exclusionOf(tables, cohorts);
  const settings = settingsChanged(tables);
  const of = (change: RouteChange["change"]) => routes.filter((route) => route.change === change).length;
  const sides = (side: "gains" | "loses") =>
    routes.flatMap((route) => route.people.map((affected) => affected[side]));
  const gaining = [...sides("gains"), ...(exclusion === null ? [] : [exclusion.readmits])];
  const losing = [...sides("loses"), ...(exclusion === null ? [] : [exclusion.excludes])];
  const concerned = cohortsIn([...gaining, ...losing]);
  const players = cohorts.map((cohort, index) => (concerned.has(index) ? cohort.players : []));
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
      gain: playersIn(gaining, players),
      lose: playersIn(losing, players),
    },
    takesAway:
      losing.some((side) => !isNobody(side)) ||
      settings.some(losesSetting) ||
      routes.some(({ change, handler, narrows }) => narrows || (change === "changed" && handler !== null)),
    cohorts: players,
    registered: cohorts.reduce((sum, { players }) => sum + players.length, 0),
  };
}

function losesSetting({ name, before, after }: NamedChange): boolean {
  if (wordsOf(after, "reserved").some((word) => !wordsOf(before, "reserved").includes(word))) return true;
  if (meaning.test(name)) return before !== "false" && before !== null;
  if (!naming.test(name)) return served.test(name) && after === null;
  const left = after?.split(" ") ?? [];
  return before?.split(" ").some((word) => !left.includes(word)) === true;
}

/** Returns the words behind another one at the end of a text. */
function wordsOf(text: string | null, key: string): string[] {
  return text?.split(`, ${key} `)[1]?.split(" ") ?? [];
}

/** Returns the cohorts of several sides, each once. */
export function cohortsIn(sides: readonly Side[]): ReadonlySet<number> {
  return new Set(sides.flatMap(({ cohorts }) => cohorts));
}

/** Returns the number of players in several sides, each counted once. */
export function playersIn(sides: readonly Side[], players: Comparison["cohorts"]): number {
  let count = 0;
  for (const cohort of cohortsIn(sides)) count += players[cohort]?.length ?? 0;
  return count;
}

function nameOf({ file, table }: TableFile) {
  return { file, revision: table.revision, routes: table.routes.length };
}

/** Returns the texts that restrictions of two tables compare with. */
export function textsIn({ before, after }: BeforeAfter<Table>): string[] {
  return [...before.routes, ...after.routes].flatMap(({ decisive, restriction }) =>
    namedTexts(restriction, decisive),
  );
}

function exclusionOf(
  { before, after }: BeforeAfter<Table>,
  cohorts: readonly Cohort[],
): Comparison["exclusion"] {
  if (before.excludedGroup === after.excludedGroup) return null;
  const found = (from: Table, to: Table) => ({
    cohorts: cohorts.flatMap(({ caller }, index) =>
      !isExcluded(from, caller) && isExcluded(to, caller) ? index : [],
    ),
    public: false,
  });
  return { excludes: found(before, after), readmits: found(after, before) };
}

/** Somebody, by name, as a caller of two tables, or before and after becoming another one. */
export interface Contender extends BeforeAfter<Caller> {
  readonly name: string;
}

const openContender: Contender = { name: "", before: nobody, after: nobody };

/**
 * Returns who gains and who loses a route in each situation, or once if it is the same in all.
 * @param contenders whose indices the sides have
 */
export async function affected(
  tables: BeforeAfter<Table>,
  routes: BeforeAfter<Route | undefined>,
  contenders: readonly Contender[],
  vocabulary: Vocabulary,
): Promise<Affected<Side>[]> {
  const both = [routes.before, routes.after].filter((route) => route !== undefined);
  const parameters = new Map<string, Parameter>();
  for (const { parameters: own, decisive } of both) {
    for (const parameter of own) if (decisive.has(parameter.name)) parameters.set(parameter.name, parameter);
  }
  const restrictions = both.map(({ restriction }) => restriction);
  const situations = situationsOf([...parameters.values()], restrictions, vocabulary, omissible(routes));
  const all: Affected<Side>[] = [];
  const slices = new Slices();
  for (const situation of situations) {
    const gains: number[] = [];
    const loses: number[] = [];
    for (const [index, contender] of contenders.entries()) {
      if (slices.isOver) await slices.next();
      const { before, after } = authorized(tables, routes, contender, situation);
      if (before && !after) loses.push(index);
      if (after && !before) gains.push(index);
    }
    const open = authorized(tables, routes, openContender, situation);
    all.push({
      when: situation.when,
      gains: { cohorts: gains, public: open.after && !open.before },
      loses: { cohorts: loses, public: open.before && !open.after },
    });
  }
  const [first] = all;
  const isSame = all.every(
    ({ gains, loses }) => isDeepStrictEqual(gains, first?.gains) && isDeepStrictEqual(loses, first?.loses),
  );
  const different = first !== undefined && isSame ? [{ ...first, when: {} }] : all;
  return different.filter(({ gains, loses }) => !isNobody(gains) || !isNobody(loses));
}

function isNobody(side: Side): boolean {
  return side.cohorts.length === 0 && !side.public;
}

function authorized(
  tables: BeforeAfter<Table>,
  routes: BeforeAfter<Route | undefined>,
  { name, before, after }: Contender,
  { inputFor }: Situation,
): BeforeAfter<boolean> {
  const input = inputFor(name);
  const may = (table: Table, route: Route | undefined, caller: Caller) =>
    route !== undefined &&
    denialOf(table, route, caller, () => ({ ...defaultsOf(route), ...input })) === undefined;
  return {
    before: may(tables.before, routes.before, before),
    after: may(tables.after, routes.after, after),
  };
}

/** Returns the parameters whose default changes, so that omitting them means something else. */
function omissible({ before, after }: BeforeAfter<Route | undefined>): string[] {
  const old = defaultsOf(before);
  return Object.entries(defaultsOf(after)).flatMap(([name, value]) =>
    name in old && old[name] !== value ? name : [],
  );
}

function defaultsOf(route: Route | undefined): Input {
  return toInput(route?.parameters.map(({ name, default: value }) => [name, value]) ?? []);
}
