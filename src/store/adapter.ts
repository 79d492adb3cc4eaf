/** lowdb's adapter for a data folder: `read` recovers its data, `write` writes a snapshot. */
import type { Adapter } from "lowdb";
import type { Model } from "../domain/collection.ts";
import type { Database } from "./collection.ts";
import type { LockedFolder } from "./journal/new-segment.ts";
import type { StoreOptions } from "./options.ts";
import { readDataFiles } from "./reading.ts";
import { type Recovery, recover } from "./recovery.ts";
import { prune } from "./retention.ts";
import { writeSnapshot } from "./snapshot.ts";

export class FolderAdapter<M extends Model> implements Adapter<Database<M>> {
  readonly #place: LockedFolder;
  readonly #options: StoreOptions<M>;
  #recovery: Recovery | undefined;
  /** The size of the newest snapshot, in bytes. */
  snapshotBytes = 0;
  /** When the newest snapshot was written, or the journal begun if there is none, in milliseconds since 1970. */
  historySince = 0;

  constructor(place: LockedFolder, options: StoreOptions<M>) {
    this.#place = place;
    this.#options = options;
  }

  /** The journal and the repairs of the last {@link read}. */
  get recovery(): Recovery {
    if (this.#recovery === undefined) throw new Error("the adapter has not read the folder");
    return this.#recovery;
  }

  /**
   * Recovers the data: the newest whole snapshot, and every change of the journal after it.
   * @throws Failure `STORE_UNAVAILABLE` where the files are damaged or incomplete
   */
  async read(): Promise<Database<M>> {
    const { files, folder } = this.#place;
    const { model } = this.#options;
    const { database, ...recovery } = await recover(this.#place, model, this.#now);
    this.#recovery = recovery;
    const { journal, snapshot } = await readDataFiles(files, folder);
    this.snapshotBytes = snapshot?.bytes ?? 0;
    // A damaged snapshot counts as old: the next change begins another one.
    this.historySince = (snapshot ?? journal)?.since ?? 0;
    return database;
  }

  /** Closes the journal, if {@link read} has opened it. */
  async close(): Promise<void> {
    await this.#recovery?.journal.close().catch(() => {});
  }

  /** Writes the data as it is now, whatever changes meanwhile. Durable when this returns. */
  async write(database: Database<M>): Promise<void> {
    const now = this.#now;
    const { files, folder } = this.#place;
    this.snapshotBytes = await writeSnapshot(files, folder, database, now);
    this.historySince = now;
  }

  /** Deletes what is past the retention. If that fails, somebody has to look at the folder, which grows. */
  async prune(): Promise<void> {
    const { files, folder, meter } = this.#place;
    const { retention, warn } = this.#options;
    await prune(files, folder, retention).catch((error) => {
      meter?.snapshot("failed");
      warn?.("Superseded files could not be deleted.", error);
    });
  }

  get #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}
