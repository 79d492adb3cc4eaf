/**
 * Edits of the present data by a file that people write, such as a roster. An edit can be previewed, its result is checked
 * like that of a restore, and it is one bulk change, which `undo` undoes.
 */
import { isBookkeeping } from "../domain/model.ts";
import type { DataStore, Draft } from "../store/data.ts";
import type { Slices } from "../store/slices.ts";
import { describeInconsistency, findInconsistencies } from "./consistency.ts";
import { type ResourceChange, summarize } from "./preview.ts";

/** What an edit changes, or would change. */
export interface Edited<R> {
  /** What the edit says of it. */
  readonly report: R;
  readonly resources: readonly ResourceChange[];
  /** The number of records. */
  readonly changes: number;
  /** Inconsistent records of the result, a sentence each. */
  readonly problems: readonly string[];
  /** The number of the change; null in a preview, and where nothing changes. */
  readonly sequence: number | null;
}

/**
 * Makes an edit, or previews it.
 * @param operation by which the journal records it
 * @param options.signal ends the edit, and nothing is changed, if it is aborted before the change is written
 * @throws what `edit` throws, and as `Store.edit`; then nothing is changed
 */
export async function editRecords<R>(
  store: DataStore,
  operation: string,
  edit: (draft: Draft, slices: Slices) => Promise<R>,
  { preview, signal }: { readonly preview: boolean; readonly signal: AbortSignal | undefined },
): Promise<Edited<R>> {
  const origin = preview ? undefined : { who: "operator", operation };
  const { report, changes: all, sequence, result } = await store.edit(edit, origin, signal);
  const problems = (await findInconsistencies(result)).map(describeInconsistency);
  const changes = all.filter(({ collection }) => !isBookkeeping(collection));
  const resources = summarize(changes, store.data);
  return { report, resources, changes: changes.length, problems, sequence: sequence ?? null };
}
