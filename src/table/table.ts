/**
 * The route table: `routes.yaml` made into routes that can be served, or into all of its faults at once. An operator
 * can tighten a parameter or change a restriction there, and can not break an operation: what the table gives is
 * checked against what the operation needs.
 */
import type * as v from "valibot";
import { defaultLanguage, didYouMean, endsAlike, fold, oneOf } from "../domain/text.ts";
import type { Vocabulary } from "./caller.ts";
import {
  type Fault,
  type ParameterDeclaration,
  parseTable,
  type Report,
  type RouteDeclaration,
} from "./document.ts";
import { mismatchOf, needOf } from "./need.ts";
import type { Operation, Operations } from "./operation.ts";
import { isNarrowed, type Parameter, type ParameterType, parseParameter, toSchema } from "./parameters.ts";
import { parametersOf, type Restriction } from "./restriction/restriction.ts";
import { toRestriction } from "./restriction/restriction-form.ts";
import { revisionOf } from "./revision.ts";
import { Types } from "./types.ts";
import { toWatch, type Watch } from "./watch.ts";

/** A route that can be served. */
export interface Route {
  /** The path as the table has it, such as `/blacklistreason/{factionString}/add`. */
  readonly path: string;
  readonly summary: string;
  readonly restriction: Restriction;
  readonly parameters: readonly Parameter[];
  /** The names of the parameters that the restriction depends on: they are checked before it. */
  readonly decisive: ReadonlySet<string>;
  /** The operation's name, such as `blacklistreason.add`. */
  readonly handler: string;
  readonly operation: Operation;
}

/** A table without faults. */
export interface Table {
  /** With the token's parameter in braces. */
  readonly prefix: string;
  readonly tokenParameter: string;
  /** The language in whose order names are listed: a BCP 47 tag that Intl supports. */
  readonly language: string;
  /** The product token of a client's `User-Agent`. */
  readonly product: string | undefined;
  /** The group whose members every operation refuses. */
  readonly excludedGroup: string | undefined;
  readonly routes: readonly Route[];
  /** How often an hour honest callers call an operation with a value at most. */
  readonly watch: readonly Watch[];
  /** The operations that no route serves, but those that the table lists as `unserved`. */
  readonly missing: readonly string[];
  /** A hash of the table's text, short: which revision decided. */
  readonly revision: string;
}

/** What a table is checked against. */
export interface Surroundings {
  readonly operations: Operations;
  /** Asked again at each request, since names can be added. */
  readonly vocabulary: () => Vocabulary;
}

/** A table's text, checked. There is a table exactly where there are no faults. */
export type CheckedTable =
  | { readonly table: Table; readonly faults: readonly [] }
  | { readonly table: undefined; readonly faults: readonly Fault[] };

/** No client can send a segment of "." or "..": it is taken as a step on the way. */
const segmentForm = /^(?!\.{1,2}$)(?:[A-Za-z0-9._~-]+|\{[A-Za-z]\w*\})$/;

