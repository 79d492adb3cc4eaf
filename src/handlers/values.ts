/** The values that handlers take and give, as valibot schemas: the widest that they can work with (contract, section 1). */
import * as v from "valibot";

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

/** A name of a place or a reason: a space is written "-". `maxLength` counts characters, as the table does. */
export const text = v.pipe(
  v.string(),
  v.check((value) => value !== "" && Array.from(value).length <= 64, "1 to 64 characters were expected"),
  v.check((value) => !/[\s\p{Z}\p{Cc}]/u.test(value), 'no white space was expected; write "-" for a space'),
  v.metadata({ minLength: 1, maxLength: 64 }),
);

/** The name of a player: 1 to 32 letters, digits, `_`, `.` or `-`. */
export const playerNameForm = /^[\p{L}\p{Nd}_.-]{1,32}$/u;
export const playerName = v.pipe(
  v.string(),
  v.regex(playerNameForm, '1 to 32 letters, digits, "_", "." or "-" were expected'),
  v.metadata({ minLength: 1, maxLength: 32 }),
);

/** A player's name or UUID. */
export const playerReference = v.pipe(v.string(), v.metadata({ minLength: 1, maxLength: 64 }));

/** A group or a faction that is known, as seeded. */
export const group = v.pipe(v.string(), v.metadata({ base: "group" }));
export const faction = v.pipe(v.string(), v.metadata({ base: "faction" }));

/** Answers: a player's name, and a UUID where it is known. */
export const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));
export const subject = { name: v.string(), uuid: v.nullable(uuid) };
