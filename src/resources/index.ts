/** All handlers, by the names that `routes.yaml` uses. */
import * as blacklistreason from "./blacklistreason.ts";
import * as bundle from "./bundle.ts";
import * as event from "./event.ts";
import * as houseban from "./houseban.ts";
import * as housebanreason from "./housebanreason.ts";
import * as mgmt from "./mgmt.ts";
import * as navipoint from "./navipoint.ts";
import * as player from "./player.ts";
import type { Handler } from "./shared/define.ts";
import * as statistic from "./statistic.ts";
import * as targetlist from "./targetlist.ts";
import * as wantedreason from "./wantedreason.ts";

const resources: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  statistic: { top: statistic.topList, show: statistic.show, add: statistic.add, set: statistic.set },
  player: { ...player },
  targetlist: { ...targetlist },
  blacklistreason: { ...blacklistreason },
  houseban: { ...houseban },
  housebanreason: { ...housebanreason },
  navipoint: { ...navipoint },
  wantedreason: { ...wantedreason },
  mgmt: { overview: mgmt.overview, users: mgmt.users, version: mgmt.mark },
  event: { ...event },
  bundle: { ...bundle },
};

/** All handlers, by names such as `targetlist.add`. */
export const handlers: ReadonlyMap<string, Handler> = new Map(
  Object.entries(resources).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([name, handler]) => [`${resource}.${name}`, handler] as const),
  ),
);
