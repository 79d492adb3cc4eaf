/**
 * Restores and imports as a bulk change, which can be previewed, which the audit shows, and which `undo` undoes.
 * `replace-files.ts` is for folders without data, or with damaged data.
 */
import { Failure } from "../domain/errors.ts";
import type { RecordChange } from "../store/change.ts";
import type { DataStore } from "../store/data.ts";
import { nodeFiles } from "../store/folder/files.ts";
import { Overlay } from "./overlay.ts";
import { type ResourceChange, summarize } from "./preview.ts";
import { RestorePlan } from "./restore-plan.ts";
import { followRevocations } from "./revocations.ts";
import { problemsOf, readSource, type Source } from "./source.ts";

/** What to restore. */
export interface RestoreRequest {
  readonly source: Source;
  /** Whether tokens are restored, too. A revoked one stays revoked, even if its player was removed since. */
  readonly tokens: boolean;
  /** Whether to change nothing. */
  readonly preview?: boolean;
  /** Checks what changes; without it, entries can come that the route table in force refuses. */
  readonly check?: TableCheck | undefined;
}

/**
 * Returns changes as the route table in force has them, with the present names of fields, why it refuses them, and remarks
 * about others, a sentence each.
 */
export type TableCheck = (
  changes: readonly RecordChange[],
) => Promise<Checked & { readonly faults: readonly string[] }>;

/** What a restore or an import changes, or would change. */
export interface Restored {
  readonly resources: readonly ResourceChange[];
  /** The number of records. */
  readonly changes: number;
  /** Inconsistent records of the result, which a backup may have, and what an export lacks, a sentence each. */
  readonly problems: readonly string[];
  /** The number of valid tokens of the source that the result lacks, since tokens are not restored. */
  readonly tokensLeftOut: number;
  /** The number of records in the source. */
  readonly records: number;
  /** When the backup was begun; null for any other source. */
  readonly instant: number | null;
  /** The revision of the source. */
  readonly revision: string;
  /** The number of the change; null in a preview, and where nothing changed. */
  readonly sequence: number | null;
}

/**
 * Restores or imports, while others change data, or previews that. The plan is made outside the store's writer, which only
 * compares the records that differ again.
 * @param revision of the source that was previewed; undefined accepts any
 * @param signal if aborted before the change is written, nothing is changed: whoever looked meanwhile found no restore
 * @throws Failure where the source cannot be read, an export is not consistent, or the route table refuses entries
 * @throws Failure `CONFLICT` where the source has changed since it was previewed; and as `Store.change`
 */
export async function restoreRecords(
  store: DataStore,
  { source, tokens, preview = false, check }: RestoreRequest,
  revision?: string,
  signal?: AbortSignal,
): Promise<Restored> {
  const overlay = new Overlay(store.data);
  let followed: Awaited<ReturnType<typeof followRevocations>> | undefined;
  try {
    const { missing, database, ...head } = await readSource(nodeFiles, store.folder, source, overlay);
    if (revision !== undefined && head.revision !== revision) {
      throw new Failure("CONFLICT", "The source has changed since it was previewed.", {
        hint: "Repeat the command to see what it would change now; nothing was changed.",
      });
    }
    followed = tokens ? await followRevocations(nodeFiles, store) : undefined;
    const plan = new RestorePlan(store.data, overlay, store.sequence, followed?.revocations);
    const { result, tokensLeftOut } = plan;
    // An export must be consistent as a whole, including the tokens that are not restored.
    const given = database.view.tokens;
    const inconsistent = await problemsOf(
      source,
      source.kind === "export" ? { ...result, tokens: given } : result,
    );
    const removed = missing.filter((name) => plan.removesAll(name));
    const lacks = removed.map((name) => `collections.${name} is missing: all its records are removed`);
    let { changes, remarks }: Checked = { changes: [], remarks: [] };
    const decide = async () => {
      ({ changes, remarks } = await checkedChanges(plan, check));
      signal?.throwIfAborted();
      return [...changes, ...plan.raised(changes)];
    };
    const operation = source.kind === "export" ? "data.import" : "data.restore";
    const sequence = preview
      ? await decide().then(() => undefined)
      : await store.changeInBulk({ who: "operator", operation }, decide);
    return {
      ...head,
      problems: [...inconsistent, ...lacks, ...remarks],
      tokensLeftOut,
      sequence: sequence ?? null,
      resources: summarize(changes, store.data),
      changes: changes.length,
    };
  } finally {
    followed?.close();
    overlay.close();
  }
}

interface Checked {
  readonly changes: readonly RecordChange[];
  readonly remarks: readonly string[];
}

/** Returns the changes of a plan. @throws Failure `CONFLICT` with which the route table in force could not be loaded again */
async function checkedChanges(plan: RestorePlan, check: TableCheck | undefined): Promise<Checked> {
  const changes = await plan.changes();
  const checked = (await check?.(changes)) ?? { changes, faults: [], remarks: [] };
  if (checked.faults.length === 0) return checked;
  throw new Failure("CONFLICT", "The route table refuses entries of the source. Nothing was changed.", {
    problems: checked.faults,
    hint: "First put a table in force that they fit: `addon-cli routes history` lists earlier ones.",
  });
}
