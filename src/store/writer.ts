/**
 * The writer: decides the changes that have waited longest, one after another over one draft, appends their records in
 * one write, and applies them to memory once that is synced. So many changes share one sync, and none of them is
 * acknowledged or visible before it is durable.
 */

import type { Model } from "../domain/collection.ts";
import { Failure } from "../domain/errors.ts";
import type { JournalRecord, RecordChange } from "./change.ts";
import type { Database, DraftView } from "./collection.ts";
import { BatchDraft } from "./draft.ts";
import { uncertain, unreliable } from "./folder/refusals.ts";
import { type Journal, SyncFailure } from "./journal/journal.ts";
import { LineEncoder } from "./journal/lines.ts";
import { encodeInLines } from "./journal/record-lines.ts";

/** Who makes a change, and through which operation, for the journal. */
export interface Origin {
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  /** The id of the public token that the caller presented; left out for any other caller. */
  readonly token?: string | undefined;
  /** The operation's name, such as `targetlist.add`. */
  readonly operation: string;
  /** The id of the HTTP request that asked for it. */
  readonly request?: string;
  /** The revision of the route table that allowed it. */
  readonly table?: string;
  /** The number of the change that this one undoes. */
  readonly undoes?: number;
}

/** The context of a change: its number, and the instant in milliseconds since 1970. */
export interface ChangeContext {
  readonly sequence: number;
  readonly now: number;
}

/** Decides a change: reads and writes the draft and returns the answer. If it throws, nothing changes. */
export type Decide<M extends Model, T> = (draft: DraftView<M>, context: ChangeContext) => T;

/**
 * Decides a bulk change: returns what becomes of each record, or throws. No other change is made until it settles; it
 * should yield to the event loop every few milliseconds.
 */
export type DecideBulk = (
  context: ChangeContext,
) => readonly RecordChange[] | Promise<readonly RecordChange[]>;

/** The change that removes records that have ended, and how many of them it removes at most. */
export const removal: Origin = { who: "system", operation: "membership.end" };
const mostRemoved = 1000;

/** The limits of a batch: how many changes, and how long they are decided, in milliseconds. */
const mostInBatch = 256;
const decidingMilliseconds = 5;

/** A waiting change and its caller. */
interface Waiting<M extends Model> {
  readonly origin: Origin;
  /** Decides the change, and returns how to acknowledge it once it is durable. */
  readonly decide: Decide<M, () => void>;
  readonly reject: (error: unknown) => void;
}

/** The events of a writer. */
export interface WriterEvents {
  /** A batch was written. */
  batchWritten(): void;
  /** The disk is no longer reliable. The callers of the batch are refused when this settles. */
  failed(error: Error): Promise<void>;
}

/** See the head of this file. */
export class Writer<M extends Model> {
  readonly #database: Database<M>;
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #events: WriterEvents;
  readonly #draft: BatchDraft<M>;
  #waiting: Waiting<M>[] = [];
  /** Tasks to run between two batches. */
  #tasks: (() => Promise<void>)[] = [];
  #writing: Promise<void> | undefined;
  #fatal: Error | undefined;

  constructor(database: Database<M>, journal: Journal, now: () => number, events: WriterEvents) {
    this.#database = database;
    this.#journal = journal;
    this.#now = now;
    this.#events = events;
    this.#draft = new BatchDraft(database);
  }

  /** Why the writer has stopped, or undefined. */
  get fatal(): Error | undefined {
    return this.#fatal;
  }

