/** Converts errors to and from JSON for the control socket. */
import * as v from "valibot";
import { Failure, type FailureCode } from "../domain/errors.ts";

const text = v.optional(v.string());
const fault = v.object({ line: v.number(), column: v.number(), message: v.string() });
const errorForm = v.object({
  // A later version may have further codes.
  code: v.optional(v.custom<FailureCode>((code) => typeof code === "string")),
  message: v.string(),
  parameter: text,
  hint: text,
  problems: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  faultyFile: v.optional(
    v.object({ file: v.string(), faults: v.pipe(v.array(fault), v.readonly()), text: v.string() }),
  ),
});
type WireError = v.InferOutput<typeof errorForm>;

export function isWireError(value: unknown): value is WireError {
  return v.is(errorForm, value);
}

export function toWire(error: unknown): WireError {
  if (error instanceof Failure) {
    const { code, message, parameter, hint, operatorHint, problems, faultyFile } = error;
    return { code, message, parameter, hint: operatorHint ?? hint, problems, faultyFile };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

export function fromWire({ code, message, ...details }: WireError): Error {
  return code === undefined ? new Error(message) : new Failure(code, message, details);
}
