/** Live events: bank robberies, bombs and the score of a gang war. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import type { Event } from "../domain/model.ts";
import { defineCachedRead, defineChange } from "./shared/define.ts";
import { count, field, instant } from "./shared/values.ts";

const attacker = field(count, "The attackers' score, in points.", 3);
const defender = field(count, "The defenders' score, in points.", 2);
const latest = (of: string) =>
  field(
    v.nullable(instant),
    `When the latest ${of} starts or started, in milliseconds since 1970; null before the first.`,
    1795262400000,
  );

export const current = defineCachedRead({
  description: "The latest start of a bank robbery and of a bomb, and the live score of a gang war.",
  dependsOn: ["events", "scores"],
  input: {},
  answer: v.pipe(
    v.object({
      bankRob: latest("bank robbery"),
      bomb: latest("bomb"),
      gangwar: v.pipe(
        v.object({ attacker, defender }),
        v.description("The score of the gang war, 0 to 0 before the first."),
      ),
    }),
    v.title("CurrentEvents"),
    v.description("The latest events, and the live score of a gang war."),
  ),
  read: (data) => ({
    bankRob: data.events.get("bankRob")?.startTime ?? null,
    bomb: data.events.get("bomb")?.startTime ?? null,
    gangwar: data.scores.get("gangwar") ?? { attacker: 0, defender: 0 },
  }),
});

/**
 * How far in the future a reported start may be, in milliseconds, since the clocks of clients differ; and how far in the
 * past, to replace one in the future.
 */
const hour = 60 * 60 * 1000;

/**
 * Defines the operation that reports the start of an event. The latest start wins, in whatever order clients report: a
 * late repetition must not replace a newer event. A start in the future can be corrected, so that nobody can freeze an
 * event, but only by one that is not long past, so that nobody can erase an announced event either.
 */
function defineEvent(kind: Event["kind"], what: string) {
  return defineChange({
    example: `Added the ${what}.`,
    description:
      "The start replaces the stored one if it is later, or if the stored one is still in the future and the new one at " +
      "most one hour old. Any other start changes nothing and is answered with 200. A start may be at most one hour " +
      "ahead of the server's clock.",
    input: { startTime: field(instant, `When the ${what} starts.`, 1795262400000) },
    change(draft, { startTime }, { now }) {
      if (startTime > now + hour) {
        const start = new Date(startTime).toISOString();
        const sentence = `"startTime" must be at most one hour ahead of the server's clock, but is ${start}.`;
        throw new Failure("PARAMETER_INVALID", sentence, {
          parameter: "startTime",
          hint: `The server's clock says ${new Date(now).toISOString()}.`,
        });
      }
      const stored = draft.events.get(kind)?.startTime;
      const isCorrection = stored !== undefined && stored > now && startTime >= now - hour;
      if (stored !== undefined && stored > startTime && !isCorrection)
        return `A later ${what} is already known.`;
      if (stored === startTime) return `The ${what} is already known.`;
      draft.events.put({ kind, startTime });
      return `Added the ${what}.`;
    },
  });
}

export const bankrob = defineEvent("bankRob", "bank robbery");
export const bomb = defineEvent("bomb", "bomb");

export const gangwar = defineChange({
  example: "The score is now 3 to 2.",
  description: "For showing the live score in a stream. Sets the score; does not add to it.",
  input: { attacker, defender },
  change(draft, score) {
    const stored = draft.scores.get("gangwar") ?? { attacker: 0, defender: 0 };
    const result = `${score.attacker} to ${score.defender}`;
    if (stored.attacker === score.attacker && stored.defender === score.defender)
      return `The score is already ${result}.`;
    draft.scores.put(score);
    return `The score is now ${result}.`;
  },
});
