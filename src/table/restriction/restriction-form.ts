/** The form of a restriction in the table, made into a {@link Restriction}, with every fault where it stands. */
import { didYouMean, fold, oneOf } from "../../domain/text.ts";
import { type MembershipKind, membershipKinds, type Vocabulary } from "../caller.ts";
import type { Path, Report } from "../document.ts";
import { expectation, type Parameter, parseParameter } from "../parameters.ts";
import type { Case, Compound, ParameterValue, Reference, Restriction } from "./restriction.ts";

const keywords = ["open", "identified", "administrators"] as const;
const compounds = ["anyOf", "allOf"] as const;
const forms = [...keywords, "self", ...membershipKinds, ...compounds];
/** What can stand as a key in a map that is a restriction, or a case of one. */
const keys = ["self", ...membershipKinds, ...compounds, "rank", "when"];
/** Forms that let in more callers than others do: whoever mistyped something is not led to one of them. */
const wide: readonly string[] = ["open", "identified", "anyOf"];

/** What a restriction can refer to. */
export interface Surroundings {
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** Parameters that have a fault themselves: what refers to one is not reported a second time. */
  readonly faulty: ReadonlySet<string>;
  readonly vocabulary: Vocabulary;
  readonly report: Report;
}

/** Takes a restriction's value apart. Undefined where it has a fault, which was then reported. */
export function toRestriction(value: unknown, path: Path, around: Surroundings): Restriction | undefined {
  const { report } = around;
  if (Array.isArray(value)) return toCases(value, path, around);
  if (typeof value === "string") {
    const kind = keywords.find((keyword) => keyword === value);
    if (kind !== undefined) return { kind };
    report(path, `"${value}" is not a restriction; known are ${oneOf(forms)}.${suggest(value, forms)}`);
    return undefined;
  }
  if (!isRecord(value)) {
    report(
      path,
      `expected a restriction (${oneOf(forms)}), got ${JSON.stringify(value) ?? "nothing"}`,
      "key",
    );
    return undefined;
  }
  return toMapForm(value, path, around);
}

function toMapForm(
  value: Record<string, unknown>,
  path: Path,
  around: Surroundings,
): Restriction | undefined {
  const { report } = around;
  const heads = Object.keys(value).filter((key) => forms.includes(key));
  const [head] = heads;
  const allowed = head !== undefined && isMembership(head) ? [head, "rank"] : [head];
  const unknown = Object.keys(value).filter((key) => !allowed.includes(key) && !heads.includes(key));
  for (const key of unknown) report([...path, key], strangeKey(key), "key");
  if (heads.length !== 1) {
    if (heads.length > 1 || unknown.length === 0) {
      report(
        path,
        `expected one of ${oneOf(forms)}, got ${heads.length === 0 ? "none" : oneOf(heads, "and")}`,
        "key",
      );
    }
    return undefined;
  }
  if (unknown.length > 0) return undefined;
  const at = [...path, head as string];
  const content = value[head as string];
  if (head === "self") return toSelf(content, at, around);
  const compound = compounds.find((each) => each === head);
  if (compound !== undefined) return toCompound(compound, content, at, around);
  if (isMembership(head as string)) return toMember(head as MembershipKind, content, value, path, around);
  report(at, `write "${head}" alone, without a value`, "key");
  return undefined;
}

/** What is wrong with a key that stands in a restriction. */
function strangeKey(key: string): string {
  if (key === "rank") return `"rank" goes with "faction" or "service", beside it`;
  if (key === "when") return `"when" goes into a case of a list of cases`;
  return `unknown key "${key}" in a restriction; known are ${oneOf(keys)}.${suggest(key, keys)}`;
}

/**
 * As {@link didYouMean}, but never suggests a form that lets in more callers than another one that may have been meant:
 * `oneOf` is not `anyOf`. The same word in other letters, `Open` or `any_of`, can mean nothing else.
 */
function suggest(typed: string, known: readonly string[]): string {
  const letters = (text: string) => fold(text).replace(/[\s_-]/g, "");
  const same = known.find((each) => letters(each) === letters(typed));
  if (same !== undefined) return ` Did you mean "${same}"?`;
  return didYouMean(
    typed,
    known.filter((each) => !wide.includes(each)),
  );
}

function toSelf(
  content: unknown,
  path: Path,
  { parameters, faulty, report }: Surroundings,
): Restriction | undefined {
  if (typeof content !== "string") {
    report(path, `expected a text parameter of the route, got ${shown(content)}`);
    return undefined;
  }
  const name = content.replace(/^\$/, "");
  if (faulty.has(name)) return undefined;
  if (parameters.get(name)?.type.base === "text") return { kind: "self", parameter: name };
  const texts = [...parameters.values()].filter(({ type }) => type.base === "text").map((each) => each.name);
  report(path, `expected a text parameter of the route, got "${name}".${didYouMean(name, texts)}`);
  return undefined;
}

