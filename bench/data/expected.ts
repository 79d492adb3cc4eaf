/** The answers that a dataset requires, derived from the documentation and not by the service's own code. */
import { addonVersion } from "../run/project.ts";
import { type Counter, type Dataset, naviPoints, type Statistic, targets, wantedReasons } from "./dataset.ts";

const topLength = 10;

/** The answers of the lists that are measured, by path. */
export const lists = {
  "/wantedreason": wantedReasons,
  "/navipoint": naviPoints,
  "/targetlist": targets.map(({ name, uuid, done }) => ({ name, uuid, done })),
} as const;

/** Returns the answer of `/statistic/{player}`. */
export function statisticAnswer(dataset: Dataset, number: number) {
  const { name, uuid } = dataset.player(number);
  const { organisation, rank } = dataset.membership(number);
  const statistic = dataset.statistic(number);
  const { deaths, kills, playTime, revives, services } = statistic;
  const groups = dataset.names.filter(({ kind }) => kind === "group");
  return {
    name,
    uuid,
    gameaddon: {
      tokenGenerateTime: dataset.tokenRecord(number).issuedAt,
      groups: Object.fromEntries(groups.map((group) => [group.name, false])),
      blacklisted: false,
      version: addonVersion,
    },
    gameplay: { deaths, kd: kdOf(statistic), kills, playTime, revives, services },
    faction: { name: organisation, rank },
  };
}

/**
 * Returns the answer of `/statistic/top`.
 * @param changed statistics that differ from the dataset's, by the player's number
 */
export function topAnswer(dataset: Dataset, changed: ReadonlyMap<number, Statistic>) {
  const all = Array.from({ length: dataset.size + 1 }, (_, number) => ({
    name: dataset.player(number).name,
    statistic: changed.get(number) ?? dataset.statistic(number),
  }));
  const best = <T extends { name: string; value: number }>(entries: T[]): T[] =>
    entries.sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1)).slice(0, topLength);
  const by = (counter: Counter) =>
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
