/** Everyone who may call an operation. */
import type { Data } from "../store/data.ts";
import { denialOf, isExcluded } from "../table/authorization.ts";
import { type Caller, nobody, type Vocabulary } from "../table/caller.ts";
import { describe, type Input } from "../table/restriction/restriction.ts";
import { namedTexts, situationsOf } from "../table/restriction/situations.ts";
import type { Table } from "../table/table.ts";
import { cohortsOf, type Person, playersOf } from "./cohorts.ts";
import { type Pair, toQuestion } from "./question.ts";

/** Who may call it, for certain values of open parameters. */
export interface Allowed {
  /** The values in words of the open parameters; empty if there are none. */
  readonly when: Readonly<Record<string, string>>;
  readonly count: number;
  readonly players: readonly Person[];
  /** Whether public tokens may call it. */
  readonly public: boolean;
}

/** The answer to `who-can`. */
export interface WhoCan {
  /** The path of the route in the table. */
  readonly path: string;
  /** The restriction in words. */
  readonly restriction: string;
  /** Whether a read-only token is enough, which allows no changes. */
  readonly readOnly: boolean;
  /** The decisive parameters of the question, and those with a default. */
  readonly parameters: Input;
  /** The table that decided. */
  readonly revision: string;
  /** The number of registered players. */
  readonly registered: number;
  /** The number of excluded players. */
  readonly excluded: number;
  readonly allowed: readonly Allowed[];
}

/** Returns everyone who may call an operation. @throws Failure see {@link toQuestion} */
export async function whoCan(
  data: Data,
  table: Table,
  vocabulary: Vocabulary,
  now: number,
  [path, pairs]: readonly [path: string, pairs: readonly Pair[]],
): Promise<WhoCan> {
  const { route, input, open } = toQuestion(table, vocabulary, path, pairs);
  const { restriction, decisive } = route;
  const values = Object.values(input).filter((value) => typeof value === "string");
  const cohorts = await cohortsOf(data, [...namedTexts(restriction, decisive), ...values], now);
  const listed = playersOf(cohorts.all.map(({ players }) => players));
  const allowed = situationsOf(open, [restriction], vocabulary).map(({ when, inputFor }) => {
    const may = (name: string, caller: Caller) =>
      denialOf(table, route, caller, () => ({ ...input, ...inputFor(name) })) === undefined;
    const isAllowed = cohorts.all.map(({ name, caller }) => may(name, caller));
    const players = listed.filter(({ cohort }) => isAllowed[cohort]).map(({ person }) => person);
    return { when, count: players.length, players, public: may("", nobody) };
  });
  const excluded = cohorts.all.filter(({ caller }) => isExcluded(table, caller));
  return {
    path: route.path,
    restriction: describe(restriction, open.length === 0 ? input : undefined),
    readOnly: route.operation.effect === "read",
    parameters: input,
    revision: table.revision,
    registered: cohorts.registered,
    excluded: excluded.reduce((sum, { players }) => sum + players.length, 0),
    allowed,
  };
}
