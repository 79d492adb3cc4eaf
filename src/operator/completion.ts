/** Names that start with a text, for shell completion. */
import * as v from "valibot";
import { compareTexts, fold } from "../domain/text.ts";
import { namesOf } from "../identity/memberships.ts";
import type { Data } from "../store/data.ts";
import { defineRead } from "./define.ts";
import { listTokens } from "./tokens.ts";

/** What can be completed: tokens by id, the others by name, lists if they have entries. */
export const completedKinds = ["player", "group", "faction", "service", "token", "list"] as const;
export type CompletedKind = (typeof completedKinds)[number];

/** The most names in one answer. Nobody reads more: a shell asks before it lists 100. */
const mostNames = 200;

/** A name that completes the text. */
export interface Completion {
  readonly value: string;
  /** Some shells show it beside the name. */
  readonly description?: string;
}

export const complete = defineRead({
  input: v.strictObject({
    kinds: v.array(v.picklist(completedKinds)),
    prefix: v.pipe(v.string(), v.maxLength(200)),
  }),
  /**
   * Returns at most {@link mostNames} names. If more match, it returns their distinct beginnings instead: shells insert
   * the common beginning of all answers, which would be wrong if some were left out.
   */
  read(data, { kinds, prefix }, { now }): { names: readonly Completion[]; areBeginnings: boolean } {
    const all = kinds.flatMap((kind) => namesOfKind(data, kind, now));
    const found = startingWith(all, prefix);
    if (found.length > mostNames) return { names: beginningsOf(found), areBeginnings: true };
    return { names: found.sort((a, b) => compareTexts(a.value, b.value)), areBeginnings: false };
  },
});

function namesOfKind(data: Data, kind: CompletedKind, now: number): Completion[] {
  switch (kind) {
    case "player":
      return Array.from(data.players.values(), ({ name }) => ({ value: name }));
    case "token":
      return listTokens(data, now).map(({ id, player, label, state }) => ({
        value: id,
        description: [player ?? "public", label, state].filter((part) => part !== null).join(", "),
      }));
    case "list":
      return Array.from(new Set(Array.from(data.entries.values(), ({ list }) => list)), (value) => ({
        value,
      }));
    default:
      return namesOf(data, kind).map((name) => ({ value: name, description: kind }));
  }
}

/** Returns the names that start with a text, exactly or else in another case. */
function startingWith(names: readonly Completion[], prefix: string): Completion[] {
  const exact = names.filter(({ value }) => value.startsWith(prefix));
  if (exact.length > 0) return exact;
  const folded = fold(prefix);
  return names.filter(({ value }) => fold(value).startsWith(folded));
}

/** Returns the common beginning of the names with each possible next character, and the number of names for each. */
function beginningsOf(names: readonly Completion[]): Completion[] {
  let common = names[0]?.value ?? "";
  for (const { value } of names) while (!value.startsWith(common)) common = common.slice(0, -1);
  const groups = new Map<string, { first: Completion; count: number }>();
  for (const completion of names) {
    const [next = ""] = completion.value.slice(common.length, common.length + 2);
    const { first, count } = groups.get(common + next) ?? { first: completion, count: 0 };
    groups.set(common + next, { first, count: count + 1 });
  }
  return Array.from(groups, ([value, { first, count }]) =>
    count === 1 ? first : { value, description: `${count} names` },
  ).slice(0, mostNames);
}
