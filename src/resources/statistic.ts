/** Players' statistics and the top list, as the table declares them. */
import * as v from "valibot";
import { integerRange } from "../domain/limits.ts";
import { countIn, type Statistic } from "../domain/model.ts";
import { uncapitalised } from "../domain/text.ts";
import { uuid } from "../domain/uuid.ts";
import { groupsOf, membershipsOf, namesOf, rightsVersion, standingsOf } from "../identity/memberships.ts";
import { requirePlayer, statisticOf } from "../identity/players.ts";
import { liveTokenOf } from "../identity/tokens.ts";
import type { Draft } from "../store/data.ts";
import type { Measure, StatisticDeclarations } from "../table/declared/statistics.ts";
import { defineCachedRead, defineChange, defineRead, type Handler } from "./common/define.ts";
import {
  anyUUID,
  component,
  count,
  derived,
  field,
  group,
  instant,
  organisation,
  playerNameOrUUID,
} from "./common/values.ts";
import { measured, measuresOf } from "./ranking.ts";

const player = derived(field(playerNameOrUUID, "The player.", "Ada"), "text");
const notRegistered = { UNKNOWN_PLAYER: "No player of this name or UUID is registered." };
const ratio = v.pipe(v.number(), v.minValue(0), v.metadata({ format: "double" }));

type Declared = Pick<StatisticDeclarations, "statistics" | "ratios">;
/** The schemas of the declared counters and ratios in answers, by their names. */
type Values = Readonly<Record<string, v.GenericSchema<number>>>;

/** Returns the handlers of the declared statistics, by the names of their operations. */
export function statisticHandlers(declared: Declared): Readonly<Record<string, Handler>> {
  const { statistics, ratios } = declared;
  const values: Values = Object.fromEntries([
    ...statistics.map(({ counter, description, example }) => [counter, field(count, description, example)]),
    ...ratios.map(({ name, counters: [counter, divisor = ""] }) => {
      const words = `The ${counter} divided by the ${divisor}, to two decimals; without ${divisor}, the ${counter}.`;
      const examples = statistics.map((known) => [known.counter, known.example] as const);
      const example = measured({ uuid: "", ...Object.fromEntries(examples) }, [counter, divisor]);
      return [name, field(ratio, words, example)];
    }),
  ]);
  return {
    top: topHandler(declared, values),
    show: showHandler(declared, values),
    ...changeHandlers(declared),
  };
}

function topHandler(declared: Declared, values: Values): Handler {
  const leader = field(v.string(), "The player's name.", "Ada");
  const [first] = declared.statistics;
  const entry = component("TopEntry", "A player in a category of the top list.", {
    name: leader,
    value: field(count, "The player's count.", first?.example ?? 0),
  });
  const ratioEntry = ({ name, counters }: Measure) => {
    const named = counters.map((counter) => [counter ?? "", values[counter ?? ""] ?? count] as const);
    return component("TopRatioEntry", `A player in the top list by ${name}.`, {
      name: leader,
      value: values[name] ?? ratio,
      ...Object.fromEntries(named),
    });
  };
  const category = (measure: Measure) => {
    // What is counted, such as hours, as in the sentence of the counter.
    const { description = "" } = declared.statistics.find(({ counter }) => counter === measure.name) ?? {};
    const counted = description && `: ${uncapitalised(description)}`;
    return v.pipe(
      v.array<v.GenericSchema>(measure.counters.length === 1 ? entry : ratioEntry(measure)),
      v.description(`By ${measure.name}${counted.replace(/\.$/, "")}.`),
    );
  };
  const measures = measuresOf(declared);
  return defineCachedRead({
    description:
      "Ten players in each category, the highest value first, equal values by name. Players with 0 are left out.",
    dependsOn: ["ranking"],
    input: {},
    answer: component(
      "TopList",
      "The best players in each category.",
      Object.fromEntries(measures.map((measure) => [measure.name, category(measure)])),
    ),
    read: ({ ranking }) => ranking.top(),
  });
}

