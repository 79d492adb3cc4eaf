/** All lists in one answer: an addon requests them at every start of the game. */
import * as v from "valibot";
import { ReadyBody } from "../engine/body.ts";
import { namesOf } from "../identity/memberships.ts";
import * as blacklistreason from "./blacklistreason.ts";
import * as event from "./event.ts";
import * as houseban from "./houseban.ts";
import * as housebanreason from "./housebanreason.ts";
import * as navipoint from "./navipoint.ts";
import * as player from "./player.ts";
import { type Context, defineRead } from "./shared/define.ts";
import { faction } from "./shared/values.ts";
import * as statistic from "./statistic.ts";
import * as targetlist from "./targetlist.ts";
import * as wantedreason from "./wantedreason.ts";

/** The name of each list in the answer, its operation, and the input of that. */
const lists = [
  ["player", "player.overview", {}],
  ["targetlist", "targetlist.list", {}],
  ["houseban", "houseban.list", { advanced: false }],
  ["housebanreason", "housebanreason.list", {}],
  ["navipoint", "navipoint.list", {}],
  ["wantedreason", "wantedreason.list", {}],
  ["event", "event.current", {}],
  ["top", "statistic.top", {}],
] as const;

export const all = defineRead({
  description: "Each list is the answer of its own operation. The house bans do not name who entered them.",
  input: {},
  answer: v.pipe(
    v.object({
      player: v.optional(player.overview.answer),
      targetlist: v.optional(targetlist.list.answer),
      houseban: v.optional(houseban.list.answer),
      housebanreason: v.optional(housebanreason.list.answer),
      navipoint: v.optional(navipoint.list.answer),
      wantedreason: v.optional(wantedreason.list.answer),
      event: v.optional(event.current.answer),
      top: v.optional(statistic.topList.answer),
      blacklistreason: v.optional(
        v.pipe(
          v.record(faction, blacklistreason.list.answer),
          v.description("The blacklist reasons of every faction whose list the caller may read."),
        ),
      ),
    }),
    v.title("Bundle"),
    v.description("The lists that the caller may read; others are left out."),
  ),
  read(data, _input, context) {
    const parts: [string, ReadyBody][] = [];
    for (const [name, operation, input] of lists) {
      const body = context.cached(operation, input);
      if (body !== undefined) parts.push([name, body]);
    }
    const reasons = blacklistReasons(namesOf(data, "faction"), context);
    if (reasons.length > 0) parts.push(["blacklistreason", ReadyBody.of(reasons)]);
    return ReadyBody.of(parts);
  },
});

/** Returns the blacklist reasons of the factions whose list the caller may read. */
function blacklistReasons(factions: readonly string[], { cached }: Context): [string, ReadyBody][] {
  return factions.flatMap((factionString): [string, ReadyBody][] => {
    const body = cached("blacklistreason.list", { factionString });
    return body === undefined ? [] : [[factionString, body]];
  });
}
