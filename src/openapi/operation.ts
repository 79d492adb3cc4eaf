/** A route as an operation of OpenAPI: all that a client has to know to call it. */
import type { Vocabulary } from "../table/caller.ts";
import { limitWords } from "../table/limits.ts";
import { describe } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { toAnswerSchema } from "./answers.ts";
import { headersOf, idempotencyKey, ifNoneMatch } from "./common.ts";
import type { Components, ParameterObject, Reference, ResponseObject } from "./document.ts";
import { failureResponses } from "./failures.ts";
import { toParameterObject } from "./parameters.ts";
import { toForm } from "./restriction.ts";

export type SizeOf = (list: string) => number;

/** What the descriptions of all operations have in common. */
export interface DescriptionContext {
  readonly table: Table;
  readonly vocabulary: Vocabulary;
  readonly components: Components;
  readonly token: ParameterObject;
  /** What the operation of invitations has in the place of the token. */
  readonly code: ParameterObject;
  /** The body of every failure. */
  readonly failure: Reference;
  readonly sizeOf: SizeOf;
}

/** Returns the description of a route. @param operationId unique among the routes */
export function toOperationObject(route: Route, operationId: string, context: DescriptionContext) {
  const { operation, summary, restriction, parameters, path } = route;
  const { table, vocabulary, components, failure } = context;
  const { effect } = operation;
  const own = parameters.map((parameter) =>
    toParameterObject(parameter, operation.input.entries[parameter.name], vocabulary),
  );
  const token = operation.invited === undefined ? context.token : context.code;
  const header =
    effect === "read"
      ? components.use("parameters", "IfNoneMatch", ifNoneMatch)
      : components.use("parameters", "IdempotencyKey", idempotencyKey);
  const headers = operation.isLive === true ? [] : [header];
  return {
    operationId,
    tags: [resourceOf(path)],
    summary,
    description: descriptionOf(route),
    parameters: [components.use("parameters", token.name, token), ...own, ...headers],
    /** By status. */
    responses: {
      ...successResponses(route, context),
      ...failureResponses(route, table, failure, components),
    },
    /** In the form of the table. */
    "x-restriction": toForm(restriction),
    "x-effect": effect,
    /** Whether it is safe to repeat without an idempotency key. */
    "x-repeatable": operation.counts !== true,
  };
}

export function resourceOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function descriptionOf({ operation, restriction, limit }: Route): string {
  if (operation.invited !== undefined) return operation.description ?? "";
  const paragraphs = [operation.description, `Who may call it: ${describe(restriction)}.`];
  if (operation.effect === "change") {
    paragraphs.push(
      operation.counts === true
        ? "Each call counts. To repeat one safely, send it with an `Idempotency-Key`, and repeat it with the same key."
        : "It is safe to repeat: if the change has been made, the answer is 200, and nothing changes.",
    );
  }
  if (limit !== undefined) paragraphs.push(`The limit of this operation: ${limitWords(limit)}.`);
  return paragraphs.filter((paragraph) => paragraph !== undefined).join("\n\n");
}

function successResponses(
  { operation, handler }: Route,
  { table, vocabulary, components, sizeOf }: DescriptionContext,
): Readonly<Record<string, ResponseObject>> {
  const list = table.declared.lists.find(({ name }) => handler === `${name}.list`);
  const maxItems = list && Math.max(list.maxEntries, sizeOf(list.name));
  const answer = toAnswerSchema(operation.answer, vocabulary, components);
  if (operation.isLive === true) {
    const content = { "text/event-stream": { schema: answer, example: operation.example } };
    return { 200: { description: "The events.", headers: headersOf("change", components), content } };
  }
  const schema = maxItems === undefined ? answer : { ...answer, maxItems };
  const example = operation.example === undefined ? {} : { example: { info: operation.example } };
  const content = { "application/json": { schema, ...example } };
  if (operation.effect === "change") {
    const description =
      operation.counts === true ? "The change is made." : "The change is made, or was made before.";
    return { 200: { description, headers: headersOf("change", components), content } };
  }
  const headers = headersOf("read", components);
  return {
    200: { description: "The current data.", headers, content },
    304: {
      description: "The data is unchanged since the answer whose `ETag` is in `If-None-Match`.",
      headers,
    },
  };
}
