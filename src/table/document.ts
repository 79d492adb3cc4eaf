/**
 * The route table as a YAML document: its form as valibot schemas, and where in the file everything stands, so that
 * a fault can name line and column. What the document means is checked in `table.ts`.
 */
import * as v from "valibot";
import { isMap, isScalar, isSeq, type Node } from "yaml";
import { didYouMean, oneOf } from "../domain/text.ts";
import { type Fault, readYAML, toFault } from "./yaml-text.ts";

export type { Fault };

/** The way to a value in the document: keys and indices. */
export type Path = readonly (string | number)[];

/** Puts down a fault at a value, or at its key where the value is what is missing or the key is what is wrong. */
export type Report = (path: Path, message: string, where?: "key" | "value") => void;

const scalarSchema = v.union([v.string(), v.number(), v.boolean()]);

/** What a route can say is meant, where `warnings.ts` would warn. */
export const intentions = [
  "open-change",
  "unknown-caller",
  "empty-group",
  "unheld-rank",
  "excluded-group",
  "player-condition",
  "redundant-part",
] as const;

// The descriptions are for the editors of people who write a table: see `editor-schema.ts`.
const text = (description: string) => v.pipe(v.string(), v.description(description));
const length = (minimum: number, description: string) =>
  v.pipe(v.number(), v.integer(), v.minValue(minimum), v.description(description));
const bound = (description: string) => v.pipe(v.number(), v.safeInteger(), v.description(description));

const typeEntries = {
  type: v.pipe(
    v.string(),
    v.description("What it is made of: a built-in type, or another of the table's types."),
    v.examples(["text", "integer", "boolean", "enum", "instant", "group", "faction", "service"]),
  ),
  description: v.optional(text("What a value looks like, for people: a refusal says it.")),
  pattern: v.optional(text("The regular expression that the whole text must match. For text.")),
  minLength: v.optional(length(0, "How many characters it has at least. For text.")),
  maxLength: v.optional(length(1, "How many characters it has at most. For text.")),
  minimum: v.optional(bound("The least that it can be. For integer.")),
  maximum: v.optional(bound("The most that it can be. For integer.")),
  values: v.optional(
    v.pipe(v.array(v.string()), v.minLength(1), v.description("Everything that it can be. For enum.")),
  ),
};
export const typeSchema = v.strictObject(typeEntries);
export const parameterSchema = v.strictObject({
  ...typeEntries,
  default: v.optional(
    v.pipe(
      scalarSchema,
      v.description("The value where the request has none. Without it the parameter is required."),
    ),
  ),
});

export const routeSchema = v.strictObject({
  summary: v.pipe(v.string(), v.minLength(1), v.description("What the operation does, in one sentence.")),
  // Its form has alternatives that a schema explains badly: `restriction-form.ts` takes it apart.
  restriction: v.unknown(),
  parameters: v.optional(
    v.pipe(
      v.record(v.string(), v.union([v.string(), parameterSchema])),
      v.description(
        "What it takes: each parameter with its type. Those in braces in the path are taken from there.",
      ),
    ),
  ),
  handler: text("The operation that answers, such as targetlist.add."),
  intended: v.optional(
    v.pipe(
      v.array(v.picklist(intentions)),
      v.description("Of what `routes check` warns of here: what is meant to be so."),
    ),
  ),
});

export const documentSchema = v.strictObject({
  prefix: text("What every path begins with, with the token in braces: /gameaddon/v1/{tokenString}"),
  language: v.optional(
    text(
      "The language in whose order names and reasons are listed, as a BCP 47 tag such as de; by default en.",
    ),
  ),
  product: v.optional(text("The product token in a client's User-Agent, which tells its version.")),
  excluded: v.optional(
    v.pipe(
      v.strictObject({ group: text("The group's name.") }),
      v.description("The group whose members may call nothing."),
    ),
  ),
  // Its keys are names of operations and of their parameters: `watch.ts` takes it apart.
  watch: v.optional(
    v.pipe(
      v.unknown(),
      v.description("How often an hour honest callers call an operation with a value at most."),
    ),
  ),
  unserved: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description("Operations that no route serves, and are not meant to be served."),
    ),
  ),
  types: v.optional(
    v.pipe(v.record(v.string(), typeSchema), v.description("The table's own types of parameters, by name.")),
  ),
  routes: v.pipe(
    v.record(v.string(), routeSchema),
    v.description("Every operation that is served, by its path behind the prefix."),
  ),
});

export type TypeDeclaration = v.InferOutput<typeof typeSchema>;
export type ParameterDeclaration = v.InferOutput<typeof parameterSchema>;
export type RouteDeclaration = v.InferOutput<typeof routeSchema>;
export type TableDocument = v.InferOutput<typeof documentSchema>;

/** A table's text, taken apart. `content` is missing where its form is wrong. */
export interface ParsedDocument {
  readonly content: TableDocument | undefined;
  readonly faults: Fault[];
  readonly report: Report;
  /** The line in which a key stands, from 1 on. */
  readonly lineOf: (path: Path) => number;
}

