/** Statistics of players, and the top list (specification, section 4.1). */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import type { Player } from "../domain/model.ts";
import { ReadyBody } from "../engine/body.ts";
import {
  findPlayer,
  groupsOf,
  membershipsOf,
  namesOf,
  requirePlayer,
  statisticOf,
} from "../identity/players.ts";
import { liveTokenOf } from "../identity/tokens.ts";
import { counterOf, kdOf } from "./ranking.ts";
import { type Context, defineChange, defineKeptRead, defineRead, type Sources } from "./shared/define.ts";
import type { Shown } from "./shared/shown.ts";
import {
  anyUUID,
  count,
  field,
  group,
  instant,
  organisation,
  playerReference,
  uuid,
} from "./shared/values.ts";

const type = field(
  v.picklist(["DEATH", "KILL", "PLAYTIME", "REVIVE", "SERVICE"]),
  "What is counted; of `PLAYTIME`, hours.",
  "KILL",
);
const player = field(playerReference, "The player.", "Ada");
const notRegistered = { UNKNOWN_PLAYER: "No player of the name or UUID is registered." };
const maximum = 2147483647;

const ratio = v.pipe(v.number(), v.minValue(0), v.metadata({ format: "double" }));
const counters = {
  deaths: field(count, "How often the player died.", 12),
  kd: field(ratio, "Kills per death, to two decimals; who never died is taken as having died once.", 2.5),
  kills: field(count, "How many kills the player has.", 30),
  playTime: field(count, "How long the player has played, in hours.", 90),
  revives: field(count, "How often the player revived somebody.", 4),
  services: field(count, "How many services were counted for the player.", 9),
};
const leader = field(v.string(), "The player's name.", "Ada");
const entry = v.pipe(
  v.object({ name: leader, value: field(count, "The number that is counted; in `playTime`, hours.", 30) }),
  v.title("TopEntry"),
  v.description("A player in a category of the top list."),
);
const ratioEntry = v.pipe(
  v.object({ name: leader, value: counters.kd, kills: counters.kills, deaths: counters.deaths }),
  v.title("TopRatioEntry"),
  v.description("A player in the top list by kills per death."),
);

export const topList = defineKeptRead({
  description:
    "Ten players in each category, the highest value first, of the same value by name; without those who have 0.",
  of: ["ranking"],
  input: {},
  answer: v.pipe(
    v.object({
      kills: v.pipe(v.array(entry), v.description("By kills.")),
      deaths: v.pipe(v.array(entry), v.description("By deaths.")),
      playTime: v.pipe(v.array(entry), v.description("By the time that they have played, in hours.")),
      revives: v.pipe(v.array(entry), v.description("By revives.")),
      services: v.pipe(v.array(entry), v.description("By services.")),
      kd: v.pipe(v.array(ratioEntry), v.description("By kills per death.")),
    }),
    v.title("TopList"),
    v.description("The best players of each category."),
  ),
  read: ({ ranking }) => ranking.top(),
});

const playerAnswer = v.pipe(
  v.object({
    name: field(v.string(), "The player's name.", "Ada"),
    uuid: field(uuid, "The player's game UUID.", anyUUID),
    gameaddon: v.pipe(
      v.object({
        tokenGenerateTime: field(
          v.nullable(instant),
          "When the player's newest token was issued, in milliseconds since 1970; null without one that can be used.",
          1795262400000,
        ),
        groups: v.pipe(
          v.record(group, v.boolean()),
          v.metadata({ complete: true }),
          v.description("Every group, and whether the player is in it."),
        ),
        blacklisted: field(v.boolean(), "Whether the player is excluded from this service.", false),
        version: field(
          v.nullable(v.string()),
          "The addon version that the player's client told last; null where it is not known.",
          "2.5.1",
        ),
      }),
      v.description("The player as a user of the addon."),
    ),
    gameplay: v.pipe(v.object(counters), v.description("What the player has done in the game.")),
    faction: field(
      v.nullable(
        v.object({
          name: field(organisation, "The name of the faction or service.", "GROVE"),
          rank: field(count, "The player's rank in it, from 1 on.", 4),
        }),
      ),
      "The player's faction with the highest rank. For a player in no faction, the service with the highest rank; " +
        "null for a player in neither.",
    ),
  }),
  v.title("PlayerStatistic"),
  v.description("A player, and the player's statistics."),
);

