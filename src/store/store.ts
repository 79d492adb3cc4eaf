/**
 * The store: all data in memory, in lowdb; every change in the journal and synced before memory changes and before
 * it is answered. One writer takes all changes that are waiting, decides them one after another over one draft, and
 * writes them in one go, so that many changes share one sync.
 *
 * What follows from that: nothing is answered before it is durable; nobody ever reads what is not; a failed write
 * leaves memory as it was.
 */
import { join } from "node:path";
import { Low } from "lowdb";
import { Failure } from "../errors.ts";
import type { Model } from "../model.ts";
import type { Database, DraftView, DurableView } from "./collection.ts";
import { BatchDraft, type RecordChange } from "./draft.ts";
import { type Files, nodeFiles, privateMode } from "./files.ts";
import { type Journal, type JournalRecord, journalVersion, SyncFailure } from "./journal.ts";
import { encodeLine } from "./lines.ts";
import { FolderLock } from "./lock.ts";
import { applyRecord, hasData } from "./reading.ts";
import { keepCopies, recover } from "./recovery.ts";
import { defaultRetention, prune, type Retention } from "./retention.ts";
import { SnapshotAdapter } from "./snapshot.ts";

/** Who asks for a change, and through which operation: what the journal says of it. */
export interface Origin {
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  /** The operation's name, such as `targetlist.add`. */
  readonly operation: string;
  /** The id of the HTTP request that asked for it. */
  readonly request?: string;
  /** The revision of the route table that let it in. */
  readonly table?: string;
  /** The number of the change that this one takes back. */
  readonly undoes?: number;
}

/** The moment of a change: its number, and the instant in milliseconds since 1970. */
export interface Moment {
  readonly sequence: number;
  readonly now: number;
}

/** Decides a change: reads and writes the draft, gives the answer, or throws and has changed nothing. */
export type Decide<M extends Model, T> = (draft: DraftView<M>, moment: Moment) => T;

export interface StoreOptions<M extends Model> {
  readonly folder: string;
  readonly model: M;
  readonly files?: Files;
  readonly now?: () => number;
  /** A snapshot is begun when the journal has grown by this many bytes since the last one. */
  readonly snapshotAfterBytes?: number;
  /** How long what a newer snapshot contains is kept. */
  readonly retention?: Retention;
  /** Told when something in the background has failed that nobody waits for, such as a snapshot. */
  readonly warn?: (message: string, error: unknown) => void;
  /** Told when the disk can not be relied on any more; the process has to end. */
  readonly onFatal?: (error: Error) => void;
}

interface Waiting<M extends Model> {
  readonly origin: Origin;
  readonly decide: Decide<M, unknown>;
  readonly settle: (outcome: { value: unknown } | { error: unknown }) => void;
}

