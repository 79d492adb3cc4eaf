/** Converts errors to and from JSON for the control socket. */
import * as v from "valibot";
import { Failure, type FailureCode, type FailureDetails } from "../domain/errors.ts";

/** An error as JSON. */
export interface WireError extends Omit<FailureDetails, "cause"> {
  readonly code?: FailureCode;
  readonly message: string;
}

const text = v.optional(v.string());
const fault = v.object({ line: v.number(), column: v.number(), message: v.string() });
const errorForm = v.object({
  // A later version may have further codes.
  code: text,
  message: v.string(),
  parameter: text,
  hint: text,
  problems: v.optional(v.array(v.string())),
  faultyFile: v.optional(v.object({ file: v.string(), faults: v.array(fault), text: v.string() })),
});

/** Whether a JSON value is an error. */
export function isWireError(value: unknown): value is WireError {
  return v.is(errorForm, value);
}

/** Converts an error to JSON. */
export function toWire(error: unknown): WireError {
  if (error instanceof Failure) {
    const { code, message, parameter, hint, operatorHint, problems, faultyFile } = error;
    return { code, message, parameter, hint: operatorHint ?? hint, problems, faultyFile };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

/** Restores an error from JSON. */
export function fromWire({ code, message, ...details }: WireError): Error {
  return code === undefined ? new Error(message) : new Failure(code, message, details);
}
