/** Statistics under watch as an operator handles them: see `audit/statistics.ts`, which finds the cases. */
import * as v from "valibot";
import { statisticTypes } from "../domain/model.ts";
import { oneOf } from "../domain/text.ts";
import { defineChange } from "./define.ts";

/** Closes the cases of a player, who need not be registered any more: what was added so far counts no more. */
export const closeCases = defineChange({
  input: v.object({
    uuid: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/, "a UUID of 32 hex digits was expected")),
    types: v.pipe(v.array(v.picklist(statisticTypes)), v.minLength(1, "a type of statistics was expected")),
  }),
  change(draft, { uuid, types }, { sequence }) {
    for (const type of types) draft.closedCases.put({ uuid, type, through: sequence });
    const name = draft.players.get(uuid)?.name ?? uuid;
    const cases = types.length === 1 ? "case" : "cases";
    return { info: `Closed the ${cases} of ${name}: ${oneOf(types, "and")}.`, uuid, types };
  },
});
