/** The target list: players to be done (specification, sections 3 and 4.3). */
import * as v from "valibot";
import { Failure } from "../errors.ts";
import { toSubject } from "../identity/players.ts";
import { subjectKey, type Target } from "../model.ts";
import type { Data } from "../store/data.ts";
import { defineChange, defineRead } from "./define.ts";
import { playerName, subject } from "./values.ts";

function requireTarget(data: Data, reference: string): Target {
  const target = data.targets.get(subjectKey(toSubject(data, reference)));
  if (target !== undefined) return target;
  throw new Failure("UNKNOWN_ENTRY", `${reference} is not on the target list.`);
}

export const list = defineRead({
  input: {},
  answer: v.array(v.object({ ...subject, done: v.boolean() })),
  read: (data) =>
    Array.from(data.targets.values())
      .sort((a, b) => a.listed - b.listed)
      .map(({ name, uuid, done }) => ({ name, uuid, done })),
});

export const add = defineChange({
  input: { name: playerName },
  change(draft, input, { sequence }) {
    const player = toSubject(draft, input.name);
    const target = draft.targets.get(subjectKey(player));
    if (target === undefined) {
      draft.targets.put({ ...player, done: false, listed: sequence });
      return `Added ${player.name} to the target list.`;
    }
    if (!target.done) return `${target.name} is on the target list already.`;
    draft.targets.put({ ...target, done: false });
    return `${target.name} is listed again.`;
  },
});

export const done = defineChange({
  input: { name: playerName },
  change(draft, input) {
    const target = requireTarget(draft, input.name);
    if (target.done) return `${target.name} is marked done already.`;
    draft.targets.put({ ...target, done: true });
    return `Marked ${target.name} as done.`;
  },
});

export const remove = defineChange({
  input: { name: playerName },
  change(draft, input) {
    const target = requireTarget(draft, input.name);
    draft.targets.delete(subjectKey(target));
    return `Removed ${target.name} from the target list.`;
  },
});
