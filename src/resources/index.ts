/** All handlers, by the names that `routes.yaml` uses. */
import type { Declarations } from "../table/declared/declarations.ts";
import { bundleOf } from "./bundle.ts";
import type { Handler } from "./common/define.ts";
import { eventHandlers } from "./event.ts";
import { houseBanHandlers } from "./houseban.ts";
import { listHandlers } from "./list.ts";
import * as mgmt from "./mgmt.ts";
import * as player from "./player.ts";
import { statisticHandlers } from "./statistic.ts";
import * as targets from "./targetlist.ts";

type Resources = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

const { adding, ...targetlist } = targets;

/** The names of the resources that are code. */
export const codedResources = ["statistic", "player", "targetlist", "houseban", "mgmt", "event", "bundle"];

/** Returns all handlers that declarations result in, by names such as `targetlist.add`. They have no state. */
export function handlersFor(declared: Declarations): ReadonlyMap<string, Handler> {
  const { lists, banReasons, maxEntries, maxEntriesPerCreator: own } = declared;
  const resources: Resources = {
    statistic: statisticHandlers(declared),
    player: { ...player },
    targetlist: { add: adding(maxEntries.targetlist, own.targetlist), ...targetlist },
    ...(banReasons && { houseban: houseBanHandlers(banReasons, maxEntries.houseban, own.houseban) }),
    ...Object.fromEntries(lists.map((list) => [list.name, listHandlers(list, lists)])),
    mgmt: { overview: mgmt.overview, users: mgmt.users, version: mgmt.mark },
    event: eventHandlers(declared),
  };
  const handlers = Object.entries(resources).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([name, handler]) => [`${resource}.${name}`, handler] as const),
  );
  return new Map([...handlers, ["bundle.all", bundleOf(new Map(handlers), lists)]]);
}
