/** The bound on lists. */
import { Failure } from "../../domain/errors.ts";
import { counted } from "../../domain/text.ts";

/** Refuses a new entry. @throws Failure `CONFLICT` if a list has as many entries as it can, or more */
export function requireSpace(size: number, most: number | undefined, list: string): void {
  if (most === undefined || size < most) return;
  throw new Failure("CONFLICT", `The ${list} is full: it can have ${counted(most, "entry")}.`, {
    hint: "Remove an entry first.",
  });
}
