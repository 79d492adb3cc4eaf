/** Tests of behaviour run on either journal: that of the folder, or one in PostgreSQL. */
import type { Model } from "../src/domain/collection.ts";

/** Returns a journal in PostgreSQL for a folder, if `TEST_JOURNAL` has the URL of a server, as `test/store/shared/` sets it. */
export async function sharedJournalOf(folder: string, model: Model, now: () => number) {
  const { TEST_JOURNAL: server } = process.env;
  if (server === undefined) return undefined;
  return (await import("./store/shared/_databases.ts")).journalOf(server, folder, model, now);
}