export const show = defineRead({
  description: "A player whose name is that of another operation, such as `top`, is reached by UUID.",
  input: { player },
  answer: playerAnswer,
  failures: notRegistered,
  read(data, input, context) {
    const player = requirePlayer(data, input.player);
    const known = data.shown.get(player.uuid);
    if (known !== undefined && holds(known, player, data, context)) return known.body;
    const fresh = toShown(player, data, context);
    data.shown.set(player.uuid, fresh);
    return fresh.body;
  },
});

/** Versions only grow, so that their sum tells whether one of them is another one. */
function versionOfOthers({ names, groupMembers, memberships, tokens }: Sources): number {
  return names.version + groupMembers.version + memberships.version + tokens.version;
}

function holds(
  known: Shown,
  player: Player,
  data: Sources,
  { now, activity, excludedGroup }: Context,
): boolean {
  const { token, version } = known;
  return (
    known.player === player &&
    known.statistic === data.statistics.get(player.uuid) &&
    known.others === versionOfOthers(data) &&
    known.excludedGroup === excludedGroup &&
    known.from <= now &&
    now < known.until &&
    (token === undefined || activity.versionOf(player.uuid, token) === version)
  );
}

function toShown(player: Player, data: Sources, { now, activity, excludedGroup }: Context): Shown {
  const { name, uuid: key } = player;
  const { deaths, kills, playTime, revives, services } = statisticOf(data, key);
  const token = liveTokenOf(data, key, now);
  const version = token === undefined ? null : activity.versionOf(key, token);
  const [membership] = [...membershipsOf(data, key, "faction"), ...membershipsOf(data, key, "service")];
  const joined = groupsOf(data, player);
  const shown: v.InferOutput<typeof playerAnswer> = {
    name,
    uuid: key,
    gameaddon: {
      tokenGenerateTime: token?.issuedAt ?? null,
      groups: Object.fromEntries(namesOf(data, "group").map((group) => [group, joined.includes(group)])),
      blacklisted: excludedGroup !== undefined && joined.includes(excludedGroup),
      version,
    },
    gameplay: { deaths, kd: kdOf({ kills, deaths }), kills, playTime, revives, services },
    faction: membership === undefined ? null : { name: membership.organisation, rank: membership.rank },
  };
  return {
    body: new ReadyBody(shown),
    player,
    statistic: data.statistics.get(key),
    token,
    version,
    others: versionOfOthers(data),
    excludedGroup,
    from: now,
    until: token?.expiresAt ?? Number.POSITIVE_INFINITY,
  };
}

export const add = defineChange({
  example: "Added one KILL for Ada.",
  input: { player, type },
  failures: notRegistered,
  counts: true,
  change(draft, input) {
    const { uuid: key, name } = requirePlayer(draft, input.player);
    const statistic = statisticOf(draft, key);
    const counter = counterOf[input.type];
    if (statistic[counter] === maximum) return `${name} has reached the highest number for ${input.type}.`;
    // The player's own text of the UUID: a record that was read from the disk has one that is far away in memory.
    draft.statistics.put({ ...statistic, uuid: key, [counter]: statistic[counter] + 1 });
    return `Added one ${input.type} for ${name}.`;
  },
});

export const set = defineChange({
  example: "Set KILL of Ada to 250.",
  input: { player, type, amount: field(count, "The number that is set; of `PLAYTIME`, hours.", 250) },
  failures: notRegistered,
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
