/**
 * Runs tests of a table. The engine decides each call in the same steps as a request, with described callers and
 * operations that do nothing.
 */
import { Failure, type FailureCode } from "../domain/errors.ts";
import { didYouMean } from "../domain/text.ts";
import { Engine } from "../engine/engine.ts";
import type { RequestRecord } from "../engine/exchange.ts";
import { type ParameterContext, RequestInput } from "../engine/input.ts";
import { type Reason, reasonOf } from "../engine/reason.ts";
import type { Match } from "../engine/router.ts";
import type { Caller, Vocabulary } from "../table/caller.ts";
import type { Input } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { type Fault, inOrder, type Position, type Report } from "../table/yaml/fault.ts";
import { unknownName } from "../table/yaml/wording.ts";
import { type Coverage, CoverageCount } from "./coverage.ts";
import { type Expectation, type ExpectedResult, parseTests, type TestCall } from "./document.ts";

/** A table to test. */
export interface TestedTable {
  readonly table: Table;
  readonly vocabulary: Vocabulary;
  /** See {@link RequestInput}. */
  readonly tokenForm?: RegExp;
}

/** An expectation that was not met. */
export interface TestFailure extends Position {
  /** The path with its query, for people. */
  readonly call: string;
  /** The caller in words. */
  readonly caller: string;
  readonly expected: ExpectedResult;
  /** The result that the test got instead. */
  readonly came: "allowed" | "denied" | FailureCode;
  /** Who is allowed, or the sentence of the failure. */
  readonly why: string;
}

/** The result of a run. A test is one caller of one call. */
export interface TestResult {
  readonly tests: number;
  readonly failures: readonly TestFailure[];
  readonly coverage: Coverage;
}

/** A run: either its result, or the faults of the document. */
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
    if (route === undefined && call.expected.some((result) => result !== "UNKNOWN_PATH")) {
      report(call.pathAt, unknownPathWords(call.path, tested.table), "key");
    }
    checkNames(call, route, report);
    for (const expectation of call.expectations) {
      const { caller } = expectation.caller;
      const outcome = await rehearsal.outcomeOf(call, match, caller);
      const { decisive, code } = outcome;
      if (route !== undefined && decisive !== undefined && code !== "EXCLUDED")
        coverage.note(route, caller, decisive);
      tests++;
      if (!meets(expectation.expected, outcome)) failures.push(toFailure(call, expectation, route, outcome));
    }
  }
  if (faults.length > 0) return { result: undefined, faults: inOrder(faults) };
  return { result: { tests, failures: inOrder(failures), coverage: coverage.sum() }, faults: [] };
}

/** The engine's answer to a call. */
interface Outcome {
  /** The code of the failure, or null if the operation would have run. */
  readonly code: FailureCode | null;
  /** The answer's sentence. */
  readonly info: string;
  /** The parameters that the restriction depends on; undefined if one is invalid. */
  readonly decisive: Input | undefined;
  /** Whether the parameters of the call are valid, whatever is missing. */
  readonly isValid: boolean;
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
        throw new Error("a rehearsal has no tokens");
      },
      observe: (record) => {
        this.#record = record;
      },
    });
  }

  /** Returns the route that answers a call, or undefined. */
  match({ path }: TestCall): Match | undefined {
    const { router } = this.#engine;
    return router.find(path);
  }

  async outcomeOf(call: TestCall, match: Match | undefined, caller: Caller): Promise<Outcome> {
    const { path, query } = call;
    const answer = await this.#engine.call(path, query, caller);
    const body = JSON.parse(String(answer.body)) as { info?: string; hint?: string } | null;
    const info = [body?.info, body?.hint].filter((text) => text !== undefined).join(" ");
    const record = this.#record;
    if (record === undefined) throw new Error("the engine recorded no answer");
    // A bug of the engine is no result of a test.
    if (record.code === "INTERNAL") throw record.error;
    const code = record.code as FailureCode | null;
    if (match === undefined) return { code, info, decisive: undefined, isValid: false };
    const decisive = attempt(() => this.#input(match, query).decisive());
    const present = attempt(() => this.#input(match, query).present());
    return { code, info, decisive, isValid: present !== undefined };
  }

  #input({ route, params }: Match, query: TestCall["query"]): RequestInput {
    const pairs = query.map(([name, text]): [string, string] => [name, text]);
    return new RequestInput(route, this.#context, {
      params,
      search: new URLSearchParams(pairs).toString(),
    });
  }
}

/** Returns the result of the work, or undefined if it throws a {@link Failure}. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const refusals: readonly (FailureCode | null)[] = ["RESTRICTED", "EXCLUDED"];

/** Whether exclusion and restriction allow the caller; other parameters can still be invalid. */
function isAuthorized({ decisive, code }: Outcome): boolean {
  return decisive !== undefined && !refusals.includes(code);
}

function meets(expected: ExpectedResult, outcome: Outcome): boolean {
  const { code, isValid } = outcome;
  if (expected === "denied") return refusals.includes(code);
  if (expected !== "allowed") return code === expected;
  // The test is about who may call: it may omit parameters that do not decide that, but not have invalid ones.
  return isAuthorized(outcome) && (code === null || (code === "PARAMETER_MISSING" && isValid));
}

function resultOf(expected: ExpectedResult, outcome: Outcome): TestFailure["came"] {
  const { code } = outcome;
  if (code === null || (expected === "denied" && isAuthorized(outcome))) return "allowed";
  return code === "RESTRICTED" ? "denied" : code;
}

function toFailure(
  call: TestCall,
  { line, column, expected, caller: { caller, words } }: Expectation,
  route: Route | undefined,
  outcome: Outcome,
): TestFailure {
  const { decisive, info } = outcome;
  const came = resultOf(expected, outcome);
  const byRestriction = route !== undefined && decisive !== undefined && ["allowed", "denied"].includes(came);
  const why = byRestriction ? reasonWords(reasonOf(route.restriction, caller, decisive)) : info;
  return { line, column, call: title(call), caller: words, expected, came, why };
}

function reasonWords({ needs, had }: Reason): string {
  return `Allowed here: ${needs}. The caller ${had}.`;
}

/** Reports parameters that the route does not have, unless the test is about that. */
function checkNames(call: TestCall, route: Route | undefined, report: Report): void {
  const { expected, query, withAt } = call;
  if (route === undefined || expected.includes("PARAMETER_UNKNOWN")) return;
  const known = route.parameters.filter((each) => each.in === "query").map(({ name }) => name);
  for (const name of new Set(query.map(([each]) => each))) {
    if (!known.includes(name))
      report([...withAt, name], unknownName("query parameter", name, known, { of: route.path }), "key");
  }
}

/** Suggests the nearest path of the table, with the values that were typed in place of its placeholders. */
function unknownPathWords(typed: string, { routes }: Table): string {
  const segments = typed.split("/");
  const known = routes.map(({ path }) =>
    path
      .split("/")
      .map((segment, index) => (segment.startsWith("{") ? segments[index] || segment : segment))
      .join("/"),
  );
  const near = didYouMean(typed, known);
  return `no route matches ${typed}${near === "" ? "" : `.${near}`}`;
}

function title({ path, query }: TestCall): string {
  const search = query.map(([name, text]) => `${name}=${text}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}
