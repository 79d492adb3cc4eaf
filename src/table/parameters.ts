/**
 * Parameters and their types: the valibot schema of each parses the text of a request into the value for the operation
 *.
 */
import * as v from "valibot";
import { Failure, type FailureCode } from "../domain/errors.ts";
import { integerRange, textLength } from "../domain/limits.ts";
import { didYouMean, fold, invisibleIn, leaveOut, oneOf } from "../domain/text.ts";
import { type MembershipKind, membershipKinds, type Vocabulary } from "./caller.ts";
import type { Pattern } from "./pattern.ts";
import type { ParameterValue } from "./restriction/restriction.ts";

/** The built-in types. */
export const baseTypes = ["text", "integer", "boolean", "enum", "instant", ...membershipKinds] as const;
export type BaseType = (typeof baseTypes)[number];

/** Whether values of a type are compared as the texts that they are written as: a version 2.10 is not 2.1. */
export function isTextual(base: BaseType): boolean {
  return base !== "integer" && base !== "boolean" && base !== "instant";
}

/** How a type narrows its base; see {@link refinementsOf}. */
export interface Refinements {
  readonly pattern?: Pattern | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly values?: readonly string[] | undefined;
}

/** The refinements of each base type. */
export const refinementsOf: Readonly<Record<BaseType, readonly (keyof Refinements)[]>> = {
  text: ["pattern", "minLength", "maxLength"],
  integer: ["minimum", "maximum"],
  boolean: [],
  enum: ["values"],
  instant: [],
  group: [],
  faction: [],
  service: [],
};

/** A type of a table, with what it inherits. */
export interface ParameterType extends Refinements {
  readonly base: BaseType;
  /** Its name in the table, or that of its base. */
  readonly name: string;
  readonly description: string | undefined;
  /** Whether the operation rounds decimals down. For integer. */
  readonly roundsDown?: true;
}

/** A parameter of a route. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: ParameterType;
  /** The value if a request has none; undefined for a required parameter. */
  readonly default: ParameterValue | undefined;
  /**
   * Whether the text names an existing entry. Such a text is not checked, since older data can have entries that could
   * not be added now, unless the table narrows its type; see {@link isNarrowed}.
   */
  readonly isReference: boolean;
  /** Parses the text of a request. */
  readonly schema: v.GenericSchema<string, ParameterValue>;
}

/** Whether a type of text is narrower than the built-in one. */
export function isNarrowed({ pattern, minLength, maxLength }: Refinements): boolean {
  return (
    pattern !== undefined ||
    (minLength ?? textLength.minLength) > textLength.minLength ||
    (maxLength ?? textLength.maxLength) < textLength.maxLength
  );
}

/** The latest date that JavaScript has, in milliseconds since 1970. */
export const latestInstant = 8_640_000_000_000_000;

/** The failure codes of types whose values are names in the data. */
export const nameFailures: Readonly<Record<MembershipKind, FailureCode>> = {
  group: "UNKNOWN_GROUP",
  faction: "UNKNOWN_FACTION",
  service: "UNKNOWN_ENTRY",
};

/** Returns a description of valid values: "a whole number from 1 to 30". */
export function expectation(type: ParameterType, vocabulary: Vocabulary): string {
  switch (type.base) {
    case "text": {
      const { minLength, maxLength } = { ...textLength, ...defined(type) };
      if (type.description !== undefined)
        return `${type.description} (${minLength} to ${maxLength} characters)`;
      return `${minLength} to ${maxLength} characters`;
    }
    case "integer": {
      const { minimum, maximum } = { ...integerRange, ...defined(type) };
      return type.roundsDown === true
        ? `a number from ${minimum} to ${maximum} (decimals are rounded down)`
        : `a whole number from ${minimum} to ${maximum}`;
    }
    case "boolean":
      return "true or false";
    case "enum":
      return oneOf(type.values ?? []);
    case "instant":
      return "milliseconds since 1970, or ISO 8601 with a zone";
    default:
      return oneOf(vocabulary[type.base]);
  }
}

/** A number as JavaScript and Java's `Float` and `Double` write it: `-120.5`, `1.0E7`, `1e-7`. */
const decimalForm = /^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;

/** Returns the schema of a type. @param vocabulary called at each parse, since names can be added */
export function toSchema(
  type: ParameterType,
  vocabulary: () => Vocabulary,
): v.GenericSchema<string, ParameterValue> {
  switch (type.base) {
    case "text":
      return textSchema(type);
    case "integer": {
      const { minimum, maximum } = { ...integerRange, ...defined(type) };
      return v.pipe(
        v.string(),
        v.regex(type.roundsDown === true ? decimalForm : /^-?\d{1,15}$/),
        // Adding 0 turns -0 into 0.
        v.transform((text) => Math.floor(Number(text)) + 0),
        v.minValue(minimum),
        v.maxValue(maximum),
      );
    }
    case "boolean":
      return v.pipe(
        v.string(),
        v.transform(fold),
        v.picklist(["true", "false"]),
        v.transform((text) => text === "true"),
      );
    case "enum":
      return knownName(() => type.values ?? []);
    case "instant":
      return v.pipe(
        v.string(),
        v.transform(toInstant),
        v.number(),
        v.safeInteger(),
        v.minValue(0),
        v.maxValue(latestInstant),
      );
    default: {
      const { base } = type;
      return knownName(() => vocabulary()[base]);
    }
  }
}

