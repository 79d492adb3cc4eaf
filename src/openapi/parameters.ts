/** The parameters of an operation, as OpenAPI describes them: what the table says of each, and the handler. */
import * as v from "valibot";
import { integerRange, textLength } from "../domain/limits.ts";
import type { Vocabulary } from "../table/caller.ts";
import { expectation, latestInstant, type Parameter, type ParameterType } from "../table/parameters.ts";
import type { ParameterValue } from "../table/restriction/restriction.ts";
import type { ParameterObject, Schema } from "./document.ts";

/** The schema of what an operation is handed for a parameter: its description and its examples are told to clients. */
type Need = v.ObjectEntries[string];

/** Describes a parameter of a route. @param need what its operation says of it */
export function toParameterObject(
  parameter: Parameter,
  need: Need | undefined,
  vocabulary: Vocabulary,
): ParameterObject {
  const { name, type, in: place, default: fallback } = parameter;
  const example = exampleOf(parameter, need, vocabulary);
  const schema = schemaOf(type, vocabulary);
  return {
    name,
    in: place,
    required: fallback === undefined,
    description: descriptionOf(type, need, vocabulary),
    schema: fallback === undefined ? schema : { ...schema, default: fallback },
    ...(example === undefined ? {} : { example }),
  };
}

function descriptionOf(type: ParameterType, need: Need | undefined, vocabulary: Vocabulary): string {
  const meaning = need === undefined ? undefined : v.getDescription(unwrapped(need));
  const form = formOf(type, vocabulary);
  return [meaning, form].filter((each) => each !== undefined).join(" ");
}

/** What a value looks like, in words: where the schema lists the values, that any case is accepted. */
function formOf(type: ParameterType, vocabulary: Vocabulary): string {
  if (type.base === "boolean" || type.base === "enum") return "In upper or lower case.";
  if (type.base in vocabulary) return `The name of a ${type.base}, in upper or lower case.`;
  const words = expectation(type, vocabulary);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/**
 * A value as JSON Schema: what a client does well to send. The service also takes names in another case; and it refuses
 * a few texts that the schema lets pass, such as those with invisible characters.
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

/** Texts of many kinds: one of them is an example of most patterns. */
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

/** A value that is accepted, or undefined where none is known: no pattern is taken apart for one. */
function exampleOf(
  { type, schema, default: fallback }: Parameter,
  need: Need | undefined,
  vocabulary: Vocabulary,
): ParameterValue | undefined {
  const given: readonly unknown[] = need === undefined ? [] : v.getExamples(unwrapped(need));
  const candidates = [...given, ...derivedExamples(type, fallback, vocabulary)];
  for (const candidate of candidates) {
    const result = v.safeParse(schema, String(candidate));
    // Written otherwise, it would be accepted and yet not be what the schema lists.
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

/** An operation may do without a parameter; what it says of it is within. */
function unwrapped(need: Need): Need {
  return "wrapped" in need ? need.wrapped : need;
}
