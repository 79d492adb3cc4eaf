/** Numbers on the command line, and the words for instants. Each parser throws InvalidArgumentError for any other text. */
import { InvalidArgumentError } from "commander";

/** What `instant.ts` parses, for help: a duration counts back from now, or ahead for `--expires`. */
export const instantWords =
  "a duration such as 2h or 30d (m, h, d, w), a date or time such as 2026-11-23 or 2026-11-23T18:00Z, or milliseconds since 1970";

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
