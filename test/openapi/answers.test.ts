/** The JSON Schema of answers: formats of numbers, names in the data, maps with all names, null, and titled parts. */
import assert from "node:assert/strict";
import { it } from "node:test";
import * as v from "valibot";
import { parse } from "yaml";
import { toAnswerSchema } from "../../src/openapi/answers.ts";
import { Components } from "../../src/openapi/document.ts";
import { vocabulary } from "../table/_library.ts";

const integer = (minimum: number, maximum: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum));
const based = (base: string | readonly string[]) => v.pipe(v.string(), v.metadata({ base }));
const branch = based("faction");
const names = "[NORTH, SOUTH]";
const book = v.pipe(v.object({ of: branch }), v.title("A Book!"), v.description("A book."));
const reference = "{ $ref: '#/components/schemas/ABook' }";
const [least, most, safe] = [-2147483648, 2147483647, Number.MAX_SAFE_INTEGER];

/** The schema of an answer, and its JSON Schema in YAML. */
const cases: readonly (readonly [what: string, answer: v.GenericSchema, expected: string])[] = [
  ["a text", v.string(), "{ type: string }"],
  ["a description", v.pipe(v.string(), v.description("A title.")), "{ description: A title., type: string }"],
  ["decimals", v.pipe(v.number(), v.minValue(0), v.maxValue(9)), "{ type: number, minimum: 0, maximum: 9 }"],
  ["an instant", v.pipe(v.number(), v.safeInteger()), "{ type: integer, format: int64 }"],
  ["32 bits", integer(least, most), `{ type: integer, format: int32, minimum: ${least}, maximum: ${most} }`],
  ["less", integer(least - 1, most), `{ type: integer, minimum: ${least - 1}, maximum: ${most} }`],
  ["more", integer(least, most + 1), `{ type: integer, minimum: ${least}, maximum: ${most + 1} }`],
  ["a safe number from 0", integer(0, safe), `{ type: integer, minimum: 0, maximum: ${safe} }`],
  ["a safe number up to 0", integer(-safe, 0), `{ type: integer, minimum: ${-safe}, maximum: 0 }`],
  ["a number without limits", v.pipe(v.number(), v.integer()), "{ type: integer }"],
  ["a name", branch, `{ type: string, enum: ${names} }`],
  [
    "a name of several kinds",
    based(["faction", "service"]),
    "{ type: string, enum: [NORTH, SOUTH, DESK, ARCHIVE] }",
  ],
  ["a text of another format", based("instant"), "{ type: string }"],
  ["a text or null", v.nullable(v.string()), "{ type: [string, 'null'] }"],
  ["a name or null", v.nullable(branch), "{ type: [string, 'null'], enum: [NORTH, SOUTH, null] }"],
  [
    "a number of 32 bits or null",
    v.pipe(v.nullable(integer(0, 9)), v.description("Pages.")),
    "{ type: [integer, 'null'], format: int32, minimum: 0, maximum: 9, description: Pages. }",
  ],
  ["a component or null", v.nullable(book), `{ anyOf: [${reference}, { type: 'null' }] }`],
  ["null first", v.union([v.null(), v.string()]), "{ anyOf: [{ type: 'null' }, { type: string }] }"],
  ["one of two", v.union([v.string(), v.boolean()]), "{ anyOf: [{ type: string }, { type: boolean }] }"],
  [
    "one of three",
    v.union([branch, v.null(), book]),
    `{ anyOf: [{ type: string, enum: ${names} }, { type: 'null' }, ${reference}] }`,
  ],
  [
    "both of two",
    v.intersect([book, v.object({})]),
    `{ allOf: [${reference}, { type: object, properties: {}, required: [] }] }`,
  ],
  ["a list of names", v.array(branch), `{ type: array, items: { type: string, enum: ${names} } }`],
  [
    "an object of names and values",
    v.strictObject({ of: branch, items: v.optional(book) }),
    `{ type: object, properties: { of: { type: string, enum: ${names} }, items: ${reference} }, required: [of], additionalProperties: false }`,
  ],
  [
    "a map by name",
    v.record(branch, book),
    `{ type: object, propertyNames: { type: string, enum: ${names} }, additionalProperties: ${reference} }`,
  ],
  [
    "a map with all names",
    v.pipe(v.record(branch, v.nullable(book)), v.metadata({ complete: true })),
    `{ type: object, propertyNames: { type: string, enum: ${names} }, additionalProperties: { anyOf: [${reference}, { type: 'null' }] }, minProperties: 2, maxProperties: 2 }`,
  ],
  [
    "a map by any text, which has no names to be complete",
    v.pipe(v.record(v.string(), v.boolean()), v.metadata({ complete: true })),
    "{ type: object, propertyNames: { type: string }, additionalProperties: { type: boolean } }",
  ],
  [
    "an object that is called complete",
    v.pipe(v.object({}), v.metadata({ complete: true })),
    "{ type: object, properties: {}, required: [] }",
  ],
  [
    "an object whose properties are called like keywords",
    v.object({ title: v.string(), description: branch, base: v.string(), anyOf: v.string() }),
    `{ type: object, properties: { title: { type: string }, description: { type: string, enum: ${names} }, base: { type: string }, anyOf: { type: string } }, required: [title, description, base, anyOf] }`,
  ],
  [
    "an object with examples and a default, which are no schemas",
    v.pipe(
      v.object({ best: v.optional(v.object({ title: v.string() }), { title: "Emma" }) }),
      v.examples([{ best: { title: "Emma" } }]),
    ),
    "{ type: object, properties: { best: { type: object, properties: { title: { type: string } }, required: [title], default: { title: Emma } } }, required: [], examples: [{ best: { title: Emma } }] }",
  ],
  [
    "a text whose examples look like schemas",
    v.pipe(v.any(), v.examples([{ title: "Emma", type: "string" }])),
    "{ examples: [{ title: Emma, type: string }] }",
  ],
  ["a constant text", v.literal("open"), "{ const: open }"],
  ["a choice", v.picklist(["novel", "poem"]), "{ type: string, enum: [novel, poem] }"],
];

for (const [what, answer, expected] of cases) {
  it(`the schema of ${what} is ${expected}`, () => {
    const components = new Components();
    assert.deepEqual(toAnswerSchema(answer, vocabulary, components), parse(expected));
    const isUsed = expected.includes("$ref");
    const own = {
      type: "object",
      properties: { of: { type: "string", enum: ["NORTH", "SOUTH"] } },
      required: ["of"],
    };
    assert.deepEqual(components.maps.schemas, isUsed ? { ABook: { description: "A book.", ...own } } : {});
  });
}

it("a schema has no names if the data has none", () => {
  const none = { group: [], faction: [], service: [] };
  assert.deepEqual(toAnswerSchema(branch, none, new Components()), { type: "string" });
});

it("a component has one name for equal schemas, and numbers for others", () => {
  const components = new Components();
  const use = (schema: object) =>
    components
      .use("schemas", "A", { ...schema })
      .$ref.split("/")
      .at(-1);
  const one = { type: "string" };
  assert.deepEqual(components.use("schemas", "A", one), { $ref: "#/components/schemas/A" });
  assert.deepEqual(
    [use(one), use({ type: "null" }), use(one), use({}), use({ type: "null" })],
    ["A", "A2", "A", "A3", "A2"],
  );
  assert.deepEqual(components.maps, {
    schemas: { A: one, A2: { type: "null" }, A3: {} },
    responses: {},
    parameters: {},
    headers: {},
  });
});
