/**
 * Tests of a table as a YAML document: its form as valibot schemas, and a parser that reports each fault with its line and
 * column.
 *
 *     callers:
 *       grove3: { faction: GROVE, rank: 3 }
 *     tests:
 *       /setup/GROVE/add:                       # a path, with one test or a list of tests
 *         with: { price: 1 }                    # query parameters
 *         allowed: { faction: GROVE, rank: 4 }  # a caller, or a list of callers
 *         denied: [grove3, public]
 *
 * Scalars are read as texts (YAML's failsafe schema), as a request has them: `2.10` stays `2.10`.
 */
import * as v from "valibot";
import type { FailureCode } from "../domain/errors.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Path, Position, Report } from "../table/yaml/fault.ts";
import { mapOf, mapWith } from "../table/yaml/maps.ts";
import { readYAML } from "../table/yaml/read.ts";
import { reportIssue, unknownName } from "../table/yaml/wording.ts";
import {
  builtInCallers,
  type CallerDescription,
  callerSchema,
  type DescribedCaller,
  describedCaller,
  named,
} from "./caller.ts";

/** The codes of the steps before the operation, without those that depend on a token. */
const expectableCodes = [
  "RESTRICTED",
  "EXCLUDED",
  "PARAMETER_MISSING",
  "PARAMETER_INVALID",
  "PARAMETER_UNKNOWN",
  "PARAMETER_REPEATED",
  "UNKNOWN_PATH",
  "UNKNOWN_GROUP",
  "UNKNOWN_FACTION",
  "UNKNOWN_ENTRY",
] as const satisfies readonly FailureCode[];
const expectedResults = ["allowed", "denied", ...expectableCodes] as const;

/** The result that a test expects. `denied` is by the restriction or by exclusion. */
export type ExpectedResult = (typeof expectedResults)[number];

/** One caller of a call, and the result expected for it. */
export interface Expectation extends Position {
  readonly expected: ExpectedResult;
  readonly caller: DescribedCaller;
}

/** A call: a path of the table with its parameters, and everything that is expected of it. */
export type TestCall = ReturnType<typeof toCall>;

/** The name for every named caller that the test does not mention. */
const others = "others";

const referenceSchema = v.lazy((input) => (typeof input === "string" ? v.string() : callerSchema));
const referencesSchema = v.lazy((input) =>
  Array.isArray(input) ? v.array(referenceSchema) : referenceSchema,
);
const valuesSchema = v.lazy((input) => (Array.isArray(input) ? v.array(v.string()) : v.string()));
const resultEntries = Object.fromEntries(
  expectedResults.map((result) => [result, v.optional(referencesSchema)]),
) as Record<ExpectedResult, v.OptionalSchema<typeof referencesSchema, undefined>>;
const withSchema = mapOf(valuesSchema);
const testSchema = mapWith({ with: v.optional(withSchema), ...resultEntries });
const testsSchema = v.lazy((input) => (Array.isArray(input) ? v.array(testSchema) : testSchema));
const documentSchema = mapWith({
  callers: v.optional(mapOf(callerSchema)),
  tests: mapOf(testsSchema),
});

type CallerReference = string | CallerDescription;
type TestForm = v.InferOutput<typeof testSchema>;

/** Parses a document of tests, and reports every fault. Leaves out what has one. */
export function parseTests(text: string, vocabulary: Vocabulary) {
  const { value, faults, report, locate, sourceOf } = readYAML(text, {
    expected: "tests of a route table",
    schema: "failsafe",
  });
  if (faults.length > 0) return { calls: [], faults, report };
  const result = v.safeParse(documentSchema, value);
  if (!result.success) {
    for (const issue of result.issues) reportIssue(issue, report, sourceOf);
    return { calls: [], faults, report };
  }

  const { callers = {}, tests } = result.output;
  const context = { vocabulary, report, locate, callers: toCallers(callers, vocabulary, report) };
  const calls = Object.entries(tests).flatMap(([path, forms]) => {
    const fault = faultOfPath(path);
    if (fault !== undefined) {
      report(["tests", path], fault, "key");
      return [];
    }
    if (!Array.isArray(forms)) return toCall(path, forms, ["tests", path], context);
    if (forms.length === 0) report(["tests", path], "expected at least one test, got none", "key");
    return forms.map((form, index) => toCall(path, form, ["tests", path, index], context));
  });
  if (calls.length === 0 && faults.length === 0)
    report(["tests"], "expected at least one test, got none", "key");
  return { calls, faults, report };
}

