/**
 * The route table: parses the text of `routes.yaml` into routes that can be served, or into all of its faults. An operator
 * can narrow a parameter or change a restriction, but not break an operation: the types of a route's parameters are
 * checked against the operation's requirements.
 */
import { defaultLanguage, endsAlike, fold } from "../domain/text.ts";
import type { Vocabulary } from "./caller.ts";
import { type Declarations, toDeclarations } from "./declared/declarations.ts";
import { type Duration, toDuration } from "./declared/duration.ts";
import type { Finding } from "./declared/entries.ts";
import type { List } from "./declared/lists.ts";
import { type ParsedDocument, parseTable, type RouteDeclaration, type TableDocument } from "./document.ts";
import { type Limit, type Limits, toLimit, toLimits } from "./limits.ts";
import type { Operation, Operations } from "./operation.ts";
import { type TablePage, toPages } from "./pages.ts";
import type { Parameter } from "./parameters.ts";
import { parametersOf, type Restriction } from "./restriction/restriction.ts";
import { toRestriction } from "./restriction/restriction-form.ts";
import { revisionOf } from "./revision.ts";
import { checkAgainstOperation, placeholdersOf, toParameters } from "./route-parameters.ts";
import { type Types, toTypes } from "./types.ts";
import { type Fault, inOrder, type Report } from "./yaml/fault.ts";
import { unknownName } from "./yaml/wording.ts";

/** A route that can be served. */
export interface Route {
  /** The path without the prefix, such as `/statistic/{player}/add`. */
  readonly path: string;
  readonly summary: string;
  readonly restriction: Restriction;
  readonly parameters: readonly Parameter[];
  /** The names of the parameters that the restriction depends on, which are checked before it. */
  readonly decisive: ReadonlySet<string>;
  /** The operation's name, such as `targetlist.add`: `handler` in YAML, `operation` of a `Request`. */
  readonly handler: string;
  readonly operation: Operation;
  /** The route's own limit, which replaces that of the table; undefined if it has none. */
  readonly limit: Limit | "off" | undefined;
}

/** A table without faults. */
export interface Table {
  /** With a placeholder for the token. */
  readonly prefix: string;
  readonly tokenParameter: string;
  /** The language whose order sorts names: a BCP 47 tag that Intl supports. */
  readonly language: string;
  /** The product token of a client's `User-Agent`. */
  readonly product: string | undefined;
  /** The group whose members may call nothing. */
  readonly excludedGroup: string | undefined;
  readonly limits: Limits;
  readonly routes: readonly Route[];
  /** What requests can call besides: what exchanges the code of an invitation for a token, and what opens a stream. */
  readonly beside: readonly Route[];
  /** How long the code of an invitation is valid; undefined without invitations. */
  readonly invitations: { readonly valid: Duration } | undefined;
  /** How many streams can be open, at most; undefined without streams. */
  readonly stream: { readonly most: number } | undefined;
  /** What the service is called in its description. */
  readonly title: string | undefined;
  /** What everybody may see without a token. */
  readonly pages: readonly TablePage[];
  readonly declared: Declarations;
  /** The operations that have no route and are not listed as `unserved`; of a list with a route, none. */
  readonly missing: readonly string[];
  /** What is listed as `unserved` although routes serve all of it. */
  readonly needless: readonly string[];
  /** The keys at the top of its text. */
  readonly keys: readonly string[];
  readonly text: string;
  /** A short hash of the table's text; see `revision.ts`. */
  readonly revision: string;
}

/** What a table is checked against. */
export interface TableContext {
  /** Returns the operations that declarations result in. @param language orders names in answers */
  readonly operations: (declared: Declarations, language: string) => Operations;
  /** The operations of {@link beside}. */
  readonly beside?: Operations;
  /** The resources whose operations are code: no list can have their names. */
  readonly resources?: readonly string[];
  /** Called at each request, since names can be added. */
  readonly vocabulary: () => Vocabulary;
}

/** A checked text: either a table, or its faults. */
export type CheckedTable = {
  readonly document: ParsedDocument;
  /** Its lists without faults. */
  readonly lists: readonly List[];
  /** What they mean for the entries in the data; see {@link withFindings}. */
  readonly findings: readonly Finding[];
} & (
  | { readonly table: Table; readonly faults: readonly [] }
  | { readonly table: undefined; readonly faults: readonly Fault[] }
);

/** A segment of a path. No client can send "." or "..", which URLs resolve. */
const segmentForm = /^(?!\.{1,2}$)(?:[A-Za-z0-9._~-]+|\{[A-Za-z]\w*\})$/;

/**
 * What the keys of a table serve beside its routes. These are no routes: who claims has no token yet, and no command can
 * call a stream.
 */
