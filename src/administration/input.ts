/** The input of an administrative operation, as its schema has it. */
import * as v from "valibot";
import { Failure } from "../errors.ts";
import type { AdministrationOperation } from "./define.ts";

/** @throws Failure `PARAMETER_INVALID` where the operation does not take it */
export function parseInput(operation: AdministrationOperation, input: unknown): unknown {
  const parsed = v.safeParse(operation.input, input);
  if (!parsed.success) throw new Failure("PARAMETER_INVALID", `${upperFirst(parsed.issues[0].message)}.`);
  return parsed.output;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
