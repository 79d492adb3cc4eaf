/** Questions about access: who may do what by the table in force, by another table, and what the other would change. */
import { type CallOptions, canI, type Decision } from "../explain/can-i.ts";
import { type Comparison, compareTables, type Source } from "../explain/comparison.ts";
import type { Pair } from "../explain/question.ts";
import { type WhoCan, whoCan } from "../explain/who-can.ts";
import { checkRoutes } from "../operations.ts";
import type { Data } from "../store/data.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Table } from "../table/table.ts";
import { faultsIn, type RouteTable, readTable, servedFrom } from "./route-table.ts";

/** The text of a route table, and its file. */
export interface TableText {
  readonly file: string;
  readonly text: string;
}

export interface QuestionOptions {
  readonly routes: Pick<RouteTable<{ readonly table: Table }>, "file" | "load">;
  readonly data: Data;
  readonly vocabulary: () => Vocabulary;
  readonly now: () => number;
}

/** See the head of this file. */
export class Questions {
  readonly #options: QuestionOptions;

  constructor(options: QuestionOptions) {
    this.#options = options;
  }

  /**
   * Returns whether a caller may call an operation, and why; see {@link canI}.
   * @param by another table than the one in force
   * @throws Failure for a faulty table, and for a question that cannot be answered
   */
  async canI(
    who: string,
    path: string,
    pairs: readonly Pair[],
    by?: TableText,
    options?: CallOptions,
  ): Promise<Decision> {
    const { data, vocabulary, now } = this.#options;
    const { table } = await this.#source(by);
    return canI(data, table, vocabulary(), now(), [who, path, pairs], options);
  }

  /** Returns everyone who may call an operation; otherwise as {@link canI}. */
  async whoCan(path: string, pairs: readonly Pair[], by?: TableText): Promise<WhoCan> {
    const { data, vocabulary } = this.#options;
    const { table } = await this.#source(by);
    return whoCan(data, table, vocabulary(), [path, pairs]);
  }

  /**
   * Returns what another table would change.
   * @param after by default the present file of the table in force
   * @param before by default the table in force
   * @throws Failure if there is no file, or it has faults
   */
  async diff(after?: TableText, before?: TableText): Promise<Comparison> {
    const { data, routes, vocabulary } = this.#options;
    const { file } = routes;
    const old = await this.#source(before);
    const fresh = await this.#source(after ?? { file, text: await readTable(file, servedFrom) });
    return compareTables(old, fresh, data, vocabulary());
  }

  async #source(text: TableText | undefined): Promise<Source> {
    const { routes, vocabulary } = this.#options;
    if (text === undefined) return { file: routes.file, table: await routes.load() };
    const { table, faults } = checkRoutes(text.text, vocabulary());
    if (table === undefined) throw faultsIn(text.file, faults, text.text);
    return { file: text.file, table };
  }
}
