/** Summarizes the changes of a restore or an import: counts by resource, and the first names. */
import { labelOf, textOf } from "../domain/label.ts";
import type { RecordChange } from "../store/change.ts";
import type { DurableData } from "../store/data.ts";

/** The names of each kind of change, at most. */
const mostNames = 3;

/** The number of records with one kind of change, and the names of the first ones. */
export interface Portion {
  count: number;
  readonly first: string[];
}

/** The changes of a resource: a collection of the model. */
export interface ResourceChange extends Readonly<Record<"added" | "changed" | "removed", Portion>> {
  readonly resource: string;
}

/** Counts changes by resource, in their order. Resources without changes are omitted. */
export function summarize(
  changes: readonly RecordChange[],
  data: Pick<DurableData, "players">,
): ResourceChange[] {
  const found = new Map<string, ResourceChange>();
  const names = new Map<string, string>();
  const nameOf = (uuid: string) => names.get(uuid) ?? data.players.get(uuid)?.name ?? uuid;
  for (const { collection, key, before, after } of changes) {
    const record = after ?? before;
    if (collection === "players") names.set(key, textOf(record, "name") ?? key);
    const counts = found.get(collection) ?? unchanged(collection);
    found.set(collection, counts);
    const counted = counts[before === null ? "added" : after === null ? "removed" : "changed"];
    counted.count += 1;
    if (counted.first.length < mostNames) counted.first.push(labelOf(record, key, nameOf));
  }
  return [...found.values()];
}

function unchanged(resource: string): ResourceChange {
  const portion = () => ({ count: 0, first: [] });
  return { resource, added: portion(), changed: portion(), removed: portion() };
}
