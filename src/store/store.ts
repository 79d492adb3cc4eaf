/**
 * The store: all data in memory, in lowdb; every change in the journal and synced before memory changes and before
 * it is answered. `writer.ts` makes the changes; here a folder is opened, snapshots are written, and it is closed.
 *
 * What follows from that: nothing is answered before it is durable; nobody ever reads what is not; a failed write
 * leaves memory as it was.
 */
import { join } from "node:path";
import { Low } from "lowdb";
import { Failure } from "../domain/errors.ts";
import type { Model } from "../domain/model.ts";
import type { Database, DurableView } from "./collection.ts";
import { type Files, nodeFiles, privateMode } from "./folder/files.ts";
import { makeFolder } from "./folder/folder.ts";
import { FolderLock } from "./folder/lock.ts";
import { shuttingDown, unusable, unwritten } from "./folder/refusals.ts";
import { defaultRetention, prune, type Retention } from "./folder/retention.ts";
import { FolderLost, type Journal } from "./journal/journal.ts";
import { journalVersion } from "./journal/segment.ts";
import { hasData } from "./reading.ts";
import { keepCopies, recover } from "./recovery.ts";
import { SnapshotAdapter } from "./snapshot.ts";
import { type Decide, type DecideBulk, type Origin, Writer } from "./writer.ts";

export interface StoreOptions<M extends Model> {
  readonly folder: string;
  readonly model: M;
  readonly files?: Files;
  readonly now?: () => number;
  /**
   * A snapshot is begun when the journal has grown by so many bytes since the last one, and by so many times the last
   * one's. By default 64 MiB, and twice: then snapshots are a third of what is written at most.
   */
  readonly snapshotAfter?: { readonly bytes: number; readonly snapshots: number };
  /** How long what a newer snapshot contains is kept. */
  readonly retention?: Retention;
  /** Told when something in the background has failed that nobody waits for, such as a snapshot. */
  readonly warn?: (message: string, error: unknown) => void;
  /** Told when the disk can not be relied on any more; the process has to end. */
  readonly onFatal?: (error: Error) => void;
}

const defaultSnapshotAfter = { bytes: 64 * 1024 * 1024, snapshots: 2 };

/** A file that says that a sync has failed, so that what a start reads may never have reached the disk. */
const unsyncedMarker = "unsynced";

/** See the head of this file. */
export class Store<M extends Model> {
  readonly folder: string;
  /** What opening had to mend, a sentence each. */
  readonly warnings: readonly string[];
  /** Whether the folder had no data when it was opened. */
  readonly isNew: boolean;
  /** The records, to read. Always what is durable. */
  readonly data: DurableView<M>;

  readonly #low: Low<Database<M>>;
  readonly #adapter: SnapshotAdapter<M>;
  readonly #journal: Journal;
  readonly #lock: FolderLock;
  readonly #options: StoreOptions<M>;
  readonly #now: () => number;
  readonly #writer: Writer<M>;
  #snapshot: Promise<void> | undefined;
  #snapshotSequence: number;
  #closed = false;

