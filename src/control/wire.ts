/** Converts errors to and from JSON for the control socket. */
import * as v from "valibot";
import { Failure, type FailureCode } from "../domain/errors.ts";
import type { Fault } from "../table/yaml/fault.ts";
import { TableFaults } from "../table-in-force/route-table.ts";

/** An error as JSON. */
export interface WireError {
  readonly code?: FailureCode;
  readonly message: string;
  readonly parameter?: string | undefined;
  readonly hint?: string | undefined;
  readonly file?: string;
  readonly faults?: readonly Fault[];
  readonly text?: string;
  readonly problems?: readonly string[] | undefined;
}

const text = v.optional(v.string());
const errorForm = v.object({
  // A later version may have further codes.
  code: text,
  message: v.string(),
  parameter: text,
  hint: text,
  file: text,
  faults: v.optional(v.array(v.object({ line: v.number(), column: v.number(), message: v.string() }))),
  text,
  problems: v.optional(v.array(v.string())),
});

/** Whether a JSON value is an error. */
export function isWireError(value: unknown): value is WireError {
  return v.is(errorForm, value);
}

/** Converts an error to JSON. */
export function toWire(error: unknown): WireError {
  if (error instanceof TableFaults) {
    const { message, file, faults, text } = error;
    return { message, file, faults, text };
  }
  if (error instanceof Failure) {
    const { code, message, parameter, hint, operatorHint, problems } = error;
    return { code, message, parameter, hint: operatorHint ?? hint, problems };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

/** Restores an error from JSON. */
export function fromWire({ code, message, parameter, hint, file, faults, text, problems }: WireError): Error {
  if (file !== undefined && faults !== undefined) return new TableFaults(file, faults, text);
  if (code === undefined) return new Error(message);
  return new Failure(code, message, {
    ...(parameter === undefined ? {} : { parameter }),
    ...(hint === undefined ? {} : { hint }),
    ...(problems === undefined ? {} : { problems }),
  });
}
