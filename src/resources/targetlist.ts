/** The target list. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { subjectKey, type Target } from "../domain/model.ts";
import { findRecord, requireVisibleSubject, withLatestSpelling } from "../identity/players.ts";
import type { Data } from "../store/data.ts";
import { creatorOf } from "./common/creator.ts";
import { defineCachedRead, defineChange } from "./common/define.ts";
import { requireSpace } from "./common/space.ts";
import { component, field, ofPerson, playerName, subject } from "./common/values.ts";

function requireTarget(data: Data, reference: string): Target {
  const target = findRecord(data, data.targets, reference);
  if (target !== undefined) return withLatestSpelling(target, { name: reference, uuid: null });
  throw new Failure("UNKNOWN_ENTRY", `${reference} is not on the target list.`, { parameter: "name" });
}

const notListed = ofPerson({ UNKNOWN_ENTRY: "The player is not on the target list." });
const named = field(playerName, "The player, who need not be registered.", "Mallory");

export const list = defineCachedRead({
  dependsOn: ["targets"],
  input: {},
  answer: v.pipe(
    v.array(
      component("Target", "A player on the target list.", {
        ...subject,
        done: field(v.boolean(), "Whether the player is marked as done.", false),
      }),
    ),
    v.description("The target list, the oldest entry first."),
  ),
  read: (data) =>
    Array.from(data.targets.values())
      .sort((a, b) => a.listed - b.listed)
      .map(({ name, uuid, done }) => ({ name, uuid, done })),
});

/**
 * Returns the handler that adds a target.
 * @param most the most entries of the list
 * @param mostOwn the most of one player
 */
export const adding = (most: number, mostOwn: number | undefined) =>
  defineChange({
    example: "Added Mallory to the target list.",
    description: "Lists a player who is marked as done again.",
    input: { name: named },
    failures: ofPerson({ CONFLICT: "The list is full." }),
    recordsCaller: true,
    change(draft, input, { caller, sequence }) {
      const player = requireVisibleSubject(draft, input.name, "name", () =>
        findRecord(draft, draft.targets, input.name),
      );
      const target = draft.targets.get(subjectKey(player));
      if (target === undefined) {
        requireSpace(draft.targets.size, most, "target list");
        requireSpace(draft.targets.count("creator", `${caller.id}`), mostOwn, "list of your targets");
        draft.targets.put({ ...player, done: false, listed: sequence, ...creatorOf(draft, caller) });
        return `Added ${player.name} to the target list.`;
      }
      const latest = withLatestSpelling(target, player);
      draft.targets.put({ ...latest, done: false });
      return target.done
        ? `${latest.name} is listed again.`
        : `${latest.name} is already on the target list.`;
    },
  });

export const done = defineChange({
  example: "Marked Mallory as done.",
  description: "The player stays on the list.",
  input: { name: named },
  failures: notListed,
  change(draft, input) {
    const target = requireTarget(draft, input.name);
    draft.targets.put({ ...target, done: true });
    return target.done ? `${target.name} is already marked as done.` : `Marked ${target.name} as done.`;
  },
});

export const remove = defineChange({
  example: "Removed Mallory from the target list.",
  input: { name: named },
  failures: notListed,
  change(draft, input) {
    const target = requireTarget(draft, input.name);
    draft.targets.delete(subjectKey(target));
    return `Removed ${target.name} from the target list.`;
  },
});
