/** Numbers on the command line. */
import { InvalidArgumentError } from "commander";
import { integerRange } from "../../src/domain/limits.ts";

const { maximum } = integerRange;

/** Returns a parser of whole numbers from 0 or 1. It throws InvalidArgumentError for any other text. */
export function wholeFrom(least: 0 | 1, example: number): (text: string) => number {
  return (text) => {
    const number = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= maximum) return number;
    throw new InvalidArgumentError(
      `Expected a whole number from ${least} to ${maximum}, such as ${example}.`,
    );
  };
}
