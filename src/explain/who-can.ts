/** Everyone who may call an operation. */
import { denialOf, isExcluded } from "../table/authorization.ts";
import type { Caller, Vocabulary } from "../table/caller.ts";
import { describe, type Input } from "../table/restriction/restriction.ts";
import type { Table } from "../table/table.ts";
import { type People, type Person, toPerson } from "./people.ts";
import { type Pair, toQuestion } from "./question.ts";
import { situationsOf } from "./situations.ts";

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
export function whoCan(
  people: People,
  table: Table,
  vocabulary: Vocabulary,
  [path, pairs]: readonly [path: string, pairs: readonly Pair[]],
): WhoCan {
  const { route, input, open } = toQuestion(table, vocabulary, path, pairs);
  const situations = situationsOf(open, [route.restriction], vocabulary);
  const allowed = situations.map(({ when, inputFor }) => {
    const may = (name: string, caller: Caller) =>
      denialOf(table, route, caller, () => ({ ...input, ...inputFor(name) })) === undefined;
    const players = people.players.filter(({ name, caller }) => may(name, caller)).map(toPerson);
    return { when, count: players.length, players, public: may("", people.public) };
  });
  return {
    path: route.path,
    restriction: describe(route.restriction, open.length === 0 ? input : undefined),
    readOnly: route.operation.effect === "read",
    parameters: input,
    revision: table.revision,
    registered: people.players.length,
    excluded: people.players.filter(({ caller }) => isExcluded(table, caller)).length,
    allowed,
  };
}
