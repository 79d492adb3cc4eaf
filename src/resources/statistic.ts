/** Players' statistics and the top list. */
import * as v from "valibot";
import { integerRange } from "../domain/limits.ts";
import { counterOf, statisticTypes } from "../domain/model.ts";
import { uuid } from "../domain/uuid.ts";
import { groupsOf, membershipsOf, namesOf } from "../identity/memberships.ts";
import { requirePlayer, statisticOf } from "../identity/players.ts";
import { liveTokenOf } from "../identity/tokens.ts";
import { kdOf } from "./ranking.ts";
import { defineCachedRead, defineChange, defineRead } from "./shared/define.ts";
import { anyUUID, count, field, group, instant, organisation, playerReference } from "./shared/values.ts";

const type = field(v.picklist(statisticTypes), "The type of statistic. `PLAYTIME` counts hours.", "KILL");
const player = field(playerReference, "The player.", "Ada");
const notRegistered = { UNKNOWN_PLAYER: "No player of this name or UUID is registered." };

const ratio = v.pipe(v.number(), v.minValue(0), v.metadata({ format: "double" }));
const counters = {
  deaths: field(count, "The number of deaths.", 12),
  kd: field(ratio, "Kills per death, to two decimals; without a death, the kills.", 2.5),
  kills: field(count, "The number of kills.", 30),
  playTime: field(count, "The hours played.", 90),
  revives: field(count, "The number of revives.", 4),
  services: field(count, "The number of services.", 9),
};
const leader = field(v.string(), "The player's name.", "Ada");
const entry = v.pipe(
  v.object({ name: leader, value: field(count, "The player's count; hours in `playTime`.", 30) }),
  v.title("TopEntry"),
  v.description("A player in a category of the top list."),
);
const ratioEntry = v.pipe(
  v.object({ name: leader, value: counters.kd, kills: counters.kills, deaths: counters.deaths }),
  v.title("TopRatioEntry"),
  v.description("A player in the top list by kills per death."),
);

export const topList = defineCachedRead({
  description:
    "Ten players in each category, the highest value first, equal values by name. Players with 0 are left out.",
  dependsOn: ["ranking"],
  input: {},
  answer: v.pipe(
    v.object({
      kills: v.pipe(v.array(entry), v.description("By kills.")),
      deaths: v.pipe(v.array(entry), v.description("By deaths.")),
      playTime: v.pipe(v.array(entry), v.description("By hours played.")),
      revives: v.pipe(v.array(entry), v.description("By revives.")),
      services: v.pipe(v.array(entry), v.description("By services.")),
      kd: v.pipe(v.array(ratioEntry), v.description("By kills per death.")),
    }),
    v.title("TopList"),
    v.description("The best players in each category."),
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
          "When the player's newest valid token was issued, in milliseconds since 1970; null without one.",
          1795262400000,
        ),
        groups: v.pipe(
          v.record(group, v.boolean()),
          v.metadata({ complete: true }),
          v.description("Whether the player is in each group."),
        ),
        blacklisted: field(v.boolean(), "Whether the player is excluded from this service.", false),
        version: field(
          v.nullable(v.string()),
          "The addon version that the player's client last reported; null if unknown.",
          "2.5.1",
        ),
      }),
      v.description("The player's use of the addon."),
    ),
    gameplay: v.pipe(v.object(counters), v.description("The player's counters.")),
    faction: field(
      v.nullable(
        v.object({
          name: field(organisation, "The name of the faction or service.", "GROVE"),
          rank: field(count, "The player's rank, from 1.", 4),
        }),
      ),
      "The faction in which the player has the highest rank; without a faction, the service; null without either.",
    ),
  }),
  v.title("PlayerStatistic"),
  v.description("A player's statistics and memberships."),
);

export const show = defineRead({
  description: "Use the UUID of a player whose name is that of another operation, such as `top`.",
  input: { player },
  answer: playerAnswer,
  failures: notRegistered,
  // Building the answer takes a quarter of the row "a read of /statistic/{player}".
  cache: {
    capacity: 2000,
    // Records are replaced, never edited.
    dependencies(data, input, { now, activity, excludedGroup }) {
      const found = requirePlayer(data, input.player);
      const token = liveTokenOf(data, found.uuid, now);
      return [
        found,
        data.statistics.get(found.uuid),
        token,
        token && activity.versionOf(found.uuid, token),
        excludedGroup,
        data.names.version + data.groupMembers.version + data.memberships.version,
      ];
    },
  },
  read(data, input, { now, activity, excludedGroup }) {
    const { name, uuid: key } = requirePlayer(data, input.player);
    const { deaths, kills, playTime, revives, services } = statisticOf(data, key);
    const token = liveTokenOf(data, key, now);
    const membership =
      membershipsOf(data, key, "faction")[0] ?? membershipsOf(data, key, "service")[0] ?? null;
    const joined = groupsOf(data, { name, uuid: key });
    return {
      name,
      uuid: key,
      gameaddon: {
        tokenGenerateTime: token?.issuedAt ?? null,
        groups: Object.fromEntries(namesOf(data, "group").map((name) => [name, joined.includes(name)])),
        blacklisted: excludedGroup !== undefined && joined.includes(excludedGroup),
        version: token === undefined ? null : activity.versionOf(key, token),
      },
      gameplay: { deaths, kd: kdOf({ kills, deaths }), kills, playTime, revives, services },
      faction: membership && { name: membership.organisation, rank: membership.rank },
    };
  },
});

export const add = defineChange({
  example: "Added one KILL for Ada.",
  input: { player, type },
  failures: notRegistered,
  counts: true,
  change(draft, input) {
    const { uuid: key, name } = requirePlayer(draft, input.player);
    const statistic = statisticOf(draft, key);
    const counter = counterOf[input.type];
    if (statistic[counter] === integerRange.maximum)
      return `${name} already has the maximum for ${input.type}.`;
    draft.statistics.put({ ...statistic, [counter]: statistic[counter] + 1 });
    return `Added one ${input.type} for ${name}.`;
  },
});

export const set = defineChange({
  example: "Set KILL of Ada to 250.",
  input: { player, type, amount: field(count, "The new count; hours for `PLAYTIME`.", 250) },
  failures: notRegistered,
  change(draft, { player: reference, type: what, amount }) {
    const { uuid: key, name } = requirePlayer(draft, reference);
    const statistic = statisticOf(draft, key);
    const counter = counterOf[what];
    if (statistic[counter] === amount) return `${what} of ${name} is already ${amount}.`;
    draft.statistics.put({ ...statistic, [counter]: amount });
    return `Set ${what} of ${name} to ${amount}.`;
  },
});
