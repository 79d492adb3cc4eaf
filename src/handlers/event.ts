/** Live events: bank robberies, bombs, and the score of a gang war (specification, section 4.10). */
import * as v from "valibot";
import type { Event } from "../model.ts";
import { defineChange, defineRead } from "./define.ts";
import { count, instant } from "./values.ts";

export const current = defineRead({
  input: {},
  answer: v.object({
    bankRob: v.nullable(instant),
    bomb: v.nullable(instant),
    gangwar: v.object({ attacker: count, defender: count }),
  }),
  read: (data) => ({
    bankRob: data.events.get("bankRob")?.startTime ?? null,
    bomb: data.events.get("bomb")?.startTime ?? null,
    gangwar: data.scores.get("gangwar") ?? { attacker: 0, defender: 0 },
  }),
});

/** The latest start instant counts, in whatever order clients tell: a late repetition must not undo a newer event. */
function defineEvent(kind: Event["kind"], what: string) {
  return defineChange({
    input: { startTime: instant },
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
  input: { attacker: count, defender: count },
  change(draft, score) {
    const known = draft.scores.get("gangwar") ?? { attacker: 0, defender: 0 };
    const words = `${score.attacker} to ${score.defender}`;
    if (known.attacker === score.attacker && known.defender === score.defender)
      return `The score is ${words} already.`;
    draft.scores.put(score);
    return `Set the score to ${words}.`;
  },
});
