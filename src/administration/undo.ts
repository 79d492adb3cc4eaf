/** Taking a change back: its records get the values from before it, where they still have those that it gave them. */
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../errors.ts";
import { bookkeeping } from "../model.ts";
import type { DraftRows } from "../store/collection.ts";
import type { Draft } from "../store/data.ts";
import type { RecordChange } from "../store/draft.ts";
import type { JournalRecord } from "../store/journal.ts";

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
  const obstacles = changes.flatMap((change) => obstaclesTo(draft, change, changes, later));
  if (obstacles.length > 0) {
    throw new Failure("CONFLICT", `Change ${record.sequence} can not be undone: ${obstacles.join("; ")}.`, {
      hint: "Undo what came later first, or make the change you want.",
    });
  }
  for (const { collection, key, before } of changes) {
    const rows = rowsOf(draft, collection);
    if (before === null) rows.delete(key);
    else rows.put(before);
  }
}

function obstaclesTo(
  draft: Draft,
  change: RecordChange,
  together: readonly RecordChange[],
  later: readonly JournalRecord[],
): string[] {
  const { collection, key, before, after } = change;
  const current = rowsOf(draft, collection).get(key) ?? null;
  if (!isDeepStrictEqual(current, after)) {
    const touching = later.filter(({ changes }) =>
      changes.some((each) => each.collection === collection && each.key === key),
    );
    const by = touching.map(({ sequence, operation }) => `change ${sequence} (${operation})`).join(", ");
    return [`${collection} ${key} was changed since${by === "" ? "" : ` by ${by}`}`];
  }
  if (collection !== "players" || before !== null) return [];
  // Without the player, what was given to the player since would be left to whoever has that UUID next.
  const belongings = [
    ["tokens", draft.tokens.find("player", key).map(({ id }) => id)],
    [
      "memberships",
      draft.memberships.find("player", key).map(({ organisation, uuid }) => `${organisation}/${uuid}`),
    ],
  ] as const;
  return belongings.flatMap(([name, keys]) => {
    const isGone = (each: string) =>
      together.some((other) => other.collection === name && other.key === each);
    return keys.every(isGone) ? [] : [`the player has ${name} since`];
  });
}

/** The records of a collection by its name in the journal. */
function rowsOf(draft: Draft, collection: string): DraftRows<unknown> {
  const rows = (draft as unknown as Readonly<Record<string, DraftRows<unknown>>>)[collection];
  if (rows === undefined) throw new Error(`there is no collection "${collection}"`);
  return rows;
}
