/**
 * What another route table would change, with players listed by name. A service sends cohorts, in which each player occurs
 * once, and the command lists them: the lists of 50,000 players and all routes have 40 MB, and nobody is served while they
 * are written as JSON.
 */

import { fold } from "../domain/text.ts";
import type { Data } from "../store/data.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Cohort } from "./cohorts.ts";
import { compareTables, type Difference, type Source } from "./comparison.ts";
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

/** Some cohorts, by their numbers in {@link CohortDiff}, and possibly public tokens. */
export interface NumberedSide {
  readonly cohorts: readonly number[];
  readonly public: boolean;
}

/** What another table would change, before it is listed. */
export interface CohortDiff extends Difference<NumberedSide> {
  readonly cohorts: readonly (readonly Person[])[];
  readonly registered: number;
}

/** Compares two tables; see {@link compareTables}. */
export async function diffTables(
  before: Source,
  after: Source,
  data: Data | undefined,
  vocabulary: Vocabulary,
): Promise<CohortDiff> {
  const comparison = await compareTables(before, after, data, vocabulary);
  const numbers = new Map<Cohort, number>();
  const numberOf = (cohort: Cohort) => {
    const number = numbers.get(cohort) ?? numbers.size;
    numbers.set(cohort, number);
    return number;
  };
  const numbered = mapSides(comparison, (side) => ({
    cohorts: side.cohorts.map(numberOf),
    public: side.public,
  }));
  const cohorts = Array.from(numbers.keys(), ({ players }) => players);
  return { ...numbered, cohorts, registered: comparison.registered };
}

/** Lists the players of each side by name. */
export function listPlayers({ cohorts, registered, ...difference }: CohortDiff): TableDiff {
  const listed = cohorts.flatMap((players, cohort) =>
    players.map((person) => ({ key: fold(person.name), person, cohort })),
  );
  // The order of compareTexts, without folding both names at each comparison. No two players have the same key.
  listed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return mapSides(difference, (side) => {
    const wanted = new Set(side.cohorts);
    const players = listed.filter(({ cohort }) => wanted.has(cohort)).map(({ person }) => person);
    const everyone = players.length > 0 && players.length === registered;
    return { count: players.length, players, public: side.public, everyone };
  });
}

function mapSides<A, B>(difference: Difference<A>, map: (side: A) => B): Difference<B> {
  const { routes, exclusion } = difference;
  return {
    ...difference,
    routes: routes.map((route) => ({
      ...route,
      people: route.people.map(({ when, gains, loses }) => ({ when, gains: map(gains), loses: map(loses) })),
    })),
    exclusion: exclusion && {
      excludes: map(exclusion.excludes),
      readmits: map(exclusion.readmits),
    },
  };
}

/** Whether it has no players and no public tokens. */
export function isEmpty(crowd: Crowd): boolean {
  return crowd.count === 0 && !crowd.public;
}
