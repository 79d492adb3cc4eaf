/**
 * Parameter types: what the table says of a parameter, made into a valibot schema that takes the text from the
 * request and gives the value for the handler (contract, section 1).
 */
import * as v from "valibot";
import { Failure, type FailureCode } from "../domain/errors.ts";
import { integerRange, textLength } from "../domain/limits.ts";
import { didYouMean, fold, invisibleIn, leaveOut, oneOf } from "../domain/text.ts";
import { type MembershipKind, membershipKinds, type Vocabulary } from "./caller.ts";
import { type Pattern, toPattern } from "./pattern.ts";
import type { ParameterValue } from "./restriction/restriction.ts";

/** The types that the table's own types are made of. */
export const baseTypes = ["text", "integer", "boolean", "enum", "instant", ...membershipKinds] as const;
export type BaseType = (typeof baseTypes)[number];

/** What can be said of a type beyond its base; which of it goes with which base is in {@link refinementsOf}. */
export interface Refinements {
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly values?: readonly string[] | undefined;
}

/** Which refinements a base type takes. */
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

/** A type as the table declares it, with what it inherits. */
export interface ParameterType extends Refinements {
  readonly base: BaseType;
  /** The name in the table, or the base's. */
  readonly name: string;
  readonly description: string | undefined;
  /** Whether the operation takes decimals and rounds them down to a whole number. For integer. */
  readonly roundsDown?: true;
}

/** A parameter of a route. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: ParameterType;
  /** The value where the request has none; without it the parameter is required. */
  readonly default: ParameterValue | undefined;
  /**
   * Whether the text refers to an entry that exists. Its form is not checked before the entry is looked for: older data
   * can have entries that no longer could be added. A type that the operator has narrowed, see {@link isNarrowed}, is
   * checked all the same.
   */
  readonly isReference: boolean;
  /** From the request's text to the handler's value. */
  readonly schema: v.GenericSchema<string, ParameterValue>;
}

/** Whether a type of text takes fewer texts than every text has to be: by a pattern, or by how long they are. */
export function isNarrowed({ pattern, minLength, maxLength }: Refinements): boolean {
  return (
    pattern !== undefined ||
    (minLength ?? textLength.minLength) > textLength.minLength ||
    (maxLength ?? textLength.maxLength) < textLength.maxLength
  );
}

/** Milliseconds since 1970; no date is later. */
export const latestInstant = 8_640_000_000_000_000;

/** The code of a refusal, where it is not `PARAMETER_INVALID`: names that are known or not (contract, section 1). */
export const unknownName: Readonly<Record<MembershipKind, FailureCode>> = {
  group: "UNKNOWN_GROUP",
  faction: "UNKNOWN_FACTION",
  service: "UNKNOWN_ENTRY",
};

/** What a value of the type looks like, for people. */
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
        ? `a number from ${minimum} to ${maximum}; decimals are rounded down`
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

/** A number as JavaScript writes it, and Java's `Float` and `Double`: `-120.5`, `1.0E7`, `1e-7`. */
const decimalForm = /^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;

/** The valibot schema for a type. `vocabulary` is asked at each parse, since names can be added. */
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
        // Adding 0 makes 0 of -0.
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
 * The value of a parameter, from the request's text.
 * @throws Failure `PARAMETER_INVALID`, or for a name that is not known `UNKNOWN_GROUP` or `UNKNOWN_FACTION`.
 */
export function parseParameter(parameter: Parameter, text: string, vocabulary: Vocabulary): ParameterValue {
  const result = v.safeParse(parameter.schema, text);
  if (result.success) return result.output;
  const { name, type } = parameter;
  const isMembership = (base: BaseType): base is MembershipKind => base in unknownName;
  if (isMembership(type.base)) {
    const known = vocabulary[type.base];
    throw new Failure(
      unknownName[type.base],
      `There is no ${type.base} ${quote(text)}.${didYouMean(text, known)}`,
      {
        parameter: name,
        hint: `Known are ${oneOf(known, "and")}.`,
      },
    );
  }
  const came = text === "" ? "nothing" : (tooLong(type, text) ?? quote(text));
  const hint = type.base === "text" ? formHint(text) : undefined;
  throw new Failure(
    "PARAMETER_INVALID",
    `"${name}" must be ${expectation(type, vocabulary)}, but ${came} came.`,
    {
      parameter: name,
      ...(hint === undefined ? {} : { hint }),
    },
  );
}

