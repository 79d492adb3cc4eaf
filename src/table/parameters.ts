/** Parameters of routes: parses the text of a request into the value for the operation, or into the sentence of a failure. */
import * as v from "valibot";
import { Failure, type FailureCode } from "../domain/errors.ts";
import { codePattern } from "../domain/limits.ts";
import { allOf, didYouMean, invisibleIn, leaveOut, oneOf } from "../domain/text.ts";
import { expectation, lengthsOf, type ParameterType, type Refinements } from "./base-types.ts";
import { kindOf, type MembershipKind, type Vocabulary } from "./caller.ts";
import type { ParameterValue } from "./restriction/restriction.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: ParameterType;
  /** The value if a request has none; undefined for a required parameter. */
  readonly default: ParameterValue | undefined;
  /**
   * Whether the text names an existing entry. Such a text is not checked, since older data can have entries that could
   * not be added now, unless the table narrows its type, see {@link isNarrowed}, or a restriction depends on it.
   */
  readonly isReference: boolean;
  /** Parses the text of a request. */
  readonly schema: v.GenericSchema<string, ParameterValue>;
}

/** Whether a type of text is narrower than the built-in one. */
export function isNarrowed(type: Refinements): boolean {
  const [own, widest] = [lengthsOf(type), lengthsOf({})];
  return type.pattern !== undefined || own.minLength > widest.minLength || own.maxLength < widest.maxLength;
}

/** The failure codes of types whose values are names in the data. */
export const nameFailures: Readonly<Record<MembershipKind, FailureCode>> = {
  group: "UNKNOWN_GROUP",
  faction: "UNKNOWN_FACTION",
  service: "UNKNOWN_ENTRY",
};

/**
 * Parses the text of a request.
 * @throws Failure `PARAMETER_INVALID`, or that of {@link nameFailures}
 */
export function parseParameter(
  parameter: Pick<Parameter, "name" | "type" | "schema">,
  text: string,
  vocabulary: Vocabulary,
): ParameterValue {
  const result = v.safeParse(parameter.schema, text);
  if (result.success) return result.output;
  const { name, type } = parameter;
  const kind = kindOf(type.base);
  if (kind !== undefined) throw unknownNamed(nameFailures[kind], kind, text, vocabulary[kind], name);
  const expected = expectation(type, vocabulary, text);
  const got = text === "" ? "but is empty" : `not ${tooLong(type, text) ?? quote(text)}`;
  const hint = type.base === "text" ? formHint(text) : undefined;
  const suggestion = didYouMean(text, type.values ?? []);
  throw new Failure("PARAMETER_INVALID", `"${name}" must be ${expected}, ${got}.${suggestion}`, {
    parameter: name,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Returns the refusal of an unknown name, with the nearest name and the first names. */
export function unknownNamed(
  code: FailureCode,
  kind: string,
  name: string,
  names: readonly string[],
  parameter?: string,
): Failure {
  const sentence = `There is no ${kind} ${quote(name)}.${didYouMean(name, names)}`;
  return new Failure(code, sentence, { parameter, hint: expectedHint(oneOf(names)) });
}

/** Returns the hint of what is expected; "" stands for a kind of which the data has no names. */
export function expectedHint(expected: string): string {
  return expected === "" ? "There are none." : `Expected ${expected}.`;
}

/** Returns the sentences of what {@link parseParameter} throws, for a fault of a file. */
export function refusalWords(error: unknown): string {
  const { message, hint } = error as Failure;
  return hint === undefined ? message : `${message} ${hint}`;
}

/** Returns the failure of a parameter that an operation does not have. */
export function unknownParameter(name: string, known: readonly string[]): Failure {
  const sentence = `This operation has no parameter ${quote(name)}.${didYouMean(name, known)}`;
  const hint = known.length === 0 ? "It takes none." : `It takes ${allOf(known)}.`;
  return new Failure("PARAMETER_UNKNOWN", sentence, { parameter: quote(name).slice(1, -1), hint });
}

/** Returns the length of a text that is too long, which says more than the text would. */
function tooLong(type: ParameterType, text: string): string | undefined {
  if (type.base !== "text") return undefined;
  const { maxLength } = lengthsOf(type);
  const length = Array.from(text.normalize("NFC")).length;
  return length > maxLength ? `${length} characters` : undefined;
}

/** How much of a text is searched for invisible characters, in UTF-16 units. */
const mostSearched = 500;

/** Returns what to do about white space or an invisible character. U+FEFF is both, but nobody sees a space. */
function formHint(text: string): string | undefined {
  if (/(?!\uFEFF)[\s\p{Z}]/u.test(text)) return 'Write "-" for a space.';
  // Searching for emoji takes long, and anybody can send 16 KB.
  const invisible = invisibleIn(text.slice(0, mostSearched));
  return invisible === undefined ? undefined : `To correct it, ${leaveOut(invisible)}.`;
}

/** How much of a text is read to quote it, in UTF-16 units: anybody can send 16 KB. */
const quotable = 400;

/** What could be a token, or the code of an invitation. */
const secrets = new RegExp(`[\\w-]{40,}|${codePattern}`, "gi");

/** Returns a caller's text in quotes, for an answer: shortened, and without anything that could be a secret. */
export function quote(text: string): string {
  // A cut could leave the beginning of a secret, which would not be recognized.
  const start = text.length > quotable ? `${text.slice(0, quotable).replace(/[\w-]+$/, "")}…` : text;
  const safe = start.replace(secrets, "…").replace(/[\p{Cc}\p{Cs}]/gu, "�");
  const points = Array.from(safe);
  return `"${points.length > 40 ? `${points.slice(0, 40).join("")}…` : safe}"`;
}
