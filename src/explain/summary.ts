/** What another route table comes to, in counts and in words: for the log, the history of tables, and `routes diff`. */
import { compareTexts } from "../domain/text.ts";
import {
  type Comparison,
  type Counts,
  cohortsIn,
  type Difference,
  playersIn,
  type Side,
} from "./comparison.ts";

/** How many names a summary has. */
const mostNames = 5;

/** How many players gain and lose an operation, whatever its parameters. */
export interface OperationSummary {
  readonly path: string;
  readonly gain: number;
  readonly lose: number;
  /** Whether the holders of public tokens gain it; in some situations they may lose it as well. */
  readonly publicGains: boolean;
  readonly publicLoses: boolean;
}

/** A {@link Comparison} in short: its size does not grow with the number of players. */
export interface TableSummary {
  readonly counts: Counts;
  /** How many players were registered. */
  readonly registered: number;
  /** The first players, by name, who lose an operation or are excluded; at most five. */
  readonly firstLosing: readonly string[];
  /** The operations that somebody gains or loses. */
  readonly operations: readonly OperationSummary[];
  readonly takesAway: boolean;
  /** One line; see {@link inWords}. */
  readonly words: string;
}

/** Sums a comparison up. */
export function summarize(comparison: Comparison): TableSummary {
  const { counts, registered, takesAway, routes, exclusion } = comparison;
  const losing = routes.flatMap(({ people }) => people.map(({ loses }) => loses));
  if (exclusion !== null) losing.push(exclusion.excludes);
  const operations = routes.flatMap(({ path, people }) => {
    if (people.length === 0) return [];
    const [gains, loses] = [people.map((each) => each.gains), people.map((each) => each.loses)];
    const isPublic = (sides: readonly Side[]) => sides.some((side) => side.public);
    return {
      path,
      gain: playersIn(gains),
      lose: playersIn(loses),
      publicGains: isPublic(gains),
      publicLoses: isPublic(loses),
    };
  });
  return {
    counts,
    registered,
    firstLosing: firstNames(losing),
    operations,
    takesAway,
    words: inWords(comparison),
  };
}

/** The first names, without ordering all of them. */
function firstNames(sides: readonly Side[]): string[] {
  const first: string[] = [];
  for (const { players } of cohortsIn(sides)) {
    for (const { name } of players) {
      const last = first[mostNames - 1];
      if (last !== undefined && compareTexts(last, name) < 0) continue;
      first.push(name);
      first.sort(compareTexts);
      first.length = Math.min(first.length, mostNames);
    }
  }
  return first;
}

/** A difference in one line: how many routes differ, and how many players gain and lose something. */
export function inWords<S extends Pick<Side, "public">>(difference: Difference<S>): string {
  const { counts, routes, exclusion, settings } = difference;
  const { added, removed, changed, gain, lose } = counts;
  const isPublic = (side: "gains" | "loses") =>
    routes.some(({ people }) => people.some((each) => each[side].public));
  const parts = [
    [added, "added"],
    [removed, "removed"],
    [changed, "changed"],
  ].flatMap(([count, what]) => (count === 0 ? [] : `${count} ${what}`));
  const routesText = parts.length === 0 ? "No route differs" : `Routes: ${parts.join(", ")}`;
  const who = (count: number, withPublic: boolean) =>
    `${count === 0 ? "no player" : count === 1 ? "1 player" : `${count} players`}${withPublic ? " and public tokens" : ""}`;
  const losing = `${who(lose, isPublic("loses"))} ${lose > 1 || isPublic("loses") ? "lose" : "loses"} something`;
  const gaining = `${who(gain, isPublic("gains"))} ${gain > 1 || isPublic("gains") ? "gain" : "gains"} something`;
  const moved = settings.some(({ name }) => name === "prefix") ? " Every address changes." : "";
  const excluded = exclusion === null ? "" : " Another group is excluded.";
  return `${routesText}. In people: ${losing}, ${gaining}.${moved}${excluded}`;
}
