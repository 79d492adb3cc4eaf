/** The valibot schemas of handlers' inputs and answers: the widest values that they can handle. */
import * as v from "valibot";
import {
  integerRange,
  playerNameForm,
  playerNameLength,
  playerNameWords,
  textLength,
} from "../../domain/limits.ts";
import { comparisonForm, invisibleIn, leaveOut } from "../../domain/text.ts";
import { uuid } from "../../domain/uuid.ts";
import { type BaseType, brokenRule, lengthsOf, type ParameterType } from "../../table/base-types.ts";
import type { Field } from "../../table/declared/lists.ts";
import type { DerivedParameter, Failures } from "../../table/operation.ts";
import type { ParameterValue } from "../../table/restriction/restriction.ts";

export const integer = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(integerRange.minimum),
  v.maxValue(integerRange.maximum),
);
export const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(integerRange.maximum));

/** Milliseconds since 1970: 64 bits. */
export const instant = v.pipe(v.number(), v.safeInteger(), v.metadata({ base: "instant" }));

/** A duration in milliseconds: 64 bits. */
export const duration = v.pipe(v.number(), v.safeInteger());

/** Returns the schema of a new text of a field, with "-" for each space. */
function newText({ type, reserved }: Field) {
  return v.pipe(
    v.string(),
    v.check(
      (value) => brokenRule(type, value) === undefined,
      ({ input }) => `expected ${brokenRule(type, input)}`,
    ),
    v.check(
      (value) => invisibleIn(value) === undefined,
      ({ input }) => leaveOut(invisibleIn(input) ?? ""),
    ),
    v.check(
      (value) => !reserved.some((word) => comparisonForm(word) === comparisonForm(value)),
      ({ input }) => `"${input}" is reserved`,
    ),
    v.metadata({ ...lengthsOf(type) }),
  );
}

/**
 * An existing reason or name of a place: any text, because those of older data and imports must be removable even if
 * they could no longer be added. See `Parameter.isReference`.
 */
export const textReference = v.pipe(v.string(), v.metadata({ ...textLength, reference: true }));

export const playerName = v.pipe(
  v.string(),
  v.regex(playerNameForm, `expected ${playerNameWords}`),
  v.metadata({ ...playerNameLength, player: true }),
);

/** A player's name or UUID. */
export const playerNameOrUUID = v.pipe(v.string(), v.metadata({ ...textLength, player: true }));

/** Instead of a reason, in any case: all reasons of a house ban. */
export const everyReason = "all";

/** The name of a group or a faction, as seeded. */
export const group = v.pipe(v.string(), v.metadata({ base: "group" }));
const faction = v.pipe(v.string(), v.metadata({ base: "faction" }));
const service = v.pipe(v.string(), v.metadata({ base: "service" }));
/** The name of a faction or a service, as seeded. */
export const organisation = v.pipe(v.string(), v.metadata({ base: ["faction", "service"] }));

/** Returns a schema with its text in the description of the interface: what the value is, its unit, and examples. */
export function field<S extends v.GenericSchema>(
  schema: S,
  description: string,
  ...examples: readonly v.InferOutput<S>[]
): v.GenericSchema<v.InferInput<S>, v.InferOutput<S>> {
  const described = v.pipe(schema, v.description(description));
  return examples.length === 0 ? described : v.pipe(described, v.examples(examples));
}

/** Returns the schema of an object in answers, which is a component of that title in the description of the interface. */
export function component<E extends v.ObjectEntries>(title: string, description: string, entries: E) {
  return v.pipe(v.object(entries), v.title(title), v.description(description));
}

/** Returns the schema of a parameter that a route need not declare. */
export function derived<S extends v.GenericSchema>(
  schema: S,
  type: BaseType | ParameterType,
  fallback?: ParameterValue,
): v.GenericSchema<v.InferInput<S>, v.InferOutput<S>> {
  const whole = typeof type === "string" ? { base: type, name: type, description: undefined } : type;
  return v.pipe(
    schema,
    v.metadata({ derived: { type: whole, default: fallback } satisfies DerivedParameter }),
  );
}

/** Returns the schema of a field of a list as a parameter. @param isReference whether it finds entries, which may be older */
export function inputOf(known: Field, isReference: boolean): v.GenericSchema<ParameterValue> {
  const schema = field(schemaOf(known, isReference), known.description, known.example);
  return derived(schema, known.type, isReference ? undefined : known.default);
}

function schemaOf(known: Field, isReference: boolean): v.GenericSchema<ParameterValue> {
  const { refersTo, type } = known;
  const { base, minimum = integerRange.minimum, maximum = integerRange.maximum, roundsDown } = type;
  if (refersTo === "player") return isReference ? playerNameOrUUID : playerName;
  if (base === "text")
    return isReference || refersTo === "entry"
      ? v.pipe(v.string(), v.metadata({ ...lengthsOf(type), reference: true }))
      : newText(known);
  if (base !== "integer") return storedSchemaOf(type);
  const bounded = v.pipe(integer, v.minValue(minimum), v.maxValue(maximum));
  return roundsDown === true ? v.pipe(bounded, v.metadata({ roundsDown })) : bounded;
}

export function outputOf({ type, description, example, refersTo }: Field): v.GenericSchema {
  const isText = type.base === "text" && refersTo === undefined;
  const words = isText ? `${description} It has \`-\` for each space.` : description;
  return field(storedSchemaOf(type), words, example);
}

/** Returns the schema of the stored values of a type: they may be older than its bounds. */
function storedSchemaOf({ base, values = [] }: ParameterType): v.GenericSchema<ParameterValue> {
  const schemas = { text: v.string(), integer, boolean: v.boolean(), enum: v.picklist(values) };
  return { ...schemas, instant, group, faction, service }[base];
}

export const anyUUID = "0123456789abcdef0123456789abcdef";
export const version = field(v.string(), "An addon version: two to four numbers separated by dots.", "2.5.1");
/** Somebody in an answer, registered or not. */
export const subject = {
  name: field(v.string(), "The player's name.", "Mallory"),
  uuid: field(v.nullable(uuid), "The player's game UUID, or null if unknown.", anyUUID),
};

/** Returns the failures of an operation on a person whom a name can mean: several removed players may have had it. */
export function ofPerson(failures: Failures): Failures {
  const { CONFLICT: other } = failures;
  const CONFLICT =
    other === undefined
      ? "Several removed players had the name."
      : `${other.replace(/\.$/, "")}, or several removed players had the name.`;
  return { ...failures, CONFLICT };
}
