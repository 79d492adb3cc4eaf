/** Groups, factions and services: the names that everything else refers to (contract, section 2). */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import type { Named } from "../domain/model.ts";
import { fold, invisibleIn, leaveOut } from "../domain/text.ts";
import type { Draft } from "../store/data.ts";
import { defineChange } from "./define.ts";

const name = v.pipe(
  v.string("a name was expected"),
  v.normalize("NFC"),
  v.regex(/^[^\s\p{Z}\p{C}{}$/?#&=%]{1,64}$/u, "a name of 1 to 64 characters without spaces was expected"),
);
const names = v.optional(v.nullable(v.array(name, "a list of names was expected")), []);

/** The three lists of a seed file. */
export const seedSchema = v.strictObject({ groups: names, factions: names, services: names }, (issue) => {
  const expected = "the lists groups, factions and services were expected";
  return issue.expected === "never" ? `${expected}, "${issue.path?.[0]?.key}" came` : expected;
});

/** Adds names of one kind behind those that are there. Gives those that are new. */
function addNames(draft: Draft, kind: Named["kind"], wanted: readonly string[]): string[] {
  const added: string[] = [];
  for (const each of wanted) {
    if (draft.names.has(`${kind}/${fold(each)}`)) continue;
    const twin = kind === "faction" ? "service" : "faction";
    if (kind !== "group" && draft.names.has(`${twin}/${fold(each)}`)) {
      throw new Failure("CONFLICT", `"${each}" can not be a faction and a service.`, {
        hint: "Give one another name.",
      });
    }
    const invisible = invisibleIn(each);
    if (invisible !== undefined) {
      throw new Failure("PARAMETER_INVALID", `The name "${each}" cannot be added: ${leaveOut(invisible)}.`);
    }
    draft.names.put({ name: each, kind, position: positionAfter(draft, kind) });
    added.push(each);
  }
  return added;
}

/** The position behind all names of a kind. Some may have been removed, so their number does not tell. */
function positionAfter(draft: Draft, kind: Named["kind"]): number {
  return Math.max(-1, ...draft.names.find("kind", kind).map(({ position }) => position)) + 1;
}

/** Adds what a seed file has and the data has not; removes nothing. */
export const seed = defineChange({
  input: seedSchema,
  change(draft, { groups, factions, services }) {
    const added = {
      groups: addNames(draft, "group", groups ?? []),
      factions: addNames(draft, "faction", factions ?? []),
      services: addNames(draft, "service", services ?? []),
    };
    const all = [...added.groups, ...added.factions, ...added.services];
    const info = all.length === 0 ? "Everything was there already." : `Added ${all.join(", ")}.`;
    return { info, added };
  },
});
