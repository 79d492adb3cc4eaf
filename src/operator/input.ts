/** The inputs of operator operations: how they are parsed, and the schemas that several of them share. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { latestEnd } from "../domain/instant.ts";
import { integerRange, otherCallers, playerNameForm, playerNameWords } from "../domain/limits.ts";
import type { Player } from "../domain/model.ts";
import { capitalised, fold, invisibleIn, leaveOut, oneOf } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import { tokenInText } from "../identity/tokens.ts";

/**
 * Returns an input as its schema parses it. An unknown key is refused, not ignored: a command of a later version may have
 * sent it, and its operator relies on it.
 * @throws Failure `PARAMETER_INVALID`
 */
export function parseInput<S extends v.GenericSchema>(schema: S, input: unknown): v.InferOutput<S> {
  const parsed = v.safeParse(schema, input);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const { type, expected, received, message } = issue;
  if (type !== "strict_object" || expected !== "never") {
    const parameter = String(issue.path?.[0].key ?? "");
    throw new Failure("PARAMETER_INVALID", `${capitalised(message)}.`, {
      parameter,
    });
  }
  throw new Failure("PARAMETER_INVALID", `This operation has no option ${received}.`, {
    hint: "If the running service is older than this command, restart it.",
  });
}

/** Refuses a new text with an invisible character. @param what what the text is, with its article */
function withoutInvisible(what: string) {
  return v.check<string, (issue: v.CheckIssue<string>) => string>(
    (text) => invisibleIn(text) === undefined,
    ({ input }) => `expected ${what} without invisible characters; ${leaveOut(invisibleIn(input) ?? "")}`,
  );
}

/** A new text that is shown to people, on one line. @param what what it is, with its article */
export function line(what: string, { minLength, maxLength }: { minLength: number; maxLength: number }) {
  const words = `expected ${what} of ${minLength} to ${maxLength} characters`;
  return v.pipe(
    v.string(),
    v.minLength(minLength, words),
    v.check((text) => Array.from(text).length <= maxLength, words),
    v.check((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), `expected ${what} without control characters`),
    withoutInvisible(what),
    v.check((text) => !tokenInText.test(text), `expected ${what} without a token in it`),
  );
}

/** When a membership ends, in milliseconds since 1970; without it there is no end. */
export const until = v.optional(
  v.pipe(v.number(), v.safeInteger(), v.maxValue(latestEnd, "expected a time before the year 10000")),
);

/** A new name of a player. It must not look like a UUID. */
export const newPlayerName = v.pipe(
  v.string(),
  v.normalize("NFC"),
  v.regex(playerNameForm, `expected a player name of ${playerNameWords}`),
  v.check((name) => toUUID(name) === undefined, "expected a name that is not a UUID"),
  // URLs leave such segments out (RFC 3986, section 5.2.4).
  v.check((name) => !/^\.\.?$/.test(name), "expected a name other than . and .., which no path can have"),
  v.check(
    (name) => !otherCallers.includes(fold(name)),
    `expected a name other than ${oneOf(otherCallers)}: the audit uses these for callers who are not players`,
  ),
  withoutInvisible("a player name"),
  v.check((name) => !tokenInText.test(name), "expected a player name without a token in it"),
);

/** A duration from now, in milliseconds. */
export const milliseconds = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/**
 * Returns the fault of a row whose name and UUID are those of two players.
 * @param holder the player of the name
 * @param known the name that belongs to the UUID, if any does
 */
export function contradictionOf({ name, uuid }: Player, known: string | undefined): string {
  const whose = known === undefined ? "is unknown" : `is that of ${known}`;
  return `the player ${name} is ${uuid}, and the UUID beside it ${whose}; correct one, or leave the UUID empty`;
}

/** A player's name or UUID, registered or not. */
export const playerReference = v.pipe(
  v.string(),
  v.normalize("NFC"),
  v.check(
    (text) => playerNameForm.test(text) || toUUID(text) !== undefined,
    `expected a player name of ${playerNameWords}, or a UUID`,
  ),
);

const rankWords = `expected a rank from 1 to ${integerRange.maximum}`;
export const rank = v.pipe(
  v.number(rankWords),
  v.integer(rankWords),
  v.minValue(1, rankWords),
  v.maxValue(integerRange.maximum, rankWords),
);

/** A file that edits the data, such as a roster. */
export const fileEdit = v.strictObject({
  /** Its name, for its faults. */
  file: v.string(),
  text: v.string(),
  /** Whether to remove what the file lacks: of a roster, the memberships of players. */
  remove: v.boolean(),
  /** Whether to change nothing. */
  preview: v.boolean(),
  /** The basis of a preview: nothing is changed if it is another by now. */
  basis: v.optional(v.string()),
});
export type FileEdit = v.InferOutput<typeof fileEdit>;
