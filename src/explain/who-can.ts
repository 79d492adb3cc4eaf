/** Everyone who may call an operation. */
import { isAuthorized, isExcluded } from "../table/authorization.ts";
import type { Vocabulary } from "../table/caller.ts";
import { describe, type Input } from "../table/restriction/restriction.ts";
import type { Table } from "../table/table.ts";
import { type People, type Person, toPerson } from "./people.ts";
import { type Pair, toQuestion } from "./question.ts";
import { situationsOf } from "./situations.ts";

/** Who may, where the parameters that were not given are so. */
export interface Allowed {
  /** The values in words of parameters that decide and were not given; empty where there are none. */
  readonly when: Readonly<Record<string, string>>;
  readonly count: number;
  readonly players: readonly Person[];
  /** Whether the holders of public tokens may, too. */
  readonly public: boolean;
}

/** The answer to `who-can`. */
export interface WhoCan {
  /** The path as the table has it. */
  readonly path: string;
  /** Whom the restriction lets in, in words. */
  readonly restriction: string;
  /** Whether a read-only token is enough: it allows no changes. */
  readonly readOnly: boolean;
  /** The parameters that decide and were given, or have a default. */
  readonly parameters: Input;
  /** The table that decided. */
  readonly revision: string;
  /** How many players there are. */
  readonly registered: number;
  /** How many of them may call nothing. */
  readonly excluded: number;
  readonly allowed: readonly Allowed[];
}

/** Asks everyone. @throws Failure what {@link toQuestion} throws */
export function whoCan(
  people: People,
  table: Table,
  vocabulary: Vocabulary,
  [path, pairs]: readonly [path: string, pairs: readonly Pair[]],
): WhoCan {
  const { route, input, open } = toQuestion(table, vocabulary, path, pairs);
  const situations = situationsOf(open, [route.restriction], vocabulary);
  const allowed = situations.map(({ when, inputFor }) => {
    const may = ({ name, caller }: People["players"][number]) =>
      isAuthorized(table, route, caller, { ...input, ...inputFor(name) });
    const players = people.players.filter(may).map(toPerson);
    const everyone = isAuthorized(table, route, people.public, { ...input, ...inputFor("") });
    return { when, count: players.length, players, public: everyone };
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
