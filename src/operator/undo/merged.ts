/** Records that became one since: to take back one of them would take back the other as well. */
import type { AnyRecord } from "../../domain/collection.ts";
import { textOf } from "../../domain/label.ts";
import { definitionOf } from "../../domain/model.ts";
import type { JournalRecord, RecordChange } from "../../store/change.ts";
import type { Data } from "../../store/data.ts";
import { rowsOf } from "./outcome.ts";

/**
 * Returns the records that changes added for a UUID, and with which one of a name has become one since, as `collection key`:
 * the record of the player stayed as it was, but for the name.
 * @param history returns the later changes; it is called only where such a name has changed
 */
export async function mergedSince(
  data: Data,
  changes: readonly RecordChange[],
  history: () => AsyncIterable<JournalRecord>,
): Promise<ReadonlySet<string>> {
  const renamed = new Set<string>();
  const merged = new Set<string>();
  for (const { collection, key, before, after } of changes) {
    const isOfPlayer = definitionOf(collection)?.refersTo.subject && textOf(after, "uuid") !== undefined;
    if (before !== null || !isOfPlayer) continue;
    const present = textOf(rowsOf(data, collection).get(key), "name");
    if (present !== undefined && present !== textOf(after, "name")) renamed.add(`${collection} ${key}`);
  }
  if (renamed.size === 0) return merged;
  for await (const { changes: later } of history()) {
    const gone = new Set<string>();
    for (const { collection, key, after } of later) if (after === null) gone.add(`${collection} ${key}`);
    for (const { collection, key, after: record } of later) {
      const place = `${collection} ${key}`;
      if (record === null || !renamed.has(place)) continue;
      const alone = definitionOf(collection)?.key({ ...(record as AnyRecord), uuid: null });
      const isOne = gone.has(`${collection} ${alone}`);
      if (isOne) merged.add(place);
    }
  }
  return merged;
}
