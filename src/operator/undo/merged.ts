/** Records that became one since: to take back one of them would take back the other as well. */
import type { AnyRecord } from "../../domain/collection.ts";
import { textOf } from "../../domain/label.ts";
import { definitionOf } from "../../domain/model.ts";
import type { JournalRecord, RecordChange } from "../../store/change.ts";
import { placeOf } from "./outcome.ts";

/**
 * Returns the records that changes added for a UUID, and with which one of a name has become one since, as `collection key`:
 * the record of the player stayed as it was, but for its name.
 * @param history returns the later changes; it is called only where such a record was added
 */
export async function mergedSince(
  changes: readonly RecordChange[],
  history: () => AsyncIterable<JournalRecord>,
): Promise<ReadonlySet<string>> {
  const isOfPlayer = ({ collection, before, after }: RecordChange) =>
    before === null && definitionOf(collection)?.refersTo.subject && textOf(after, "uuid") !== undefined;
  const added = new Set(changes.filter(isOfPlayer).map(placeOf));
  /** The places of the records of names, by those of the players' records. */
  const merged = new Map<string, string>();
  if (added.size === 0) return new Set();
  for await (const { changes: later } of history()) {
    const gone = new Set(later.filter(({ after }) => after === null).map(placeOf));
    for (const change of later) {
      const { collection, after } = change;
      const place = placeOf(change);
      if (after === null || !added.has(place)) continue;
      const key = definitionOf(collection)?.key({ ...(after as AnyRecord), uuid: null }) ?? "";
      const alone = placeOf({ collection, key });
      if (gone.has(alone)) merged.set(place, alone);
    }
    // An undo has parted them again.
    const back = new Set(later.filter(({ after }) => after !== null).map(placeOf));
    for (const [place, alone] of merged) if (back.has(alone)) merged.delete(place);
  }
  return new Set(merged.keys());
}
