/** The difference between two route tables in short: for the log, the history of tables, and `routes diff`. */
import { allOf, capitalised, counted, fold } from "../domain/text.ts";
import { type Comparison, cohortsIn, type Difference, playersIn, type Side } from "./comparison.ts";

const mostNames = 5;

/** The summary of a {@link Comparison}, whose size does not grow with the number of players. */
export type TableSummary = ReturnType<typeof summarize>;

/** How many players gain and lose an operation, for any parameters. */
export type OperationSummary = TableSummary["operations"][number];

export function summarize(comparison: Comparison) {
  const { counts, cohorts, registered, takesAway, routes, exclusion } = comparison;
  const losing = routes.flatMap(({ people }) => people.map(({ loses }) => loses));
  if (exclusion !== null) losing.push(exclusion.excludes);
  const operations = routes.flatMap(({ path, people }) => {
    if (people.length === 0) return [];
    const [gains, loses] = [people.map(({ gains }) => gains), people.map(({ loses }) => loses)];
    const isPublic = (sides: readonly Side[]) => sides.some((side) => side.public);
    return {
      path,
      gain: playersIn(gains, cohorts),
      lose: playersIn(loses, cohorts),
      // In other situations public tokens may lose what they gain.
      publicGains: isPublic(gains),
      publicLoses: isPublic(loses),
    };
  });
  return {
    counts,
    registered,
    firstLosing: firstNames(losing, cohorts),
    operations,
    takesAway,
    words: inWords(comparison),
  };
}

/** Returns the first names, without sorting all of them. No two players have the same key. */
function firstNames(sides: readonly Side[], cohorts: Comparison["cohorts"]): string[] {
  const first: { readonly key: string; readonly name: string }[] = [];
  for (const cohort of cohortsIn(sides)) {
    for (const { name } of cohorts[cohort] ?? []) {
      const key = fold(name);
      const last = first[mostNames - 1];
      if (last === undefined || key < last.key) {
        first.push({ key, name });
        first.sort((a, b) => (a.key < b.key ? -1 : 1));
        first.length = Math.min(first.length, mostNames);
      }
    }
  }
  return first.map(({ name }) => name);
}

/** What the removal of a setting means. */
const endings: ReadonlyMap<string, string> = new Map([
  ["invitations", " The codes of invitations are no longer accepted."],
  ["stream", " The streams end."],
]);

/** Returns a difference in one line: how many routes differ, and how many players gain and lose something. */
export function inWords<S extends Pick<Side, "public">>(difference: Difference<S>): string {
  const { counts, routes, exclusion, settings } = difference;
  const { added, removed, changed, gain, lose } = counts;
  const isPublic = (side: "gains" | "loses") =>
    routes.some(({ people }) => people.some((affected) => affected[side].public));
  const parts = Object.entries({ added, removed, changed }).flatMap(([what, count]) =>
    count === 0 ? [] : `${count} ${what}`,
  );
  const routesText = parts.length === 0 ? "No route changes" : `Routes: ${parts.join(", ")}`;
  const sentence = (count: number, verb: string, side: "gains" | "loses") => {
    const players = count === 0 ? "no player" : counted(count, "player");
    const who = !isPublic(side) ? players : count === 0 ? "public tokens" : `${players} and public tokens`;
    return `${who} ${verb}${count > 1 || isPublic(side) ? "" : "s"} access`;
  };
  const people = `${sentence(lose, "lose", "loses")}, ${sentence(gain, "gain", "gains")}`;
  const narrowed = routes.filter(({ narrows }) => narrows).length;
  const refused =
    narrowed === 0
      ? ""
      : ` Some calls of ${counted(narrowed, "route")} may no longer work, or mean something else.`;
  const moved = settings.some(({ name }) => name === "prefix") ? " Every path changes." : "";
  const excluded = exclusion === null ? "" : " The excluded group changes.";
  const limited = settings.some(({ name }) => name.startsWith("limits.")) ? " The limits change." : "";
  const ended = settings.flatMap(({ name, after }) => (after === null ? (endings.get(name) ?? []) : []));
  const others = settings.flatMap(({ name, after }) => {
    const [key = ""] = name.split(".");
    const hasWords = ["prefix", "excluded", "limits"].includes(key) || (after === null && endings.has(name));
    return hasWords ? [] : key;
  });
  const redeclared = others.length === 0 ? "" : ` Changed as well: ${allOf([...new Set(others)])}.`;
  return `${routesText}. ${capitalised(people)}.${refused}${moved}${excluded}${ended.join("")}${limited}${redeclared}`;
}
