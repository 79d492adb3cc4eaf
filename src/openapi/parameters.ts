/** The parameters of an operation in OpenAPI, from the types of the table and the schemas of the operation. */
import * as v from "valibot";
import { capitalised } from "../domain/text.ts";
import { bases, expectation, type ParameterType } from "../table/base-types.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Parameter } from "../table/parameters.ts";
import type { ParameterValue } from "../table/restriction/restriction.ts";
import type { ParameterObject } from "./document.ts";

/** The operation's schema of a parameter, with its description and examples. */
type OperationSchema = v.ObjectEntries[string];

/**
 * Returns the description of a parameter. One that finds entries takes any text: a client that checks its input must be able
 * to remove an entry that is older than the bounds of its type.
 * @param operationSchema undefined if the operation has none
 */
export function toParameterObject(
  parameter: Parameter,
  operationSchema: OperationSchema | undefined,
  vocabulary: Vocabulary,
): ParameterObject {
  const { name, type, in: place, default: fallback, isReference } = parameter;
  const example = exampleOf(parameter, operationSchema, vocabulary);
  const schema = isReference ? { type: "string" } : bases[type.base].toJSON(type, vocabulary);
  const description = descriptionOf(type, operationSchema, vocabulary);
  return {
    name,
    in: place,
    required: fallback === undefined,
    description: isReference ? `${description} An older entry can have a text of another form.` : description,
    schema: fallback === undefined ? schema : { ...schema, default: fallback },
    ...(example === undefined ? {} : { example }),
  };
}

function descriptionOf(
  type: ParameterType,
  operationSchema: OperationSchema | undefined,
  vocabulary: Vocabulary,
): string {
  const meaning = operationSchema === undefined ? undefined : v.getDescription(unwrapped(operationSchema));
  const form = formOf(type, vocabulary);
  return [meaning, form].filter((sentence) => sentence !== undefined).join(" ");
}

/** Returns the valid values in words; if the schema lists them, only that any case is accepted. */
function formOf(type: ParameterType, vocabulary: Vocabulary): string {
  if (type.base === "boolean" || type.base === "enum") return "In upper or lower case.";
  if (type.base in vocabulary) return `The name of a ${type.base}, in upper or lower case.`;
  return `${capitalised(expectation(type, vocabulary))}.`;
}

/** Returns a valid value, or undefined if none of the candidates is valid. */
function exampleOf(
  { type, schema, default: fallback }: Parameter,
  operationSchema: OperationSchema | undefined,
  vocabulary: Vocabulary,
): ParameterValue | undefined {
  const declared: readonly unknown[] =
    operationSchema === undefined ? [] : v.getExamples(unwrapped(operationSchema));
  // Of values that the schema lists, the first one is as good as the default.
  const isFree = type.base === "text" || type.base === "integer";
  const defaults = isFree && fallback !== undefined ? [fallback] : [];
  const ofType = type.example === undefined ? [] : [type.example];
  const candidates = [...declared, ...ofType, ...defaults, ...bases[type.base].examples(type, vocabulary)];
  for (const candidate of candidates) {
    const result = v.safeParse(schema, String(candidate));
    // A value in another case would be accepted, but is not in the schema.
    if (result.success && result.output === candidate) return result.output;
  }
  return undefined;
}

/** Returns the schema within an optional one. */
function unwrapped(operationSchema: OperationSchema): OperationSchema {
  return "wrapped" in operationSchema ? operationSchema.wrapped : operationSchema;
}
