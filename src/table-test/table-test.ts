/** Runs tests of a table. The engine decides each call in the steps of a request, for a described caller. */
import type { FailureCode } from "../domain/errors.ts";
import { type CallDecision, Engine } from "../engine/engine.ts";
import { decisionReason, type Reason } from "../engine/reason.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Route, Table } from "../table/table.ts";
import { inOrder, type Report } from "../table/yaml/fault.ts";
import { unknownName } from "../table/yaml/wording.ts";
import { countCoverage } from "./coverage.ts";
import { type Expectation, type ExpectedResult, parseTests, type TestCall } from "./document.ts";

/** The result of a run. A test is one caller of one call. */
export type TestResult = NonNullable<ReturnType<typeof testTable>["result"]>;

export type TestFailure = ReturnType<typeof toFailure>;

/**
 * Runs a document of tests against a table. Returns the result, or else the faults of the document.
 * @param tokenForm see {@link RequestInput}
 */
export function testTable(text: string, table: Table, vocabulary: Vocabulary, tokenForm?: RegExp) {
  const { calls, faults, report } = parseTests(text, vocabulary);
  const authenticate = () => {
    throw new Error("a test has no tokens");
  };
  const engine = new Engine({ table, vocabulary: () => vocabulary, tokenForm, authenticate });
  const coverage = countCoverage(table.routes);
  const failures: TestFailure[] = [];
  let tests = 0;
  for (const call of calls) {
    const { path, query } = call;
    const route = engine.router.find(path)?.route;
    checkNames(call, route, report);
    for (const expectation of call.expectations) {
      const { caller } = expectation.caller;
      const decision = engine.decide(path, query, caller);
      const { decisive, failure } = decision;
      if (route !== undefined && decisive !== undefined && failure?.code !== "EXCLUDED")
        coverage.note(route, caller, decisive);
      tests++;
      if (!meets(expectation.expected, decision))
        failures.push(toFailure(call, route, expectation, decision));
    }
  }
  if (faults.length > 0) return { result: undefined, faults: inOrder(faults) };
  return { result: { tests, failures: inOrder(failures), coverage: coverage.sum() }, faults };
}

const denials: readonly (FailureCode | undefined)[] = ["RESTRICTED", "EXCLUDED"];

/** Whether exclusion and restriction allow the caller; other parameters can still be invalid. */
function isAuthorized({ decisive, failure }: CallDecision): boolean {
  return decisive !== undefined && !denials.includes(failure?.code);
}

function meets(expected: ExpectedResult, decision: CallDecision): boolean {
  const code = decision.failure?.code;
  if (expected === "denied") return denials.includes(code);
  if (expected !== "allowed") return code === expected;
  // The test is about who may call: it may omit parameters that do not decide that, but not have invalid ones.
  const isComplete = code === undefined || (code === "PARAMETER_MISSING" && decision.fault === undefined);
  return isAuthorized(decision) && isComplete;
}

/** Returns what a test got instead of what it expected. */
function resultOf(expected: ExpectedResult, decision: CallDecision): "allowed" | "denied" | FailureCode {
  const code = decision.failure?.code;
  const isDenial = expected === "denied" || expected === "RESTRICTED" || expected === "EXCLUDED";
  if (code === undefined || (isDenial && isAuthorized(decision))) return "allowed";
  return code === "RESTRICTED" ? "denied" : code;
}

function toFailure(
  call: TestCall,
  route: Route | undefined,
  { line, column, expected, caller: { caller, words } }: Expectation,
  decision: CallDecision,
) {
  const { decisive, fault } = decision;
  // A test may omit parameters, so an invalid one explains more than a missing one.
  const failure =
    decision.failure?.code === "PARAMETER_MISSING" ? (fault ?? decision.failure) : decision.failure;
  const got = resultOf(expected, { ...decision, failure });
  const byRestriction = route !== undefined && decisive !== undefined && ["allowed", "denied"].includes(got);
  const why = byRestriction
    ? reasonWords(decisionReason(route.restriction, caller, decisive))
    : [failure?.message, failure?.hint].filter((text) => text !== undefined).join(" ");
  return { line, column, call: title(call), caller: words, expected, got, why };
}

function reasonWords({ needs, had }: Reason): string {
  return `Allowed here: ${needs}. The caller ${had}.`;
}

/** Reports parameters that the route does not have, unless the test is about that. */
function checkNames(call: TestCall, route: Route | undefined, report: Report): void {
  const { expected, query, withAt } = call;
  if (route === undefined || expected.includes("PARAMETER_UNKNOWN")) return;
  const known = route.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  for (const name of new Set(query.map(([sent]) => sent))) {
    if (!known.includes(name))
      report([...withAt, name], unknownName("query parameter", name, known, { of: route.path }), "key");
  }
}

function title({ path, query }: TestCall): string {
  const search = query.map(([name, text]) => `${name}=${text}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}