function toCompound(
  kind: Compound["kind"],
  content: unknown,
  path: Path,
  around: Surroundings,
): Restriction | undefined {
  if (!Array.isArray(content) || content.length === 0) {
    around.report(path, `expected a list of restrictions, got ${shown(content)}`, "key");
    return undefined;
  }
  const restrictions = content.map((each, index) => toRestriction(each, [...path, index], around));
  const whole = restrictions.filter((each) => each !== undefined);
  return whole.length === restrictions.length ? { kind, restrictions: whole } : undefined;
}

function toMember(
  of: MembershipKind,
  content: unknown,
  value: Record<string, unknown>,
  path: Path,
  around: Surroundings,
): Restriction | undefined {
  const reference = toReference(of, content, [...path, of], around);
  const { rank } = value;
  if (rank === undefined) return reference && { kind: "member", of, reference, rank: undefined };
  if (of === "group") {
    around.report([...path, "rank"], "groups have no ranks; leave it out", "key");
    return undefined;
  }
  if (typeof rank !== "number" || !Number.isInteger(rank) || rank < 1) {
    around.report([...path, "rank"], `expected a whole number from 1 on, got ${JSON.stringify(rank)}`);
    return undefined;
  }
  return reference && { kind: "member", of, reference, rank };
}

function toReference(
  of: MembershipKind,
  content: unknown,
  path: Path,
  around: Surroundings,
): Reference | undefined {
  const { parameters, faulty, vocabulary, report } = around;
  if (typeof content !== "string" && typeof content !== "number") {
    report(path, `expected the name of a ${of}, got ${shown(content)}`);
    return undefined;
  }
  const text = String(content);
  if (text.startsWith("$")) {
    const name = text.slice(1);
    if (faulty.has(name)) return undefined;
    const parameter = parameters.get(name);
    if (parameter?.type.base === of) return { parameter: name };
    const names = [...parameters.values()]
      .filter(({ type }) => type.base === of)
      .map((each) => `$${each.name}`);
    const what =
      parameter === undefined
        ? "the route has no such parameter"
        : `that one is of type ${parameter.type.name}`;
    report(path, `expected a parameter of type ${of}, got "${text}": ${what}.${didYouMean(text, names)}`);
    return undefined;
  }
  const known = vocabulary[of];
  const name = known.find((each) => fold(each) === fold(text));
  if (name !== undefined) return { name };
  report(path, `there is no ${of} "${text}"; known are ${oneOf(known, "and")}.${didYouMean(text, known)}`);
  return undefined;
}

function toCases(list: readonly unknown[], path: Path, around: Surroundings): Restriction | undefined {
  const cases: Case[] = [];
  for (const [index, each] of list.entries()) {
    const at = [...path, index];
    const { when, ...rest } = isRecord(each) ? each : { when: undefined };
    const condition = when === undefined ? undefined : toCondition(when, [...at, "when"], around);
    const nested = "restriction" in rest && Object.keys(rest).length === 1;
    const restriction = nested
      ? toRestriction(rest.restriction, [...at, "restriction"], around)
      : toRestriction(isRecord(each) ? rest : each, at, around);
    if (restriction === undefined || (when !== undefined && condition === undefined)) continue;
    cases.push({ when: condition, restriction });
  }
  if (cases.length < list.length) return undefined;
  const unconditional = cases.findIndex(({ when }) => when === undefined);
  if (unconditional === -1) {
    around.report(path, "the last case needs no `when`: it decides where none before it applies", "key");
    return undefined;
  }
  if (unconditional < cases.length - 1) {
    around.report([...path, unconditional + 1], "this case can never apply: the one before it always does");
    return undefined;
  }
  return { kind: "cases", cases };
}

function toCondition(
  when: unknown,
  path: Path,
  { parameters, faulty, vocabulary, report }: Surroundings,
): Record<string, ParameterValue> | undefined {
  if (!isRecord(when) || Object.keys(when).length === 0) {
    report(path, `expected a map of parameters and their values, got ${shown(when)}`, "key");
    return undefined;
  }
  const condition: Record<string, ParameterValue> = {};
  for (const [name, value] of Object.entries(when)) {
    if (faulty.has(name)) return undefined;
    const parameter = parameters.get(name);
    if (parameter === undefined) {
      report(
        [...path, name],
        `the route has no parameter "${name}".${didYouMean(name, [...parameters.keys()])}`,
        "key",
      );
      return undefined;
    }
    if (!["string", "number", "boolean"].includes(typeof value)) {
      const expected = expectation(parameter.type, vocabulary);
      report([...path, name], `"${name}" must be ${expected}, but ${shown(value)} came`);
      return undefined;
    }
    try {
      condition[name] = parseParameter(parameter, String(value), vocabulary);
    } catch (error) {
      report([...path, name], (error as Error).message);
      return undefined;
    }
  }
  return condition;
}

/** A value of the document, for a message about it. */
function shown(value: unknown): string {
  return value === null || value === undefined ? "nothing" : JSON.stringify(value);
}

function isMembership(key: string): key is MembershipKind {
  return membershipKinds.some((kind) => kind === key);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
