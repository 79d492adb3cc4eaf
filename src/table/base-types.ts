/** The built-in types of parameters: all that each needs, for requests, messages, examples and descriptions. */
import * as v from "valibot";
import { latestInstant, toInstant } from "../domain/instant.ts";
import { integerRange, textLength } from "../domain/limits.ts";
import { fold, oneOf } from "../domain/text.ts";
import { type MembershipKind, membershipKinds, type Vocabulary } from "./caller.ts";
import type { Pattern } from "./pattern.ts";
import type { ParameterValue } from "./restriction/restriction.ts";

export const baseTypes = ["text", "integer", "boolean", "enum", "instant", ...membershipKinds] as const;
export type BaseType = (typeof baseTypes)[number];

/** How a type narrows its base; see {@link Base.refinements}. */
export interface Refinements {
  readonly pattern?: Pattern | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly values?: readonly string[] | undefined;
}

/** A type of a table, with what it inherits. */
export interface ParameterType extends Refinements {
  readonly base: BaseType;
  /** Its name in the table, or that of its base. */
  readonly name: string;
  readonly description: string | undefined;
  readonly example?: ParameterValue | undefined;
  /** Whether the operation rounds decimals down. For integer. */
  readonly roundsDown?: true;
}

export interface Base {
  readonly refinements: readonly (keyof Refinements)[];
  /** Whether values are compared as the texts that they are written as: a version 2.10 is not 2.1. */
  readonly isTextual: boolean;
  /**
   * Returns a description of valid values: "a whole number from 1 to 30".
   * @param refused a text that is none: what is described is the rule that it breaks
   */
  expectation(type: ParameterType, vocabulary: Vocabulary, refused?: string): string;
  /** Returns the schema that parses the text of a request. @param vocabulary called at each parse, since names can be added */
  toSchema(type: ParameterType, vocabulary: () => Vocabulary): v.GenericSchema<string, ParameterValue>;
  /**
   * Returns the JSON Schema of values that a client should send. The service also accepts names in another case, and
   * refuses a few texts that the schema allows, such as those with invisible characters.
   */
  toJSON(type: ParameterType, vocabulary: Vocabulary): Readonly<Record<string, unknown>>;
  /** Returns values of which some are valid, for examples. */
  examples(type: ParameterType, vocabulary: Vocabulary): readonly ParameterValue[];
}

/** A number as JavaScript and Java's `Float` and `Double` write it: `-120.5`, `1.0E7`, `1e-7`. */
const decimalForm = /^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;

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

/** Returns what a text in NFC should be and is not, or undefined if it is valid. A type's description says its pattern. */
export function brokenRule(type: ParameterType, value: string): string | undefined {
  const { minLength, maxLength } = lengthsOf(type);
  const { description, pattern } = type;
  // A character has at most two UTF-16 units: a text of more than twice the limit need not be counted.
  if (value.length > 2 * maxLength) return lengthWords(type);
  const { length } = Array.from(value);
  if (length < minLength || length > maxLength) return lengthWords(type);
  // No white space, control characters, or characters that change the direction of the text that follows.
  const [unfit] = /[\s\p{Z}\p{Cc}\p{Cs}\p{Bidi_Control}]/u.exec(value) ?? [];
  if (unfit === undefined) {
    const isMatched = pattern?.matches(value) !== false;
    return isMatched ? undefined : (description ?? `a text that matches the pattern ${pattern}`);
  }
  const kind = /\p{Zs}/u.test(unfit) ? "spaces" : "line breaks or other control characters";
  return description ?? `a text without ${kind}`;
}

function lengthWords(type: ParameterType): string {
  const { minLength, maxLength } = lengthsOf(type);
  const length = `${minLength} to ${maxLength} characters`;
  return type.description === undefined ? length : `${type.description} (${length})`;
}

const text: Base = {
  refinements: ["pattern", "minLength", "maxLength"],
  isTextual: true,
  expectation(type, _vocabulary, refused) {
    const broken = refused === undefined ? undefined : brokenRule(type, refused.normalize("NFC"));
    return broken ?? lengthWords(type);
  },
  toSchema(type) {
    // One check, with the length first: valibot would run further checks on a text of any length.
    const isValid = (value: string) => brokenRule(type, value) === undefined;
    return v.pipe(v.string(), v.normalize("NFC"), v.check(isValid));
  },
  toJSON(type) {
    const pattern = type.pattern === undefined ? "^\\S*$" : `^(?:${type.pattern})$`;
    return { type: "string", ...lengthsOf(type), pattern };
  },
  examples: ({ minLength = 0 }) => [...words, ...words.map((word) => word.padEnd(minLength, "a"))],
};

