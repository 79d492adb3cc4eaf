/** Records that became one: to take back one of them would take back the other as well. */
import { textOf } from "../../domain/label.ts";
import { definitionOf } from "../../domain/model.ts";
import { fold } from "../../domain/text.ts";
import type { JournalRecord, RecordChange } from "../../store/change.ts";
import { placeOf } from "./outcome.ts";

/**
 * Returns the records of players with which one of the name alone became one in a change, as `collection key`, each with that
 * of the name. The player got the name by the same change, and had such a record before; it may have stayed as it was.
 */
export function mergedIn(changes: readonly RecordChange[]): ReadonlyMap<string, string> {
  const merged = new Map<string, string>();
  const players = new Map<string, { readonly name: string | undefined; readonly uuid: string }>();
  for (const { collection, key, after } of changes) {
    const name = textOf(after, "name");
    if (collection === "players" && name !== undefined) players.set(fold(name), { name, uuid: key });
  }
  if (players.size === 0) return merged;
  const added = new Set(changes.filter(({ before }) => before === null).map(placeOf));
  for (const change of changes) {
    const { collection, before, after } = change;
    const definition = definitionOf(collection);
    const name = definition?.refersTo.subject && textOf(before, "name");
    if (after !== null || name === undefined || textOf(before, "uuid") !== undefined) continue;
    const player = players.get(fold(name));
    if (definition === undefined || player === undefined) continue;
    const place = placeOf({ collection, key: definition.key({ ...Object(before), ...player }) });
    if (!added.has(place)) merged.set(place, placeOf(change));
  }
  return merged;
}

/**
 * Returns the records of players in changes that have become one with that of a name since, as `collection key`.
 * @param history returns the later changes; it is called only where there are records of players
 */
export async function mergedSince(
  changes: readonly RecordChange[],
  history: () => AsyncIterable<JournalRecord>,
): Promise<ReadonlySet<string>> {
  const isOfPlayer = ({ collection, after }: RecordChange) =>
    definitionOf(collection)?.refersTo.subject && textOf(after, "uuid") !== undefined;
  const own = new Set(changes.filter(isOfPlayer).map(placeOf));
  if (own.size === 0) return own;
  /** By the numbers of the changes that made them one. */
  const merged = new Map<number, Map<string, string>>();
  for await (const { sequence, undoes, changes: later } of history()) {
    const made = [...mergedIn(later)].filter(([place]) => own.has(place));
    if (made.length > 0) merged.set(sequence, new Map(made));
    const undone = undoes === null ? undefined : merged.get(undoes);
    if (undone === undefined) continue;
    // What the undo does not bring back stays one with the other.
    const back = new Set(later.filter(({ after }) => after !== null).map(placeOf));
    for (const [place, alone] of undone) if (back.has(alone)) undone.delete(place);
  }
  return new Set([...merged.values()].flatMap((places) => [...places.keys()]));
}
