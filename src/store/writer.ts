/**
 * The writer: takes all changes that are waiting, decides them one after another over one draft, appends what they
 * did in one write, and makes them in memory once that is synced. So many changes share one sync, and none of them is
 * answered or read before it is durable.
 */
import { Failure } from "../domain/errors.ts";
import type { Model } from "../domain/model.ts";
import type { Database, DraftView } from "./collection.ts";
import { BatchDraft, type RecordChange } from "./draft.ts";
import { unreliable } from "./folder/refusals.ts";
import { type Journal, SyncFailure } from "./journal/journal.ts";
import { BulkLines } from "./journal/bulk.ts";
import { LineEncoder } from "./journal/encoding.ts";
import type { JournalRecord } from "./journal/segment.ts";
import { applyRecord } from "./reading.ts";

/** Who asks for a change, and through which operation: what the journal says of it. */
export interface Origin {
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  /** The id of the public token that the caller presented; left out for any other caller. */
  readonly token?: string | undefined;
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

/**
 * Decides a bulk change: tells what becomes of each record, and throws where it refuses. Nobody changes anything until
 * it settles; the event loop should get its turn every few milliseconds.
 */
export type DecideBulk = (moment: Moment) => readonly RecordChange[] | Promise<readonly RecordChange[]>;

/** The bytes that a batch has at most, in nearly every case. */
const batchLength = 64 * 1024;

/** How many changes are decided at most until what they did is written, and how long that takes, in milliseconds. */
const mostInBatch = 256;
const decidingMilliseconds = 5;

/** A change that is waiting, and who waits for it. */
interface Waiting<M extends Model> {
  readonly origin: Origin;
  readonly decide: Decide<M, unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What a writer tells whoever has it. */
export interface WriterEvents {
  /** A batch was written. */
  batchWritten(): void;
  /** The disk can not be relied on any more. Those who wait are refused when this settles. */
  failed(error: Error): Promise<void>;
}

/** See the head of this file. */
export class Writer<M extends Model> {
  readonly #database: Database<M>;
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #events: WriterEvents;
  readonly #draft: BatchDraft<M>;
  /** The lines of one batch after another. */
  readonly #encoder = new LineEncoder(batchLength);
  #waiting: Waiting<M>[] = [];
  /** What is done between two batches. */
  #interludes: (() => Promise<void>)[] = [];
  #writing: Promise<void> | undefined;
  #fatal: Error | undefined;

  constructor(database: Database<M>, journal: Journal, now: () => number, events: WriterEvents) {
    this.#database = database;
    this.#journal = journal;
    this.#now = now;
    this.#events = events;
    this.#draft = new BatchDraft(database);
  }

  /** Why nothing is written any more. */
  get fatal(): Error | undefined {
    return this.#fatal;
  }

  /** Settles when nothing is waiting any more; undefined where nothing is. */
  get writing(): Promise<void> | undefined {
    return this.#writing;
  }

  /** Makes a change; see `Store.change`. */
  change<T>(origin: Origin, decide: Decide<M, T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#fatal !== undefined) {
        reject(unreliable(this.#fatal));
        return;
      }
      this.#waiting.push({ origin, decide, resolve: resolve as (value: unknown) => void, reject });
      this.#start();
    });
  }

  /** Makes a bulk change; see `Store.changeInBulk`. */
  async changeInBulk(origin: Origin, decide: DecideBulk): Promise<number | undefined> {
    let made: number | undefined;
    await this.betweenBatches(async () => {
      const moment = { sequence: this.#database.sequence + 1, now: this.#now() };
      const changes = await decide(moment);
      if (changes.length === 0) return;
      const record = toRecord(moment, origin, changes);
      const lines = new BulkLines(record, this.#database.chain);
      try {
        await this.#journal.appendRun(lines.pieces());
      } catch (error) {
        if (error instanceof SyncFailure) await this.#fail(error);
        throw error instanceof Failure ? error : unreliable(error);
      }
      // All at once, so that nobody reads one half of it.
      applyRecord(this.#database, record, lines.chain);
      made = record.sequence;
    });
    return made;
  }

  /** Runs a task while no batch is being written. */
  betweenBatches(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#interludes.push(async () => {
        if (this.#fatal !== undefined) reject(unreliable(this.#fatal));
        else await task().then(resolve, reject);
      });
      this.#start();
    });
  }

  #start(): void {
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0 || this.#interludes.length > 0) {
      for (const interlude of this.#interludes.splice(0)) await interlude();
      if (this.#waiting.length > 0) await this.#writeBatch();
      this.#events.batchWritten();
    }
    // In the same step as the last look at what is waiting: whoever comes after it has to start anew.
    this.#writing = undefined;
  }

  async #writeBatch(): Promise<void> {
    const { batch, made, answers } = this.#decide();
    // Even a refusal may rest on a change before it in the batch, so nothing is answered before all is durable.
    try {
      if (made.length > 0) await this.#journal.append(this.#encoder.piece());
    } catch (error) {
      if (error instanceof SyncFailure) await this.#fail(error);
      const refusal = error instanceof Failure ? error : unreliable(error);
      for (const { reject } of batch) reject(refusal);
      return;
    }
    for (const { record, chain } of made) applyRecord(this.#database, record, chain);
    for (const answer of answers) answer();
  }

  /**
   * Decides the changes that have waited for longest, and encodes them: the records for the journal, and how each is
   * answered then. The others wait for the next batch, so that no batch keeps the event loop for long.
   */
  #decide() {
    const deadline = performance.now() + decidingMilliseconds;
    const batch: Waiting<M>[] = [];
    const draft = this.#draft;
    const made: { record: JournalRecord; chain: number }[] = [];
    const answers: (() => void)[] = [];
    const encoder = this.#encoder;
    let { sequence } = this.#database;
    encoder.begin(this.#database.chain);
    for (const waiting of this.#waiting) {
      if (batch.length === mostInBatch || (batch.length > 0 && performance.now() > deadline)) break;
      batch.push(waiting);
      const { origin, decide, resolve, reject } = waiting;
      const moment = { sequence: sequence + 1, now: this.#now() };
      try {
        const value = decide(draft.view, moment);
        const changes = draft.changes();
        if (changes.length > 0) {
          const record = toRecord(moment, origin, changes);
          const chain = encoder.add(JSON.stringify(record));
          ({ sequence } = moment);
          made.push({ record, chain });
        }
        draft.commit();
        answers.push(() => resolve(value));
      } catch (error) {
        draft.rollback();
        answers.push(() => reject(error));
      }
    }
    draft.reset();
    this.#waiting.splice(0, batch.length);
    return { batch, made, answers };
  }

  /** Stops for good: nothing is answered as saved any more. */
  async #fail(error: Error): Promise<void> {
    this.#fatal = error;
    const refused = this.#waiting;
    this.#waiting = [];
    for (const { reject } of refused) reject(unreliable(error));
    await this.#events.failed(error);
  }
}

function toRecord(
  { sequence, now }: Moment,
  origin: Origin,
  changes: readonly RecordChange[],
): JournalRecord {
  const { who, token, operation, request, table, undoes } = origin;
  return {
    sequence,
    instant: now,
    who,
    ...(token === undefined ? {} : { token }),
    operation,
    request: request ?? null,
    table: table ?? null,
    undoes: undoes ?? null,
    changes,
  };
}
