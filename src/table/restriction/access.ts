/** What a route allows a caller whatever the parameters of a request are. */
import { type Caller, nobody, type Vocabulary } from "../caller.ts";
import type { Route } from "../table.ts";
import { isAllowed } from "./restriction.ts";
import { anythingElse, namedTexts, situationsOf } from "./situations.ts";

/** Whether a caller is allowed: always, never, or depending on parameters. */
export type Access = "yes" | "no" | "depends";

type Decided = Pick<Route, "restriction" | "parameters" | "decisive">;

export function accessOf(route: Decided, caller: Caller, vocabulary: Vocabulary): Access {
  const { restriction, parameters, decisive } = route;
  const open = parameters.filter(({ name }) => decisive.has(name));
  const answers = situationsOf(open, [restriction], vocabulary).map(({ inputFor }) =>
    isAllowed(restriction, caller, inputFor(caller.id ?? "")),
  );
  if (answers.includes(true) && answers.includes(false)) return "depends";
  return answers.includes(true) ? "yes" : "no";
}

/** Returns whether a route allows the holder of a public token, whatever names the data has. */
export function publicAccessOf(route: Decided): Access {
  const names = [...namedTexts(route.restriction, route.decisive), anythingElse];
  return accessOf(route, nobody, { group: names, faction: names, service: names });
}
