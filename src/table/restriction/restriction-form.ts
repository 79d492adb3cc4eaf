/** Parses a restriction of a table, and reports each fault where it is. */
import { allOf, fold, oneOf } from "../../domain/text.ts";
import { type BaseType, bases, expectation } from "../base-types.ts";
import { kindOf, type MembershipKind, membershipKinds, type Vocabulary } from "../caller.ts";
import type { ParsedDocument } from "../document.ts";
import { type Parameter, parseParameter, refusalWords } from "../parameters.ts";
import type { Path } from "../yaml/fault.ts";
import { gotWords, isMap, unknownName } from "../yaml/wording.ts";
import type { Case, Compound, ParameterValue, Reference, Restriction } from "./restriction.ts";

const keywords = ["open", "identified", "administrators"] as const;
const compounds = ["anyOf", "allOf"] as const;
const forms = [...keywords, "self", ...membershipKinds, ...compounds];
/** The keys of a map that is a restriction, or a case of one. */
const keys = ["self", ...membershipKinds, ...compounds, "rank", "when"];

/** The route that a restriction belongs to, its document, and the names in the data. */
export interface RestrictionContext extends Pick<ParsedDocument, "report" | "textOf" | "places"> {
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The parameters that have a fault, which a reference to one would only repeat. */
  readonly faulty: ReadonlySet<string>;
  readonly vocabulary: Vocabulary;
}

/** Parses a restriction. Returns undefined if it has a fault, which was then reported. */
export function toRestriction(
  value: unknown,
  path: Path,
  context: RestrictionContext,
): Restriction | undefined {
  const restriction = parsed(value, path, context);
  if (restriction !== undefined) context.places.set(restriction, path);
  return restriction;
}

function parsed(value: unknown, path: Path, context: RestrictionContext): Restriction | undefined {
  const { report } = context;
  if (Array.isArray(value)) return toCases(value, path, context);
  if (typeof value === "string") {
    const kind = keywords.find((keyword) => keyword === value);
    if (kind !== undefined) return { kind };
    if (forms.includes(value)) return report(path, `expected a value behind "${value}": { ${value}: … }`);
    // Of the keywords, the last allows the fewest; another one may allow more callers than was meant.
    const likely = keywords.filter((keyword) => keyword === keywords.at(-1) || keyword === fold(value));
    return report(path, unknownName("restriction", value, forms, { likely }));
  }
  if (!isMap(value))
    return report(path, `expected a restriction (${oneOf(forms)}), got ${gotWords(value)}`, "key");
  return toMapForm(value, path, context);
}

function toMapForm(
  value: Record<string, unknown>,
  path: Path,
  context: RestrictionContext,
): Restriction | undefined {
  const { report } = context;
  const heads = Object.keys(value).filter((key) => forms.includes(key));
  const [head, ...others] = heads;
  const kind = kindOf(head);
  const unknown = Object.keys(value).filter(
    (key) => !heads.includes(key) && !(key === "rank" && kind !== undefined),
  );
  for (const key of unknown) report([...path, key], misplacedKey(key), "key");
  if (head === undefined || others.length > 0) {
    if (head === undefined && unknown.length > 0) return undefined;
    const got = head === undefined ? "none" : allOf(heads);
    return report(path, `expected one of ${oneOf(forms)}, got ${got}`, "key");
  }
  if (unknown.length > 0) return undefined;
  const at = [...path, head];
  const content = value[head];
  if (head === "self") return toSelf(content, at, context);
  const compound = compounds.find((known) => known === head);
  if (compound !== undefined) return toCompound(compound, content, at, context);
  if (kind !== undefined) return toMember(kind, content, value, path, context);
  return report(at, `expected "${head}" alone, got it with a value`, "key");
}

/** Returns what is wrong with a key of a restriction. */
function misplacedKey(key: string): string {
  if (key === "rank") return `"rank" belongs beside "faction" or "service"`;
  if (key === "when") return `"when" belongs in a list of cases`;
  return `unknown key "${key}" in a restriction; expected ${oneOf(keys)}`;
}

function toSelf(content: unknown, path: Path, context: RestrictionContext): Restriction | undefined {
  if (typeof content !== "string")
    return context.report(path, `expected a text parameter of the route, got ${gotWords(content)}`);
  const parameter = parameterOf("text", content.replace(/^\$/, ""), path, context);
  return parameter === undefined ? undefined : { kind: "self", parameter };
}

/** Returns the name of a parameter, if it is of a type. */
function parameterOf(
  base: BaseType,
  name: string,
  path: Path,
  { parameters, faulty, report }: RestrictionContext,
): string | undefined {
  if (faulty.has(name)) return undefined;
  if (parameters.get(name)?.type.base === base) return name;
  const ofType = [...parameters.values()].filter(({ type }) => type.base === base);
  const names = ofType.map((parameter) => parameter.name);
  return report(path, unknownName(`${base} parameter`, name, names));
}

