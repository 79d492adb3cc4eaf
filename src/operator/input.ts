/** The input of an administrative operation, as its schema has it. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import type { AdministrationOperation } from "./define.ts";

/**
 * Returns the input as the operation takes it. A key that the operation does not know is refused, not ignored: a command
 * of a later version may have sent it, and its operator relies on it.
 * @throws Failure `PARAMETER_INVALID` where the operation does not take it
 */
export function parseInput(operation: AdministrationOperation, input: unknown): unknown {
  const parsed = v.safeParse(operation.input, input);
  if (parsed.success) return parsed.output;
  const [{ type, expected, received, message }] = parsed.issues;
  if (type !== "strict_object" || expected !== "never")
    throw new Failure("PARAMETER_INVALID", `${upperFirst(message)}.`);
  throw new Failure("PARAMETER_INVALID", `This operation has no option ${received}.`, {
    hint: "If the running service was started from an earlier version than this command, restart it.",
  });
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
