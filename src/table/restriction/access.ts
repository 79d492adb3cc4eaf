/** What a route allows a caller whatever the parameters of a request are. */
import type { Caller, Vocabulary } from "../caller.ts";
import type { Route } from "../table.ts";
import { isAllowed } from "./restriction.ts";
import { situationsOf } from "./situations.ts";

/** Whether a caller is allowed: always, never, or depending on parameters. */
export type Access = "yes" | "no" | "depends";

/** Returns whether the restriction of a route allows a caller, as it decides in each situation. */
export function accessOf(
  { restriction, parameters, decisive }: Pick<Route, "restriction" | "parameters" | "decisive">,
  caller: Caller,
  vocabulary: Vocabulary,
): Access {
  const open = parameters.filter(({ name }) => decisive.has(name));
  const decisions = situationsOf(open, [restriction], vocabulary).map(({ inputFor }) =>
    isAllowed(restriction, caller, inputFor(caller.id ?? "")),
  );
  if (!decisions.includes(true)) return "no";
  return decisions.includes(false) ? "depends" : "yes";
}
