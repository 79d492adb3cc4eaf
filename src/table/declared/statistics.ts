/**
 * The statistics, events and scores that a route table declares: the form of the declarations, and what they declare.
 * `docs/route-table.md` describes what each key means.
 */
import * as v from "valibot";
import { length, optional, text, words } from "../type-form.ts";
import type { Report } from "../yaml/fault.ts";
import { mapOf, mapWith } from "../yaml/maps.ts";
import { unknownName } from "../yaml/wording.ts";
import { durationSchema, toDuration } from "./duration.ts";
import { namesIn } from "./names.ts";

const limit = (period: string) =>
  v.optional(length(1, `The most additions that a player can make honestly within any ${period}.`));
const statisticSchema = mapWith({
  counter: text("The name of the count in answers, such as kills."),
  description: v.optional(text("What is counted, in one sentence, for the description of the interface.")),
  example: v.optional(length(0, "An example, for the description of the interface.")),
  perHour: limit("60 minutes"),
  perDay: limit("24 hours"),
  perWeek: limit("7 days"),
});

const eventSchema = mapWith({
  title: words("What the event is called, such as bank robbery."),
  name: v.optional(text("The field with its latest start in the current events; default: the event's name.")),
  lead: optional(durationSchema, "How far ahead of the server's clock a start may be; default: 1h."),
});

const pairWords = "two counters, such as [kills, deaths]";
const sidesWords = "a list of 2 to 8 sides, such as [attacker, defender]";

/** The keys of a table that declare statistics, events and scores. */
export const statisticEntries = {
  statistics: optional(
    mapOf(statisticSchema),
    "What is counted of each player, by the value of the parameter `type`; without it, that of the shipped table, without limits.",
  ),
  ratios: optional(
    mapOf(v.pipe(v.array(v.string(), pairWords), v.length(2, pairWords))),
    "Ratios of two counters, by name: the first divided by the second.",
  ),
  events: optional(
    mapOf(eventSchema),
    "Events that players announce or report, by name; without it, those of the shipped table.",
  ),
  scores: optional(
    mapOf(v.pipe(v.array(v.string(), sidesWords), v.minLength(2, sidesWords), v.maxLength(8, sidesWords))),
    "Live scores, by name, each with its sides; without it, that of the shipped table.",
  ),
};

const entriesSchema = v.object(statisticEntries);
type Declared = v.InferOutput<typeof entriesSchema>;

/** A statistic: the value of the parameter `type`, such as `KILL`, and its counter. */
export type StatisticType = ReturnType<typeof toStatistic>;

function toStatistic(name: string, declaration: v.InferOutput<typeof statisticSchema>) {
  const { counter, description = `The ${counter}.`, example = 10 } = declaration;
  return { ...declaration, name, description, example };
}

/** A counter, or the ratio of two, by its field in answers. */
export interface Measure {
  readonly name: string;
  readonly counters: readonly [counter: string, divisor?: string];
}

/** An event, with its field in the current events, which is also the kind of its record. */
export type EventType = ReturnType<typeof toEvent>;

function toEvent(name: string, declaration: v.InferOutput<typeof eventSchema>) {
  const { title, name: field = name, lead = "1h" } = declaration;
  return { name, field, title, lead: toDuration(lead) };
}

/** A score, by its field in the current events. */
export interface ScoreType {
  readonly name: string;
  readonly sides: readonly string[];
}

/** What a table declares of these. */
export interface StatisticDeclarations {
  readonly statistics: readonly StatisticType[];
  readonly ratios: readonly Measure[];
  readonly events: readonly EventType[];
  readonly scores: readonly ScoreType[];
}

/** Returns what a table declares, and the others' declarations instead of what it lacks. Reports faults. */
export function toStatistics(declared: Declared, others: StatisticDeclarations, report: Report) {
  // The others' ratios are of their counters.
  const otherRatios = declared.statistics === undefined ? others.ratios : [];
  const all: StatisticDeclarations = {
    statistics: mapped(declared.statistics, toStatistic) ?? others.statistics,
    ratios: mapped(declared.ratios, toRatio) ?? otherRatios,
    events: mapped(declared.events, toEvent) ?? others.events,
    scores: mapped(declared.scores, (name, sides) => ({ name, sides })) ?? others.scores,
  };
  const counters = all.statistics.map(({ counter }) => counter);
  const inAnswer = namesIn(report, { reserved: ["uuid", "name", "value"] });
  const isType = namesIn(report, {
    form: /^[A-Z][A-Z0-9_]{0,31}$/,
    words: 'at most 32 capital letters, digits and "_", the first a letter',
  });
  for (const { name, counter } of all.statistics) {
    isType(name, ["statistics", name], "key");
    inAnswer(counter, ["statistics", name, "counter"]);
  }
  for (const { name, counters: pair } of all.ratios) {
    inAnswer(name, ["ratios", name], "key");
    for (const [index, counter = ""] of pair.entries())
      if (!counters.includes(counter))
        report(["ratios", name, index], unknownName("counter", counter, [...new Set(counters)]));
  }
  // Of two with the same name, the one in the table is at fault.
  const kinds =
    declared.scores === undefined ? (["scores", "events"] as const) : (["events", "scores"] as const);
  const inEvents = namesIn(report, { reserved: ["current"] });
  for (const kind of kinds) {
    for (const { name, ...one } of all[kind]) {
      inEvents(name, [kind, name], "key");
      if ("field" in one && one.field !== name) inEvents(one.field, [kind, name, "name"]);
    }
  }
  for (const { name, sides } of all.scores) {
    const inScore = namesIn(report, { reserved: ["name"] });
    for (const [index, side] of sides.entries()) inScore(side, ["scores", name, index]);
  }
  return all;
}

function mapped<T, R>(map: Readonly<Record<string, T>> | undefined, to: (name: string, value: T) => R) {
  return map && Object.entries(map).map(([name, value]) => to(name, value));
}

function toRatio(name: string, [counter = "", divisor = ""]: readonly string[]): Measure {
  return { name, counters: [counter, divisor] };
}
