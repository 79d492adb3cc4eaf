/**
 * The store: all data in memory, in lowdb; every change in the journal, synced before memory changes and before it is
 * acknowledged. So no change is acknowledged before it is durable, nobody reads what is not durable, and a failed write
 * leaves memory unchanged. This file opens and closes a folder and writes snapshots; `writer.ts` makes the changes.
 */
import { join } from "node:path";
import { Low } from "lowdb";
import type { Model } from "../domain/collection.ts";
import { Failure } from "../domain/errors.ts";
import { FolderAdapter } from "./adapter.ts";
import type { Origin } from "./change.ts";
import { Database, type DurableView } from "./collection.ts";
import { type Edit, type EditOptions, planEdit } from "./draft.ts";
import { diskProblem } from "./folder/disk.ts";
import { nodeFiles, piecesOf } from "./folder/files.ts";
import { lockFolder, markUnsynced } from "./folder/folder.ts";
import { snapshotFile, unsyncedMarker } from "./folder/folder-names.ts";
import type { FolderLock } from "./folder/lock.ts";
import { codeInWords, notUpgraded, shuttingDown, unsaved, unusable } from "./folder/refusals.ts";
import { FolderLost, type Journal, refusalOfSnapshot, SyncFailure, wasCut } from "./journal/journal.ts";
import { closingMilliseconds, isSnapshotDue, type StoreOptions } from "./options.ts";
import { keepEarlier } from "./recovery.ts";
import { joinJournal, requireUnshared } from "./shared/node-folder.ts";
import { unusableJournal } from "./shared/sequencer.ts";
import { SharedJournal, type SharedOptions } from "./shared/shared-journal.ts";
import { type Decide, type DecideBulk, Writer } from "./writer.ts";

export class Store<M extends Model> {
  readonly folder: string;
  /** What recovery repaired, a sentence each. */
  readonly warnings: readonly string[];
  readonly data: DurableView<M>;
  /** Whether it is data of an earlier version, which stays as it is; see {@link StoreOptions.onlyReads}. */
  readonly isOutdated: boolean;

  readonly #low: Low<Database<M>>;
  readonly #adapter: FolderAdapter<M>;
  readonly #journal: Journal;
  readonly #lock: FolderLock;
  readonly #options: StoreOptions<M>;
  readonly #now: () => number;
  readonly #writer: Writer<M>;
  #snapshot: Promise<void> | undefined;
  #snapshotSequence: number;
  #snapshotFailedAt: number | undefined;
  #isClosed = false;
  #shared: SharedJournal | undefined;

