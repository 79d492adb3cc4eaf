/** The values that handlers take and give, as valibot schemas: the widest that they can work with (contract, section 1). */
import * as v from "valibot";
import { invisibleIn, leaveOut } from "../../domain/text.ts";

/** A whole number that a client can keep in a signed 32-bit integer. */
const maximumInteger = 2147483647;
export const integer = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(-maximumInteger - 1),
  v.maxValue(maximumInteger),
);
export const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maximumInteger));

/** Milliseconds since 1970: 64 bits. */
export const instant = v.pipe(v.number(), v.safeInteger(), v.metadata({ base: "instant" }));

/** A length of time in milliseconds: 64 bits. */
export const duration = v.pipe(v.number(), v.safeInteger());

/** A new name of a place or a reason: a space is written "-". `maxLength` counts characters, as the table does. */
export const text = v.pipe(
  v.string(),
  v.check((value) => value !== "" && Array.from(value).length <= 64, "1 to 64 characters were expected"),
  v.check((value) => !/[\s\p{Z}\p{Cc}]/u.test(value), 'no white space was expected; write "-" for a space'),
  v.check(
    (value) => invisibleIn(value) === undefined,
    ({ input }) => leaveOut(invisibleIn(input) ?? ""),
  ),
  v.metadata({ minLength: 1, maxLength: 64 }),
);

/**
 * The name of a place or a reason that exists: any text. Older data and imports can have texts that none could be added
 * with, and it must be possible to remove them. The engine passes such a text on; see `Parameter.isReference`.
 */
export const textReference = v.pipe(v.string(), v.metadata({ minLength: 1, maxLength: 64, reference: true }));

/** The name of a player: 1 to 32 letters, digits, `_`, `.` or `-`. */
export const playerNameForm = /^[\p{L}\p{Nd}_.-]{1,32}$/u;
export const playerName = v.pipe(
  v.string(),
  v.regex(playerNameForm, '1 to 32 letters, digits, "_", "." or "-" were expected'),
  v.metadata({ minLength: 1, maxLength: 32, player: true }),
);

/** A player's name or UUID. */
export const playerReference = v.pipe(v.string(), v.metadata({ minLength: 1, maxLength: 64, player: true }));

/** In place of a reason: all reasons of a house ban, in whatever case (contract, section 0). */
export const everyReason = "all";

/** A group or a faction that is known, as seeded. */
export const group = v.pipe(v.string(), v.metadata({ base: "group" }));
export const faction = v.pipe(v.string(), v.metadata({ base: "faction" }));
/** A faction or a service that is known, as seeded. */
export const organisation = v.pipe(v.string(), v.metadata({ base: ["faction", "service"] }));

/**
 * A value with what the description of the interface says of it: what it is, in a sentence and with its unit, and
 * examples. What it says besides, the table's types say.
 */
export function field<S extends v.GenericSchema>(
  schema: S,
  description: string,
  ...examples: readonly v.InferOutput<S>[]
): v.GenericSchema<v.InferInput<S>, v.InferOutput<S>> {
  const described = v.pipe(schema, v.description(description));
  return examples.length === 0 ? described : v.pipe(described, v.examples(examples));
}

/** Answers: a player's name, and a UUID where it is known. */
export const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));
export const anyUUID = "0123456789abcdef0123456789abcdef";
export const version = field(v.string(), "An addon version: two to four numbers with dots.", "2.5.1");
export const subject = {
  name: field(v.string(), "The player's name.", "Mallory"),
  uuid: field(v.nullable(uuid), "The player's game UUID, or null where it is not known.", anyUUID),
};