interface TestContext {
  readonly vocabulary: Vocabulary;
  readonly report: Report;
  readonly locate: (path: Path) => Position;
  /** The callers that have a name. */
  readonly callers: ReadonlyMap<string, DescribedCaller>;
}

function toCallers(
  declared: Readonly<Record<string, CallerDescription>>,
  vocabulary: Vocabulary,
  report: Report,
): Map<string, DescribedCaller> {
  const callers = new Map(builtInCallers);
  for (const [name, form] of Object.entries(declared)) {
    const at = ["callers", name];
    if (callers.has(name) || name === others) {
      report(at, `"${name}" is a built-in caller; choose another name`, "key");
    } else callers.set(name, named(name, describedCaller(form, at, vocabulary, report)));
  }
  return callers;
}

function toCall(path: string, form: TestForm, at: Path, context: TestContext) {
  const { report, locate } = context;
  const references = expectedResults.flatMap((expected) => {
    const all: CallerReference | readonly CallerReference[] | undefined = form[expected];
    return all === undefined ? [] : [{ expected, all, list: [all].flat() }];
  });
  const mentioned = new Set(references.flatMap(({ list }) => list).filter((one) => typeof one === "string"));
  const expectations = references.flatMap(({ expected, all, list }) => {
    if (list.length === 0) report([...at, expected], "expected at least one caller, got none", "key");
    return list.flatMap((reference, index): Expectation[] => {
      const place = [...at, expected, ...(Array.isArray(all) ? [index] : [])];
      const callers = callersOf(reference, place, mentioned, context);
      return callers.map((caller) => ({ ...locate(place), expected, caller }));
    });
  });
  if (references.length === 0)
    report(at, `expected "allowed", "denied" or a code, got a test without any`, "key");
  const query = Object.entries(form.with ?? {}).flatMap(([name, text]) =>
    [text].flat().map((value): [string, string] => [name, value]),
  );
  // Also those that are expected of callers that have a fault.
  const expected: readonly ExpectedResult[] = references.map((one) => one.expected);
  return { path, query, expected, expectations, withAt: [...at, "with"] };
}

/** Returns what is wrong with the form of a path, or undefined. */
function faultOfPath(path: string): string | undefined {
  const [placeholder] = /\{\w*\}/.exec(path) ?? [];
  if (!path.startsWith("/")) return `expected a path that begins with "/", got "${path}"`;
  if (path.includes("?")) return 'expected a path without query; write the parameters under "with"';
  return placeholder === undefined ? undefined : `expected a value, got the placeholder ${placeholder}`;
}

/** Returns the callers that a reference stands for. */
function callersOf(
  reference: CallerReference,
  at: Path,
  mentioned: ReadonlySet<string>,
  { callers, report, vocabulary }: TestContext,
): readonly DescribedCaller[] {
  if (typeof reference !== "string") return [describedCaller(reference, at, vocabulary, report)];
  if (reference === others) {
    const left = [...callers].filter(([name]) => !mentioned.has(name)).map(([, caller]) => caller);
    if (left.length === 0) report(at, "there are no others: the test mentions every caller");
    return left;
  }
  const caller = callers.get(reference);
  if (caller !== undefined) return [caller];
  report(at, unknownName("caller", reference, [...callers.keys(), others]));
  return [];
}
