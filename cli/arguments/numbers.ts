/** Numbers on the command line. */
import { InvalidArgumentError } from "commander";

/** Returns a parser of whole numbers from 0 or 1. It throws InvalidArgumentError for any other text. */
export function wholeFrom(least: 0 | 1, example: number): (text: string) => number {
  const from = least === 0 ? "" : " from 1";
  return (text) => {
    if (/^(?:0|[1-9]\d{0,8})$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number${from}, such as ${example}.`);
  };
}
