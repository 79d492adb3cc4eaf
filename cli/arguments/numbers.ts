/** How many rows a list shows at most, as it is typed. */
import { InvalidArgumentError } from "commander";

/** @throws InvalidArgumentError where the text is no whole number */
export function parseLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected is a whole number, such as 20.");
}