function toCompound(
  kind: Compound["kind"],
  content: unknown,
  path: Path,
  context: RestrictionContext,
): Restriction | undefined {
  if (!Array.isArray(content) || content.length === 0)
    return context.report(path, `expected a list of restrictions, got ${gotWords(content)}`, "key");
  const restrictions = content.map((part, index) => toRestriction(part, [...path, index], context));
  const whole = restrictions.filter((part) => part !== undefined);
  return whole.length === restrictions.length ? { kind, restrictions: whole } : undefined;
}

function toMember(
  of: MembershipKind,
  content: unknown,
  value: Record<string, unknown>,
  path: Path,
  context: RestrictionContext,
): Restriction | undefined {
  const reference = toReference(of, content, [...path, of], context);
  const { rank } = value;
  if (rank === undefined) return reference && { kind: "member", of, reference, rank: undefined };
  if (of === "group") return context.report([...path, "rank"], "groups have no ranks; leave it out", "key");
  if (typeof rank !== "number" || !Number.isInteger(rank) || rank < 1)
    return context.report([...path, "rank"], `expected a whole number of 1 or more, got ${gotWords(rank)}`);
  return reference && { kind: "member", of, reference, rank };
}

function toReference(
  of: MembershipKind,
  content: unknown,
  path: Path,
  context: RestrictionContext,
): Reference | undefined {
  const { vocabulary, report, textOf } = context;
  if (typeof content !== "string" && typeof content !== "number")
    return report(path, `expected the name of a ${of}, got ${gotWords(content)}`);
  const text = textOf(content, path);
  if (text === undefined) return undefined;
  if (text.startsWith("$")) {
    const parameter = parameterOf(of, text.slice(1), path, context);
    return parameter === undefined ? undefined : { parameter };
  }
  const name = vocabulary[of].find((known) => fold(known) === fold(text));
  return name === undefined ? report(path, unknownName(of, text, vocabulary[of])) : { name };
}

function toCases(list: readonly unknown[], path: Path, context: RestrictionContext): Restriction | undefined {
  const cases: Case[] = [];
  for (const [index, item] of list.entries()) {
    const at = [...path, index];
    const { when, ...rest } = isMap(item) ? item : { when: undefined };
    const condition = when === undefined ? undefined : toCondition(when, [...at, "when"], context);
    const heads = Object.keys(rest);
    if (when !== undefined && (heads.length === 0 || keywords.some((keyword) => keyword in rest))) {
      const expected = oneOf([...forms.slice(keywords.length), "restriction"]);
      const got = heads.length === 0 ? "nothing" : allOf(heads);
      context.report(at, `expected beside "when" one of ${expected}, got ${got}`, "key");
      continue;
    }
    const nested = "restriction" in rest && heads.length === 1;
    const restriction = nested
      ? toRestriction(rest.restriction, [...at, "restriction"], context)
      : toRestriction(isMap(item) ? rest : item, at, context);
    if (restriction === undefined || (when !== undefined && condition === undefined)) continue;
    cases.push({ when: condition, restriction });
  }
  if (cases.length < list.length) return undefined;
  const unconditional = cases.findIndex(({ when }) => when === undefined);
  if (unconditional === -1)
    return context.report(
      path,
      "expected a last case without `when`, which decides if no other case applies",
      "key",
    );
  if (unconditional < cases.length - 1)
    return context.report(
      [...path, unconditional + 1],
      "this case never applies, because the one before it always does; to allow several, use anyOf in one case",
    );
  return { kind: "cases", cases };
}

function toCondition(
  when: unknown,
  path: Path,
  { parameters, faulty, vocabulary, report, textOf }: RestrictionContext,
): Record<string, ParameterValue> | undefined {
  if (!isMap(when) || Object.keys(when).length === 0)
    return report(path, `expected a map of parameters and their values, got ${gotWords(when)}`, "key");
  const condition: Record<string, ParameterValue> = {};
  for (const [name, value] of Object.entries(when)) {
    if (faulty.has(name)) return undefined;
    const parameter = parameters.get(name);
    if (parameter === undefined)
      return report(
        [...path, name],
        unknownName("parameter", name, [...parameters.keys()], { of: "the route" }),
        "key",
      );
    if (!["string", "number", "boolean"].includes(typeof value)) {
      const expected = expectation(parameter.type, vocabulary);
      return report([...path, name], `"${name}" must be ${expected}, not ${gotWords(value)}`);
    }
    const text = bases[parameter.type.base].isTextual ? textOf(value, [...path, name]) : String(value);
    if (text === undefined) return undefined;
    try {
      condition[name] = parseParameter(parameter, text, vocabulary);
    } catch (error) {
      return report([...path, name], refusalWords(error));
    }
  }
  return condition;
}
