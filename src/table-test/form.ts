/**
 * Tests of the table as a YAML document: its form as valibot schemas, and where everything stands, so that a fault
 * and a failed expectation can name line and column.
 *
 *     callers:
 *       grove3: { faction: GROVE, rank: 3 }
 *     tests:
 *       /blacklistreason/GROVE/add:             # a path, or a list of such tests for it
 *         with: { price: 1 }                    # parameters, as a request has them
 *         allowed: { faction: GROVE, rank: 4 }  # a caller, or a list of them
 *         denied: [grove3, public]
 *
 * Scalars are read as they are written (YAML's failsafe schema): a request has texts, too, and `2.10` stays `2.10`.
 */
import * as v from "valibot";
import { type Document, isCollection, isMap, isNode, isScalar } from "yaml";
import type { FailureCode } from "../domain/errors.ts";
import { didYouMean, oneOf } from "../domain/text.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Path, Report } from "../table/document.ts";
import { type Fault, readYAML, toFault } from "../table/yaml-text.ts";
import {
  builtInCallers,
  type CallerDescription,
  callerSchema,
  type DescribedCaller,
  describedCaller,
  named,
} from "./caller.ts";

/** The codes that the steps before the operation can end with, and that do not depend on a token. */
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
const verdicts = ["allowed", "denied", ...expectableCodes] as const;

/** What a test expects of a call. `denied` is by the restriction or by exclusion. */
export type Verdict = (typeof verdicts)[number];

/** One caller of a call, and what is expected for him. Lines and columns count from 1. */
export interface Expectation {
  readonly line: number;
  readonly column: number;
  readonly verdict: Verdict;
  readonly caller: DescribedCaller;
}

/** A call: a path of the table with its parameters, and everything that is expected of it. */
export interface TestCall {
  /** Without the prefix; its parameters as they are, not percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, text: string])[];
  /** What is expected of it, also where there is nobody to expect it for, by a fault. */
  readonly verdicts: readonly Verdict[];
  readonly expectations: readonly Expectation[];
  /** Where its path and its `with` stand in the document. */
  readonly pathAt: Path;
  readonly withAt: Path;
}

/** A document of tests, taken apart. What has a fault is left out. */
export interface ParsedTests {
  readonly calls: readonly TestCall[];
  readonly faults: Fault[];
  readonly report: Report;
}

/** The word for every caller who has a name and is not mentioned in the test. */
const others = "others";

/** A schema of a map for maps only: by itself it would take a list, too, with indices for keys. */
function mapOf<S extends v.GenericSchema>(schema: S) {
  return v.lazy((input) => (Array.isArray(input) ? noMap : schema));
}
const noMap = v.custom<never>(() => false);

const callerMap = mapOf(callerSchema);
const referenceSchema = v.lazy((input) => (typeof input === "string" ? v.string() : callerMap));
const referencesSchema = v.lazy((input) =>
  Array.isArray(input) ? v.array(referenceSchema) : referenceSchema,
);
const valuesSchema = v.lazy((input) => (Array.isArray(input) ? v.array(v.string()) : v.string()));
const verdictEntries = Object.fromEntries(
  verdicts.map((verdict) => [verdict, v.optional(referencesSchema)]),
) as Record<Verdict, v.OptionalSchema<typeof referencesSchema, undefined>>;
const withSchema = mapOf(v.record(v.string(), valuesSchema));
const testSchema = v.objectWithRest({ with: v.optional(withSchema), ...verdictEntries }, v.never());
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

/** Takes a document of tests apart, with every fault where it stands. */
export function parseTests(text: string, vocabulary: Vocabulary): ParsedTests {
  const {
    value,
    document,
    faults: found,
    positionOf,
  } = readYAML(text, {
    expected: "tests of a route table",
    schema: "failsafe",
    duplicateHint: "; give several calls of one path as a list",
  });
  const faults = [...found];
  const locate = (path: Path, where: "key" | "value" = "value") =>
    positionOf(offsetOf(document, path, where));
  const report: Report = (path, message, where) => faults.push(toFault(locate(path, where), message));
  if (faults.length > 0) return { calls: [], faults, report };
  const result = v.safeParse(mapOf(documentSchema), value);
  if (!result.success) {
    for (const issue of result.issues) reportIssue(issue, report);
    return { calls: [], faults, report };
  }

  const { callers = {}, tests } = result.output;
  const around = { vocabulary, report, locate, cast: toCast(callers, vocabulary, report) };
  const calls = Object.entries(tests).flatMap(([path, forms]) => {
    const wrong = wrongPathWords(path);
    if (wrong !== undefined) {
      report(["tests", path], wrong, "key");
      return [];
    }
    if (!Array.isArray(forms)) return toCall(path, forms, ["tests", path], around);
    if (forms.length === 0) report(["tests", path], "expected at least one test, got none", "key");
    return forms.map((form, index) => toCall(path, form, ["tests", path, index], around));
  });
  if (calls.length === 0 && faults.length === 0)
    report(["tests"], "expected at least one test, got none", "key");
  return { calls, faults, report };
}

interface Surroundings {
  readonly vocabulary: Vocabulary;
  readonly report: Report;
  readonly locate: (path: Path) => { line: number; column: number };
  /** Every caller who has a name. */
  readonly cast: ReadonlyMap<string, DescribedCaller>;
}