/** Parses a table's text and checks its form. */
export function parseTable(text: string): ParsedDocument {
  const {
    value,
    document,
    faults: found,
    positionOf,
  } = readYAML(text, {
    expected: "a route table",
    schema: "core",
  });
  const faults = [...found];
  const lineOf = (path: Path) => positionOf(offsetOf(document.contents, path, "key")).line;
  const report: Report = (path, message, where = "value") =>
    faults.push(toFault(positionOf(offsetOf(document.contents, path, where)), message));
  const failed = { content: undefined, faults, report, lineOf };
  if (faults.length > 0) return failed;

  checkMaps(value, report);
  if (faults.length > 0) return failed;

  const result = v.safeParse(documentSchema, value);
  if (result.success) return { content: result.output, faults, report, lineOf };
  for (const issue of result.issues) reportIssue(issue, report);
  return failed;
}

/**
 * Looks for what a schema of maps lets pass: a list in the place of a map, and names that valibot drops from one,
 * since in JavaScript they are more than names.
 */
function checkMaps(value: unknown, report: Report): void {
  const check = (content: unknown, path: Path): content is Record<string, unknown> => {
    if (Array.isArray(content))
      report(path, "expected a map, got a list", path.length === 0 ? "value" : "key");
    if (!isObject(content)) return false;
    for (const key of Object.keys(content as object)) {
      if (!["__proto__", "constructor", "prototype"].includes(key)) continue;
      report([...path, key], `"${key}" cannot be a name here; choose another one`, "key");
    }
    return true;
  };
  if (!check(value, [])) return;
  check(value.excluded, ["excluded"]);
  if (check(value.types, ["types"])) {
    for (const [name, type] of Object.entries(value.types)) check(type, ["types", name]);
  }
  if (!check(value.routes, ["routes"])) return;
  for (const [path, route] of Object.entries(value.routes)) {
    if (!check(route, ["routes", path]) || !check(route.parameters, ["routes", path, "parameters"])) continue;
    for (const [name, form] of Object.entries(route.parameters))
      check(form, ["routes", path, "parameters", name]);
  }
}

const keysOf = {
  document: Object.keys(documentSchema.entries),
  route: Object.keys(routeSchema.entries),
  parameter: Object.keys(parameterSchema.entries),
  type: Object.keys(typeSchema.entries),
  excluded: ["group"],
};

/** The keys that may stand at the last place of a path. */
function knownKeys(path: Path): readonly string[] {
  if (path.length === 1) return keysOf.document;
  if (path[0] === "excluded") return keysOf.excluded;
  if (path[0] === "types") return keysOf.type;
  return path.includes("parameters") ? keysOf.parameter : keysOf.route;
}

function reportIssue(issue: v.BaseIssue<unknown>, report: Report): void {
  const path: Path = issue.path?.map(({ key }) => key as string | number) ?? [];
  const last = String(path.at(-1));
  if (issue.type === "strict_object" && issue.expected === "never") {
    const known = knownKeys(path);
    report(path, `unknown key "${last}"; known are ${oneOf(known)}.${didYouMean(last, known)}`, "key");
  } else if (issue.type === "strict_object" && issue.received === "undefined") {
    report(path, `"${last}" is missing`, "key");
  } else if (issue.type === "picklist") {
    const near = didYouMean(String(issue.input), intentions);
    report(path, `expected ${oneOf(intentions)}, got ${issue.received}.${near}`);
  } else if (issue.type === "union" && issue.issues !== undefined && isObject(issue.input)) {
    // Of a parameter's two forms it is the one that was begun. A text that is missing further in is a fault of that one.
    const inner = issue.issues.filter(({ type, path: at }) => type !== "string" || at !== undefined);
    for (const each of inner) {
      reportIssue(
        { ...each, path: [...(issue.path ?? []), ...(each.path ?? [])] as typeof issue.path },
        report,
      );
    }
  } else {
    report(path, `expected ${expectedWords(issue)}, got ${gotWords(issue)}`);
  }
}

function expectedWords(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "union" && issue.path?.at(-1)?.key === "default")
    return "a text, a number, true or false";
  if (issue.type === "union" && issue.expected?.includes("string"))
    return "a type's name, or a map with its refinements";
  if (issue.type === "safe_integer" || issue.type === "integer") return "a whole number";
  if (issue.type === "min_length")
    return Array.isArray(issue.input) ? "at least one value" : "at least one character";
  if (issue.expected === "Object") return "a map";
  if (issue.expected === "Array") return "a list";
  if (issue.expected === "string") return "a text";
  if (issue.expected === "number") return "a number";
  return issue.expected ?? issue.message;
}

/** What came in its place, in the words for YAML. */
function gotWords({ input, received }: v.BaseIssue<unknown>): string {
  if (input === null || input === undefined) return "nothing";
  if (Array.isArray(input)) return "a list";
  return isObject(input) ? "a map" : received;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where a path leads, or as far as the document goes on the way. */
function offsetOf(root: Node | null, path: Path, where: "key" | "value"): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [index, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return offset;
      const key = pair.key as Node;
      const value = pair.value as Node | null;
      const isLast = index === path.length - 1;
      // A block below a key begins on another line: the key says better what is meant.
      const atKey = (isLast && where === "key") || !isScalar(value) || value.range == null;
      offset = (atKey ? key.range?.[0] : value?.range?.[0]) ?? offset;
      node = value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}
