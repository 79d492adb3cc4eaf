/** Live events: bank robberies, bombs, and the score of a gang war (specification, section 4.10). */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import type { Event } from "../domain/model.ts";
import { defineChange, defineKeptRead } from "./shared/define.ts";
import { count, field, instant } from "./shared/values.ts";

const attacker = field(count, "The attackers' score, in points.", 3);
const defender = field(count, "The defenders' score, in points.", 2);
const latest = (of: string) =>
  field(
    v.nullable(instant),
    `When the latest ${of} starts or has started, in milliseconds since 1970; null before the first.`,
    1795262400000,
  );

export const current = defineKeptRead({
  description: "The latest start of a bank robbery and of a bomb, and the live score of a gang war.",
  of: ["events", "scores"],
  input: {},
  answer: v.pipe(
    v.object({
      bankRob: latest("bank robbery"),
      bomb: latest("bomb"),
      gangwar: v.pipe(
        v.object({ attacker, defender }),
        v.description("The score of the gang war; 0 to 0 before the first."),
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

/** How far ahead of the clock a start can be reported: enough for clients whose clocks differ, in milliseconds. */
const farthestAhead = 60 * 60 * 1000;

/**
 * Defines the operation that reports the start of an event. The latest start counts, in whatever order clients report:
 * a late repetition must not undo a newer event. But a start that is still in the future gives way to any other, so
 * that nobody can freeze an event (contract, section 0).
 */
function defineEvent(kind: Event["kind"], what: string) {
  return defineChange({
    example: `Added the ${what}.`,
    description:
      "The start replaces the known one if it is later, or if the known one is still in the future. An earlier start " +
      "is answered with 200, too. A start can be at most one hour ahead of the server's clock.",
    input: { startTime: field(instant, `When the ${what} starts.`, 1795262400000) },
    change(draft, { startTime }, { now }) {
      if (startTime > now + farthestAhead) {
        const came = new Date(startTime).toISOString();
        const sentence = `"startTime" must be at most one hour ahead of the server's clock, but is ${came}.`;
        throw new Failure("PARAMETER_INVALID", sentence, {
          parameter: "startTime",
          hint: `The server's clock says ${new Date(now).toISOString()}.`,
        });
      }
      const known = draft.events.get(kind)?.startTime;
      if (known === startTime) return `The ${what} is known already.`;
      if (known !== undefined && known > startTime && known <= now)
        return `A later ${what} is known already.`;
      draft.events.put({ kind, startTime });
      return `Added the ${what}.`;
    },
  });
}

export const bankrob = defineEvent("bankRob", "bank robbery");
export const bomb = defineEvent("bomb", "bomb");

export const gangwar = defineChange({
  example: "The score is now 3 to 2.",
  description: "For whoever shows the live score in a stream. The score is set, not added to.",
  input: { attacker, defender },
  change(draft, score) {
    const known = draft.scores.get("gangwar") ?? { attacker: 0, defender: 0 };
    const words = `${score.attacker} to ${score.defender}`;
    if (known.attacker === score.attacker && known.defender === score.defender)
      return `The score is ${words} already.`;
    draft.scores.put(score);
    return `The score is now ${words}.`;
  },
});