/** How long a text is that is longer than its type allows: it says more than the text would. */
function tooLong(type: ParameterType, text: string): string | undefined {
  if (type.base !== "text") return undefined;
  const { maxLength } = { ...textLength, ...defined(type) };
  const length = Array.from(text.normalize("NFC")).length;
  return length > maxLength ? `one of ${length} characters` : undefined;
}

/** What to do about a text that has white space or an invisible character. U+FEFF is both, and no space to anybody. */
function formHint(text: string): string | undefined {
  if (/(?!\uFEFF)[\s\p{Z}]/u.test(text)) return 'Write "-" for a space.';
  const invisible = invisibleIn(text);
  return invisible === undefined ? undefined : `To correct it, ${leaveOut(invisible)}.`;
}
/** How many UTF-16 units of a text are looked at to quote it: it can be 16 KB long, and comes from anybody. */
const quotable = 400;

/** Someone's text in quotes, for an answer to them: shortened, and without anything that could be a secret. */
export function quote(text: string): string {
  // Where the text is cut, the beginning of a secret could be left that is not recognized as one.
  const start = text.length > quotable ? `${text.slice(0, quotable).replace(/[\w-]+$/, "")}…` : text;
  const safe = start.replace(/[\w-]{40,}/g, "…").replace(/[\p{Cc}\p{Cs}]/gu, "�");
  const points = Array.from(safe);
  return `"${points.length > 40 ? `${points.slice(0, 40).join("")}…` : safe}"`;
}

function textSchema(type: ParameterType): v.GenericSchema<string, string> {
  const { minLength, maxLength } = { ...textLength, ...defined(type) };
  const pattern = patternOf(type);
  return v.pipe(
    v.string(),
    v.normalize("NFC"),
    // In one check, and the length first: valibot would go on to the others with a text of any length.
    v.check((text) => {
      // A text of more UTF-16 units than twice its limit is too long however they pair: no need to count.
      if (text.length > 2 * maxLength) return false;
      const length = Array.from(text).length;
      if (length < minLength || length > maxLength) return false;
      // No white space, no control characters, and none of those that only change the direction of what follows.
      if (/[\s\p{Z}\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(text)) return false;
      return pattern === undefined || pattern(text);
    }),
  );
}

/** The compiled patterns: routes share their types, and compiling one takes as long as thousands of matches. */
const compiled = new WeakMap<ParameterType, Pattern>();

function patternOf(type: ParameterType): Pattern | undefined {
  if (type.pattern === undefined) return undefined;
  let pattern = compiled.get(type);
  if (pattern === undefined) {
    pattern = toPattern(type.pattern);
    compiled.set(type, pattern);
  }
  return pattern;
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

/** Milliseconds since 1970, or NaN. In a query a `+` that was not encoded arrives as a space. */
function toInstant(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  const match =
    /^(\d{4}-\d{2}-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:(Z)|([+ -])(\d{2}):?(\d{2}))$/i.exec(text);
  if (match === null) return Number.NaN;
  const [, local = "", day, , sign, hours, minutes] = match;
  // A day that the month does not have would roll over into the next one.
  const inMonth = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day);
  const zone = sign === undefined ? "Z" : `${sign === "-" ? "-" : "+"}${hours}:${minutes}`;
  return inMonth ? Date.parse(`${local.toUpperCase()}${zone}`) : Number.NaN;
}

/** Without the properties that are undefined, so that they do not hide a default. */
function defined(type: ParameterType): { [K in keyof Refinements]?: NonNullable<Refinements[K]> } {
  return Object.fromEntries(Object.entries(type).filter(([, value]) => value !== undefined));
}
