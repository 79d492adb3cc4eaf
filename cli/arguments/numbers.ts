/** Numbers and durations on the command line. Each parser throws InvalidArgumentError for any other text. */
import { InvalidArgumentError } from "commander";

const millisecondsOf: ReadonlyMap<string, number> = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

/** Parses a number of rows. */
export function parseLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number, such as 20.");
}

/** Parses a number of files to keep. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1, such as 14.");
}

/** Parses a duration such as `30d` into milliseconds. */
export function parseDuration(text: string): number {
  const [, number, unit = ""] = /^([1-9]\d{0,5})([a-z])$/.exec(text) ?? [];
  const milliseconds = millisecondsOf.get(unit);
  if (milliseconds !== undefined) return Number(number) * milliseconds;
  throw new InvalidArgumentError("Expected a number and m, h, d or w, such as 30d.");
}
