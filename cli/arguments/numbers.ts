/** Numbers on the command line. Each parser throws InvalidArgumentError for any other text. */
import { InvalidArgumentError } from "commander";

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
