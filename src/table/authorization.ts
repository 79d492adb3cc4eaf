/** Who is authorized by a table as a whole: its excluded group, and the restriction of a route. */
import * as v from "valibot";
import type { Terms } from "../domain/terms.ts";
import type { Caller } from "./caller.ts";
import { type Input, isAllowed, type ParameterValue } from "./restriction/restriction.ts";
import type { Route, Table } from "./table.ts";

/** Whether the caller is in the group that may call nothing. */
export function isExcluded({ excludedGroup }: Pick<Table, "excludedGroup">, caller: Caller): boolean {
  if (excludedGroup === undefined || caller.unrestricted) return false;
  return caller.rankIn("group", excludedGroup) !== undefined;
}

/** Returns the terms of the exclusion of a caller. */
export function exclusionOf({ excludedGroup }: Pick<Table, "excludedGroup">, caller: Caller): Terms {
  return (excludedGroup === undefined ? undefined : caller.termsIn?.(excludedGroup)) ?? {};
}

/**
 * Decides whether a caller may call an operation, in the order of the steps of a request.
 * @param decisive returns the parameters that the restriction depends on, and is called last: it may throw
 * @returns the code of the failure, or undefined if the caller may call it
 */
export function denialOf(
  table: Pick<Table, "excludedGroup">,
  { operation, restriction }: Pick<Route, "operation" | "restriction">,
  caller: Caller,
  decisive: () => Input,
): "EXCLUDED" | "READ_ONLY" | "RESTRICTED" | undefined {
  if (isExcluded(table, caller)) return "EXCLUDED";
  if (operation.effect === "change" && caller.readOnly === true) return "READ_ONLY";
  return isAllowed(restriction, caller, decisive()) ? undefined : "RESTRICTED";
}

/**
 * Returns the input with which a route allows the caller an operation: for operations whose answer contains that of others.
 * Its limit is the highest of such routes. A route that fills in any other default does not count: it selects entries that
 * were not asked for, and its answer lacks the field.
 * @param input the values of the operation's parameters
 * @returns undefined if no route allows it
 */
export function allowedInput(
  { routes }: Pick<Table, "routes">,
  caller: Caller,
  operation: string,
  input: Input,
): Input | undefined {
  const allowed = routes.flatMap((route) => {
    const values = route.handler === operation ? parse(route, input) : undefined;
    if (values === undefined || !isAllowed(route.restriction, caller, values)) return [];
    const filled = Object.keys(values).filter((name) => input[name] === undefined);
    return filled.every((name) => name === "limit") ? [{ ...input, ...values }] : [];
  });
  const limitOf = ({ limit = Number.POSITIVE_INFINITY }: Input) => Number(limit);
  return allowed.sort((one, other) => limitOf(other) - limitOf(one))[0];
}

/** Returns the values as the route parses them, or undefined if it refuses one. */
function parse({ parameters }: Route, input: Input): Input | undefined {
  const values: Record<string, ParameterValue> = Object.create(null);
  for (const { name, schema, default: fallback } of parameters) {
    const value = input[name];
    const result = v.safeParse(schema, value === undefined ? undefined : String(value));
    if (result.success) values[name] = result.output;
    else if (value === undefined && fallback !== undefined) values[name] = fallback;
    else return undefined;
  }
  return values;
}
