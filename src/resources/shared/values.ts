/** The valibot schemas of handlers' inputs and answers: the widest values that they can handle. */
import * as v from "valibot";
import {
  integerRange,
  playerNameForm,
  playerNameLength,
  playerNameWords,
  textLength,
} from "../../domain/limits.ts";
import { invisibleIn, leaveOut } from "../../domain/text.ts";
import { uuid } from "../../domain/uuid.ts";

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

/** A new reason or name of a place, with "-" for each space. */
export const text = v.pipe(
  v.string(),
  v.check(
    (value) => value !== "" && Array.from(value).length <= textLength.maxLength,
    `expected 1 to ${textLength.maxLength} characters`,
  ),
  v.check((value) => !/[\s\p{Z}\p{Cc}]/u.test(value), 'expected no white space; write "-" for a space'),
  v.check(
    (value) => invisibleIn(value) === undefined,
    ({ input }) => leaveOut(invisibleIn(input) ?? ""),
  ),
  v.metadata(textLength),
);

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
export const playerReference = v.pipe(v.string(), v.metadata({ ...textLength, player: true }));

/** Instead of a reason, in any case: all reasons of a house ban. */
export const everyReason = "all";

/** The name of a group or a faction, as seeded. */
export const group = v.pipe(v.string(), v.metadata({ base: "group" }));
export const faction = v.pipe(v.string(), v.metadata({ base: "faction" }));
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

export const anyUUID = "0123456789abcdef0123456789abcdef";
export const version = field(v.string(), "An addon version: two to four numbers separated by dots.", "2.5.1");
/** Somebody in an answer, registered or not. */
export const subject = {
  name: field(v.string(), "The player's name.", "Mallory"),
  uuid: field(v.nullable(uuid), "The player's game UUID, or null if unknown.", anyUUID),
};
