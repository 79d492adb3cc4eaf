/** Instants on the command line. */
import { InvalidArgumentError, Option } from "commander";
import { latestEnd, latestInstant, toInstant } from "../../src/domain/instant.ts";
import type { Context } from "../context.ts";

/** What {@link parseInstant} accepts, for help: a duration counts back from now, or ahead for `--expires`. */
export const instantWords =
  "a duration such as 2h or 30d (m, h, d, w), a date or time such as 2026-11-23 or 2026-11-23T18:00Z, or milliseconds since 1970";

const millisecondsOf: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Parses what {@link instantWords} says, into milliseconds since 1970. A time without a zone is in that of this machine.
 * @param direction whether a duration counts back from now, or ahead
 * @param output is told of the zone
 * @throws InvalidArgumentError for any other text, and for a time that the calendar or the clock does not have
 */
export function parseInstant(
  text: string,
  direction: "ago" | "ahead",
  output: Pick<Context["output"], "remark">,
): number {
  const [, number, unit = "", ago] = /^([1-9]\d{0,5})([mhdw])( ago)?$/.exec(text) ?? [];
  const milliseconds = millisecondsOf[unit];
  if (milliseconds !== undefined && (direction === "ago" || ago === undefined))
    return Date.now() + Number(number) * milliseconds * (direction === "ago" ? -1 : 1);
  // For people, also with a space between the date and the time.
  const written = text.replace(" ", "T");
  const zoned = toInstant(written);
  // Such as seconds since 1970, a year, or a duration without its unit: hardly anybody means an hour of January 1970.
  if (/^\d{1,11}$/.test(text) && text !== "0") {
    const meant = `"${text}" would be ${new Date(zoned).toISOString()}`;
    throw new InvalidArgumentError(`Expected ${instantWords}; as milliseconds ${meant}.`);
  }
  if (zoned >= 0 && zoned <= latestInstant) return zoned;
  const instant = localInstant(written);
  if (instant === undefined) throw new InvalidArgumentError(`Expected ${instantWords}.`);
  // Node knows no name for a TZ that it does not know, which then means UTC.
  const { timeZone = "UTC" } = Intl.DateTimeFormat().resolvedOptions();
  output.remark(`Without a zone, "${text}" is a time in ${timeZone}: ${new Date(instant).toISOString()}.`);
  return instant;
}

/** Parses an instant as {@link parseInstant} does. @throws InvalidArgumentError for any that is not in the future */
export function parseFuture(text: string, output: Pick<Context["output"], "remark">): number {
  const instant = parseInstant(text, "ahead", output);
  if (instant > latestEnd) throw new InvalidArgumentError("Expected a time before the year 10000.");
  if (instant > Date.now()) return instant;
  throw new InvalidArgumentError("Expected a time in the future, such as 30d.");
}

/** Refuses a range that ends before it begins. */
export function requireOrder(
  { since = 0, until = since }: { readonly since?: number | undefined; readonly until?: number | undefined },
  misuse: Context["misuse"],
): void {
  if (since > until) misuse("--since is later than --until");
}

/** Returns the option for when a membership or an exclusion ends. */
export function untilOption(output: Pick<Context["output"], "remark">): Option {
  return new Option("--until <moment>", `when it ends by itself: ${instantWords}`).argParser((text) =>
    parseFuture(text, output),
  );
}

/** Parses a time without a zone, or a date, which is its first moment. @throws InvalidArgumentError if there is no such time */
function localInstant(text: string): number | undefined {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::\d{2}(?:\.\d{1,9})?)?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const local = new Date(time === undefined ? `${text}T00:00` : text);
  // This locale writes them as ISO 8601 does. In some zones the clock skips the first hour of a day.
  if (local.toLocaleString("sv-SE").startsWith(time === undefined ? day : `${day} ${time}`))
    return local.getTime();
  throw new InvalidArgumentError("There is no such day or time in this machine's zone.");
}

/** The point in time of a restore: a change's number, or an instant in milliseconds. */
export type PointInTime = { readonly sequence: number } | { readonly instant: number };

/** Parses a past instant, or the number of a change such as `#42`. @throws InvalidArgumentError for any other text */
export function parsePointInTime(text: string, output: Pick<Context["output"], "remark">): PointInTime {
  const [, number] = /^#([1-9]\d{0,15})$/.exec(text) ?? [];
  if (number !== undefined) return { sequence: Number(number) };
  try {
    return { instant: parseInstant(text, "ago", output) };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(
      `${error.message} The number of a change, such as #42, is possible as well.`,
    );
  }
}
