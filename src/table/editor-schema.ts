/**
 * The JSON Schema of a route table, for editors: they complete and check while the table is typed. It is made of the
 * valibot schemas that `document.ts` checks with, and of the forms here, which `restriction-form.ts` and `watch.ts` take
 * apart by hand, since their messages are better than a schema's. It refuses less than the checker, and never more:
 * names that the data has, and what goes with what, only the checker sees.
 */
import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { documentSchema, routeSchema } from "./document.ts";
import { originComment } from "./schema-origin.ts";

const scalarSchema = v.union([v.string(), v.number(), v.boolean()]);
const nameSchema = v.union([v.string(), v.number()]);
const rankSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.description("The lowest rank that is let in."),
);

const wordSchema = v.union([
  v.pipe(v.literal("open"), v.description("Everyone with a valid token, a public one too.")),
  v.pipe(v.literal("identified"), v.description("Every player, but not a public token.")),
  v.pipe(v.literal("administrators"), v.description("Players with the administrator flag.")),
]);

/** The maps that are restrictions, each with further keys. */
const mapSchemas = <E extends v.ObjectEntries>(more: E) => [
  v.strictObject({
    self: v.pipe(v.string(), v.description("The player whom this parameter of the route names.")),
    ...more,
  }),
  v.strictObject({ group: described("group"), ...more }),
  v.strictObject({ faction: described("faction"), rank: v.optional(rankSchema), ...more }),
  v.strictObject({ service: described("service"), rank: v.optional(rankSchema), ...more }),
  v.strictObject({
    anyOf: severalSchema("Callers whom at least one of these restrictions permits."),
    ...more,
  }),
  v.strictObject({ allOf: severalSchema("Callers whom every one of these restrictions permits."), ...more }),
];

function severalSchema(description: string) {
  return v.pipe(v.array(v.lazy(() => restrictionSchema)), v.minLength(1), v.description(description));
}

function described(kind: string) {
  return v.pipe(
    nameSchema,
    v.description(`Members of this ${kind}, or with $name of the one that the parameter names.`),
  );
}

const whenSchema = v.pipe(
  v.record(v.string(), scalarSchema),
  v.minEntries(1),
  v.description("The case applies where the parameters have these values. The last case needs no condition."),
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
  v.description("Cases: the first whose parameters are so decides."),
);

const restrictionSchema: v.GenericSchema = v.pipe(
  v.union([wordSchema, ...mapSchemas({}), v.lazy(() => casesSchema)]),
  v.description("Who may call it."),
);

const watchSchema = v.pipe(
  v.record(
    v.string(),
    v.pipe(
      v.record(
        v.string(),
        v.pipe(
          v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
          v.minEntries(1),
          v.description("Values of the parameter, each with how often an hour a player calls it so at most."),
        ),
      ),
      v.minEntries(1),
      v.description("A parameter of the operation that takes one of a few values."),
    ),
  ),
  v.minEntries(1),
  v.description("What play can produce: `addon-cli audit statistics` lists who was beyond it."),
);

/** The JSON Schema of tables for these operations. @param handlers their names */
export function editorSchema(handlers: readonly string[]): JsonSchema {
  const handlerSchema = v.picklist(handlers);
  const whole = v.strictObject({
    ...documentSchema.entries,
    watch: v.optional(watchSchema),
    unserved: v.optional(
      v.pipe(
        v.array(handlerSchema),
        v.description("Operations that no route serves, and are not meant to be served."),
      ),
    ),
    routes: v.pipe(
      v.record(
        v.string(),
        v.strictObject({
          ...routeSchema.entries,
          restriction: v.lazy(() => restrictionSchema),
          handler: v.pipe(handlerSchema, v.description("The operation that answers.")),
        }),
      ),
      v.description("Every operation that is served, by its path behind the prefix."),
    ),
  });
  const definitions = { restriction: restrictionSchema, case: caseSchema, cases: casesSchema };
  const { $schema, ...rest } = toJsonSchema(whole, { definitions });
  const schema = { ...($schema === undefined ? {} : { $schema }), title: "Route table", ...rest };
  return { $comment: originComment(schema), ...schema };
}
