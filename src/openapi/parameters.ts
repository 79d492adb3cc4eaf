/** The parameters of an operation in OpenAPI, from the types of the table and the schemas of the operation. */
import * as v from "valibot";
import { integerRange, textLength } from "../domain/limits.ts";
import type { Vocabulary } from "../table/caller.ts";
import { expectation, latestInstant, type Parameter, type ParameterType } from "../table/parameters.ts";
import type { ParameterValue } from "../table/restriction/restriction.ts";
import type { ParameterObject, Schema } from "./document.ts";

/** The operation's schema of a parameter, with its description and examples. */
type OperationSchema = v.ObjectEntries[string];

/** Returns the description of a parameter. @param operationSchema undefined if the operation has none */
export function toParameterObject(
  parameter: Parameter,
  operationSchema: OperationSchema | undefined,
  vocabulary: Vocabulary,
): ParameterObject {
  const { name, type, in: place, default: fallback } = parameter;
  const example = exampleOf(parameter, operationSchema, vocabulary);
  const schema = schemaOf(type, vocabulary);
  return {
    name,
    in: place,
    required: fallback === undefined,
    description: descriptionOf(type, operationSchema, vocabulary),
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
  return [meaning, form].filter((each) => each !== undefined).join(" ");
}

/** Returns the valid values in words; if the schema lists them, only that any case is accepted. */
function formOf(type: ParameterType, vocabulary: Vocabulary): string {
  if (type.base === "boolean" || type.base === "enum") return "In upper or lower case.";
  if (type.base in vocabulary) return `The name of a ${type.base}, in upper or lower case.`;
  const words = expectation(type, vocabulary);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/**
 * Returns the JSON Schema of values that a client should send. The service also accepts names in another case, and refuses
 * a few texts that the schema allows, such as those with invisible characters.
 */
function schemaOf(type: ParameterType, vocabulary: Vocabulary): Schema {
  switch (type.base) {
    case "text": {
      const { minLength = textLength.minLength, maxLength = textLength.maxLength, pattern } = type;
      const whole = pattern === undefined ? "^\\S*$" : `^(?:${pattern})$`;
      return { type: "string", minLength, maxLength, pattern: whole };
    }
    case "integer": {
      const { minimum = integerRange.minimum, maximum = integerRange.maximum } = type;
      const form =
        type.roundsDown === true
          ? { type: "number", format: "double" }
          : { type: "integer", format: "int32" };
      return { ...form, minimum, maximum };
    }
    case "boolean":
      return { type: "boolean" };
    case "instant":
      return {
        oneOf: [
          { type: "integer", format: "int64", minimum: 0, maximum: latestInstant },
          { type: "string", format: "date-time" },
        ],
      };
    case "enum":
      return { type: "string", enum: type.values ?? [] };
    default: {
      const names = vocabulary[type.base];
      return { type: "string", ...(names.length === 0 ? {} : { enum: names }) };
    }
  }
}

/** Texts of many kinds, one of which matches most patterns. */
const words = [
  "example",
  "Example",
  "an-example",
  "1.0.0",
  "1",
  "100",
  "a",
  "A",
  "aa",
  "AA1",
  "2026-11-21",
  "#",
];

/** Returns a valid value, or undefined if none of the candidates is valid. */
function exampleOf(
  { type, schema, default: fallback }: Parameter,
  operationSchema: OperationSchema | undefined,
  vocabulary: Vocabulary,
): ParameterValue | undefined {
  const declared: readonly unknown[] =
    operationSchema === undefined ? [] : v.getExamples(unwrapped(operationSchema));
  const candidates = [...declared, ...derivedExamples(type, fallback, vocabulary)];
  for (const candidate of candidates) {
    const result = v.safeParse(schema, String(candidate));
    // A value in another case would be accepted, but is not in the schema.
    if (result.success && result.output === candidate) return result.output;
  }
  return undefined;
}

function derivedExamples(
  type: ParameterType,
  fallback: ParameterValue | undefined,
  vocabulary: Vocabulary,
): readonly unknown[] {
  const defaults = fallback === undefined ? [] : [fallback];
  switch (type.base) {
    case "text":
      return [...defaults, ...words, ...words.map((each) => each.padEnd(type.minLength ?? 0, "a"))];
    case "integer": {
      const { minimum = integerRange.minimum, maximum = integerRange.maximum } = type;
      return [...defaults, Math.min(Math.max(1, minimum), maximum)];
    }
    case "boolean":
      return [true];
    case "enum":
      return type.values ?? [];
    case "instant":
      return [Date.UTC(2026, 10, 21, 12)];
    default:
      return vocabulary[type.base];
  }
}

/** Returns the schema within an optional one. */
function unwrapped(operationSchema: OperationSchema): OperationSchema {
  return "wrapped" in operationSchema ? operationSchema.wrapped : operationSchema;
}
