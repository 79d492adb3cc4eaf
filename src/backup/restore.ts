/**
 * Restoring and importing as a change like any other: looked at first, then made in one bulk change, which the audit
 * shows and `undo` takes back. `replace.ts` is for folders that have no data, or damaged data.
 */
import { Failure } from "../domain/errors.ts";
import type { DataStore } from "../store/data.ts";
import type { RecordChange } from "../store/draft.ts";
import { nodeFiles } from "../store/folder/files.ts";
import { Overlay } from "./overlay.ts";
import { type ResourceChange, summarize } from "./preview.ts";
import { Replacement } from "./restore-plan.ts";
import { type FollowedRevocations, followRevocations, type Revocations } from "./revocations.ts";
import { countOf, problemsOf, readSourceInto, type Source } from "./source.ts";

/** What is to take the place of the data. */
export interface RestoreRequest {
  readonly source: Source;
  /** Whether tokens are restored, too. A revoked one stays revoked, also where its player was removed since. */
  readonly tokens: boolean;
}

/** What a restore or an import would change. */
export interface RestorePreview {
  readonly resources: readonly ResourceChange[];
  /** How many records would change. */
  readonly changes: number;
  /** Records of the result that do not fit together, a sentence each: there are backups of such data. */
  readonly problems: readonly string[];
  /** How many tokens of the source the data lacks and will lack, since they are not restored. */
  readonly tokensLeftOut: number;
  /** How many records the source has. */
  readonly records: number;
  /** When the backup was begun; null for anything else. */
  readonly instant: number | null;
  /** Of the source, for {@link restoreRecords}. */
  readonly revision: string;
}

/** What a restore or an import has changed. */
export interface RestoreResult extends Omit<RestorePreview, "revision"> {
  /** The number of the change; null where nothing was to be changed. */
  readonly sequence: number | null;
}

/**
 * Tells what a restore or an import would change. Changes nothing.
 * @throws Failure where the source can not be read, ImportProblems where an export is not consistent
 */
export async function previewRestore(store: DataStore, request: RestoreRequest): Promise<RestorePreview> {
  return withReplacement(store, request, async (replacement, source) => {
    const changes = await replacement.changes();
    return { ...source, resources: summarize(changes, store.data), changes: changes.length };
  });
}

/**
 * Restores or imports, beside other changes. Prepared outside the store's writer; within it only records that differ are
 * compared again.
 * @param revision of the source that was looked at; undefined takes whatever is there
 * @throws Failure `CONFLICT` where the source has changed since; otherwise as {@link previewRestore} and `Store.change`
 */
export async function restoreRecords(
  store: DataStore,
  request: RestoreRequest,
  revision?: string,
): Promise<RestoreResult> {
  return withReplacement(store, request, async (replacement, { revision: found, ...source }) => {
    if (revision !== undefined && found !== revision) {
      throw new Failure("CONFLICT", "What is to be restored was changed while it was looked at.", {
        hint: "Repeat the command to see what it would change now; nothing was changed.",
      });
    }
    const operation = request.source.kind === "export" ? "data.import" : "data.restore";
    let changes: readonly RecordChange[] = [];
    const sequence = await store.changeInBulk({ who: "operator", operation }, async () => {
      changes = await replacement.changes();
      return changes;
    });
    const resources = summarize(changes, store.data);
    return { ...source, sequence: sequence ?? null, resources, changes: changes.length };
  });
}

/** Reads a source, and has it used. */
async function withReplacement<T>(
  store: DataStore,
  { source, tokens }: RestoreRequest,
  use: (replacement: Replacement, source: Omit<RestorePreview, "resources" | "changes">) => Promise<T>,
): Promise<T> {
  const overlay = new Overlay(store.data);
  let followed: FollowedRevocations | undefined;
  try {
    const head = await readSourceInto(nodeFiles, store.folder, source, () => overlay.begin());
    await overlay.end();
    const records = countOf(overlay.database);
    followed = tokens ? await followRevocations(nodeFiles, store) : undefined;
    const revocations: Revocations = followed?.revocations ?? new Map();
    const replacement = new Replacement(store.data, overlay, store.sequence, { tokens, revocations });
    await replacement.prepare();
    const { result } = replacement;
    // All that an export says has to be right, also what is not taken from it.
    const given = overlay.database.view.tokens;
    const problems = await problemsOf(
      source,
      source.kind === "export" ? { ...result, tokens: given } : result,
    );
    const { tokensLeftOut } = replacement;
    return await use(replacement, { ...head, records, problems, tokensLeftOut });
  } finally {
    followed?.close();
    overlay.close();
  }
}
