/** The limits of values and names. Lengths count characters, not UTF-16 units. */

/** Clients parse whole numbers into a signed 32-bit integer. */
export const integerRange = { minimum: -2_147_483_648, maximum: 2_147_483_647 };

/** The length of a reason, of the name of a place, a group or an organisation, and of a token's label. */
export const textLength = { minLength: 1, maxLength: 64 };

/** A player's name: the form, its length, and a description for error messages. */
export const playerNameForm = /^[\p{L}\p{Nd}_.-]{1,32}$/u;
export const playerNameLength = { minLength: 1, maxLength: 32 };
export const playerNameWords = '1 to 32 letters, digits, "_", "." or "-"';

/** `audit` and `can-i` call callers who are not players by these names. */
export const otherCallers: readonly string[] = ["operator", "public", "system"];

/** Names with a meaning of their own in the objects of JavaScript: a map of a file cannot have such keys. */
export const reservedKeys: readonly string[] = ["__proto__", "constructor", "prototype"];
export const reservedWords = "cannot be a name here; choose another one";

/** The source of a regular expression for the code of an invitation, as people write it; they may write it in any case. */
export const codePattern = "gai_(?:-?[0-9A-Za-z]){16}";