  private constructor(
    options: StoreOptions<M>,
    low: Low<Database<M>>,
    adapter: SnapshotAdapter<M>,
    journal: Journal,
    lock: FolderLock,
    opened: { isNew: boolean; warnings: readonly string[]; snapshotSequence: number },
  ) {
    this.folder = options.folder;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#low = low;
    this.#adapter = adapter;
    this.#journal = journal;
    this.#lock = lock;
    this.data = low.data.view;
    this.isNew = opened.isNew;
    this.warnings = opened.warnings;
    this.#snapshotSequence = opened.snapshotSequence;
    this.#writer = new Writer(low.data, journal, this.#now, {
      batchWritten: () => this.#snapshotWhereDue(),
      failed: (error) => this.#stop(error),
    });
  }

  /** Whether a folder has data of the service. A folder that does not exist has none. */
  static async exists(folder: string, files: Files = nodeFiles): Promise<boolean> {
    try {
      return hasData(await files.readdir(folder));
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  }

  /**
   * Takes the folder's lock and reads its data.
   * @throws Failure `STORE_UNAVAILABLE` where another process has the folder, or the data is damaged.
   */
  static async open<M extends Model>(options: StoreOptions<M>): Promise<Store<M>> {
    const { folder, model, files = nodeFiles, now = Date.now } = options;
    const lock = await takeFolder(files, folder);
    let journal: Journal | undefined;
    try {
      const recovered = await recover(files, folder, model, now());
      journal = recovered.journal;
      journal.guardBy(lock);
      const adapter = new SnapshotAdapter(files, folder, model, now);
      await adapter.measure();
      const low = new Low(adapter, recovered.database);
      const marker = join(folder, unsyncedMarker);
      const unsynced = (await files.readdir(folder)).includes(unsyncedMarker);
      const store = new Store(options, low, adapter, recovered.journal, lock, {
        isNew: recovered.isNew,
        warnings: recovered.warnings,
        snapshotSequence: recovered.database.sequence - recovered.replayed,
      });
      if (recovered.isOutdated) {
        await keepCopies(files, folder, `before-version-${journalVersion}`);
        await store.#writeSnapshot({ anew: true });
      }
      if (unsynced) {
        // What was read may be in the kernel's memory only: it has to reach the disk before it is built upon.
        await store.#writeSnapshot({ anew: true });
        await files.unlink(marker);
      }
      return store;
    } catch (error) {
      await journal?.close().catch(() => {});
      await lock.release();
      throw error instanceof Failure ? error : unusable(folder, error);
    }
  }

  /** The number of the last change. */
  get sequence(): number {
    return this.#low.data.sequence;
  }

  /**
   * Makes a change. When this returns the change is durable and everyone reads it.
   * @throws whatever `decide` throws; then nothing was changed.
   * @throws Failure `STORE_UNAVAILABLE`, `SHUTTING_DOWN`; then nothing was changed.
   */
  change<T>(origin: Origin, decide: Decide<M, T>): Promise<T> {
    // Of a disk that has failed the writer tells, also where the store was closed since.
    const isRefused = this.#closed && this.#writer.fatal === undefined;
    return isRefused ? Promise.reject(shuttingDown()) : this.#writer.change(origin, decide);
  }

  /**
   * Makes one change of many records, given as what becomes of each. It is in the journal in several lines, and has
   * happened wholly or not at all. Other changes wait meanwhile; reads do not. When this returns the change is durable
   * and everyone reads it. No records at all are no change.
   * @param decide is asked once no other change is being made: what it says has to hold for the data as it is then
   * @returns the number of the change; undefined where there was nothing to change
   * @throws as {@link change}
   */
  changeInBulk(origin: Origin, decide: DecideBulk): Promise<number | undefined> {
    const isRefused = this.#closed && this.#writer.fatal === undefined;
    return isRefused ? Promise.reject(shuttingDown()) : this.#writer.changeInBulk(origin, decide);
  }

  /**
   * Writes a snapshot of the data as it is now; changes go on meanwhile. Durable when this returns. Does nothing
   * where the newest snapshot has everything. Gives the number of the last change that the snapshot contains.
   * @throws Failure `STORE_UNAVAILABLE` where it could not be written: the data is as it was, and changes go on
   */
  async snapshot(): Promise<number> {
    if (this.#closed) throw shuttingDown();
    await this.#takeSnapshot();
    return this.#snapshotSequence;
  }

  async #takeSnapshot(): Promise<void> {
    // One that is under way may have begun before the last change; if it fails, this one may not.
    await this.#snapshot?.catch(() => {});
    if (this.#snapshotSequence === this.sequence && this.sequence > 0) return;
    this.#snapshot ??= this.#writeSnapshot().finally(() => {
      this.#snapshot = undefined;
    });
    try {
      await this.#snapshot;
    } catch (cause) {
      throw cause instanceof Failure ? cause : unwritten(cause);
    }
  }

  /**
   * Finishes the changes that are waiting and gives the folder up.
   * @param options.snapshot whether to write a snapshot, so that the next start has nothing to replay.
   */
  async close(options: { snapshot?: boolean } = {}): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#writer.writing;
      await this.#snapshot?.catch(() => {});
      if (options.snapshot === true && this.#writer.fatal === undefined) await this.#takeSnapshot();
    } finally {
      await this.#journal.close();
      await this.#lock.release();
    }
  }

  /**
   * Makes sure that nobody has deleted the lock file, or moved the folder. A lock file that is missing is put back;
   * where the folder is not there any more, the process has to end.
   * @returns whether the lock file was missing
   */
  async check(): Promise<boolean> {
    if (this.#closed || this.#writer.fatal !== undefined) return false;
    let restored = false;
    try {
      await this.#writer.betweenBatches(async () => {
        restored = await this.#journal.check();
      });
    } catch (error) {
      if (error instanceof FolderLost) await this.#stop(error);
      throw error;
    }
    return restored;
  }

  /** Begins a snapshot where the journal has grown enough. */
  #snapshotWhereDue(): void {
    const { bytes, snapshots } = this.#options.snapshotAfter ?? defaultSnapshotAfter;
    const { size } = this.#journal;
    if (size < bytes || size < snapshots * this.#adapter.bytes || this.#snapshot !== undefined) return;
    if (this.#writer.fatal !== undefined) return;
    // A snapshot that fails leaves everything as it was: a later batch tries again.
    this.#takeSnapshot().catch((error) => this.#options.warn?.("No snapshot could be written.", error));
  }

  /** @param options.anew whether a segment that has no records yet is written once more */
  async #writeSnapshot({ anew = false } = {}): Promise<void> {
    const files = this.#options.files ?? nodeFiles;
    // 1. A new segment, so that what comes from now on stands apart. A crash here leaves one more, empty segment.
    await this.#writer.betweenBatches(async () => {
      const first = this.sequence + 1;
      if (anew || first !== this.#journal.first)
        await this.#journal.rotate(first, this.#low.data.chain, this.#now());
    });
    // 2. The records as they are now. A crash here leaves a file without the name of a snapshot.
    const written = this.sequence;
    await this.#low.write();
    // 3. From here on the snapshot is what a start reads, and what it replaces may go.
    this.#snapshotSequence = written;
    await prune(files, this.folder, this.#options.retention ?? defaultRetention);
  }

  /** Leaves a mark for the next start, and has the process ended. */
  async #stop(error: Error): Promise<void> {
    // What has the folder's name now may be somebody else's.
    if (error instanceof FolderLost) {
      this.#options.onFatal?.(error);
      return;
    }
    try {
      const files = this.#options.files ?? nodeFiles;
      await (await files.open(join(this.folder, unsyncedMarker), "a", privateMode)).close();
    } catch {
      // A disk that takes nothing any more: the cause is the one to tell of, and the refusals have to get out.
    }
    this.#options.onFatal?.(error);
  }
}

/** Takes a folder's lock; the folder is made where it is missing. @throws Failure where it can not be written to */
async function takeFolder(files: Files, folder: string): Promise<FolderLock> {
  try {
    await makeFolder(files, folder);
    return await FolderLock.take(files, folder);
  } catch (cause) {
    throw cause instanceof Failure ? cause : unusable(folder, cause);
  }
}