  /** Settles when nothing is waiting; undefined where nothing is. */
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
      const decideAndAcknowledge: Decide<M, () => void> = (draft, context) => {
        const value = decide(draft, context);
        return () => resolve(value);
      };
      this.#waiting.push({ origin, decide: decideAndAcknowledge, reject });
      this.#start();
    });
  }

  /** Makes a bulk change; see `Store.changeInBulk`. */
  async changeInBulk(origin: Origin, decide: DecideBulk): Promise<number | undefined> {
    let made: number | undefined;
    await this.betweenBatches(async () => {
      const context = { sequence: this.#database.sequence + 1, now: this.#now() };
      const changes = await decide(context);
      if (changes.length === 0) return;
      const record = toRecord(context, origin, changes);
      const encoder = new LineEncoder(this.#database.chain);
      try {
        await this.#journal.append(encodeInLines(encoder, record));
      } catch (error) {
        if (error instanceof SyncFailure) await this.#fail(error);
        throw refusalOf(error);
      }
      // In one step, so that nobody reads one half of it.
      this.#database.apply(record, encoder.chain);
      made = record.sequence;
    });
    return made;
  }

  /** Runs a task while no batch is being written. A {@link SyncFailure} of it ends all changes. */
  betweenBatches(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(async () => {
        if (this.#fatal !== undefined) reject(unreliable(this.#fatal));
        else await task().then(resolve, (error: unknown) => this.#refuseTask(error, reject));
      });
      this.#start();
    });
  }

  #start(): void {
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0 || this.#tasks.length > 0) {
      // First, so that a bulk change finds nothing that has ended.
      await this.#writeBatch();
      for (const task of this.#tasks.splice(0)) await task();
      this.#events.batchWritten();
    }
    // In the same step as the last test: a change that comes later has to start writing again.
    this.#writing = undefined;
  }

  async #writeBatch(): Promise<void> {
    const { batch, made, answers, lines } = this.#decide();
    // Even a refusal may rest on an earlier change of the batch, so nothing is answered before all of it is durable.
    try {
      if (made.length > 0) await this.#journal.append([lines], made.length);
    } catch (error) {
      if (error instanceof SyncFailure) await this.#fail(error);
      for (const { reject } of batch) reject(refusalOf(error));
      return;
    }
    for (const { record, chain } of made) this.#database.apply(record, chain);
    for (const answer of answers) answer();
  }

  /**
   * Decides the changes that have waited longest and encodes their records, after that of what has ended. The others wait
   * for the next batch, so that no batch blocks the event loop for long.
   */
  #decide() {
    this.#putRemovalFirst();
    const deadline = performance.now() + decidingMilliseconds;
    const batch: Waiting<M>[] = [];
    const draft = this.#draft;
    const made: { record: JournalRecord; chain: number }[] = [];
    const answers: (() => void)[] = [];
    const encoder = new LineEncoder(this.#database.chain);
    let { sequence } = this.#database;
    for (const waiting of this.#waiting) {
      if (batch.length === mostInBatch || (batch.length > 0 && performance.now() > deadline)) break;
      batch.push(waiting);
      const { origin, decide, reject } = waiting;
      const context = { sequence: sequence + 1, now: this.#now() };
      try {
        const acknowledge = decide(draft.view, context);
        const changes = draft.changes();
        if (changes.length > 0) {
          const record = toRecord(context, origin, changes);
          const chain = encoder.add(JSON.stringify(record));
          ({ sequence } = context);
          made.push({ record, chain });
        }
        draft.commit();
        answers.push(acknowledge);
      } catch (error) {
        draft.rollback();
        answers.push(() => reject(error));
      }
    }
    draft.reset();
    this.#waiting.splice(0, batch.length);
    return { batch, made, answers, lines: encoder.piece() };
  }

  #putRemovalFirst(): void {
    const ended = this.#database.ended(this.#now()).slice(0, mostRemoved);
    if (ended.length === 0) return;
    const decide = () => {
      for (const record of ended) this.#draft.delete(record);
      return () => {};
    };
    // If it cannot be saved, the next batch begins with it again.
    this.#waiting.unshift({ origin: removal, decide, reject: () => {} });
  }

  async #refuseTask(error: unknown, reject: (error: unknown) => void): Promise<void> {
    if (error instanceof SyncFailure && this.#fatal === undefined) await this.#fail(error);
    reject(error);
  }

  /** Stops for good: no change is acknowledged any more. */
  async #fail(error: Error): Promise<void> {
    this.#fatal = error;
    const refused = this.#waiting;
    this.#waiting = [];
    for (const { reject } of refused) reject(unreliable(error));
    await this.#events.failed(error);
  }
}

/** Returns the refusal of changes whose append has failed. */
function refusalOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return error instanceof SyncFailure && error.mayBeSaved ? uncertain(error) : unreliable(error);
}

function toRecord(
  { sequence, now }: ChangeContext,
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
