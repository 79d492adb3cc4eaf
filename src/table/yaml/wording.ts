/** The wording of faults: one form for each name that is unknown, and for each value that is not what was expected. */
import type * as v from "valibot";
import { stringify } from "yaml";
import { didYouMean, oneOf } from "../../domain/text.ts";
import type { Path, Report } from "./fault.ts";
import { unquotedWords } from "./scalar.ts";

/** Longer lists of valid names are left out if one of them is suggested. */
const maxListed = 10;

/**
 * Returns `unknown group "VIPS"; expected CEO, DEV or VIP. Did you mean "VIP"?`.
 * @param options.of what the name belongs to
 * @param options.likely the names to suggest, if not all that are valid
 */
export function unknownName(
  what: string,
  typed: string,
  valid: readonly string[],
  { of, likely = valid }: { readonly of?: string; readonly likely?: readonly string[] } = {},
): string {
  const near = didYouMean(typed, likely);
  const expected = valid.length === 0 ? "; there are none" : `; expected ${oneOf(valid)}`;
  const list = near !== "" && valid.length > maxListed ? "" : expected;
  return `unknown ${what} "${typed}"${of === undefined ? "" : ` of ${of}`}${list}${near === "" ? "" : `.${near}`}`;
}

/** Returns what a file has where something else was expected: `nothing`, `a list`, `7`, `"seven"`. */
export function gotWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return Object.keys(value).length === 0 ? "an empty map" : "a map";
  // A file of another kind is a single text to YAML.
  if (typeof value === "string" && value.length > 200) return `a text of ${value.length} characters`;
  return typeof value === "string" ? JSON.stringify(value) : stringify(value).trim();
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reports what valibot finds wrong with a document. The message of a schema says what it expects: `a whole number`.
 * @param sourceOf returns a scalar as it is written
 */
export function reportIssue(
  issue: v.BaseIssue<unknown>,
  report: Report,
  sourceOf: (path: Path) => string | undefined,
): void {
  const path: Path = issue.path?.map(({ key }) => key as string | number) ?? [];
  // Of the alternatives of a union, it is the map whose content is at fault.
  const inner = issue.issues?.filter((nested) => nested.path !== undefined) ?? [];
  if (inner.length > 0) {
    for (const nested of inner) {
      const whole = [...(issue.path ?? []), ...(nested.path ?? [])] as typeof issue.path;
      reportIssue({ ...nested, path: whole }, report, sourceOf);
    }
  } else if (issue.expected === "never") report(path, issue.message, "key");
  else if (issue.received === "undefined") report(path, `"${path.at(-1)}" is missing`, "key");
  else if (issue.type === "string" && !isWorded(issue) && ["number", "boolean"].includes(typeof issue.input))
    report(path, unquotedWords(issue.input, sourceOf(path)));
  else report(path, `expected ${expectedWords(issue)}, got ${gotWords(issue.input)}`);
}

const kinds: Readonly<Record<string, string>> = {
  Object: "a map",
  Array: "a list",
  string: "a text",
  number: "a number",
  boolean: "true or false",
};

/** Whether the message of an issue is ours: all of valibot's own begin with "Invalid". */
export function isWorded({ message }: v.BaseIssue<unknown>): boolean {
  return !message.startsWith("Invalid ");
}

function expectedWords(issue: v.BaseIssue<unknown>): string {
  // An issue has the choices of a picklist as `("a" | "b")`.
  if (issue.type === "picklist")
    return oneOf(Array.from((issue.expected ?? "").matchAll(/"([^"]*)"/g), ([, choice = ""]) => choice));
  if (isWorded(issue)) return issue.message;
  return kinds[issue.expected ?? ""] ?? issue.expected ?? issue.message;
}
