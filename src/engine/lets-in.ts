/** Whether a table lets a caller call an operation: for operations whose answer has that of others in it. */
import * as v from "valibot";
import type { Caller } from "../table/caller.ts";
import { type Input, isAllowed, type ParameterValue } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";

/**
 * Whether one of the table's routes runs the operation with this input for the caller.
 * @param input the values of its parameters; those that have a default may be left out
 */
export function letsIn(table: Table, caller: Caller, operation: string, input: Input): boolean {
  return table.routes.some((route) => {
    if (route.handler !== operation) return false;
    const values = valuesOf(route, input);
    return values !== undefined && isAllowed(route.restriction, caller, values);
  });
}

/** The values as the route takes them, or undefined where it does not take them. */
function valuesOf({ parameters }: Route, input: Input): Input | undefined {
  const values: Record<string, ParameterValue> = Object.create(null);
  for (const { name, schema, default: fallback } of parameters) {
    const given = input[name];
    const value = given === undefined ? fallback : parsed(schema, given);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function parsed(
  schema: v.GenericSchema<string, ParameterValue>,
  given: ParameterValue,
): ParameterValue | undefined {
  const result = v.safeParse(schema, String(given));
  return result.success ? result.output : undefined;
}