const defaultSnapshotAfterBytes = 64 * 1024 * 1024;

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
  readonly #journal: Journal;
  readonly #lock: FolderLock;
  readonly #options: StoreOptions<M>;
  readonly #now: () => number;
  #waiting: Waiting<M>[] = [];
  /** What the writer does between two batches. */
  #interludes: (() => Promise<void>)[] = [];
  #writing: Promise<void> | undefined;
  #snapshot: Promise<void> | undefined;
  #snapshotSequence: number;
  #closed = false;
  #fatal: Error | undefined;

  private constructor(
    options: StoreOptions<M>,
    low: Low<Database<M>>,
    journal: Journal,
    lock: FolderLock,
    opened: { isNew: boolean; warnings: readonly string[]; snapshotSequence: number },
  ) {
    this.folder = options.folder;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#low = low;
    this.#journal = journal;
    this.#lock = lock;
    this.data = low.data.view;
    this.isNew = opened.isNew;
    this.warnings = opened.warnings;
    this.#snapshotSequence = opened.snapshotSequence;
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
      const low = new Low(new SnapshotAdapter(files, folder, model, now), recovered.database);
      const marker = join(folder, unsyncedMarker);
      const unsynced = (await files.readdir(folder)).includes(unsyncedMarker);
      const store = new Store(options, low, recovered.journal, lock, {
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
    return new Promise<T>((resolve, reject) => {
      if (this.#closed || this.#fatal !== undefined) {
        reject(this.#fatal === undefined ? shuttingDown() : unreliable(this.#fatal));
        return;
      }
      this.#waiting.push({
        origin,
        decide,
        settle: (outcome) => ("error" in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
      });
      this.#startWriting();
    });
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
      await this.#writing;
      await this.#snapshot?.catch(() => {});
      if (options.snapshot === true && this.#fatal === undefined) await this.#takeSnapshot();
    } finally {
      await this.#journal.close();
      await this.#lock.release();
    }
  }

  #startWriting(): void {
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0 || this.#interludes.length > 0) {
      for (const interlude of this.#interludes.splice(0)) await interlude();
      const batch = this.#waiting;
      this.#waiting = [];
      if (batch.length > 0) await this.#writeBatch(batch);
      const limit = this.#options.snapshotAfterBytes ?? defaultSnapshotAfterBytes;
      const due = this.#journal.size >= limit && this.#snapshot === undefined && this.#fatal === undefined;
      // A snapshot that fails leaves everything as it was: a later batch tries again.
      if (due)
        this.#takeSnapshot().catch((error) => this.#options.warn?.("No snapshot could be written.", error));
    }
    // In the same step as the last look at what is waiting: whoever comes after it has to start anew.
    this.#writing = undefined;
  }

  /** Runs a task while no batch is being written. */
  #betweenBatches(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#interludes.push(async () => {
        if (this.#fatal !== undefined) reject(unreliable(this.#fatal));
        else await task().then(resolve, reject);
      });
      this.#startWriting();
    });
  }

  async #writeBatch(batch: readonly Waiting<M>[]): Promise<void> {
    const database = this.#low.data;
    const draft = new BatchDraft(database);
    const records: { record: JournalRecord; chain: number }[] = [];
    const answers: (() => void)[] = [];
    let lines = "";
    let { sequence, chain } = database;
    for (const { origin, decide, settle } of batch) {
      const moment = { sequence: sequence + 1, now: this.#now() };
      try {
        const value = decide(draft.view, moment);
        const changes = draft.changes();
        if (changes.length > 0) {
          const record = toRecord(moment, origin, changes);
          const encoded = encodeLine(JSON.stringify(record), chain);
          lines += encoded.line;
          ({ sequence } = moment);
          ({ chain } = encoded);
          records.push({ record, chain });
        }
        draft.commit();
        answers.push(() => settle({ value }));
      } catch (error) {
        draft.rollback();
        answers.push(() => settle({ error }));
      }
    }
    // Even a refusal may rest on a change before it in the batch, so nothing is answered before all is durable.
    try {
      if (records.length > 0) await this.#journal.append(Buffer.from(lines));
    } catch (error) {
      if (error instanceof SyncFailure) await this.#fail(error);
      const refusal = error instanceof Failure ? error : unreliable(error);
      for (const { settle } of batch) settle({ error: refusal });
      return;
    }
    for (const { record, chain: next } of records) applyRecord(database, record, next);
    for (const answer of answers) answer();
  }

  /** @param options.anew whether a segment that has no records yet is written once more */
  async #writeSnapshot({ anew = false } = {}): Promise<void> {
    const files = this.#options.files ?? nodeFiles;
    // 1. A new segment, so that what comes from now on stands apart. A crash here leaves one more, empty segment.
    await this.#betweenBatches(async () => {
      const first = this.sequence + 1;
      if (anew || first !== this.#journal.first)
        await this.#journal.rotate(first, this.#low.data.chain, this.#now());
    });
    // 2. The records as they are now. A crash here leaves a file without the name of a snapshot.
    const written = this.sequence;
    await this.#low.write();
    // 3. From here on the snapshot is what a start reads, and what it replaces may go.
    this.#snapshotSequence = written;
    await prune(files, this.folder, this.#options.retention ?? defaultRetention, this.#now());
  }

  /** Stops for good: nothing is answered as saved any more. */
  async #fail(error: Error): Promise<void> {
    this.#fatal = error;
    const refused = this.#waiting;
    this.#waiting = [];
    for (const { settle } of refused) settle({ error: unreliable(error) });
    try {
      const files = this.#options.files ?? nodeFiles;
      await (await files.open(join(this.folder, unsyncedMarker), "a", privateMode)).close();
    } catch {
      // A disk that takes nothing any more: the cause is the one to tell of, and the refusals have to get out.
    }
    this.#options.onFatal?.(error);
  }
}

function toRecord(
  { sequence, now }: Moment,
  origin: Origin,
  changes: readonly RecordChange[],
): JournalRecord {
  const { who, operation, request, table, undoes } = origin;
  const absent = { request: request ?? null, table: table ?? null, undoes: undoes ?? null };
  return { sequence, instant: now, who, operation, ...absent, changes };
}

/** Takes a folder's lock; the folder is made where it is missing. @throws Failure where it can not be written to */
async function takeFolder(files: Files, folder: string): Promise<FolderLock> {
  try {
    await files.mkdir(folder, { recursive: true });
    return await FolderLock.take(files, folder);
  } catch (cause) {
    throw cause instanceof Failure ? cause : unusable(folder, cause);
  }
}

/** The file system refused something; its message names the file. */
function unusable(folder: string, cause: unknown): Failure {
  return new Failure(
    "STORE_UNAVAILABLE",
    `The data folder ${folder} can not be used: ${(cause as Error).message}.`,
    {
      hint: "It has to be a folder that you may write to; name another one with --data.",
      cause,
    },
  );
}

/** A snapshot failed; the message of the file system names the file. */
function unwritten(cause: unknown): Failure {
  return new Failure("STORE_UNAVAILABLE", `The snapshot could not be written: ${(cause as Error).message}.`, {
    hint: "Nothing is lost, the journal has all changes. Make room on the disk, then `addon-cli data snapshot`.",
    cause,
  });
}

function shuttingDown(): Failure {
  return new Failure("SHUTTING_DOWN", "The service is shutting down. Nothing was changed.", {
    hint: "Try again in a moment.",
  });
}

function unreliable(cause: unknown): Failure {
  return new Failure("STORE_UNAVAILABLE", "The data can not be saved at the moment. Nothing was changed.", {
    hint: "Try again in a moment.",
    cause,
  });
}
