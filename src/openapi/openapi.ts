/**
 * Generates the description of the interface, an OpenAPI 3.1 document: from the table in force, the names in the data, and
 * the schemas of the operations. Only the text about the service as a whole is written by hand.
 */
import { stringify } from "yaml";
import { codePattern } from "../domain/limits.ts";
import { Slices } from "../domain/slices.ts";
import { pluralOf, uncapitalised } from "../domain/text.ts";
import { tokenPattern } from "../identity/tokens.ts";
import { license, version } from "../packaged.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Route, Table } from "../table/table.ts";
import { isMap } from "../table/yaml/wording.ts";
import { Components, type ParameterObject } from "./document.ts";
import { failureReference } from "./failures.ts";
import { resourceOf, type SizeOf, toOperationObject } from "./operation.ts";
import { introduction, resources, title } from "./service-description.ts";
import { generalWords } from "./words.ts";

/**
 * Returns the description of a table.
 * @param sizeOf returns the number of entries that a list has now: an undo or a narrower bound can leave more than `maxEntries`
 */
export function describeTable(table: Table, vocabulary: Vocabulary, sizeOf: SizeOf = () => 0) {
  const components = new Components();
  const failure = failureReference(components);
  const token = tokenParameter(table);
  const code = codeParameter(token);
  const context = { table, vocabulary, components, token, code, failure, sizeOf };
  const served = [...table.routes, ...table.beside];
  const ids = operationIds(served);
  const paths = Array.from(ids, ([id, route]) => {
    return [table.prefix + route.path, { get: toOperationObject(route, id, context) }] as const;
  });
  const names = [...new Set(served.map(({ path }) => resourceOf(path)))];
  return {
    openapi: "3.1.0",
    info: {
      title: table.title ?? title,
      description: [introduction, ...generalWords(table)].join("\n\n"),
      license: { name: license, identifier: license },
      version,
      // The start of every path, and the product token of a client's `User-Agent`.
      "x-prefix": table.prefix,
      ...(table.product === undefined ? {} : { "x-product": table.product }),
    },
    servers: [{ url: "/", description: "The host of this description." }],
    // The ways to send the token. An empty one is the path, for which OpenAPI has no security scheme.
    security: [{ token: [] }, {}],
    tags: names.map((name) => {
      const list = table.declared.lists.find((declared) => declared.name === name);
      const known = resources.get(name) ?? list?.description ?? (list && `The ${pluralOf(list.title)}.`);
      return { name, description: known ?? `Everything under \`/${name}\`.` };
    }),
    paths: Object.fromEntries(paths),
    components: { ...components.maps, securitySchemes: { token: tokenScheme } },
  };
}

export type OpenApiDocument = ReturnType<typeof describeTable>;
export type OperationObject = OpenApiDocument["paths"][string]["get"];

/**
 * Returns a description as YAML, without aliases: not every reader of OpenAPI supports them. In slices of the event loop,
 * since that takes a tenth of a second, and anybody can ask for it.
 */
export async function toYAML(document: OpenApiDocument): Promise<string> {
  const slices = new Slices();
  const lines: string[] = [];
  const write = async (map: object, depth: number, indent: string): Promise<void> => {
    for (const [key, value] of Object.entries(map)) {
      if (slices.isOver) await slices.next();
      const isSplit = depth > 0 && isMap(value) && Object.keys(value).length > 0;
      const text = stringify({ [key]: isSplit ? "" : value }, { aliasDuplicateObjects: false, lineWidth: 0 });
      lines.push((isSplit ? text.replace(/ ""\n$/, "\n") : text).replace(/(^|\n)(?=[^\n])/g, `$1${indent}`));
      if (isSplit) await write(value, depth - 1, `${indent}  `);
    }
  };
  // Each path and each component for itself.
  await write(document, 2, "");
  return lines.join("");
}

/** Returns the parameter of the operation that has a code in the place of the token. */
function codeParameter(token: ParameterObject): ParameterObject {
  return {
    ...token,
    description: "`-`, with the code of an invitation in the header `Authorization`; or the code itself.",
    schema: { ...token.schema, pattern: `^(?:-|${codePattern})$` },
  };
}

function tokenParameter({ tokenParameter: name }: Table): ParameterObject {
  return {
    name,
    in: "path",
    required: true,
    description:
      "`-`, with the caller's token in the header `Authorization`; or the token itself, for clients that cannot send " +
      "headers. Then the URL is a secret, too: keep it out of logs, links and screenshots.",
    schema: { type: "string", format: "password", pattern: `^(?:-|${tokenPattern})$` },
    example: "-",
    "x-secret": true,
  };
}

const tokenScheme = {
  type: "http",
  scheme: "bearer",
  description:
    "The caller's token, in the header `Authorization: Bearer <token>`. The path has `-` in its place; with anything " +
    "else there, the header is ignored. The token is a secret: anybody who has it can do what the caller may do.",
};

/**
 * Returns an id for each route: its handler's name, with the path for the second route of a handler and further ones. An id
 * that does not depend on their order would rename functions of generated clients.
 */
function operationIds(routes: readonly Route[]): ReadonlyMap<string, Route> {
  const ids = new Map<string, Route>();
  for (const route of routes) {
    let id = toIdentifier(route.handler);
    const atPath = toIdentifier(`${route.handler}.at.${route.path}`);
    if (ids.has(id)) id = atPath;
    for (let number = 2; ids.has(id); number += 1) id = `${atPath}${number}`;
    ids.set(id, route);
  }
  return ids;
}

/** Returns `targetlistAdd` for `targetlist.add`. */
function toIdentifier(text: string): string {
  const words = text.replace(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase());
  return uncapitalised(words);
}