const beside = [
  {
    key: "invitations",
    path: "/token/claim",
    summary: "Exchanges the code of an invitation for a token.",
    handler: "token.claim",
  },
  { key: "stream", path: "/stream", summary: "Sends events as they occur.", handler: "stream.open" },
] as const;

/** Parses a text into a table, or into all of its faults, in the order of the file. */
export function checkTable(text: string, context: TableContext): CheckedTable {
  const document = parseTable(text);
  const { content, faults, report } = document;
  const failed = { document, lists: [], findings: [], table: undefined };
  if (content === undefined) return { ...failed, faults: inOrder(faults) };
  const vocabulary = context.vocabulary();

  const tokenParameter = checkPrefix(content.prefix, report);
  const language = checkLanguage(content.language ?? defaultLanguage, report);
  if (content.product !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(content.product)) {
    report(["product"], `expected a product token of letters, digits, "-" and "_", got "${content.product}"`);
  }
  const excluded = content.excluded?.group;
  const excludedGroup = vocabulary.group.find(
    (group) => excluded !== undefined && fold(group) === fold(excluded),
  );
  if (excluded !== undefined && excludedGroup === undefined)
    report(["excluded", "group"], unknownName("group", excluded, vocabulary.group));

  const types = toTypes(content.types ?? {}, report);
  const resources = context.resources ?? [];
  const declared = toDeclarations(content, { ...document, types, resources, vocabulary });
  const operations = context.operations(declared, language);
  const faulty = faultyResources(content, declared);
  const routes: Route[] = [];
  const shapes = new Map<string, string>();
  for (const [path, declaration] of Object.entries(content.routes)) {
    checkPath(path, shapes, tokenParameter, report);
    // What a list with faults would offer is unknown: its routes are checked once it has none.
    if (faulty.has(resourceOf(declaration.handler))) continue;
    const route = toRoute(path, declaration, types, { operations, vocabulary: context.vocabulary }, document);
    if (route !== undefined) routes.push(route);
  }
  const served = { operations: context.beside ?? new Map(), vocabulary: context.vocabulary };
  const others = beside.flatMap(({ key, path, ...form }) => {
    if (content[key] === undefined) return [];
    if (shapes.has(path)) report(["routes", path], `duplicate path: it belongs to "${key}"`, "key");
    return toRoute(path, { ...form, restriction: "open" }, types, served, document) ?? [];
  });
  checkUnserved(content.unserved ?? [], [...operations.keys()], resources, faulty, report);
  document.reportPoints();
  if (routes.length === 0 && faults.length === 0)
    report(["routes"], "expected at least one route, got none", "key");
  const { lists } = declared;
  // What a route with faults would open is unknown.
  const pages = faults.length > 0 ? [] : toPages(content.pages, content.prefix, declared, routes, report);
  if (faults.length > 0) return { ...failed, lists, faults: inOrder(faults) };
  const { prefix, product, title } = content;
  const handlers = routes.map(({ handler }) => handler);
  const mentioned = new Set([...handlers, ...(content.unserved ?? [])]);
  const servedResources = new Set(handlers.map(resourceOf));
  const missing = [...operations.keys()].filter((name) => {
    const resource = resourceOf(name);
    if (mentioned.has(name) || mentioned.has(resource)) return false;
    const isOfList = declared.lists.some((list) => list.name === resource);
    return !isOfList || (name.endsWith(".list") && !servedResources.has(resource));
  });
  const needless = (content.unserved ?? []).filter((entry) => {
    const named = [...operations.keys()].filter((name) => name === entry || resourceOf(name) === entry);
    return named.length > 0 && named.every((name) => handlers.includes(name));
  });
  const limits = toLimits(content.limits);
  const head = { prefix, tokenParameter, language, product, excludedGroup, limits, title, pages, declared };
  const invitations = content.invitations && { valid: toDuration(content.invitations.valid) };
  const { stream } = content;
  const keys = Object.keys(content);
  const source = { keys, text, revision: revisionOf(text) };
  const table = { ...head, routes, beside: others, invitations, stream, missing, needless, ...source };
  return { ...failed, lists, table, faults: [] };
}

/** Returns the limit that applies to a route: its own, or that of its table. */
export function limitFor({ limit, operation }: Route, { limits }: Table): Limit | "off" {
  return limit ?? (operation.effect === "read" ? limits.reads : limits.changes);
}

/** Adds what the lists of a checked text mean for entries: faults of the table, or remarks. */
export function withFindings(checked: CheckedTable, findings: readonly Finding[]): CheckedTable {
  const { report, faults } = checked.document;
  for (const { path, message, isFault } of findings) if (isFault) report(path, message, "key");
  if (faults.length === 0) return { ...checked, findings };
  return { ...checked, findings, table: undefined, faults: inOrder(faults) };
}

