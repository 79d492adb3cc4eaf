/** Taking a change back: its records get the values from before it, where they still have those that it gave them. */
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../errors.ts";
import { bookkeeping, type Named, type Player } from "../model.ts";
import type { DraftRows } from "../store/collection.ts";
import type { Draft } from "../store/data.ts";
import type { RecordChange } from "../store/draft.ts";
import type { JournalRecord } from "../store/journal.ts";
import { fold, oneOf } from "../text.ts";

/**
 * Takes a change back.
 * @param later the changes since, to tell which of them is in the way
 * @throws Failure `CONFLICT` that names each record that has another value by now, and the change that gave it
 */
export function undoChange(draft: Draft, record: JournalRecord, later: readonly JournalRecord[]): void {
  const changes = record.changes.filter(({ collection }) => !bookkeeping.has(collection));
  if (changes.length === 0) {
    throw new Failure(
      "CONFLICT",
      `Change ${record.sequence} (${record.operation}) has nothing that could be undone.`,
    );
  }
  refuse(
    record,
    changes.flatMap((change) => sinceChanged(draft, change, later)),
  );
  for (const { collection, key, before } of changes) {
    const rows = rowsOf(draft, collection);
    if (before === null) rows.delete(key);
    else rows.put(before);
  }
  // What the data would be like then is easier to look at than to foresee; a refusal takes the draft back.
  refuse(
    record,
    changes.flatMap((change) => brokenBy(draft, change)),
  );
}

/** @throws Failure `CONFLICT` where something is in the way */
function refuse({ sequence }: JournalRecord, obstacles: readonly string[]): void {
  if (obstacles.length === 0) return;
  throw new Failure("CONFLICT", `Change ${sequence} can not be undone: ${obstacles.join("; ")}.`, {
    hint: "Undo what came later first, or make the change you want.",
  });
}

/** Whether a record has another value by now than the change gave it, and which change gave it that. */
function sinceChanged(
  draft: Draft,
  { collection, key, after }: RecordChange,
  later: readonly JournalRecord[],
): string[] {
  const current = rowsOf(draft, collection).get(key) ?? null;
  if (isDeepStrictEqual(current, after)) return [];
  const touching = later.filter(({ changes }) =>
    changes.some((each) => each.collection === collection && each.key === key),
  );
  const by = touching.map(({ sequence, operation }) => `change ${sequence} (${operation})`).join(", ");
  return [`${collection} ${key} was changed since${by === "" ? "" : ` by ${by}`}`];
}

/** What would be wrong with the data once a record has its value from before. */
function brokenBy(draft: Draft, { collection, key, before, after }: RecordChange): string[] {
  if (collection === "names" && before === null) {
    // Memberships and the route table refer to it.
    return [`the name ${(after as Named).name} stays: names are added and never removed`];
  }
  if (collection !== "players") return [];
  if (before !== null) {
    const { name } = before as Player;
    const others = draft.players.find("name", fold(name)).filter(({ uuid }) => uuid !== key);
    return others.map(({ uuid }) => `the name ${name} is that of the player ${uuid} by now`);
  }
  // Without the player, what was given to the player since would be left to whoever has that UUID next.
  const belongings: Readonly<Record<string, boolean>> = {
    tokens: draft.tokens.find("player", key).length > 0,
    memberships: draft.memberships.find("player", key).length > 0,
    groups: draft.groupMembers.find("subject", key).length > 0,
    statistics: draft.statistics.has(key),
    "a place on the target list": draft.targets.has(key),
    "a house ban": draft.houseBans.has(key),
  };
  const left = Object.keys(belongings).filter((name) => belongings[name]);
  return left.length === 0 ? [] : [`the player has ${oneOf(left, "and")} since`];
}

/** The records of a collection by its name in the journal. */
function rowsOf(draft: Draft, collection: string): DraftRows<unknown> {
  const rows = (draft as unknown as Readonly<Record<string, DraftRows<unknown>>>)[collection];
  if (rows === undefined) throw new Error(`there is no collection "${collection}"`);
  return rows;
}
