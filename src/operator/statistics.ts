/** Closing the cases of watched statistics that `audit/statistics.ts` finds. */
import * as v from "valibot";
import { allOf } from "../domain/text.ts";
import { uuid } from "../domain/uuid.ts";
import { defineChange } from "./define.ts";

/** Closes a player's cases: additions up to now no longer count. The player need not be registered any more. */
export const closeCases = defineChange({
  input: v.strictObject({
    uuid: v.message(uuid, "expected a UUID of 32 hex digits"),
    types: v.pipe(v.array(v.string()), v.minLength(1, "expected a type of statistics")),
  }),
  change(draft, { uuid: player, types }, { sequence }) {
    for (const type of types) draft.closedCases.put({ uuid: player, type, through: sequence });
    const name = draft.players.get(player)?.name ?? player;
    const cases = types.length === 1 ? "case" : "cases";
    return { info: `Closed the ${cases} of ${name}: ${allOf(types)}.`, uuid: player, types };
  },
});
