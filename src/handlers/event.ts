/** Live events: bank robberies, bombs, and the score of a gang war (specification, section 4.10). */
import * as v from "valibot";
import type { Event } from "../model.ts";
import { defineChange, defineKeptRead } from "./define.ts";
import { count, field, instant } from "./values.ts";

const attacker = field(count, "The attackers' score, in points.", 3);
const defender = field(count, "The defenders' score, in points.", 2);
const latest = (of: string) =>
  field(
    v.nullable(instant),
    `When the latest ${of} starts or has started, in milliseconds since 1970; null before the first.`,
    1795262400000,
  );

export const current = defineKeptRead({
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

/** The latest start instant counts, in whatever order clients tell: a late repetition must not undo a newer event. */
function defineEvent(kind: Event["kind"], what: string) {
  return defineChange({
    example: `Added the ${what}.`,
    description:
      "The latest start counts, in whatever order clients tell: an earlier one is answered with 200, too.",
    input: { startTime: field(instant, `When the ${what} starts.`, 1795262400000) },
    change(draft, { startTime }) {
      const known = draft.events.get(kind)?.startTime;
      if (known === startTime) return `The ${what} is known already.`;
      if (known !== undefined && known > startTime) return `A later ${what} is known already.`;
      draft.events.put({ kind, startTime });
      return `Added the ${what}.`;
    },
  });
}

export const bankrob = defineEvent("bankRob", "bank robbery");
export const bomb = defineEvent("bomb", "bomb");

export const gangwar = defineChange({
  example: "Set the score to 3 to 2.",
  description: "For whoever shows the live score in a stream. The score is set, not added to.",
  input: { attacker, defender },
  change(draft, score) {
    const known = draft.scores.get("gangwar") ?? { attacker: 0, defender: 0 };
    const words = `${score.attacker} to ${score.defender}`;
    if (known.attacker === score.attacker && known.defender === score.defender)
      return `The score is ${words} already.`;
    draft.scores.put(score);
    return `Set the score to ${words}.`;
  },
});
