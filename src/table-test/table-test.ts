/**
 * Runs tests of a table. Each call goes through the engine as a request does, with callers who are only described and
 * operations that do nothing, so that what is tested is the very way that decides in service: exclusion, the
 * parameters that the restriction depends on, the restriction, the other parameters.
 */
import { Failure, type FailureCode } from "../domain/errors.ts";
import { didYouMean, oneOf } from "../domain/text.ts";
import { Engine } from "../engine/engine.ts";
import type { RequestRecord } from "../engine/exchange.ts";
import { type ParameterContext, RequestInput } from "../engine/input.ts";
import { type Reason, reasonOf } from "../engine/reason.ts";
import type { Match } from "../engine/router.ts";
import type { Caller, Vocabulary } from "../table/caller.ts";
import type { Fault, Report } from "../table/document.ts";
import type { Input } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { type Coverage, CoverageCount } from "./coverage.ts";
import { type Expectation, parseTests, type TestCall, type Verdict } from "./form.ts";

/** What tests are run against. */
export interface TestedTable {
  readonly table: Table;
  readonly vocabulary: Vocabulary;
  /** See {@link RequestInput}. */
  readonly tokenForm?: RegExp;
}

/** An expectation that was not met. Lines and columns count from 1. */
export interface TestFailure {
  readonly line: number;
  readonly column: number;
  /** The path with its query, for people. */
  readonly call: string;
  /** The caller, with what he is. */
  readonly caller: string;
  readonly expected: Verdict;
  readonly came: "allowed" | "denied" | FailureCode;
  /** Who is allowed, or what else decided. */
  readonly why: string;
}

/** What came of running tests. A test is one caller at one call. */
export interface TestResult {
  readonly tests: number;
  readonly failures: readonly TestFailure[];
  readonly coverage: Coverage;
}

/** Tests, run. There is a result exactly where the document has no faults. */
export type TestRun =
  | { readonly result: TestResult; readonly faults: readonly [] }
  | { readonly result: undefined; readonly faults: readonly Fault[] };

/** Runs a document of tests against a table. */
export async function testTable(text: string, tested: TestedTable): Promise<TestRun> {
  const { calls, faults, report } = parseTests(text, tested.vocabulary);
  const rehearsal = new Rehearsal(tested);
  const coverage = new CoverageCount(rehearsal.routes);
  const failures: TestFailure[] = [];
  let tests = 0;
  for (const call of calls) {
    const match = rehearsal.match(call);
    const route = match?.route;
    if (route === undefined && call.verdicts.some((verdict) => verdict !== "UNKNOWN_PATH")) {
      report(call.pathAt, unknownPathWords(call.path, tested.table), "key");
      continue;
    }
    checkNames(call, route, report);
    for (const expectation of call.expectations) {
      const { caller } = expectation.caller;
      const outcome = await rehearsal.outcomeOf(call, match, caller);
      const { decisive, code } = outcome;
      if (route !== undefined && decisive !== undefined && code !== "EXCLUDED")
        coverage.note(route, caller, decisive);
      tests++;
      if (!meets(expectation.verdict, outcome)) failures.push(toFailure(call, expectation, route, outcome));
    }
  }
  if (faults.length > 0) return { result: undefined, faults: inOrder(faults) };
  return { result: { tests, failures: inOrder(failures), coverage: coverage.sum() }, faults: [] };
}

/** What the engine said to a call. */
interface Outcome {
  /** What ended it; null where the operation would have run. */
  readonly code: FailureCode | null;
  /** The answer's sentence. */
  readonly info: string;
  /** The parameters that the restriction depends on; undefined where they are not right. */
  readonly decisive: Input | undefined;
  /** Whether the parameters that were given are right, whatever is missing. */
  readonly wellGiven: boolean;
}

/** A table in an engine of its own, with operations that do nothing. */
class Rehearsal {
  /** The table's routes, with those operations. */
  readonly routes: readonly Route[];
  readonly #context: ParameterContext;
  readonly #engine: Engine;
  #record: RequestRecord | undefined;

