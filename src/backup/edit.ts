/**
 * Edits of the present data by a file that people write, such as a roster. An edit can be previewed, its result is checked
 * like that of a restore, and it is one bulk change, which `undo` undoes.
 */
import { isBookkeeping } from "../domain/model.ts";
import type { DataStore, Draft } from "../store/data.ts";
import { describeInconsistency, findInconsistencies } from "./consistency.ts";
import { Overlay } from "./overlay.ts";
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
 * @param options.signal if aborted before the change is written, nothing is changed
 * @throws what `edit` throws, and as `Store.change`; then nothing is changed
 */
export async function editRecords<R>(
  store: DataStore,
  operation: string,
  edit: (draft: Draft) => R,
  { preview, signal }: { readonly preview: boolean; readonly signal: AbortSignal | undefined },
): Promise<Edited<R>> {
  let planned = store.preview(edit);
  const result = new Overlay(store.data);
  for (const { collection, key, after } of planned.changes)
    result.database.collection(collection).set(key, after ?? undefined);
  const found = await findInconsistencies(result.database.view).finally(() => result.close());
  let sequence: number | undefined;
  if (!preview) {
    sequence = await store.changeInBulk({ who: "operator", operation }, () => {
      signal?.throwIfAborted();
      // Others may have changed the data since.
      planned = store.preview(edit);
      return planned.changes;
    });
  }
  const { report } = planned;
  const changes = planned.changes.filter(({ collection }) => !isBookkeeping(collection));
  return {
    ...{ report, resources: summarize(changes, store.data), changes: changes.length },
    ...{ problems: found.map(describeInconsistency), sequence: sequence ?? null },
  };
}
