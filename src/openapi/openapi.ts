/**
 * The description of the interface: an OpenAPI 3.1 document, made of the table in force, the names that there are, and
 * the schemas of the operations. Nothing of it is written by hand beside what the service is as a whole.
 */
import { STATUS_CODES } from "node:http";
import { stringify } from "yaml";
import type { Vocabulary } from "../table/caller.ts";
import type { Route, Table } from "../table/table.ts";
import {
  Components,
  type InfoObject,
  type OpenApiDocument,
  type ParameterObject,
  type Reference,
  type ResponseObject,
} from "./document.ts";
import { failureReference } from "./failures.ts";
import { resourceOf, toOperationObject, type WholeOperation } from "./operation.ts";
import { generalWords } from "./words.ts";

/** What the table does not say. */
export interface DescriptionOptions {
  /** Its description is followed by what holds for any table. */
  readonly info: InfoObject;
  /** The regular expression that a token matches as a whole. */
  readonly tokenPattern?: string;
  /** What is behind the first segment of a path, in a sentence. */
  readonly resources?: Readonly<Record<string, string>>;
}

/** Describes a table. */
export function describeTable(
  table: Table,
  vocabulary: Vocabulary,
  { info, tokenPattern, resources = {} }: DescriptionOptions,
): OpenApiDocument {
  const components = new Components();
  const failure = failureReference(components);
  const around = { table, vocabulary, components, token: tokenParameter(table, tokenPattern), failure };
  const ids = operationIds(table.routes);
  const operations = Array.from(ids, ([route, id]) => {
    return [table.prefix + route.path, toOperationObject(route, id, around)] as const;
  });
  const names = [...new Set(table.routes.map(({ path }) => resourceOf(path)))];
  return {
    openapi: "3.1.0",
    info: { ...info, description: [info.description, ...generalWords(table)].join("\n\n") },
    servers: [{ url: "/", description: "The host that this description comes from." }],
    security: [],
    tags: names.map((name) => {
      const known = Object.hasOwn(resources, name) ? resources[name] : undefined;
      return { name, description: known ?? `Everything under \`/${name}\`.` };
    }),
    paths: withSharedResponses(operations, components),
    components: components.toMaps(),
  };
}

/** Puts the responses into the components that are those of more than one operation. */
function withSharedResponses(
  operations: readonly (readonly [string, WholeOperation])[],
  components: Components,
): OpenApiDocument["paths"] {
  const firsts = new Map<string, ResponseObject>();
  const shared = new Map<ResponseObject, Reference>();
  const known = new Map<ResponseObject, ResponseObject>();
  for (const [, { responses }] of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const content = JSON.stringify(response);
      const first = firsts.get(content) ?? response;
      firsts.set(content, first);
      known.set(response, first);
      if (first === response || shared.has(first)) continue;
      const name = (STATUS_CODES[status] ?? "").replace(/\W/g, "");
      shared.set(first, components.use("responses", name, first));
    }
  }
  const toShared = (response: ResponseObject) => shared.get(known.get(response) ?? response) ?? response;
  const paths = operations.map(([path, operation]) => {
    const responses = Object.entries(operation.responses).map(
      ([status, each]) => [status, toShared(each)] as const,
    );
    return [path, { get: { ...operation, responses: Object.fromEntries(responses) } }] as const;
  });
  return Object.fromEntries(paths);
}

/** A description as YAML, without aliases: not every reader of OpenAPI knows them. */
export function toYAML(document: OpenApiDocument): string {
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}

function tokenParameter({ tokenParameter: name }: Table, pattern: string | undefined): ParameterObject {
  return {
    name,
    in: "path",
    required: true,
    description:
      "The caller's token. It is a secret: whoever has it can do what the caller may do, so it belongs into no log, " +
      "no link and no screenshot.",
    schema: { type: "string", format: "password", ...(pattern === undefined ? {} : { pattern }) },
    "x-secret": true,
  };
}

/** An id for each route: its handler's name, and where several routes have the same handler, their paths. */
function operationIds(routes: readonly Route[]): ReadonlyMap<Route, string> {
  const taken = new Set<string>();
  const ids = new Map<Route, string>();
  for (const route of routes) {
    const candidates = [toIdentifier(route.handler), toIdentifier(`${route.handler}.at.${route.path}`)];
    let id = candidates.find((each) => !taken.has(each));
    for (let number = 2; id === undefined; number += 1) {
      const numbered = `${candidates[1]}${number}`;
      if (!taken.has(numbered)) id = numbered;
    }
    taken.add(id);
    ids.set(route, id);
  }
  return ids;
}

/** `targetlistAdd` of `targetlist.add`. */
function toIdentifier(text: string): string {
  const [first = "", ...rest] = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return (
    first.charAt(0).toLowerCase() +
    first.slice(1) +
    rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")
  );
}
