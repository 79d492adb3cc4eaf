/** The form of a parameter type in a route table: its valibot schema, with the texts for messages and editors. */
import * as v from "valibot";
import { mapWith } from "./yaml/maps.ts";

// The messages say what a fault expected. The descriptions are for people who edit a table: see `editor/editor-schema.ts`.
export const whole = "a whole number";
export const text = (description: string) => v.pipe(v.string(), v.description(description));
/** A text that people read. */
export const words = (description: string) =>
  v.pipe(v.string(), v.regex(/\S/, "at least one character"), v.description(description));
export const length = (minimum: number, description: string) =>
  v.pipe(v.number(), v.integer(whole), v.minValue(minimum, `${minimum} or more`), v.description(description));
/** A number of things, of which there is at least one. */
export const countTo = (most: number, description: string) => {
  const expected = `a whole number from 1 to ${most}`;
  return v.pipe(
    v.number(expected),
    v.integer(expected),
    v.minValue(1, expected),
    v.maxValue(most, expected),
    v.description(description),
  );
};
export const optional = <I, O>(content: v.GenericSchema<I, O>, description: string) =>
  v.optional(v.pipe(content, v.description(description)));
const bound = (description: string) => v.pipe(v.number(), v.safeInteger(whole), v.description(description));

/** A value in a table; texts in a table may look like numbers. */
export const scalar = v.union([v.string(), v.number(), v.boolean()], "a text, a number, true or false");

export const typeEntries = {
  type: v.pipe(
    v.string(),
    v.description("The type that this one refines: a built-in type, or another type of the table."),
    v.examples(["text", "integer", "boolean", "enum", "instant", "group", "faction", "service"]),
  ),
  description: v.optional(text("A description of valid values, shown to callers who send an invalid one.")),
  pattern: v.optional(text("A regular expression that the whole text must match. For text.")),
  minLength: v.optional(length(0, "The minimum number of characters. For text.")),
  maxLength: v.optional(length(1, "The maximum number of characters. For text.")),
  minimum: v.optional(bound("The lowest valid number. For integer.")),
  maximum: v.optional(bound("The highest valid number. For integer.")),
  values: optional(
    v.pipe(v.array(v.string()), v.minLength(1, "at least one value")),
    "The valid values. For enum.",
  ),
};
export const typeSchema = mapWith({
  ...typeEntries,
  example: optional(scalar, "An example, for the description of the interface."),
});
export type TypeDeclaration = v.InferOutput<typeof typeSchema>;
