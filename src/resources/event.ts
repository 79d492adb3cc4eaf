/** Live events and scores, as the table declares them: the latest start of each event, and the present scores. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { countIn } from "../domain/model.ts";
import { allOf } from "../domain/text.ts";
import type { EventType, ScoreType, StatisticDeclarations } from "../table/declared/statistics.ts";
import { defineCachedRead, defineChange, type Handler } from "./common/define.ts";
import { component, count, derived, field, instant } from "./common/values.ts";

type Declared = Pick<StatisticDeclarations, "events" | "scores">;

/** Returns the handlers of the declared events and scores, by the names of their operations. */
export function eventHandlers({ events, scores }: Declared): Readonly<Record<string, Handler>> {
  return Object.fromEntries([
    ["current", currentHandler({ events, scores })],
    ...events.map((event) => [event.name, eventHandler(event)] as const),
    ...scores.map((score) => [score.name, scoreHandler(score)] as const),
  ]);
}

function currentHandler({ events, scores }: Declared): Handler {
  const answer = [
    ...events.map(({ field: key, title }) => {
      const words = `When the latest ${title} starts or started, in milliseconds since 1970; null before the first.`;
      return [key, field<v.GenericSchema>(v.nullable(instant), words, 1795262400000)] as const;
    }),
    ...scores.map(({ name: key, sides }) => {
      const words = `The score of ${key}, ${sides.map(() => 0).join(" to ")} before the first.`;
      return [key, v.pipe(v.object(sidesOf(sides)), v.description(words))] as const;
    }),
  ];
  const [titles, names] = [events.map(({ title }) => title), scores.map(({ name }) => name)];
  return defineCachedRead({
    description: [
      ...(events.length === 0 ? [] : [`The latest start of each event: ${allOf(titles)}.`]),
      ...(scores.length === 0 ? [] : [`The live scores: ${allOf(names)}.`]),
    ].join(" "),
    dependsOn: ["events", "scores"],
    input: {},
    answer: component("CurrentEvents", "The latest events, and the live scores.", Object.fromEntries(answer)),
    read: (data) =>
      Object.fromEntries<unknown>([
        ...events.map(({ field: key }) => [key, data.events.get(key)?.startTime ?? null] as const),
        ...scores.map(({ name: key, sides }) => {
          const stored = data.scores.get(key);
          return [key, Object.fromEntries(sides.map((side) => [side, countIn(stored, side)]))] as const;
        }),
      ]),
  });
}

/** How far in the past a start may be that replaces one in the future, in milliseconds. */
const hour = 60 * 60 * 1000;

/**
 * Defines the operation that reports the start of an event. The latest start wins, in whatever order clients report: a
 * late repetition must not replace a newer event. A start in the future can be corrected, so that nobody can freeze an
 * event, but only by one that is not long past, so that nobody can erase an announced event either. How far ahead it may
 * be is bounded, since the clocks of clients differ.
 */
function eventHandler({ title, field: kind, lead }: EventType): Handler {
  return defineChange({
    example: `Added the ${title}.`,
    description: `The start replaces the stored one if it is later, or if the stored one is still in the future and the new one at most one hour old. Any other start changes nothing and is answered with 200. A start may be at most ${lead.words} ahead of the server's clock.`,
    input: {
      startTime: derived(field(instant, `When the ${title} starts.`, 1795262400000), "instant"),
    },
    change(draft, { startTime }, { now }) {
      if (startTime > now + lead.milliseconds) {
        const start = new Date(startTime).toISOString();
        const sentence = `"startTime" must be at most ${lead.words} ahead of the server's clock, but is ${start}.`;
        throw new Failure("PARAMETER_INVALID", sentence, {
          parameter: "startTime",
          hint: `The server's clock says ${new Date(now).toISOString()}.`,
        });
      }
      const stored = draft.events.get(kind)?.startTime;
      const isCorrection = stored !== undefined && stored > now && startTime >= now - hour;
      if (stored !== undefined && stored > startTime && !isCorrection)
        return `A later ${title} is already known.`;
      if (stored === startTime) return `The ${title} is already known.`;
      draft.events.put({ kind, startTime });
      return `Added the ${title}.`;
    },
  });
}

function scoreHandler({ name, sides }: ScoreType): Handler {
  const words = (score: Readonly<Record<string, unknown>> | undefined) =>
    sides.map((side) => countIn(score, side)).join(" to ");
  return defineChange({
    example: `The score is now ${sides.map((_, index) => exampleOf(index)).join(" to ")}.`,
    description: "For showing the live score in a stream. Sets the score; does not add to it.",
    input: Object.fromEntries(
      Object.entries(sidesOf(sides)).map(([side, schema]) => [side, derived(schema, "integer")]),
    ),
    change(draft, score) {
      const stored = draft.scores.get(name);
      if (words(score) === words(stored)) return `The score is already ${words(score)}.`;
      draft.scores.put({ ...stored, name, ...score });
      return `The score is now ${words(score)}.`;
    },
  });
}

function sidesOf(sides: readonly string[]) {
  const schema = (side: string, index: number) =>
    field(count, `The score of ${side}, in points.`, exampleOf(index));
  return Object.fromEntries(sides.map((side, index) => [side, schema(side, index)]));
}

function exampleOf(index: number): number {
  return Math.max(3 - index, 0);
}