/**
 * Parses the text of a request.
 * @throws Failure `PARAMETER_INVALID`, or that of {@link nameFailures}
 */
export function parseParameter(parameter: Parameter, text: string, vocabulary: Vocabulary): ParameterValue {
  const result = v.safeParse(parameter.schema, text);
  if (result.success) return result.output;
  const { name, type } = parameter;
  const isMembership = (base: BaseType): base is MembershipKind => base in nameFailures;
  if (isMembership(type.base)) {
    const known = vocabulary[type.base];
    const sentence = `There is no ${type.base} ${quote(text)}.${didYouMean(text, known)}`;
    throw new Failure(nameFailures[type.base], sentence, {
      parameter: name,
      hint: `Expected ${oneOf(known)}.`,
    });
  }
  const got = text === "" ? "but is empty" : `not ${tooLong(type, text) ?? quote(text)}`;
  const hint = type.base === "text" ? formHint(text) : undefined;
  throw new Failure("PARAMETER_INVALID", `"${name}" must be ${expectation(type, vocabulary)}, ${got}.`, {
    parameter: name,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Returns the failure of a parameter that an operation does not have. */
export function unknownParameter(name: string, known: readonly string[]): Failure {
  const sentence = `This operation has no parameter ${quote(name)}.${didYouMean(name, known)}`;
  const hint = known.length === 0 ? "It takes none." : `It takes ${oneOf(known, "and")}.`;
  return new Failure("PARAMETER_UNKNOWN", sentence, { parameter: quote(name).slice(1, -1), hint });
}

/** Returns the failure of a parameter that a request has more than once. */
export function repeatedParameter(name: string): Failure {
  return new Failure("PARAMETER_REPEATED", `"${name}" is repeated.`, {
    parameter: name,
    hint: "Give it once.",
  });
}

/** Returns the length of a text that is too long, which says more than the text would. */
function tooLong(type: ParameterType, text: string): string | undefined {
  if (type.base !== "text") return undefined;
  const { maxLength } = { ...textLength, ...defined(type) };
  const length = Array.from(text.normalize("NFC")).length;
  return length > maxLength ? `${length} characters` : undefined;
}

/** Returns what to do about white space or an invisible character. U+FEFF is both, but nobody sees a space. */
function formHint(text: string): string | undefined {
  if (/(?!\uFEFF)[\s\p{Z}]/u.test(text)) return 'Write "-" for a space.';
  const invisible = invisibleIn(text);
  return invisible === undefined ? undefined : `To correct it, ${leaveOut(invisible)}.`;
}

/** How much of a text is read to quote it, in UTF-16 units: anybody can send 16 KB. */
const quotable = 400;

/** Returns a caller's text in quotes, for an answer: shortened, and without anything that could be a secret. */
export function quote(text: string): string {
  // A cut could leave the beginning of a secret, which would not be recognized.
  const start = text.length > quotable ? `${text.slice(0, quotable).replace(/[\w-]+$/, "")}…` : text;
  const safe = start.replace(/[\w-]{40,}/g, "…").replace(/[\p{Cc}\p{Cs}]/gu, "�");
  const points = Array.from(safe);
  return `"${points.length > 40 ? `${points.slice(0, 40).join("")}…` : safe}"`;
}

function textSchema(type: ParameterType): v.GenericSchema<string, string> {
  const { minLength, maxLength } = { ...textLength, ...defined(type) };
  const { pattern } = type;
  return v.pipe(
    v.string(),
    v.normalize("NFC"),
    // One check, with the length first: valibot would run further checks on a text of any length.
    v.check((text) => {
      // A character has at most two UTF-16 units: a text of more than twice the limit need not be counted.
      if (text.length > 2 * maxLength) return false;
      const length = Array.from(text).length;
      if (length < minLength || length > maxLength) return false;
      // No white space, control characters, or characters that change the direction of the text that follows.
      if (/[\s\p{Z}\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(text)) return false;
      return pattern === undefined || pattern.matches(text);
    }),
  );
}

function knownName(names: () => readonly string[]): v.GenericSchema<string, string> {
  return v.pipe(
    v.string(),
    v.transform((text) => {
      const folded = fold(text);
      return names().find((name) => fold(name) === folded);
    }),
    v.string(),
  );
}

/** Returns milliseconds since 1970, or NaN. A `+` that a client did not encode in a query arrives as a space. */
function toInstant(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  const match =
    /^(\d{4}-\d{2}-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:(Z)|([+ -])(\d{2}):?(\d{2}))$/i.exec(text);
  if (match === null) return Number.NaN;
  const [, local = "", day, , sign, hours, minutes] = match;
  // A day that the month does not have would become one of the next month.
  const inMonth = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day);
  const zone = sign === undefined ? "Z" : `${sign === "-" ? "-" : "+"}${hours}:${minutes}`;
  return inMonth ? Date.parse(`${local.toUpperCase()}${zone}`) : Number.NaN;
}

/** Returns the properties that are not undefined, which would hide a default. */
function defined(type: ParameterType): { [K in keyof Refinements]?: NonNullable<Refinements[K]> } {
  return Object.fromEntries(Object.entries(type).filter(([, value]) => value !== undefined));
}
