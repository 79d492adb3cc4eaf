/** Helpers of the tests of descriptions: tables of a library, and their descriptions. */
import assert from "node:assert/strict";
import type { ParameterObject, Reference } from "../../src/openapi/document.ts";
import { describeTable, type OpenApiDocument, type OperationObject } from "../../src/openapi/openapi.ts";
import type { Vocabulary } from "../../src/table/caller.ts";
import type { Operation, Operations } from "../../src/table/operation.ts";
import { checkTable, type Table } from "../../src/table/table.ts";
import { operations as libraryOperations, vocabulary } from "../table/_library.ts";

const head = `
prefix: /library/{key}
product: bookworm
excluded: { group: BARRED }
types:
  title: { type: text, maxLength: 20, description: 'a title, with "-" for each space' }
  signature: { type: text, pattern: '[A-Z]{2}\\d', maxLength: 3 }
`;

/** Returns a table of these routes, as YAML. */
export function tableOf(routes: string, operations: Operations = libraryOperations()): Table {
  const { table, faults } = checkTable(`${head}routes:\n${routes}`, {
    operations: () => operations,
    vocabulary: () => vocabulary,
  });
  assert.ok(table !== undefined, JSON.stringify(faults));
  return table;
}

/** Returns the description of such a table, as a client reads it. */
export function describedAs(
  routes: string,
  operations?: Operations,
  names: Vocabulary = vocabulary,
): OpenApiDocument {
  return JSON.parse(JSON.stringify(describeTable(tableOf(routes, operations), names)));
}

/** Returns the operation of a path without the prefix. */
export function operationAt(document: OpenApiDocument, path: string): OperationObject {
  const operation = document.paths[`/library/{key}${path}`]?.get;
  assert.ok(operation !== undefined, `${path} is not in ${Object.keys(document.paths).join()}`);
  return operation;
}

/** Returns a parameter, or the component that it refers to. */
export function resolved(
  { components }: OpenApiDocument,
  parameter: ParameterObject | Reference,
): ParameterObject {
  if (!("$ref" in parameter)) return parameter;
  const component = components.parameters[parameter.$ref.replace("#/components/parameters/", "")];
  return component ?? assert.fail(parameter.$ref);
}

/** Returns the parameters of an operation, without the token and headers. */
export function ownParameters(document: OpenApiDocument, path: string): readonly ParameterObject[] {
  return operationAt(document, path).parameters.flatMap((parameter) =>
    "$ref" in parameter ? [] : [parameter],
  );
}

/** Returns the library's operations with further properties of one. */
export function withOperation(name: string, operation: Partial<Operation>): Operations {
  const known = libraryOperations().get(name);
  assert.ok(known !== undefined);
  return new Map([...libraryOperations(), [name, { ...known, ...operation }]]);
}

/** A route with a parameter that has a default. */
export const list =
  "  /books: { summary: L., restriction: open, parameters: { hidden: { type: boolean, default: false } }, handler: books.list }\n";
/** A change with a restriction and parameters of several types. */
export const add =
  "  /books/{branch}/add: { summary: A., restriction: { faction: $branch, rank: 4 }, " +
  "parameters: { branch: faction, title: title, pages: { type: integer, minimum: 2, maximum: 500 }, " +
  "kind: { type: enum, values: [poem, novel] } }, handler: books.add }\n";
