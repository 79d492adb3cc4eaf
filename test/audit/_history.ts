/** Histories for the tests of the audit: records of the journal, and stores that wrote some. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { model } from "../../src/domain/model.ts";
import type { JournalRecord, RecordChange } from "../../src/store/change.ts";
import type { StoreOptions } from "../../src/store/options.ts";
import { Store } from "../../src/store/store.ts";
import { wantedReason } from "../_entries.ts";
import type { Cleanup } from "../_setup.ts";

export const ada = "0000000000000000000000000000ada0";
export const bob = "00000000000000000000000000000b0b";

/** A change of one or more records. */
export function recordOf(
  changes: readonly RecordChange[],
  details: Partial<Omit<JournalRecord, "changes">> = {},
): JournalRecord {
  return {
    sequence: 1,
    instant: 0,
    who: "operator",
    operation: "test",
    request: null,
    table: null,
    undoes: null,
    ...details,
    changes,
  };
}

/** A record's value before and after; null where there is none. */
export function changeOf(collection: string, key: string, before: unknown, after: unknown): RecordChange {
  return { collection, key, before, after };
}

export type Keeper = Store<typeof model>;

/** A store in a folder of its own. It is closed after the test. */
export async function openStore(
  t: Cleanup,
  options: Partial<StoreOptions<typeof model>> = {},
): Promise<Keeper> {
  const top = options.folder === undefined ? await mkdtemp(join(tmpdir(), "gameaddon-audit-")) : undefined;
  const folder = options.folder ?? join(String(top), "data");
  const store = await Store.open({ ...options, folder, model });
  t.after(async () => {
    // A snapshot may still be under way: the folder goes when it is closed.
    await store.close();
    if (top !== undefined) await rm(top, { recursive: true, force: true });
  });
  return store;
}

/** Makes a change: a wanted reason of so many points. */
export function want(store: Keeper, reason: string, points = 1): Promise<void> {
  return store.change({ who: "operator", operation: "wantedreason.add" }, (draft) =>
    draft.entries.put(wantedReason(reason, points)),
  );
}
