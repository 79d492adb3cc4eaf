/** Numbers on the command line. */
import { InvalidArgumentError } from "commander";

/** The largest number: that of a Java int, in which clients have ranks and points. */
export const largest = 2 ** 31 - 1;

/** Returns a parser of whole numbers from 0 or 1. It throws InvalidArgumentError for any other text. */
export function wholeFrom(least: 0 | 1, example: number): (text: string) => number {
  return (text) => {
    const number = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= largest) return number;
    throw new InvalidArgumentError(
      `Expected a whole number from ${least} to ${largest}, such as ${example}.`,
    );
  };
}
