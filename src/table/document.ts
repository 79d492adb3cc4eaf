/**
 * The form of a route table as a YAML document: its valibot schemas, and a parser that reports each fault of form with its
 * line and column. What the document means is checked in `table.ts`.
 */
import * as v from "valibot";
import { declarationEntries } from "./declared/declarations.ts";
import { durationSchema } from "./declared/duration.ts";
import { limitSchema, limitsSchema } from "./limits.ts";
import { pagesSchema } from "./pages.ts";
import type { Restriction } from "./restriction/restriction.ts";
import { countTo, optional, scalar, text, typeEntries, typeSchema, words } from "./type-form.ts";
import { type Intention, intentions } from "./warnings/kinds.ts";
import type { Path } from "./yaml/fault.ts";
import { mapOf, mapWith } from "./yaml/maps.ts";
import { type ReadYAML, readYAML } from "./yaml/read.ts";
import { reportIssue } from "./yaml/wording.ts";

const parameterSchema = mapWith({
  ...typeEntries,
  default: optional(scalar, "The value if a request has none. A parameter without a default is required."),
});

/** Parts of a table that are checked with its meaning. `editor/editor-schema.ts` has exact schemas of them. */
interface Parts {
  readonly handler: v.GenericSchema<string>;
  readonly restriction: v.GenericSchema;
}

function routeSchemaOf({ handler, restriction }: Parts) {
  return mapWith({
    summary: v.pipe(
      v.string(),
      v.minLength(1, "at least one character"),
      v.description("What the operation does, in one sentence."),
    ),
    restriction,
    parameters: optional(
      mapOf(v.union([v.string(), parameterSchema], "a type's name, or a map with its refinements")),
      "The parameters, each with its type. Placeholders in the path name path parameters.",
    ),
    handler: v.pipe(handler, v.description("The operation that handles requests, such as targetlist.add.")),
    limit: optional(
      limitSchema,
      "The limit of this route, instead of the table's `reads` or `changes`. It counts only this route.",
    ),
    intended: optional(
      v.array(v.picklist(Object.keys(intentions) as Intention[])),
      "The warnings of `routes check` that do not apply here, because this is intended.",
    ),
  });
}

export function documentSchemaOf(parts: Parts) {
  return mapWith({
    prefix: text("The start of every path, with a placeholder for the token: /gameaddon/v1/{tokenString}"),
    language: v.optional(
      text("The language whose order sorts names and reasons, as a BCP 47 tag such as de; default: en."),
    ),
    product: v.optional(
      text("The product token that precedes the addon version in a client's User-Agent: gameaddon/2.5.1"),
    ),
    excluded: optional(
      mapWith({ group: text("The group's name.") }, "a map such as { group: BLACKLIST }"),
      "The group whose members may call nothing.",
    ),
    invitations: optional(
      mapWith({ valid: v.pipe(durationSchema, v.description("How long a code is valid.")) }),
      "Serves /token/claim, where the code of an invitation is exchanged for a token. Without it there are no invitations.",
    ),
    stream: optional(
      mapWith(
        {
          most: countTo(
            100_000,
            "How many can be open at a time, at most; never more than half of the connections.",
          ),
        },
        "a map such as { most: 2000 }",
      ),
      "Serves /stream, which sends an event whenever something changes. Without it there is none.",
    ),
    limits: optional(
      limitsSchema,
      "How many requests a caller may send. What is not declared has the shipped limits.",
    ),
    pages: pagesSchema,
    unserved: optional(
      v.array(v.string()),
      "The operations that are left without a route on purpose: targetlist.done, or targetlist for all of its operations.",
    ),
    title: v.optional(
      words("What the service is called in its description; default: Game-addon data service."),
    ),
    ...declarationEntries,
    types: optional(mapOf(typeSchema), "The table's own parameter types, by name."),
    routes: v.pipe(mapOf(routeSchemaOf(parts)), v.description("The routes, by path without the prefix.")),
  });
}

const parts = { handler: v.string(), restriction: v.unknown() };
const documentSchema = documentSchemaOf(parts);

export type ParameterDeclaration = v.InferOutput<typeof parameterSchema>;
export type TableDocument = v.InferOutput<typeof documentSchema>;
export type RouteDeclaration = TableDocument["routes"][string];

export interface ParsedDocument extends Omit<ReadYAML, "value"> {
  /** Undefined if its form has faults. */
  readonly content: TableDocument | undefined;
  /** Where each restriction is, and each part of one, once they are parsed. */
  readonly places: Map<Restriction, Path>;
}

/** Parses a table's text and checks its form. */
export function parseTable(text: string): ParsedDocument {
  const { value, ...read } = readYAML(text, { expected: "a route table", schema: "core" });
  const { faults, report, sourceOf } = read;
  const failed = { ...read, content: undefined, places: new Map() };
  if (faults.length > 0) return failed;
  const result = v.safeParse(documentSchema, value);
  if (result.success) return { ...failed, content: result.output };
  for (const issue of result.issues) reportIssue(issue, report, sourceOf);
  return failed;
}
