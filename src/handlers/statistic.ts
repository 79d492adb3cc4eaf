/** Statistics of players, and the top list (specification, section 4.1). */
import * as v from "valibot";
import { Failure } from "../errors.ts";
import {
  findPlayer,
  isInGroup,
  membershipsOf,
  namesOf,
  requirePlayer,
  statisticOf,
} from "../identity/players.ts";
import { liveTokenOf } from "../identity/tokens.ts";
import type { Player, Statistic } from "../model.ts";
import type { Data } from "../store/data.ts";
import { compareTexts } from "../text.ts";
import { defineChange, defineRead } from "./define.ts";
import { count, instant, playerReference, uuid } from "./values.ts";

/** Which counter a statistic type adds to. */
const counterOf = {
  DEATH: "deaths",
  KILL: "kills",
  PLAYTIME: "playTime",
  REVIVE: "revives",
  SERVICE: "services",
} as const;
const type = v.picklist(["DEATH", "KILL", "PLAYTIME", "REVIVE", "SERVICE"]);
const maximum = 2147483647;
const topLength = 10;

const entry = v.object({ name: v.string(), value: count });
const ratio = v.pipe(v.number(), v.minValue(0));

/** Kills per death, to two decimals; somebody who never died is taken as having died once. */
function kdOf({ kills, deaths }: Statistic): number {
  // Multiplied first: 201 kills to 200 deaths are 1.005, which as a fraction is a little less.
  return Math.round((kills * 100) / Math.max(deaths, 1)) / 100;
}

interface Ranked {
  readonly name: string;
  readonly value: number;
}

function top<T extends Ranked>(entries: readonly T[]): T[] {
  return entries
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || compareTexts(a.name, b.name))
    .slice(0, topLength);
}

function rankings(data: Data) {
  const known: { player: Player; statistic: Statistic }[] = [];
  for (const statistic of data.statistics.values()) {
    const player = data.players.get(statistic.uuid);
    if (player !== undefined) known.push({ player, statistic });
  }
  const by = (counter: (typeof counterOf)[keyof typeof counterOf]) =>
    top(known.map(({ player: { name }, statistic }) => ({ name, value: statistic[counter] })));
  const kd = known.map(({ player: { name }, statistic }) => {
    const { kills, deaths } = statistic;
    return { name, value: kdOf(statistic), kills, deaths };
  });
  return {
    kills: by("kills"),
    deaths: by("deaths"),
    playTime: by("playTime"),
    revives: by("revives"),
    services: by("services"),
    kd: top(kd),
  };
}

export const topList = defineRead({
  input: {},
  answer: v.object({
    kills: v.array(entry),
    deaths: v.array(entry),
    playTime: v.array(entry),
    revives: v.array(entry),
    services: v.array(entry),
    kd: v.array(v.object({ name: v.string(), value: ratio, kills: count, deaths: count })),
  }),
  read: rankings,
});

export const show = defineRead({
  input: { player: playerReference },
  answer: v.object({
    name: v.string(),
    uuid,
    gameaddon: v.object({
      tokenGenerateTime: v.nullable(instant),
      groups: v.record(v.string(), v.boolean()),
      blacklisted: v.boolean(),
      version: v.nullable(v.string()),
    }),
    gameplay: v.object({
      deaths: count,
      kd: ratio,
      kills: count,
      playTime: count,
      revives: count,
      services: count,
    }),
    faction: v.nullable(v.object({ name: v.string(), rank: count })),
  }),
  read(data, input, { now, activity, excludedGroup }) {
    const player = requirePlayer(data, input.player);
    const statistic = statisticOf(data, player.uuid);
    const { deaths, kills, playTime, revives, services } = statistic;
    const token = liveTokenOf(data, player.uuid, now);
    const [membership] = membershipsOf(data, player.uuid, "faction");
    return {
      name: player.name,
      uuid: player.uuid,
      gameaddon: {
        tokenGenerateTime: token?.issuedAt ?? null,
        groups: Object.fromEntries(
          namesOf(data, "group").map((name) => [name, isInGroup(data, name, player)]),
        ),
        blacklisted: excludedGroup !== undefined && isInGroup(data, excludedGroup, player),
        version: token === undefined ? null : activity.versionOf(player.uuid, token),
      },
      gameplay: { deaths, kd: kdOf(statistic), kills, playTime, revives, services },
      faction: membership === undefined ? null : { name: membership.organisation, rank: membership.rank },
    };
  },
});

export const add = defineChange({
  input: { player: playerReference, type },
  change(draft, input) {
    const { uuid: key, name } = requirePlayer(draft, input.player);
    const statistic = statisticOf(draft, key);
    const counter = counterOf[input.type];
    if (statistic[counter] === maximum) return `${name} has reached the highest number for ${input.type}.`;
    draft.statistics.put({ ...statistic, [counter]: statistic[counter] + 1 });
    return `Added one ${input.type} for ${name}.`;
  },
});

export const set = defineChange({
  input: { player: playerReference, type, amount: count },
  change(draft, { player: reference, type: what, amount }) {
    const player = findPlayer(draft, reference);
    if (player === undefined) throw new Failure("UNKNOWN_PLAYER", `There is no player "${reference}".`);
    const statistic = statisticOf(draft, player.uuid);
    const counter = counterOf[what];
    if (statistic[counter] === amount) return `${what} of ${player.name} is ${amount} already.`;
    draft.statistics.put({ ...statistic, [counter]: amount });
    return `Set ${what} of ${player.name} to ${amount}.`;
  },
});