/** Makes a table of its text, or gives all of its faults, in the order of the file. */
export function checkTable(text: string, surroundings: Surroundings): CheckedTable {
  const { content, faults, report, lineOf } = parseTable(text);
  if (content === undefined) return { table: undefined, faults: inOrder(faults) };
  const vocabulary = surroundings.vocabulary();

  const tokenParameter = checkPrefix(content.prefix, report);
  const language = checkLanguage(content.language ?? defaultLanguage, report);
  if (content.product !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(content.product)) {
    report(["product"], `expected a product token (letters, digits, "-", "_"), got "${content.product}"`);
  }
  const excluded = content.excluded?.group;
  const known = vocabulary.group;
  const excludedGroup = known.find((group) => excluded !== undefined && fold(group) === fold(excluded));
  if (excluded !== undefined && excludedGroup === undefined) {
    const message = `there is no group "${excluded}"; known are ${oneOf(known, "and")}.`;
    report(["excluded", "group"], message + didYouMean(excluded, known));
  }

  const types = new Types(content.types ?? {}, report);
  const routes: Route[] = [];
  const shapes = new Map<string, string>();
  for (const [path, declaration] of Object.entries(content.routes)) {
    const twin = checkPath(path, shapes, tokenParameter, report);
    if (twin !== undefined) {
      const where = `${twin} in line ${lineOf(["routes", twin])}`;
      report(["routes", path], `the path is given twice: it matches what ${where} matches`, "key");
    }
    const route = toRoute(path, declaration, types, surroundings, report);
    if (route !== undefined) routes.push(route);
  }
  const watch = toWatch(content.watch, surroundings.operations, report);
  checkUnserved(content.unserved ?? [], surroundings.operations, report);
  if (routes.length === 0 && faults.length === 0)
    report(["routes"], "expected at least one route, got none", "key");
  if (faults.length > 0) return { table: undefined, faults: inOrder(faults) };
  const revision = revisionOf(text);
  const { prefix, product } = content;
  const dealtWith = new Set([...routes.map(({ handler }) => handler), ...(content.unserved ?? [])]);
  const missing = [...surroundings.operations.keys()].filter((name) => !dealtWith.has(name));
  const table = {
    prefix,
    tokenParameter,
    language,
    product,
    excludedGroup,
    routes,
    watch,
    missing,
    revision,
  };
  return { table, faults: [] };
}

/** The parameters that a path has in braces. */
export function bracesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

function checkUnserved(names: readonly string[], operations: Operations, report: Report): void {
  const known = [...operations.keys()];
  for (const [index, name] of names.entries()) {
    if (operations.has(name)) continue;
    const words = didYouMean(name, known) || ` Known are ${oneOf(known, "and")}.`;
    report(["unserved", index], `there is no handler "${name}".${words}`);
  }
}

function checkPrefix(prefix: string, report: Report): string {
  const segments = prefix.split("/").slice(1);
  const wellFormed = prefix.startsWith("/") && segments.every((segment) => segmentForm.test(segment));
  const [token, ...others] = bracesOf(prefix);
  if (wellFormed && token !== undefined && others.length === 0) return token;
  const example = "/gameaddon/v1/{tokenString}";
  report(["prefix"], `expected a path with the token in braces, such as ${example}, got "${prefix}"`);
  return "";
}

/** Returns the tag in its canonical form. */
function checkLanguage(tag: string, report: Report): string {
  const supported = supportedLanguage(tag);
  if (supported !== undefined) return supported;
  report(
    ["language"],
    `expected a language as a BCP 47 tag that this Node.js supports, such as de, got "${tag}"`,
  );
  return defaultLanguage;
}

function supportedLanguage(tag: string): string | undefined {
  try {
    return Intl.Collator.supportedLocalesOf(tag)[0];
  } catch {
    // It is malformed.
    return undefined;
  }
}

/** Returns the path before it that matches the same requests, if there is one. */
function checkPath(
  path: string,
  shapes: Map<string, string>,
  tokenParameter: string,
  report: Report,
): string | undefined {
  const segments = path.split("/").slice(1);
  if (!path.startsWith("/") || !segments.every((segment) => segmentForm.test(segment))) {
    report(["routes", path], `expected a path such as /statistic/{player}/add, got "${path}"`, "key");
    return undefined;
  }
  const names = bracesOf(path);
  if (new Set([tokenParameter, ...names]).size <= names.length) {
    report(["routes", path], "each parameter in braces needs a name of its own", "key");
  }
  const shape = path.replace(/\{\w+\}/g, "{}");
  const twin = shapes.get(shape);
  if (twin === undefined) shapes.set(shape, path);
  return twin;
}

