/** Who is authorized by a table as a whole: its excluded group, and the restriction of a route. */
import type { Caller } from "./caller.ts";
import { type Input, isAllowed } from "./restriction/restriction.ts";
import type { Route, Table } from "./table.ts";

/** Whether the caller is in the group that may call nothing. */
export function isExcluded({ excludedGroup }: Pick<Table, "excludedGroup">, caller: Caller): boolean {
  if (excludedGroup === undefined || caller.unrestricted) return false;
  return caller.rankIn("group", excludedGroup) !== undefined;
}

/**
 * Whether a request of the caller passes exclusion and restriction.
 * @param input at least the parameters that the restriction depends on
 */
export function isAuthorized(
  table: Pick<Table, "excludedGroup">,
  { restriction }: Pick<Route, "restriction">,
  caller: Caller,
  input: Input,
): boolean {
  return !isExcluded(table, caller) && isAllowed(restriction, caller, input);
}
