/** What another route table would change, with players listed by name. */

import { fold } from "../domain/text.ts";
import type { Data } from "../store/data.ts";
import { Slices } from "../store/slices.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Cohort } from "./cohorts.ts";
import {
  type Comparison,
  cohortsIn,
  compareTables,
  type Difference,
  type Side,
  type Source,
} from "./comparison.ts";
import type { Person } from "./people.ts";

/** Some players, by name. */
export interface Crowd {
  readonly count: number;
  readonly players: readonly Person[];
  /** Whether the holders of public tokens are among them. */
  readonly public: boolean;
  /** Whether this is every registered player. */
  readonly everyone: boolean;
}

/** What another table would change. */
export type TableDiff = Difference<Crowd>;

/** Compares two tables; see {@link compareTables}. */
export async function diffTables(
  before: Source,
  after: Source,
  data: Data | undefined,
  vocabulary: Vocabulary,
): Promise<TableDiff> {
  const { registered, ...comparison } = await compareTables(before, after, data, vocabulary);
  const { routes, exclusion } = comparison;
  const toCrowd = await lister(comparison, registered);
  const slices = new Slices();
  const listed: TableDiff["routes"][number][] = [];
  for (const route of routes) {
    const people: TableDiff["routes"][number]["people"][number][] = [];
    for (const { when, gains, loses } of route.people) {
      if (slices.isOver) await slices.next();
      people.push({ when, gains: toCrowd(gains), loses: toCrowd(loses) });
    }
    listed.push({ ...route, people });
  }
  return {
    ...comparison,
    routes: listed,
    exclusion: exclusion && {
      excludes: toCrowd(exclusion.excludes),
      readmits: toCrowd(exclusion.readmits),
    },
  };
}

/** Whether it has no players and no public tokens. */
export function isEmpty(crowd: Crowd): boolean {
  return crowd.count === 0 && !crowd.public;
}

/** Returns a function that lists a side by name. All players are sorted once, since sides overlap. */
async function lister(
  { routes, exclusion }: Pick<Comparison, "routes" | "exclusion">,
  registered: number,
): Promise<(side: Side) => Crowd> {
  const sides = routes.flatMap(({ people }) => people.flatMap(({ gains, loses }) => [gains, loses]));
  if (exclusion !== null) sides.push(exclusion.excludes, exclusion.readmits);
  const listed: { readonly key: string; readonly person: Person; readonly cohort: Cohort }[] = [];
  const slices = new Slices();
  for (const cohort of cohortsIn(sides)) {
    for (const person of cohort.players) {
      if (slices.isOver) await slices.next();
      listed.push({ key: fold(person.name), person, cohort });
    }
  }
  // The order of compareTexts, without folding both names at each comparison. No two players have the same key.
  listed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return ({ cohorts, public: isPublic }) => {
    const wanted = new Set(cohorts);
    const players = listed.filter(({ cohort }) => wanted.has(cohort)).map(({ person }) => person);
    const everyone = players.length > 0 && players.length === registered;
    return { count: players.length, players, public: isPublic, everyone };
  };
}
