/** What a world has to be answered with: worked out here anew from the contract, not by the service's own code. */
import type { Statistic } from "../../src/domain/model.ts";
import { addonVersion } from "../run/ask.ts";
import { naviPoints, targets, type World, wantedReasons } from "./world.ts";

const topLength = 10;

/** The lists that are measured, and what they answer. */
export const lists = {
  "/wantedreason": wantedReasons,
  "/navipoint": naviPoints,
  "/targetlist": targets.map(({ name, uuid, done }) => ({ name, uuid, done })),
} as const;

/** The answer of `/statistic/{player}`. */
export function statisticAnswer(
  world: World,
  number: number,
  groups: readonly string[],
  statistic = world.statistic(number),
) {
  const { name, uuid } = world.player(number);
  const { organisation, rank } = world.membership(number);
  const { deaths, kills, playTime, revives, services } = statistic;
  return {
    name,
    uuid,
    gameaddon: {
      tokenGenerateTime: world.tokenRecord(number).issuedAt,
      groups: Object.fromEntries(groups.map((group) => [group, false])),
      blacklisted: false,
      version: addonVersion,
    },
    gameplay: { deaths, kd: kdOf(statistic), kills, playTime, revives, services },
    faction: { name: organisation, rank },
  };
}

/**
 * The answer of `/statistic/top`.
 * @param changed statistics that are not as the world began, by the player's number
 */
export function topAnswer(world: World, changed: ReadonlyMap<number, Statistic> = new Map()) {
  const all = Array.from({ length: world.size + 1 }, (_, number) => ({
    name: world.player(number).name,
    statistic: changed.get(number) ?? world.statistic(number),
  }));
  const best = <T extends { name: string; value: number }>(entries: T[]): T[] =>
    entries.sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1)).slice(0, topLength);
  const by = (counter: Exclude<keyof Statistic, "uuid">) =>
    best(all.map(({ name, statistic }) => ({ name, value: statistic[counter] })));
  return {
    kills: by("kills"),
    deaths: by("deaths"),
    playTime: by("playTime"),
    revives: by("revives"),
    services: by("services"),
    kd: best(
      all.map(({ name, statistic }) => {
        const { kills, deaths } = statistic;
        return { name, value: kdOf(statistic), kills, deaths };
      }),
    ),
  };
}

function kdOf({ kills, deaths }: Statistic): number {
  return Math.round((kills * 100) / Math.max(deaths, 1)) / 100;
}
