/**
 * The route table as a YAML document: its form as valibot schemas, and where in the file everything stands, so that
 * a fault can name line and column. What the document means is checked in `table.ts`.
 */
import * as v from "valibot";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { didYouMean, oneOf } from "../text.ts";

/** Something in the table that keeps it from being served. Lines and columns count from 1. */
export interface Fault {
  readonly line: number;
  readonly column: number;
  /** What was expected, what came, and the nearest known name where there is one. */
  readonly message: string;
}

/** The way to a value in the document: keys and indices. */
export type Path = readonly (string | number)[];

/** Puts down a fault at a value, or at its key where the value is what is missing or the key is what is wrong. */
export type Report = (path: Path, message: string, where?: "key" | "value") => void;

const scalarSchema = v.union([v.string(), v.number(), v.boolean()]);

const typeEntries = {
  type: v.string(),
  description: v.optional(v.string()),
  pattern: v.optional(v.string()),
  minLength: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  maxLength: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  minimum: v.optional(v.pipe(v.number(), v.safeInteger())),
  maximum: v.optional(v.pipe(v.number(), v.safeInteger())),
  values: v.optional(v.pipe(v.array(v.string()), v.minLength(1))),
};
export const typeSchema = v.strictObject(typeEntries);
export const parameterSchema = v.strictObject({ ...typeEntries, default: v.optional(scalarSchema) });

export const routeSchema = v.strictObject({
  summary: v.pipe(v.string(), v.minLength(1)),
  // Its form has alternatives that a schema explains badly: `table.ts` takes it apart.
  restriction: v.unknown(),
  parameters: v.optional(v.record(v.string(), v.union([v.string(), parameterSchema]))),
  handler: v.string(),
});

export const documentSchema = v.strictObject({
  prefix: v.string(),
  product: v.optional(v.string()),
  excluded: v.optional(v.strictObject({ group: v.string() })),
  types: v.optional(v.record(v.string(), typeSchema)),
  routes: v.record(v.string(), routeSchema),
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
}

/** Parses a table's text and checks its form. */
export function parseTable(text: string): ParsedDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const faults: Fault[] = [];
  const add = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    faults.push({ line: Math.max(line, 1), column: Math.max(col, 1), message });
  };
  const report: Report = (path, message, where = "value") =>
    add(offsetOf(document.contents, path, where), message);

  for (const error of document.errors)
    add(error.pos[0], `not readable as YAML: ${lowerFirst(error.message)}`);
  if (document.errors.length > 0) return { content: undefined, faults, report };

  const result = v.safeParse(documentSchema, document.toJS({ maxAliasCount: 100 }));
  if (result.success) return { content: result.output, faults, report };
  for (const issue of result.issues) reportIssue(issue, report);
  return { content: undefined, faults, report };
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
  } else if (issue.type === "union" && issue.issues !== undefined && isObject(issue.input)) {
    // Of a parameter's two forms it is the one that was begun.
    const inner = issue.issues.filter(({ type }) => type !== "string");
    for (const each of inner) {
      reportIssue(
        { ...each, path: [...(issue.path ?? []), ...(each.path ?? [])] as typeof issue.path },
        report,
      );
    }
  } else {
    report(path, `${expectedWords(issue)} was expected, ${issue.received} came`);
  }
}

function expectedWords(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "union" && issue.expected?.includes("string"))
    return "a type's name, or a map with its refinements,";
  if (issue.expected === "Object") return "a map";
  if (issue.expected === "Array") return "a list";
  return issue.expected ?? issue.message;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
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