  private constructor(
    options: StoreOptions<M>,
    low: Low<Database<M>>,
    adapter: FolderAdapter<M>,
    lock: FolderLock,
    isOutdated: boolean,
  ) {
    const { journal, replayed, warnings } = adapter.recovery;
    this.folder = options.folder;
    this.warnings = warnings;
    this.data = low.data.view;
    this.isOutdated = isOutdated;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#low = low;
    this.#adapter = adapter;
    this.#journal = journal;
    this.#lock = lock;
    this.#snapshotSequence = low.data.sequence - replayed;
    this.#writer = new Writer(low.data, journal, this.#now, {
      endsBy: () => this.endsBy,
      batchWritten: () => this.#snapshotWhereDue(),
      failed: (error) => this.#stop(error),
    });
  }

  /**
   * Locks the folder and recovers its data.
   * @throws Failure `STORE_UNAVAILABLE` where another process has the folder, or the data is damaged
   */
  static async open<M extends Model>(options: StoreOptions<M>): Promise<Store<M>> {
    const { folder, model, files = nodeFiles, now = Date.now, shared } = options;
    const lock = await lockFolder(files, folder);
    const adapter = new FolderAdapter({ files, folder, lock, meter: options.meter }, options);
    try {
      const journal =
        shared === undefined
          ? await requireUnshared(files, folder)
          : await joinJournal({ files, folder, lock }, shared.sequencer, now());
      const low = new Low(adapter, new Database(model));
      await low.read();
      const isUnsynced = (await files.readdir(folder)).includes(unsyncedMarker);
      const { isOutdated: isEarlier, warnings } = adapter.recovery;
      // Something is written in any case: the copy of a shared journal, what is unsynced, the seed of a folder.
      const isWritten = shared !== undefined || isUnsynced || low.data.sequence === 0;
      const isUpgraded = isEarlier && (isWritten || options.onlyReads !== true);
      const store = new Store(options, low, adapter, lock, isEarlier && !isUpgraded);
      if (isUpgraded) warnings.push(await keepEarlier(files, folder));
      if (isUpgraded || isUnsynced) {
        // Unsynced data may be in the kernel's memory only: it must reach the disk before anything builds on it. If that
        // fails, no other snapshot begins either.
        store.#snapshot = store.#writeSnapshot({ anew: true });
        await store.#snapshot;
        store.#snapshot = undefined;
      }
      if (isUnsynced) await files.unlink(join(folder, unsyncedMarker));
      if (shared !== undefined && journal !== undefined) await store.#share(shared, journal);
      return store;
    } catch (error) {
      await shared?.sequencer.close();
      await adapter.close();
      if (error instanceof SyncFailure) await markUnsynced(files, folder);
      await lock.release();
      throw error instanceof Failure ? error : unusable(folder, error);
    }
  }

  /** The journal that other nodes append to as well; undefined where there is none. */
  get shared(): SharedJournal | undefined {
    return this.#shared;
  }

  get sequence(): number {
    return this.#low.data.sequence;
  }

  /**
   * Makes a change. When this returns, the change is durable and visible to everyone.
   * @throws whatever `decide` throws; then nothing was changed
   * @throws Failure `STORE_UNAVAILABLE`, `SHUTTING_DOWN`; then nothing was changed, unless a sync failed, or the folder was
   *   moved during the write: the next start may find the change then, and the failure says so
   */
  change<T>(origin: Origin, decide: Decide<M, T>): Promise<T> {
    const refusal = this.#refusal;
    return refusal ? Promise.reject(refusal) : this.#writer.change(origin, decide);
  }

  /**
   * Makes one change of many records, which takes several lines of the journal and is all or nothing. Other changes wait
   * meanwhile; reads do not. When this returns, the change is durable and visible to everyone.
   * @param decide is called once no other change is being made: what it returns must hold for the data at that moment
   * @returns the number of the change, or undefined where `decide` returned no records
   * @throws as {@link change}
   */
  changeInBulk(origin: Origin, decide: DecideBulk): Promise<number | undefined> {
    const refusal = this.#refusal;
    return refusal ? Promise.reject(refusal) : this.#writer.changeInBulk(origin, decide);
  }

  /** Removes the records that have ended, in changes of `system`. @throws as {@link change} */
  async removeEnded(): Promise<void> {
    // Every batch begins with that: the change only causes one, and finds nothing left to do.
    while (!this.#isClosed && this.#low.data.ended(this.endsBy, 1).length > 0)
      await this.change({ who: "system", operation: "end" }, () => {});
  }

  /**
   * The instant by which records have ended that may be removed. With a shared journal its clock has to agree, since a wrong
   * one would take something from all nodes; before it is followed, nothing may be changed.
   */
  get endsBy(): number {
    if (this.#options.shared === undefined) return this.#now();
    return Math.min(this.#now(), this.#shared?.contact.now ?? Number.NEGATIVE_INFINITY);
  }

  /** Runs a task while no change is being made. Changes wait until it settles. */
  betweenChanges(task: () => Promise<void>): Promise<void> {
    return this.#writer.betweenBatches(task);
  }

  /**
   * Makes one change of what an edit writes to a draft, as {@link changeInBulk}, or without an origin only returns it. The edit
   * should yield to the event loop every few milliseconds. Others change the data meanwhile; if they change a collection
   * that it has read, it is repeated, and the last time they wait.
   * @returns what `planEdit` does, and the number of the change, if there is one
   * @throws what `edit` throws, and as {@link change}
   */
  async edit<R>(edit: Edit<M, R>, origin?: Origin, options: EditOptions = {}) {
    let planned = await planEdit(this.#low.data, edit, 1, options.signal);
    if (origin === undefined) return { ...planned, sequence: undefined };
    const sequence = await this.changeInBulk(origin, async () => {
      if (planned.draft.isStale) planned = await planEdit(this.#low.data, edit, 0, options.signal);
      await options.accept?.(planned.changes);
      options.signal?.throwIfAborted();
      return planned.changes;
    });
    return { ...planned, sequence };
  }

  /**
   * Returns why changes are not accepted, in one sentence without a path, or undefined if they are. A full disk counts
   * before a change has failed. A failed change counts until one succeeds: the disk cannot be tried without writing.
   */
  async problem(): Promise<string | undefined> {
    if (this.#writer.fatal !== undefined) return "The disk is no longer reliable.";
    if (this.#journal.isCut) return `${wasCut}, and no snapshot has saved the data yet.`;
    const unreached = this.#shared?.contact.problem;
    if (unreached !== undefined) return unreached;
    if (this.#writer.isUndecided) return "The shared journal has not confirmed the last change.";
    const failure = this.#journal.failure ?? this.#shared?.failed;
    const problem = await diskProblem(this.folder);
    if (problem !== undefined) return problem;
    return failure === undefined ? undefined : `The last change could not be saved${codeInWords(failure)}.`;
  }

  /** After the disk has failed, the writer refuses changes, with the cause. */
  get #refusal(): Failure | undefined {
    if (this.isOutdated) return notUpgraded();
    if (this.#journal.isCut) return unsaved(new Error(wasCut));
    return this.#isClosed && this.#writer.fatal === undefined ? shuttingDown() : undefined;
  }

  /**
   * Writes a snapshot of every acknowledged change, durably, unless the newest one has them; changes go on meanwhile.
   * @returns the number of the last change in the newest snapshot
   * @throws Failure `STORE_UNAVAILABLE` where it could not be written: the data is unchanged, and changes go on
   */
  async snapshot(): Promise<number> {
    if (this.#isClosed) throw shuttingDown();
    await this.#writer.betweenBatches(async () => {});
    await this.#takeSnapshot();
    return this.#snapshotSequence;
  }

  async #takeSnapshot(): Promise<void> {
    // One that is under way may have begun before the last change; if it fails, this one may not.
    await this.#snapshot?.catch(() => {});
    const isCurrent = this.#snapshotSequence === this.sequence && this.sequence > 0 && !this.lookForCut();
    const failed = (cause: unknown) => {
      this.#snapshotFailedAt = this.#now();
      this.#options.meter?.snapshot("failed");
      throw refusalOfSnapshot(cause, this.#journal.isCut);
    };
    const write = () => this.#writeSnapshot().then(() => this.#options.meter?.snapshot("written"), failed);
    this.#snapshot ??= (isCurrent ? this.#adapter.prune() : write()).finally(() => {
      this.#snapshot = undefined;
    });
    await this.#snapshot;
  }

  /**
   * Finishes the waiting changes and releases the folder.
   * @param options.snapshot whether to write a snapshot, so that the next start has nothing to replay
   */
  async close(options: { snapshot?: boolean } = {}): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      // What is being appended may wait for a shared journal that does not answer.
      const closing = setTimeout(() => void this.#shared?.close(), closingMilliseconds);
      await this.#writer.writing;
      clearTimeout(closing);
      await this.#shared?.close();
      await this.#snapshot?.catch(() => {});
      if (options.snapshot === true && this.#writer.fatal === undefined) await this.#takeSnapshot();
    } finally {
      await this.#journal.close().finally(() => this.#lock.release());
    }
  }

  /** Looks whether only memory has all changes, since somebody has cut, deleted or replaced the journal. */
  lookForCut(): boolean {
    return this.#writer.writing === undefined ? this.#journal.lookForCut() : this.#journal.isCut;
  }

  /** Ends the process if somebody moved or deleted the folder, or its lock file. */
  async check(): Promise<void> {
    if (this.#isClosed || this.#writer.fatal !== undefined) return;
    await this.#writer.betweenBatches(async () => {
      this.#journal.check();
      this.#journal.lookForCut();
    });
  }

  /** Begins a snapshot if the journal has grown enough, or the newest one is old. */
  #snapshotWhereDue(): void {
    const { snapshotAfter, warn } = this.#options;
    if (this.#journal.noticeCut()) warn?.(`${wasCut}. Only memory has all changes.`, undefined);
    const attempt = { now: this.#now(), failedAt: this.#snapshotFailedAt };
    if (!isSnapshotDue(this.#journal, this.#adapter, attempt, snapshotAfter)) return;
    if (this.isOutdated || this.#snapshot !== undefined || this.#writer.fatal !== undefined) return;
    this.#takeSnapshot().catch((error) => warn?.("No snapshot could be written.", error));
  }

  /** Follows the shared journal from now on, and appends to it. */
  async #share(options: SharedOptions, id: string): Promise<void> {
    const shared = new SharedJournal(options, id, {
      database: this.#low.data,
      journal: this.#journal,
      now: this.#now,
      warn: (message, error) => this.#options.warn?.(message, error),
      meter: this.#options.meter,
      wake: () => this.#writer.follow(),
    });
    await shared.start().catch((cause: unknown) => {
      const isKnown = cause instanceof Failure || cause instanceof SyncFailure;
      throw isKnown ? cause : unusableJournal(options.sequencer.name, cause);
    });
    this.#shared = shared;
    this.#writer.share(shared);
  }

  /** @param options.anew whether to replace the newest segment if it has no changes yet */
  async #writeSnapshot({ anew = false } = {}): Promise<void> {
    // 1. A new segment for the changes from now on. A crash here leaves one more, empty segment.
    await this.#writer.betweenBatches(async () => {
      const first = this.sequence + 1;
      this.#journal.lookForCut();
      if (this.#journal.isLost || anew || first !== this.#journal.first)
        await this.#journal.rotate(first, this.#low.data.chain, this.#now());
    });
    // 2. The records as they are now. A crash here leaves a temporary file.
    const { sequence: written, chain } = this.#low.data;
    await this.#low.write();
    // 3. From now on a start reads the snapshot, and what it supersedes may be deleted.
    this.#snapshotSequence = written;
    this.#snapshotFailedAt = undefined;
    if (this.#journal.supersede()) this.#options.warn?.("A snapshot has saved the data.", undefined);
    await this.#adapter.prune();
    const pieces = () => piecesOf(this.#options.files ?? nodeFiles, join(this.folder, snapshotFile(written)));
    if (!this.#isClosed) await this.#shared?.offerSnapshot({ sequence: written, chain }, pieces());
  }

  /** Leaves a mark for the next start, and has the process ended. */
  async #stop(error: Error): Promise<void> {
    // A folder that was moved must not be marked: somebody else's may have its name now.
    if (!(error instanceof FolderLost)) await markUnsynced(this.#options.files ?? nodeFiles, this.folder);
    this.#options.onFatal?.(error);
  }
}