/** Returns the resource of an operation: `targetlist` for `targetlist.add`. */
function resourceOf(operation: string): string {
  return operation.split(".")[0] ?? operation;
}

/** Returns the resources that a table lacks because of faults in what it declares. */
function faultyResources(content: TableDocument, { lists, banReasons }: Declarations): Set<string> {
  const names = Object.keys(content.lists ?? {});
  const faulty = names.filter((name) => !lists.some((list) => list.name === name));
  const lacksBans = banReasons === undefined && (faulty.length > 0 || content.houseban !== undefined);
  return new Set(lacksBans ? [...faulty, "houseban"] : faulty);
}

function checkUnserved(
  names: readonly string[],
  operations: readonly string[],
  resources: Iterable<string>,
  faulty: ReadonlySet<string>,
  report: Report,
): void {
  const known = [...operations, ...new Set([...resources, ...faulty, ...operations.map(resourceOf)])];
  for (const [index, name] of names.entries()) {
    // What a list with faults would offer is unknown.
    if (!known.includes(name) && !faulty.has(resourceOf(name)))
      report(["unserved", index], unknownName("handler", name, known));
  }
}

function checkPrefix(prefix: string, report: Report): string {
  const segments = prefix.split("/").slice(1);
  const wellFormed = prefix.startsWith("/") && segments.every((segment) => segmentForm.test(segment));
  const [token, ...others] = placeholdersOf(prefix);
  if (wellFormed && token !== undefined && others.length === 0) return token;
  const example = "/gameaddon/v1/{tokenString}";
  report(["prefix"], `expected a path with a placeholder for the token, such as ${example}, got "${prefix}"`);
  return "";
}

/** Returns the tag in its canonical form. */
function checkLanguage(tag: string, report: Report): string {
  try {
    const [supported] = Intl.Collator.supportedLocalesOf(tag);
    if (supported !== undefined) return supported;
  } catch {
    // It is malformed.
  }
  report(["language"], `expected a BCP 47 tag that this Node.js supports, such as de, got "${tag}"`);
  return defaultLanguage;
}

/** @param shapes the paths before it, by what they match, to which it is added */
function checkPath(path: string, shapes: Map<string, string>, tokenParameter: string, report: Report): void {
  const segments = path.split("/").slice(1);
  if (!path.startsWith("/") || !segments.every((segment) => segmentForm.test(segment))) {
    report(["routes", path], `expected a path such as /statistic/{player}/add, got "${path}"`, "key");
    return;
  }
  const names = placeholdersOf(path);
  if (new Set([tokenParameter, ...names]).size <= names.length) {
    report(["routes", path], "each placeholder needs a name of its own", "key");
  }
  const shape = path.replace(/\{\w+\}/g, "{}");
  const twin = shapes.get(shape);
  if (twin === undefined) shapes.set(shape, path);
  else report(["routes", path], `duplicate path: it matches the same requests as ${twin}`, "key");
}

function toRoute(
  path: string,
  declaration: RouteDeclaration,
  types: Types,
  { operations, vocabulary }: { operations: Operations; vocabulary: () => Vocabulary },
  document: ParsedDocument,
): Route | undefined {
  const { report, textOf, places } = document;
  const at = ["routes", path];
  const { handler } = declaration;
  const summary = declaration.summary.normalize("NFC");
  const found = operations.get(handler);
  const given = new Set([...placeholdersOf(path), ...Object.keys(declaration.parameters ?? {})]);
  const operation = found && { ...found, answer: found.answerFor?.(given) ?? found.answer };
  const parameters = toParameters(path, declaration, types, vocabulary, operation, document);
  const faulty = new Set(Object.keys(declaration.parameters ?? {}).filter((name) => !parameters.has(name)));
  const context = { parameters, faulty, vocabulary: vocabulary(), report, textOf, places };
  const restriction = toRestriction(declaration.restriction, [...at, "restriction"], context);
  if (operation === undefined) {
    const known = [...operations.keys()];
    // Another change is suggested only for a slip: the restriction beside it was not meant for it.
    const likely = known.filter(
      (name) => operations.get(name)?.effect === "read" || endsAlike(handler, name),
    );
    return report([...at, "handler"], unknownName("handler", handler, known, { likely }));
  }
  if (faulty.size === 0) {
    const declared = declaration.parameters ?? {};
    checkAgainstOperation(at, handler, operation, declared, parameters, vocabulary(), report);
  }
  if (restriction === undefined) return undefined;
  const decisive = new Set(parametersOf(restriction));
  const limit = declaration.limit && toLimit(path, declaration.limit);
  const all = Array.from(parameters.values(), (own) => {
    // A restriction cannot decide on a text that its type does not have.
    return { ...own, isReference: own.isReference && !decisive.has(own.name) };
  });
  return { path, summary, restriction, parameters: all, decisive, handler, operation, limit };
}
