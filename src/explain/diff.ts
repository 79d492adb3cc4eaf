/** What another route table would change, with players listed by name. A service sends cohorts, and the command lists them. */
import { type Person, playersOf } from "./cohorts.ts";
import type { Comparison, Difference, Side } from "./comparison.ts";

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

/** Lists the players of each side by name. */
export function listPlayers({ cohorts, registered, ...difference }: Comparison): TableDiff {
  const listed = playersOf(cohorts);
  const toCrowd = (side: Side): Crowd => {
    const wanted = new Set(side.cohorts);
    const players = listed.filter(({ cohort }) => wanted.has(cohort)).map(({ person }) => person);
    const everyone = players.length > 0 && players.length === registered;
    return { count: players.length, players, public: side.public, everyone };
  };
  const { routes, exclusion } = difference;
  return {
    ...difference,
    routes: routes.map((route) => ({
      ...route,
      people: route.people.map(({ when, gains, loses }) => {
        return { when, gains: toCrowd(gains), loses: toCrowd(loses) };
      }),
    })),
    exclusion: exclusion && {
      excludes: toCrowd(exclusion.excludes),
      readmits: toCrowd(exclusion.readmits),
    },
  };
}
