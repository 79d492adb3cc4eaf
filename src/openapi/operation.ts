/** One route as an operation of OpenAPI: everything that a client has to know to call it. */

import type { Vocabulary } from "../table/caller.ts";
import { describe } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { toAnswerSchema } from "./answers.ts";
import { changeHeaders, idempotencyKey, ifNoneMatch, readHeaders } from "./common.ts";
import type { Components, OperationObject, ParameterObject, Reference, ResponseObject } from "./document.ts";
import { failureResponses } from "./failures.ts";
import { toParameterObject } from "./parameters.ts";
import { toForm } from "./restriction.ts";

/** What an operation is described with, beside its route. */
export interface Surroundings {
  readonly table: Table;
  readonly vocabulary: Vocabulary;
  readonly components: Components;
  readonly token: ParameterObject;
  /** The body of every failure. */
  readonly failure: Reference;
}

/** An operation whose responses are written out. */
export interface WholeOperation extends OperationObject {
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** Describes a route. @param operationId no other route's */
export function toOperationObject(route: Route, operationId: string, around: Surroundings): WholeOperation {
  const { operation, summary, restriction, parameters, path } = route;
  const { table, vocabulary, components, token, failure } = around;
  const { effect } = operation;
  const own = parameters.map((each) =>
    toParameterObject(each, operation.input.entries[each.name], vocabulary),
  );
  const header =
    effect === "read"
      ? components.use("parameters", "IfNoneMatch", ifNoneMatch)
      : components.use("parameters", "IdempotencyKey", idempotencyKey);
  return {
    operationId,
    tags: [resourceOf(path)],
    summary,
    description: descriptionOf(route),
    parameters: [components.use("parameters", token.name, token), ...own, header],
    responses: { ...successResponses(route, around), ...failureResponses(route, table, failure, components) },
    "x-restriction": toForm(restriction),
    "x-effect": effect,
    "x-repeatable": operation.counts !== true,
  };
}

/** The first segment of a path. */
export function resourceOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function descriptionOf({ operation, restriction }: Route): string {
  const paragraphs = [operation.description, `Who may call it: ${describe(restriction)}.`];
  if (operation.effect === "change") {
    paragraphs.push(
      operation.counts === true
        ? "Each call counts. To send one again safely, give it an `Idempotency-Key`, and the same one again."
        : "Repeating it is harmless: what is so already is answered with 200, and nothing is changed.",
    );
  }
  return paragraphs.filter((each) => each !== undefined).join("\n\n");
}

function successResponses(
  { operation }: Route,
  { vocabulary, components }: Surroundings,
): Readonly<Record<string, ResponseObject>> {
  const schema = toAnswerSchema(operation.answer, vocabulary, components);
  const example = operation.example === undefined ? {} : { example: { info: operation.example } };
  const content = { "application/json": { schema, ...example } };
  if (operation.effect === "change") {
    const description = operation.counts === true ? "It is done." : "It is done, or was so already.";
    return { 200: { description, headers: changeHeaders(components), content } };
  }
  const headers = readHeaders(components);
  return {
    200: { description: "The data as it is now.", headers, content },
    304: { description: "The data is as the client has it, by its `If-None-Match`.", headers },
  };
}
