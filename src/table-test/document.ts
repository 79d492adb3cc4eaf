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
import { oneOf } from "../domain/text.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Path, Position, Report } from "../table/yaml/fault.ts";
import { mapOf } from "../table/yaml/maps.ts";
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
export interface TestCall {
  /** Without the prefix, and not percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, text: string])[];
  /** The results that the test expects of some caller, including callers that have a fault. */
  readonly expected: readonly ExpectedResult[];
  readonly expectations: readonly Expectation[];
  /** Where its path and its `with` are in the document. */
  readonly pathAt: Path;
  readonly withAt: Path;
}

/** The name for every named caller that the test does not mention. */
const others = "others";

const callerMap = mapOf(callerSchema);
const referenceSchema = v.lazy((input) => (typeof input === "string" ? v.string() : callerMap));
const referencesSchema = v.lazy((input) =>
  Array.isArray(input) ? v.array(referenceSchema) : referenceSchema,
);
const valuesSchema = v.lazy((input) => (Array.isArray(input) ? v.array(v.string()) : v.string()));
const resultEntries = Object.fromEntries(
  expectedResults.map((result) => [result, v.optional(referencesSchema)]),
) as Record<ExpectedResult, v.OptionalSchema<typeof referencesSchema, undefined>>;
const withSchema = mapOf(v.record(v.string(), valuesSchema));
const testSchema = v.objectWithRest({ with: v.optional(withSchema), ...resultEntries }, v.never());
const testMap = mapOf(testSchema);
const testsSchema = v.lazy((input) => (Array.isArray(input) ? v.array(testMap) : testMap));
const documentSchema = v.objectWithRest(
  {
    callers: v.optional(mapOf(v.record(v.string(), callerMap))),
    tests: mapOf(v.record(v.string(), testsSchema)),
  },
  v.never(),
);

type CallerReference = string | CallerDescription;
type TestForm = v.InferOutput<typeof testSchema>;

/** Parses a document of tests, and reports every fault. Leaves out what has one. */
export function parseTests(text: string, vocabulary: Vocabulary) {
  const { value, faults, report, locate } = readYAML(text, {
    expected: "tests of a route table",
    schema: "failsafe",
    duplicateHint: "; write several calls of one path as a list",
  });
  if (faults.length > 0) return { calls: [], faults, report };
  const result = v.safeParse(mapOf(documentSchema), value);
  if (!result.success) {
    for (const issue of result.issues) reportIssue(issue, report, unknownKeyWords);
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

function toCall(path: string, form: TestForm, at: Path, context: TestContext): TestCall {
  const { report, locate } = context;
  const mentioned = new Set<string>();
  const pieces = expectedResults.flatMap((expected) => {
    const references = form[expected];
    if (references === undefined) return [];
    const list: readonly CallerReference[] = Array.isArray(references) ? references : [references];
    if (list.length === 0) report([...at, expected], "expected at least one caller, got none", "key");
    return list.map((reference, index) => {
      if (typeof reference === "string") mentioned.add(reference);
      const place = [...at, expected, ...(Array.isArray(references) ? [index] : [])];
      return { expected, reference, at: place };
    });
  });
  const expected = expectedResults.filter((result) => form[result] !== undefined);
  if (expected.length === 0)
    report(at, `expected "allowed", "denied" or a code, got a test without any`, "key");
  const expectations = pieces.flatMap(({ expected, reference, at: place }) =>
    callersOf(reference, place, mentioned, context).map((caller) => ({ ...locate(place), expected, caller })),
  );
  const query = Object.entries(form.with ?? {}).flatMap(([name, text]) =>
    (Array.isArray(text) ? text : [text]).map((value): [string, string] => [name, value]),
  );
  return { path, query, expected, expectations, pathAt: ["tests", path], withAt: [...at, "with"] };
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

function unknownKeyWords(path: Path): string {
  const key = String(path.at(-1));
  if (path.length === 1) return unknownName("key", key, Object.keys(documentSchema.entries));
  // tests, path, result, key of a caller; with indices between for lists
  const isOfCaller = path[0] === "callers" || path.filter((step) => typeof step === "string").length > 3;
  if (isOfCaller) return unknownName("key", key, Object.keys(callerSchema.entries), { of: "a caller" });
  if (/^[A-Z]+(_[A-Z]+)*$/.test(key))
    return `a test cannot end with ${key}, because it has no token and runs no operation; expected ${oneOf(expectableCodes)}`;
  return unknownName("key", key, Object.keys(testSchema.entries), { of: "a test" });
}
