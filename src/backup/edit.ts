/**
 * Edits of the present data by a file that people write, such as a roster. An edit can be previewed, its result is checked
 * like that of a restore, and it is one bulk change, which `undo` undoes.
 */
import { createHash } from "node:crypto";
import { changedMeanwhile } from "../domain/errors.ts";
import { isBookkeeping } from "../domain/model.ts";
import { Slices } from "../domain/slices.ts";
import { areSame } from "../identity/references.ts";
import type { RecordChange } from "../store/change.ts";
import type { DataStore, Draft } from "../store/data.ts";
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
  /** Differs if other records change, if they were others before, or if others are new. */
  readonly basis: string;
}

interface EditOptions {
  /** Whether to change nothing. */
  readonly preview: boolean;
  /** The basis of a preview, without which nothing is changed; undefined accepts any. */
  readonly basis?: string | undefined;
  /** Ends the edit, and nothing is changed, if it is aborted before the change is written. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes an edit, or previews it.
 * @param operation by which the journal records it
 * @throws Failure `CONFLICT` where the basis has changed; what `edit` throws, and as `Store.edit`; then nothing is changed
 */
export async function editRecords<R>(
  store: DataStore,
  operation: string,
  edit: (draft: Draft, slices: Slices) => Promise<R>,
  { preview, basis, signal }: EditOptions,
): Promise<Edited<R>> {
  const origin = preview ? undefined : { who: "operator", operation };
  const accept = (changes: readonly RecordChange[]) => requireBasis(changes, basis);
  const { report, changes: all, sequence, result } = await store.edit(edit, origin, { signal, accept });
  const problems = (await findInconsistencies(result)).map(describeInconsistency);
  const changes = all.filter(({ collection }) => !isBookkeeping(collection));
  const resources = summarize(changes, store.data);
  return {
    report,
    resources,
    changes: changes.length,
    problems,
    sequence: sequence ?? null,
    basis: await basisOf(all),
  };
}

/** Refuses changes with another basis than their preview; undefined accepts any. @throws Failure `CONFLICT` */
export async function requireBasis(
  changes: readonly RecordChange[],
  basis: string | undefined,
): Promise<void> {
  if (basis !== undefined && (await basisOf(changes)) !== basis) throw changedMeanwhile();
}

/**
 * Returns the basis of changes: the records before and after but for what is generated: the UUID of a new player, the time of
 * the registration, and the number of an entry. Records in which only names follow their players do not count.
 */
export async function basisOf(changes: readonly RecordChange[]): Promise<string> {
  const isNewPlayer = ({ collection, before }: RecordChange) => collection === "players" && before === null;
  const created = new Map(changes.filter(isNewPlayer).map(({ key }, index) => [key, index]));
  const hash = createHash("sha1");
  const slices = new Slices();
  for (const change of changes) {
    if (slices.isOver) await slices.next();
    const { collection, before, after } = change;
    if (isBookkeeping(collection) || (after !== null && areSame(collection, before, after))) continue;
    const isNumbered =
      collection === "entries" && before === null && String(Reflect.get(after ?? {}, "key")) === "number";
    const text = JSON.stringify([before, after], (field, value: unknown) => {
      if ((field === "registeredAt" && isNewPlayer(change)) || (field === "number" && isNumbered))
        return undefined;
      return typeof value === "string" ? (created.get(value) ?? value) : value;
    });
    hash.update(`${collection} ${text}\n`);
  }
  return hash.digest("base64url");
}