function showHandler(declared: Declared, values: Values): Handler {
  const measures = [...measuresOf(declared)].sort((a, b) => (a.name < b.name ? -1 : 1));
  const gameplay = Object.fromEntries(measures.map(({ name }) => [name, values[name] ?? count]));
  const answer = component("PlayerStatistic", "A player's statistics and memberships.", {
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
    gameplay: v.pipe(v.object(gameplay), v.description("The player's counters.")),
    faction: field(
      v.nullable(
        v.object({
          name: field(organisation, "The name of the faction or service."),
          rank: field(count, "The player's rank, from 1.", 4),
        }),
      ),
      "The faction in which the player has the highest rank; without a faction, the service; null without either.",
    ),
  });
  return defineRead({
    description: "Use the UUID of a player whose name is that of another operation, such as `top`.",
    input: { player },
    answer,
    failures: notRegistered,
    versionFor: (data) => rightsVersion(data) + data.statistics.version + data.tokens.version,
    // Building the answer takes a quarter of the row "a read of /statistic/{player}".
    cacheable: {
      // Records are replaced, never edited.
      dependencies(data, input, { now, activity, excludedGroup }) {
        const found = requirePlayer(data, input.player, "player");
        const token = liveTokenOf(data, found.uuid, now);
        // Those that have ended count no more, even while they cannot be removed.
        const { ranks, groups } = standingsOf(data, found.uuid, now);
        return [
          found,
          ranks.size,
          groups.size,
          data.statistics.get(found.uuid),
          token,
          token && activity.versionOf(found.uuid, now),
          excludedGroup,
          data.names.version + data.groupMembers.version + data.memberships.version,
        ];
      },
    },
    read(data, input, { now, activity, excludedGroup }) {
      const { name, uuid: key } = requirePlayer(data, input.player, "player");
      const statistic = statisticOf(data, key);
      const token = liveTokenOf(data, key, now);
      const membership =
        membershipsOf(data, key, "faction", now)[0] ?? membershipsOf(data, key, "service", now)[0] ?? null;
      const joined = groupsOf(data, { name, uuid: key }, now).map(({ group }) => group);
      return {
        name,
        uuid: key,
        gameaddon: {
          tokenGenerateTime: token?.issuedAt ?? null,
          groups: Object.fromEntries(namesOf(data, "group").map((name) => [name, joined.includes(name)])),
          blacklisted: excludedGroup !== undefined && joined.includes(excludedGroup),
          version: token === undefined ? null : activity.versionOf(key, now),
        },
        gameplay: Object.fromEntries(
          measures.map(({ name: of, counters }) => [of, measured(statistic, counters)]),
        ),
        faction: membership && { name: membership.organisation, rank: membership.rank },
      };
    },
  });
}

/** Returns `add` and `set`; without statistics, neither. */
function changeHandlers({ statistics }: Declared): Readonly<Record<string, Handler>> {
  const [first] = statistics;
  if (first === undefined) return {};
  const counters = new Map(statistics.map(({ name, counter }) => [name, counter]));
  const values = [...counters.keys()].sort();
  const words = statistics.map(({ name, description }) => `\`${name}\`: ${description}`).join(" ");
  const type = derived(field(v.picklist(values), `The type of statistic. ${words}`, first.name), {
    ...{ base: "enum", name: "statisticType", description: undefined, values },
  });
  const none = Object.fromEntries([...counters.values()].sort().map((counter) => [counter, 0]));
  /** Returns the name of a player, the count of a type, and a function that replaces it. */
  const open = (draft: Draft, reference: string, what: string) => {
    const { uuid: key, name } = requirePlayer(draft, reference, "player");
    const statistic: Statistic = { uuid: key, ...none, ...draft.statistics.get(key) };
    const counter = counters.get(what) ?? what;
    const put = (value: number) => draft.statistics.put({ ...statistic, [counter]: value });
    return { name, counter, stored: countIn(statistic, counter), put };
  };
  const add = defineChange({
    example: `Added one ${first.name} for Ada.`,
    input: { player, type },
    failures: notRegistered,
    counts: true,
    change(draft, { player: reference, type: what }, { activity, now, afterwards }) {
      const { name, counter, stored, put } = open(draft, reference, what);
      if (stored === integerRange.maximum) return `${name} already has the maximum for ${what}.`;
      put(stored + 1);
      afterwards(() => activity.addOn(now, counter));
      return `Added one ${what} for ${name}.`;
    },
  });
  const set = defineChange({
    example: `Set ${first.name} of Ada to 250.`,
    input: { player, type, amount: derived(field(count, "The new count.", 250), "integer") },
    failures: notRegistered,
    change(draft, { player: reference, type: what, amount }) {
      const { name, stored, put } = open(draft, reference, what);
      if (stored === amount) return `${what} of ${name} is already ${amount}.`;
      put(amount);
      return `Set ${what} of ${name} to ${amount}.`;
    },
  });
  return { add, set };
}