function toCast(
  callers: Readonly<Record<string, CallerDescription>>,
  vocabulary: Vocabulary,
  report: Report,
): Map<string, DescribedCaller> {
  const cast = new Map(builtInCallers);
  for (const [name, form] of Object.entries(callers)) {
    const at = ["callers", name];
    if (cast.has(name) || name === others) {
      report(at, `"${name}" has a meaning already; choose another name`, "key");
    } else cast.set(name, named(name, describedCaller(form, at, vocabulary, report)));
  }
  return cast;
}

function toCall(path: string, form: TestForm, at: Path, around: Surroundings): TestCall {
  const { report, locate } = around;
  const mentioned = new Set<string>();
  const pieces = verdicts.flatMap((verdict) => {
    const references = form[verdict];
    if (references === undefined) return [];
    const list: readonly CallerReference[] = Array.isArray(references) ? references : [references];
    if (list.length === 0) report([...at, verdict], "expected at least one caller, got none", "key");
    return list.map((reference, index) => {
      if (typeof reference === "string") mentioned.add(reference);
      const place = [...at, verdict, ...(Array.isArray(references) ? [index] : [])];
      return { verdict, reference, at: place };
    });
  });
  const expected = verdicts.filter((verdict) => form[verdict] !== undefined);
  if (expected.length === 0) {
    report(at, `expected "allowed", "denied" or a code, got none: the test expects nothing`, "key");
  }
  const expectations = pieces.flatMap(({ verdict, reference, at: place }) =>
    whoIs(reference, place, mentioned, around).map((caller) => ({ ...locate(place), verdict, caller })),
  );
  const query = Object.entries(form.with ?? {}).flatMap(([name, text]) =>
    (Array.isArray(text) ? text : [text]).map((each): [string, string] => [name, each]),
  );
  return { path, query, verdicts: expected, expectations, pathAt: ["tests", path], withAt: [...at, "with"] };
}

/** What is wrong with the form of a path, or undefined. */
function wrongPathWords(path: string): string | undefined {
  const [brace] = /\{\w*\}/.exec(path) ?? [];
  if (!path.startsWith("/")) return `expected a path that begins with "/", got "${path}"`;
  if (path.includes("?")) return 'give the parameters of the query under "with"';
  return brace === undefined ? undefined : `write a value in place of ${brace}, as a request has one`;
}

function whoIs(
  reference: CallerReference,
  at: Path,
  mentioned: ReadonlySet<string>,
  { cast, report, vocabulary }: Surroundings,
): readonly DescribedCaller[] {
  if (typeof reference !== "string") return [describedCaller(reference, at, vocabulary, report)];
  if (reference === others) {
    const left = [...cast].filter(([name]) => !mentioned.has(name)).map(([, caller]) => caller);
    if (left.length === 0) report(at, "there are no others: the test mentions every caller");
    return left;
  }
  const caller = cast.get(reference);
  if (caller !== undefined) return [caller];
  const known = [...cast.keys(), others];
  const nearest = didYouMean(reference, known) || ` Known are ${oneOf(known, "and")}.`;
  report(at, `there is no caller "${reference}".${nearest}`);
  return [];
}

function reportIssue(issue: v.BaseIssue<unknown>, report: Report): void {
  const path: Path = issue.path?.map(({ key }) => key as string | number) ?? [];
  const last = String(path.at(-1));
  if (issue.type === "never") {
    const known = knownKeys(path);
    const nearest = didYouMean(last, known);
    report(path, unknownKeyWords(last, path, known) + nearest, "key");
  } else if (issue.type === "object_with_rest" && issue.received === "undefined") {
    report(path, `"${last}" is missing`, "key");
  } else {
    report(path, `expected ${expectedWords(issue)}, got ${gotWords(issue.input)}`);
  }
}

const keysOf = {
  document: Object.keys(documentSchema.entries),
  test: Object.keys(testSchema.entries),
  caller: Object.keys(callerSchema.entries),
};

/** The keys that may stand at the last place of a path. */
function knownKeys(path: Path): readonly string[] {
  if (path.length === 1) return keysOf.document;
  // tests, path, verdict, key of a caller; with indices where there are lists
  const names = path.filter((step) => typeof step === "string");
  return path[0] === "callers" || names.length > 3 ? keysOf.caller : keysOf.test;
}

function unknownKeyWords(key: string, path: Path, known: readonly string[]): string {
  if (known === keysOf.test && /^[A-Z]+(_[A-Z]+)*$/.test(key)) {
    return `no test of the table ends with ${key}: it has no token and runs no operation; known are ${oneOf(expectableCodes, "and")}.`;
  }
  const what = path.length === 1 ? "" : known === keysOf.test ? " in a test" : " in a caller";
  return `unknown key "${key}"${what}; known are ${oneOf(known, "and")}.`;
}

function expectedWords({ type, expected, message }: v.BaseIssue<unknown>): string {
  if (type === "regex") return "a whole number from 1 on";
  if (type === "picklist") return "true or false";
  if (type === "min_length") return "a name";
  if (expected === "Object" || type === "custom") return "a map";
  if (expected === "Array") return "a list";
  return expected === "string" ? "a text" : (expected ?? message);
}

function gotWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? `"${value}"` : "a map";
}

/** Where a path leads, or as far as the document goes on the way. */
function offsetOf(document: Document, path: Path, where: "key" | "value"): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path[length - 1]))
      : undefined;
    const value = pair?.value ?? document.getIn(path.slice(0, length), true);
    // A block below a key begins on another line, and an empty value nowhere: the key says better what is meant.
    const stands = isCollection(value) ? value.flow === true : !isScalar(value) || value.value !== "";
    const node = pair !== undefined && (where === "key" || !stands) ? pair.key : value;
    if (isNode(node) && node.range != null) return node.range[0];
  }
  return 0;
}