const integer: Base = {
  refinements: ["minimum", "maximum"],
  isTextual: false,
  expectation(type) {
    const { minimum, maximum } = rangeOf(type);
    return type.roundsDown === true
      ? `a number from ${minimum} to ${maximum} (decimals are rounded down)`
      : `a whole number from ${minimum} to ${maximum}`;
  },
  toSchema(type) {
    const { minimum, maximum } = rangeOf(type);
    return v.pipe(
      v.string(),
      v.regex(type.roundsDown === true ? decimalForm : /^-?\d{1,15}$/),
      // Adding 0 turns -0 into 0.
      v.transform((value) => Math.floor(Number(value)) + 0),
      v.minValue(minimum),
      v.maxValue(maximum),
    );
  },
  toJSON(type) {
    const form =
      type.roundsDown === true ? { type: "number", format: "double" } : { type: "integer", format: "int32" };
    return { ...form, ...rangeOf(type) };
  },
  examples(type) {
    const { minimum, maximum } = rangeOf(type);
    return [Math.min(Math.max(1, minimum), maximum)];
  },
};

const boolean: Base = {
  refinements: [],
  isTextual: false,
  expectation: () => "true or false",
  toSchema: () =>
    v.pipe(
      v.string(),
      v.transform(fold),
      v.picklist(["true", "false"]),
      v.transform((value) => value === "true"),
    ),
  toJSON: () => ({ type: "boolean" }),
  examples: () => [true],
};

const enumeration: Base = {
  refinements: ["values"],
  isTextual: true,
  expectation: ({ values = [] }) => oneOf(values),
  toSchema: ({ values = [] }) => knownName(() => values),
  toJSON: ({ values = [] }) => ({ type: "string", enum: values }),
  examples: ({ values = [] }) => values,
};

/** Parses an instant into milliseconds since 1970. */
const instantSchema = v.pipe(
  v.string(),
  v.transform(toInstant),
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(latestInstant),
);

const instant: Base = {
  refinements: [],
  isTextual: false,
  expectation: () => "milliseconds since 1970, or ISO 8601 with a zone",
  toSchema: () => instantSchema,
  toJSON: () => ({
    oneOf: [
      { type: "integer", format: "int64", minimum: 0, maximum: latestInstant },
      { type: "string", format: "date-time" },
    ],
  }),
  examples: () => [Date.UTC(2026, 10, 21, 12)],
};

/** Returns the type of names in the data. */
const nameOf = (kind: MembershipKind): Base => ({
  refinements: [],
  isTextual: true,
  expectation: (_type, vocabulary) => oneOf(vocabulary[kind]),
  toSchema: (_type, vocabulary) => knownName(() => vocabulary()[kind]),
  // Nothing would be valid by an empty `enum`.
  toJSON: (_type, { [kind]: names }) => ({ type: "string", ...(names.length === 0 ? {} : { enum: names }) }),
  examples: (_type, vocabulary) => vocabulary[kind],
});

/** The built-in types, by name. */
export const bases: Readonly<Record<BaseType, Base>> = {
  ...{ text, integer, boolean, enum: enumeration, instant },
  ...{ group: nameOf("group"), faction: nameOf("faction"), service: nameOf("service") },
};

export function expectation(type: ParameterType, vocabulary: Vocabulary, refused?: string): string {
  return bases[type.base].expectation(type, vocabulary, refused);
}

/** Returns the least and the greatest length of a text. */
export function lengthsOf({ minLength, maxLength }: Refinements): { minLength: number; maxLength: number } {
  return { minLength: minLength ?? textLength.minLength, maxLength: maxLength ?? textLength.maxLength };
}

export function rangeOf({ minimum, maximum }: Refinements): { minimum: number; maximum: number } {
  return { minimum: minimum ?? integerRange.minimum, maximum: maximum ?? integerRange.maximum };
}

function knownName(names: () => readonly string[]): v.GenericSchema<string, string> {
  return v.pipe(
    v.string(),
    v.transform((typed) => {
      const folded = fold(typed);
      return names().find((name) => fold(name) === folded);
    }),
    v.string(),
  );
}
