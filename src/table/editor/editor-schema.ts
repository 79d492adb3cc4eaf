/**
 * The JSON Schema of a route table, with which editors complete and check a table as it is typed. It extends the valibot
 * schemas of `document.ts` with the form of restrictions, which `restriction-form.ts` parses by hand for better messages. It
 * accepts whatever the checker accepts, and more: only the checker knows the names in the data, and what is consistent.
 */
import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { documentSchemaOf } from "../document.ts";
import { originComment } from "./schema-origin.ts";

const scalarSchema = v.union([v.string(), v.number(), v.boolean()]);
const nameSchema = v.union([v.string(), v.number()]);
const rankSchema = v.pipe(v.number(), v.integer(), v.minValue(1), v.description("The lowest allowed rank."));

const wordSchema = v.union([
  v.pipe(v.literal("open"), v.description("Everyone with a valid token, including public tokens.")),
  v.pipe(v.literal("identified"), v.description("Every player, but no public token.")),
  v.pipe(v.literal("administrators"), v.description("Players with the administrator flag.")),
]);

/** Returns the restrictions that are maps, each with further keys. */
const mapSchemas = <E extends v.ObjectEntries>(more: E) => [
  v.strictObject({
    self: v.pipe(v.string(), v.description("The player named by this parameter of the route.")),
    ...more,
  }),
  v.strictObject({ group: memberSchema("group"), ...more }),
  v.strictObject({ faction: memberSchema("faction"), rank: v.optional(rankSchema), ...more }),
  v.strictObject({ service: memberSchema("service"), rank: v.optional(rankSchema), ...more }),
  v.strictObject({
    anyOf: listSchema("Callers allowed by at least one of these restrictions."),
    ...more,
  }),
  v.strictObject({ allOf: listSchema("Callers allowed by every one of these restrictions."), ...more }),
];

function listSchema(description: string) {
  return v.pipe(v.array(v.lazy(() => restrictionSchema)), v.minLength(1), v.description(description));
}

function memberSchema(kind: string) {
  return v.pipe(
    nameSchema,
    v.description(`Members of this ${kind}; with $name, of the ${kind} that the parameter names.`),
  );
}

const whenSchema = v.pipe(
  v.record(v.string(), scalarSchema),
  v.minEntries(1),
  v.description("The case applies if the parameters have these values. The last case has no condition."),
);

const caseSchema: v.GenericSchema = v.union([
  wordSchema,
  ...mapSchemas({ when: v.optional(whenSchema) }),
  v.strictObject({ restriction: v.lazy(() => restrictionSchema), when: v.optional(whenSchema) }),
  v.lazy(() => casesSchema),
]);

const casesSchema: v.GenericSchema = v.pipe(
  v.array(v.lazy(() => caseSchema)),
  v.minLength(1),
  v.description("Cases, of which the first that applies decides."),
);

const restrictionSchema: v.GenericSchema = v.pipe(
  v.union([wordSchema, ...mapSchemas({}), v.lazy(() => casesSchema)]),
  v.description("Who may call the operation."),
);

/** Returns the JSON Schema of tables. @param handlers the operations to complete; a table can declare others */
export function editorSchema(handlers: readonly string[]): JsonSchema {
  const declared = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9]*\.[a-zA-Z]\w*$/));
  const handler = v.union([v.picklist(handlers), declared]);
  const restriction = v.lazy(() => restrictionSchema);
  const definitions = { restriction: restrictionSchema, case: caseSchema, cases: casesSchema };
  const { $schema, ...rest } = toJsonSchema(documentSchemaOf({ handler, restriction }), {
    definitions,
    // Of a map, its content.
    typeMode: "output",
  });
  const schema = { $schema, title: "Route table", ...rest };
  return { $comment: originComment(schema), ...schema };
}
