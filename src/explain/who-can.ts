/** Everyone who may call an operation. */
import type { Data } from "../store/data.ts";
import { denialOf, isExcluded } from "../table/authorization.ts";
import { type Caller, nobody, type Vocabulary } from "../table/caller.ts";
import { describe } from "../table/restriction/restriction.ts";
import { namedTexts, situationsOf } from "../table/restriction/situations.ts";
import type { Table } from "../table/table.ts";
import { cohortsOf, playersOf } from "./cohorts.ts";
import { type Pair, toQuestion } from "./question.ts";

/** The answer to `who-can`. */
export type WhoCan = Awaited<ReturnType<typeof whoCan>>;

/** Who may call it, for certain values of open parameters. */
export type Allowed = WhoCan["allowed"][number];

/** Returns everyone who may call an operation. @throws Failure see {@link toQuestion} */
export async function whoCan(
  data: Data,
  table: Table,
  vocabulary: Vocabulary,
  now: number,
  [path, pairs]: readonly [path: string, pairs: readonly Pair[]],
) {
  const { route, input, open } = toQuestion(table, vocabulary, path, pairs);
  const { restriction, decisive } = route;
  const values = Object.values(input).filter((value) => typeof value === "string");
  const cohorts = await cohortsOf(data, [...namedTexts(restriction, decisive), ...values], now);
  const listed = playersOf(cohorts.map(({ players }) => players));
  const allowed = situationsOf(open, [restriction], vocabulary).map(({ when, inputFor }) => {
    const may = (name: string, caller: Caller) =>
      denialOf(table, route, caller, () => ({ ...input, ...inputFor(name) })) === undefined;
    const isAllowed = cohorts.map(({ name, caller }) => may(name, caller));
    const players = listed.filter(({ cohort }) => isAllowed[cohort]).map(({ person }) => person);
    return { when, count: players.length, players, public: may("", nobody) };
  });
  const excluded = cohorts.filter(({ caller }) => isExcluded(table, caller));
  return {
    path: route.path,
    restriction: describe(restriction, open.length === 0 ? input : undefined),
    // Whether a read-only token is enough, which allows no changes.
    readOnly: route.operation.effect === "read",
    parameters: input,
    revision: table.revision,
    registered: listed.length,
    excluded: excluded.reduce((sum, { players }) => sum + players.length, 0),
    allowed,
  };
}