function toRoute(
  path: string,
  declaration: RouteDeclaration,
  types: Types,
  { operations, vocabulary }: Surroundings,
  report: Report,
): Route | undefined {
  const at = ["routes", path];
  const { handler, summary } = declaration;
  const operation = operations.get(handler);
  const parameters = toParameters(path, declaration, types, vocabulary, operation, report);
  const whole = parameters.size === Object.keys(declaration.parameters ?? {}).length;
  const faulty = new Set(Object.keys(declaration.parameters ?? {}).filter((name) => !parameters.has(name)));
  const around = { parameters, faulty, vocabulary: vocabulary(), report };
  const restriction = toRestriction(declaration.restriction, [...at, "restriction"], around);
  if (operation === undefined) {
    const known = [...operations.keys()];
    // The restriction beside it was meant for another change.
    const likely = known.filter(
      (each) => operations.get(each)?.effect === "read" || endsAlike(handler, each),
    );
    report(
      [...at, "handler"],
      `there is no handler "${handler}".${didYouMean(handler, likely) || ` Known are ${oneOf(known, "and")}.`}`,
    );
    return undefined;
  }
  if (whole) checkAgainstOperation(at, handler, operation, parameters, report);
  if (restriction === undefined) return undefined;
  const decisive = new Set(parametersOf(restriction));
  return {
    path,
    summary,
    restriction,
    parameters: [...parameters.values()],
    decisive,
    handler,
    operation,
  };
}

function toParameters(
  path: string,
  declaration: RouteDeclaration,
  types: Types,
  vocabulary: () => Vocabulary,
  operation: Operation | undefined,
  report: Report,
): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  const braces = bracesOf(path);
  const declared = declaration.parameters ?? {};
  for (const name of braces) {
    if (!Object.hasOwn(declared, name)) {
      report(["routes", path], `the path has {${name}}, but "parameters" does not say what it is`, "key");
    }
  }
  for (const [name, form] of Object.entries(declared)) {
    const at = ["routes", path, "parameters", name];
    if (!/^[A-Za-z]\w*$/.test(name)) {
      report(at, `expected a name of letters, digits and "_", got "${name}"`, "key");
      continue;
    }
    const declaredType = toType(form, at, types, report);
    if (declaredType === undefined) continue;
    const need = needOf(operation, name);
    const roundsDown = declaredType.base === "integer" && need?.roundsDown === true;
    const type: ParameterType = roundsDown ? { ...declaredType, roundsDown } : declaredType;
    const schema = toSchema(type, vocabulary);
    const place = braces.includes(name) ? "path" : "query";
    const isReference = type.base === "text" && !isNarrowed(type) && need?.reference === true;
    const parameter: Parameter = { name, in: place, type, isReference, schema, default: undefined };
    const fallback = typeof form === "string" ? undefined : form.default;
    if (fallback === undefined) {
      parameters.set(name, parameter);
    } else if (place === "path") {
      report([...at, "default"], "a parameter in the path is always there and takes no default", "key");
    } else {
      try {
        parameters.set(name, {
          ...parameter,
          default: parseParameter(parameter, String(fallback), vocabulary()),
        });
      } catch (error) {
        report([...at, "default"], (error as Error).message);
      }
    }
  }
  return parameters;
}

function toType(
  form: string | ParameterDeclaration,
  at: readonly string[],
  types: Types,
  report: Report,
): ParameterType | undefined {
  if (typeof form !== "string") return types.refined(form, at);
  const type = types.named(form);
  if (type === undefined && !types.names.includes(form)) {
    report(
      at,
      `there is no type "${form}".${didYouMean(form, types.names) || ` Known are ${oneOf(types.names, "and")}.`}`,
    );
  }
  return type;
}

function checkAgainstOperation(
  at: readonly string[],
  handler: string,
  operation: Operation,
  parameters: ReadonlyMap<string, Parameter>,
  report: Report,
): void {
  const { entries } = operation.input;
  for (const [name, schema] of Object.entries(entries)) {
    const parameter = parameters.get(name);
    if (parameter === undefined) {
      if (schema.type !== "optional")
        report([...at, "parameters"], `${handler} needs the parameter "${name}"`, "key");
      continue;
    }
    const mismatch = mismatchOf(parameter, schema as v.GenericSchema);
    if (mismatch !== undefined) report([...at, "parameters", name], `${handler} needs ${mismatch}`);
  }
  for (const name of parameters.keys()) {
    if (Object.hasOwn(entries, name)) continue;
    const known = didYouMean(name, Object.keys(entries));
    report([...at, "parameters", name], `${handler} takes no parameter "${name}".${known}`, "key");
  }
}

function inOrder(faults: readonly Fault[]): Fault[] {
  return faults.toSorted((a, b) => a.line - b.line || a.column - b.column);
}