  constructor({ table, vocabulary, tokenForm }: TestedTable) {
    this.#context = { vocabulary: () => vocabulary, tokenForm };
    this.routes = table.routes.map((route) => ({
      ...route,
      operation: { ...route.operation, run: () => null },
    }));
    this.#engine = new Engine({
      ...this.#context,
      table: { ...table, routes: this.routes },
      authenticate: () => {
        throw new Error("a rehearsal has callers, not tokens");
      },
      observe: (record) => {
        this.#record = record;
      },
    });
  }

  /** Returns the route that answers a call, or undefined. */
  match({ path }: TestCall): Match | undefined {
    const { router } = this.#engine;
    return router.match(router.pathnameOf(path));
  }

  async outcomeOf(call: TestCall, match: Match | undefined, caller: Caller): Promise<Outcome> {
    const { path, query } = call;
    const answer = await this.#engine.call(path, query, caller);
    const body = JSON.parse(String(answer.body)) as { info?: string; hint?: string } | null;
    const info = [body?.info, body?.hint].filter((text) => text !== undefined).join(" ");
    const record = this.#record;
    if (record === undefined) throw new Error("the engine recorded no answer");
    // A request fails here only by the engine's own fault, which is no result of a test.
    if (record.code === "INTERNAL") throw record.error;
    const code = record.code as FailureCode | null;
    if (match === undefined) return { code, info, decisive: undefined, wellGiven: false };
    const { route } = match;
    const names = new Set(query.map(([name]) => name));
    const only = route.parameters.filter(({ name, in: place }) => place === "path" || names.has(name));
    const decisive = attempt(() => this.#input(match, query).decisive());
    const all = attempt(() => this.#input({ ...match, route: { ...route, parameters: only } }, query).all());
    return { code, info, decisive, wellGiven: all !== undefined };
  }

  #input({ route, params }: Match, query: TestCall["query"]): RequestInput {
    const pairs = query.map(([name, text]): [string, string] => [name, text]);
    return new RequestInput(route, this.#context, {
      params,
      search: new URLSearchParams(pairs).toString(),
    });
  }
}

/** What the work gives, or undefined where it fails with a {@link Failure}. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const refusals: readonly (FailureCode | null)[] = ["RESTRICTED", "EXCLUDED"];

/** Whether the restriction lets the caller in; then he can still have parameters wrong. */
function isLetIn({ decisive, code }: Outcome): boolean {
  return decisive !== undefined && !refusals.includes(code);
}

function meets(expected: Verdict, outcome: Outcome): boolean {
  const { code, wellGiven } = outcome;
  if (expected === "denied") return refusals.includes(code);
  if (expected !== "allowed") return code === expected;
  // Who may call is what is asked: a test need not give parameters that do not decide it, but not give wrong ones.
  return isLetIn(outcome) && (code === null || (code === "PARAMETER_MISSING" && wellGiven));
}

function cameOf(expected: Verdict, outcome: Outcome): TestFailure["came"] {
  const { code } = outcome;
  if (code === null || (expected === "denied" && isLetIn(outcome))) return "allowed";
  return code === "RESTRICTED" ? "denied" : code;
}

function toFailure(
  call: TestCall,
  { line, column, verdict, caller: { caller, words } }: Expectation,
  route: Route | undefined,
  outcome: Outcome,
): TestFailure {
  const { decisive, info } = outcome;
  const came = cameOf(verdict, outcome);
  const byRestriction = route !== undefined && decisive !== undefined && ["allowed", "denied"].includes(came);
  const why = byRestriction ? reasonWords(reasonOf(route.restriction, caller, decisive)) : info;
  return { line, column, call: title(call), caller: words, expected: verdict, came, why };
}

function reasonWords({ needs, had }: Reason): string {
  return `Allowed here: ${needs}. The caller ${had}.`;
}

/** Reports parameters that the route does not have, unless that is what is tested. */
function checkNames(call: TestCall, route: Route | undefined, report: Report): void {
  const { verdicts, query, withAt } = call;
  if (route === undefined || verdicts.includes("PARAMETER_UNKNOWN")) return;
  const known = route.parameters.filter((each) => each.in === "query").map(({ name }) => name);
  for (const name of new Set(query.map(([each]) => each))) {
    if (known.includes(name)) continue;
    const takes = known.length === 0 ? "it takes none." : `it takes ${oneOf(known, "and")}.`;
    const message = `${route.path} has no parameter "${name}" in the query; ${takes}${didYouMean(name, known)}`;
    report([...withAt, name], message, "key");
  }
}

/** With the nearest path of the table, written with the values that were typed. */
function unknownPathWords(typed: string, { routes }: Table): string {
  const segments = typed.split("/");
  const known = routes.map(({ path }) =>
    path
      .split("/")
      .map((segment, index) => (segment.startsWith("{") ? segments[index] || segment : segment))
      .join("/"),
  );
  return `the table has no path that matches ${typed}.${didYouMean(typed, known)}`;
}

function title({ path, query }: TestCall): string {
  const search = query.map(([name, text]) => `${name}=${text}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}

function inOrder<T extends { readonly line: number; readonly column: number }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => a.line - b.line || a.column - b.column);
}
