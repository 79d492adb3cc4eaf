/** Every change answers its example parameters with the example answer of the description. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { OperationObject } from "../../src/openapi/openapi.ts";
import { everyRight, openWorld, prefix } from "../_setup.ts";
import { shippedDescription } from "./_description.ts";
import { resolved } from "./_openapi.ts";

const document = await shippedDescription();

/** The changes, by path after the token. A reason for house bans comes first, since a ban requires one. */
const changes = Object.entries(document.paths)
  .map(([path, { get }]) => [path.replace(`${prefix}/{tokenString}`, ""), get] as const)
  // Each claim answers another token.
  .filter(([path, operation]) => operation["x-effect"] === "change" && path !== "/token/claim")
  .sort(([a], [b]) => Number(b === "/housebanreason/add") - Number(a === "/housebanreason/add"));

/** Returns the example of an operation's own answer; that of a component would be shared. */
function exampleOf({ responses }: OperationObject): unknown {
  const response = responses["200"];
  assert.ok(response !== undefined && !("$ref" in response));
  return response.content?.["application/json"]?.example;
}

/** Returns the parameters in the path or query, each with its example. */
function examplesIn(place: "path" | "query", { parameters }: OperationObject): [string, string][] {
  return parameters
    .map((parameter) => resolved(document, parameter))
    .filter((parameter) => parameter.in === place && parameter["x-secret"] !== true)
    .map(({ name, example }) => [name, String(example)]);
}

it("each change answers its example parameters with its example answer", async (t) => {
  const world = await openWorld(t);
  const { token } = await world.player("Ada", everyRight);
  assert.equal(changes.length, 21);
  const answers: Record<string, unknown> = {};
  const examples: Record<string, unknown> = {};
  for (const [path, operation] of changes) {
    let called = path;
    for (const [name, value] of examplesIn("path", operation)) called = called.replace(`{${name}}`, value);
    answers[path] = await world.ok(token, called, Object.fromEntries(examplesIn("query", operation)));
    examples[path] = exampleOf(operation);
  }
  assert.deepEqual(examples, answers);
});

it("no two changes have the same example answer", () => {
  const examples = changes.map(([, operation]) => JSON.stringify(exampleOf(operation)));
  assert.equal(new Set(examples).size, changes.length, examples.join("\n"));
});
