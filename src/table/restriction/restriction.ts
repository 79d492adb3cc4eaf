/**
 * Restrictions: who may call an operation. Whether one allows a caller, which parameters that depends on, and what it says
 * in words.
 */
import { allOf, comparisonForm, oneOf } from "../../domain/text.ts";
import type { Caller, MembershipKind } from "../caller.ts";

export type ParameterValue = string | number | boolean;
export type Input = Readonly<Record<string, ParameterValue>>;

/** Returns the values that there are, by name. */
export function toInput(
  values: readonly (readonly [name: string, value: ParameterValue | undefined])[],
): Input {
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** A name in the table, or the parameter that has it as value. */
export type Reference = { readonly name: string } | { readonly parameter: string };

/** A case of a restriction. Without `when` it always applies; the last case, and no other, has none. */
export interface Case {
  readonly when: Input | undefined;
  readonly restriction: Restriction;
}

export type Restriction =
  | { readonly kind: "open" }
  | { readonly kind: "identified" }
  | { readonly kind: "administrators" }
  | { readonly kind: "self"; readonly parameter: string }
  | {
      readonly kind: "member";
      readonly of: MembershipKind;
      readonly reference: Reference;
      readonly rank: number | undefined;
    }
  | Compound
  | { readonly kind: "cases"; readonly cases: readonly Case[] };

/** A restriction that is no list of cases. Its parts may be. */
export type Uniform = Exclude<Restriction, { readonly kind: "cases" }>;

/** Several restrictions: `anyOf` allows callers allowed by one of them, `allOf` those allowed by every one. */
export interface Compound {
  readonly kind: "anyOf" | "allOf";
  /** At least one. */
  readonly restrictions: readonly Restriction[];
}

export function isCompound(restriction: Restriction): restriction is Compound {
  return restriction.kind === "anyOf" || restriction.kind === "allOf";
}

export function withParts(restriction: Restriction): readonly Restriction[] {
  if (isCompound(restriction)) return [restriction, ...restriction.restrictions.flatMap(withParts)];
  if (restriction.kind !== "cases") return [restriction];
  return [restriction, ...restriction.cases.flatMap((branch) => withParts(branch.restriction))];
}

/** Returns the names of the parameters that a decision depends on, which are checked before it. */
export function parametersOf(restriction: Restriction): readonly string[] {
  return withParts(restriction).flatMap((part) => {
    if (part.kind === "self") return part.parameter;
    if (part.kind === "cases") return part.cases.flatMap(({ when }) => Object.keys(when ?? {}));
    return part.kind === "member" && "parameter" in part.reference ? part.reference.parameter : [];
  });
}

/** Whether a restriction allows a caller. @param input at least the parameters of {@link parametersOf} */
export function isAllowed(whole: Restriction, caller: Caller, input: Input): boolean {
  if (caller.unrestricted) return true;
  const restriction = applicable(whole, input);
  switch (restriction.kind) {
    case "open":
      return true;
    case "identified":
      return caller.id !== null;
    case "administrators":
      return caller.administrator;
    case "self":
      return caller.isCalled(String(input[restriction.parameter]));
    case "member": {
      const rank = caller.rankIn(restriction.of, nameOf(restriction.reference, input));
      return rank !== undefined && rank >= (restriction.rank ?? 0);
    }
    case "anyOf":
      return restriction.restrictions.some((part) => isAllowed(part, caller, input));
    case "allOf":
      return restriction.restrictions.every((part) => isAllowed(part, caller, input));
  }
}

/** Returns the restriction that applies to a request: of cases, at any depth, that of the one that applies. */
export function applicable(restriction: Restriction, input: Input): Uniform {
  if (restriction.kind !== "cases") return restriction;
  return applicable(applyingCase(restriction.cases, input).restriction, input);
}

export function applyingCase(cases: readonly Case[], input: Input): Case {
  const applying = cases.find((branch) => applies(branch, input));
  if (applying === undefined) throw new Error("the last case has a condition");
  return applying;
}

export function applies({ when = {} }: Pick<Case, "when">, input: Input): boolean {
  return Object.entries(when).every(([name, value]) => isSame(input[name], value));
}

/** Compares texts as operations do: a caller must not evade a case by another spelling of the same text. */
function isSame(one: ParameterValue | undefined, other: ParameterValue): boolean {
  if (typeof one !== "string" || typeof other !== "string") return one === other;
  return comparisonForm(one) === comparisonForm(other);
}

/**
 * Returns who is allowed, in words: "members of the service RESCUE with rank 4 or higher".
 * @param input the parameters of one request; without it, the words apply to every request
 */
export function describe(whole: Restriction, input?: Input): string {
  const restriction = unwrapped(whole, input);
  switch (restriction.kind) {
    case "open":
      return "everyone with a valid token";
    case "identified":
      return "identified players";
    case "administrators":
      return "administrators";
    case "self":
      return `the player named in "${restriction.parameter}"`;
    case "member": {
      const { of, reference, rank } = restriction;
      const name =
        input === undefined && "parameter" in reference
          ? `{${reference.parameter}}`
          : nameOf(reference, input);
      return `members of the ${of} ${name}${rank === undefined ? "" : ` with rank ${rank} or higher`}`;
    }
    case "anyOf":
    case "allOf":
      return describeCompound(restriction, input);
    case "cases":
      return restriction.cases
        .map((branch) => {
          const inner = describe(branch.restriction);
          const words = unwrapped(branch.restriction, undefined).kind === "cases" ? `(${inner})` : inner;
          return branch.when === undefined ? `${words} otherwise` : `${words} when ${conditionOf(branch)}`;
        })
        .join("; ");
  }
}

/**
 * "administrators or members of the group VIP"; "those who are both administrators and members of the group VIP".
 * Within it, a compound of the other kind or several cases are in parentheses, so that each sentence has one meaning.
 */
function describeCompound(compound: Compound, input: Input | undefined): string {
  const restrictions = flatten(compound);
  const parts = restrictions.map((part) => {
    const words = describe(part, input);
    return partsOf(unwrapped(part, input)).length > 1 ? `(${words})` : words;
  });
  if (compound.kind === "anyOf") return oneOf(parts);
  return `those who are ${parts.length === 2 ? "both" : "all of these:"} ${allOf(parts)}`;
}

/** Returns the parts of a compound, including those of parts of the same kind. */
function flatten({ kind, restrictions }: Compound): readonly Restriction[] {
  return restrictions.flatMap((part) => (part.kind === kind ? flatten(part) : [part]));
}

/** Returns the parts that a restriction in words joins. */
function partsOf(restriction: Restriction): readonly Restriction[] {
  if (restriction.kind === "cases") return restriction.cases.map((branch) => branch.restriction);
  return isCompound(restriction) ? flatten(restriction) : [];
}

/** Returns what applies to a request; where that joins a single part, the part. */
function unwrapped(whole: Restriction, input: Input | undefined): Restriction {
  const restriction = input === undefined ? whole : applicable(whole, input);
  const [part, ...others] = partsOf(restriction);
  return part === undefined || others.length > 0 ? restriction : unwrapped(part, input);
}

/** Returns the condition of a case in words: "advanced is true"; nothing for the unconditional case. */
export function conditionOf({ when = {} }: Case): string {
  return Object.entries(when)
    .map(([name, value]) => `${name} is ${value}`)
    .join(" and ");
}

/** Returns the name that a reference has in a request. */
export function nameOf(reference: Reference, input: Input | undefined): string {
  return "name" in reference ? reference.name : String(input?.[reference.parameter]);
}
