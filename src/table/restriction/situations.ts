/**
 * Situations: the combinations of parameter values that make a difference to a restriction. With them, "who may" has an
 * answer for `/setup/{team}` as a whole, faction by faction.
 */
import { kindOf, type Vocabulary } from "../caller.ts";
import type { Parameter } from "../parameters.ts";
import { type ParameterValue, type Restriction, toInput, withParts } from "./restriction.ts";

/** One combination of values. */
export type Situation = ReturnType<typeof situationsOf>[number];

/** A value of a parameter: in words, and for a caller. */
interface Choice {
  readonly words: string;
  value(name: string): ParameterValue | undefined;
}

/** A value that is no name and in no table: it represents all values that make no difference. */
const anythingElse = "\u0000";
const ownName = "the caller's own name";
const otherValue = "anything else";
const leftOut: Choice = { words: "omitted", value: () => undefined };

/**
 * Returns the situations that make a difference to some restrictions.
 * @param parameters those whose value is not fixed
 * @param omissible the names of those whose absence is a situation of its own
 */
export function situationsOf(
  parameters: readonly Parameter[],
  restrictions: readonly Restriction[],
  vocabulary: Vocabulary,
  omissible: readonly string[] = [],
) {
  let situations: Map<string, Choice>[] = [new Map()];
  for (const parameter of parameters) {
    const choices = choicesOf(parameter, restrictions, vocabulary);
    if (omissible.includes(parameter.name)) choices.push(leftOut);
    situations = situations.flatMap((situation) =>
      choices.map((choice) => new Map([...situation, [parameter.name, choice]])),
    );
  }
  return situations.map((choices) => ({
    /** In words, by parameter; empty if there is only one situation. */
    when: Object.fromEntries(Array.from(choices, ([name, { words }]) => [name, words])),
    /** Returns the values for a caller. */
    inputFor: (caller: string) =>
      toInput(Array.from(choices, ([name, choice]) => [name, choice.value(caller)])),
  }));
}

function choicesOf(
  { name, type }: Parameter,
  restrictions: readonly Restriction[],
  vocabulary: Vocabulary,
): Choice[] {
  const kind = kindOf(type.base);
  if (kind !== undefined) return vocabulary[kind].map(fixed);
  if (type.base === "boolean") return [fixed(false), fixed(true)];
  if (type.base === "enum") return (type.values ?? []).map(fixed);
  const named = new Set(restrictions.flatMap((restriction) => namedValues(restriction, name)));
  const isSelf = restrictions.some((restriction) => refersToSelf(restriction, name));
  const own: Choice[] = isSelf ? [{ words: ownName, value: (caller) => caller }] : [];
  return [...own, ...[...named].map(fixed), { words: otherValue, value: () => anythingElse }];
}

function fixed(value: ParameterValue): Choice {
  return { words: String(value), value: () => value };
}

/** Returns the values that a restriction's cases compare a parameter with. */
function namedValues(restriction: Restriction, name: string): ParameterValue[] {
  return withParts(restriction).flatMap((part) =>
    part.kind === "cases" ? part.cases.flatMap(({ when }) => when?.[name] ?? []) : [],
  );
}

/** Returns the texts that a restriction's cases compare parameters with. */
export function namedTexts(restriction: Restriction, parameters: ReadonlySet<string>): string[] {
  const values = [...parameters].flatMap((name) => namedValues(restriction, name));
  return values.filter((value) => typeof value === "string");
}

function refersToSelf(restriction: Restriction, name: string): boolean {
  return withParts(restriction).some((part) => part.kind === "self" && part.parameter === name);
}
