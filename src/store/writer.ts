/**
 * The writer: decides the changes that have waited longest, one after another over one draft, appends their records in
 * one write, and applies them to memory once that is synced. So many changes share one sync, and none of them is
 * acknowledged or visible before it is durable.
 */

import type { Model } from "../domain/collection.ts";
import type { Failure } from "../domain/errors.ts";
import { type ChangeStamp, type JournalRecord, type Origin, type RecordChange, toRecord } from "./change.ts";
import type { Database, DraftView } from "./collection.ts";
import { BatchDraft } from "./draft.ts";
import { uncertain, unreliable } from "./folder/refusals.ts";
import { type Journal, refusalOf, SyncFailure } from "./journal/journal.ts";
import { LineEncoder } from "./journal/lines.ts";
import { encodeInLines } from "./journal/record-lines.ts";
import { unshared } from "./shared/sequencer.ts";
import type { SharedJournal } from "./shared/shared-journal.ts";

/** Decides a change: reads and writes the draft and returns the answer. If it throws, nothing changes. */
export type Decide<M extends Model, T> = (draft: DraftView<M>, context: ChangeStamp) => T;

/**
 * Decides a bulk change: returns what becomes of each record, or throws. No other change is made until it settles; it
 * should yield to the event loop every few milliseconds.
 */
export type DecideBulk = (context: ChangeStamp) => readonly RecordChange[] | Promise<readonly RecordChange[]>;

/** How many records that have ended one change removes at most. */
const mostRemoved = 1000;

/** How long callers wait to learn whether the shared journal has their changes, in milliseconds. */
const patience = 2_000;

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

/** What the writer tells the store, and asks it. */
export interface WriterEvents {
  /** The instant by which records have ended that may be removed. */
  endsBy(): number;
  /** A batch was written. */
  batchWritten(): void;
  /** The disk is no longer reliable. The callers of the batch are refused when this settles. */
  failed(error: Error): Promise<void>;
}

export class Writer<M extends Model> {
  readonly #database: Database<M>;
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #events: WriterEvents;
  /** The journal that other nodes append to as well, if there is one. */
  #shared: SharedJournal | undefined;
  /** Whether other nodes may have changed data that is not taken over yet. */
  #isBehind = false;
  /** Whether the outcome of an append has been unknown for longer than {@link patience}. */
  #isUndecided = false;
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

  /** Whether it has been unknown for long whether the shared journal has the last changes. */
  get isUndecided(): boolean {
    return this.#isUndecided;
  }

  /** Settles when nothing is waiting; undefined where nothing is. */
  get writing(): Promise<void> | undefined {
    return this.#writing;
  }

  /** Appends to a journal that other nodes append to as well, from now on. */
  share(shared: SharedJournal): void {
    this.#shared = shared;
  }

  /** Takes over what other nodes have changed, once no batch is being written. */
  follow(): void {
    this.#isBehind = true;
    this.#writing ??= this.#write();
  }

  /** Makes a change; see `Store.change`. */
  change<T>(origin: Origin, decide: Decide<M, T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const refusal = this.#refusal;
      if (refusal !== undefined) {
        reject(refusal);
        return;
      }
      const decideAndAcknowledge: Decide<M, () => void> = (draft, context) => {
        const value = decide(draft, context);
        return () => resolve(value);
      };
      this.#waiting.push({ origin, decide: decideAndAcknowledge, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Makes a bulk change; see `Store.changeInBulk`. */
  async changeInBulk(origin: Origin, decide: DecideBulk): Promise<number | undefined> {
    let made: number | undefined;
    const make = async () => {
      const context = { sequence: this.#database.sequence + 1, now: this.#now() };
      const changes = await decide(context);
      if (changes.length === 0) return;
      const record = toRecord(context, origin, changes);
      const encoder = new LineEncoder(this.#database.chain);
      if (!(await this.#append(encodeInLines(encoder, record), encoder, 1)))
        throw unshared("The connection to PostgreSQL was lost, and another machine was faster.");
      // In one step, so that nobody reads one half of it.
      this.#database.apply(record, encoder.chain);
      made = record.sequence;
    };
    const shared = this.#shared;
    const done = this.betweenBatches(() => (shared ? this.#whileUndecided(shared.hold(make)) : make()));
    await done.catch((error: unknown) => {
      throw error instanceof SyncFailure ? refusalOf(error) : error;
    });
    return made;
  }

  /** Runs a task while no batch is being written. A {@link SyncFailure} of it ends all changes. */
  betweenBatches(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(async () => {
        try {
          if (this.#fatal !== undefined) throw unreliable(this.#fatal);
          resolve(await task());
        } catch (error) {
          if (error instanceof SyncFailure) await this.#fail(error);
          reject(error);
        }
      });
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0 || this.#tasks.length > 0 || this.#isBehind) {
      if (this.#isBehind) await this.#catchUp();
      // First, so that a bulk change finds little that has ended.
      await this.#writeBatch();
      for (const task of this.#tasks.splice(0)) await task();
      this.#events.batchWritten();
    }
    // In the same step as the last test: a change that comes later has to start writing again.
    this.#writing = undefined;
  }

  /** Why no change is accepted, or undefined. */
  get #refusal(): Failure | undefined {
    if (this.#fatal !== undefined) return unreliable(this.#fatal);
    return this.#isUndecided
      ? unshared("PostgreSQL has not confirmed the last change.")
      : this.#shared?.refusal;
  }

  async #catchUp(): Promise<void> {
    this.#isBehind = false;
    // After a fatal error memory has what the folder lacks: what follows would leave a gap there.
    if (this.#shared === undefined || this.#fatal !== undefined) return;
    // If it is only out of reach, the next poll tries again.
    const failed = async (error: unknown) => error instanceof SyncFailure && this.#fail(error);
    await this.#whileUndecided(this.#shared.catchUp()).catch(failed);
  }

  async #writeBatch(): Promise<void> {
    const refusal = this.#refusal;
    // To remove what has ended is a change as well.
    if (refusal !== undefined) return this.#rejectWaiting(refusal);
    const { batch, made, answers, encoder } = this.#decide();
    // Even a refusal may rest on an earlier change of the batch, so nothing is answered before all of it is durable.
    try {
      if (made.length > 0 && !(await this.#append([encoder.piece()], encoder, made.length, batch))) {
        // Decided again, on what others have changed. Those who were told that their outcome is unknown are gone.
        this.#waiting.unshift(...batch);
        this.#isBehind = true;
        return;
      }
    } catch (error) {
      if (error instanceof SyncFailure) await this.#fail(error);
      for (const { reject } of batch) reject(refusalOf(error));
      return;
    }
    for (const record of made) this.#database.apply(record, encoder.chain);
    for (const answer of answers) answer();
  }

  /**
   * Appends the next changes. Returns whether that was done: otherwise another node was faster.
   * @param encoder that of the lines
   * @param batch the changes whose callers wait
   */
  async #append(
    lines: Iterable<Buffer>,
    encoder: LineEncoder,
    changes: number,
    batch?: Waiting<M>[],
  ): Promise<boolean> {
    if (this.#shared === undefined) return this.#journal.append(lines, changes).then(() => true);
    const { sequence } = this.#database;
    const pieces = [...lines];
    const head = { sequence: sequence + changes, chain: encoder.chain };
    const appended = this.#shared.append({ head, pieces });
    return (await (batch ? this.#whileUndecided(appended, batch) : appended)) === "appended";
  }

  /**
   * Waits for the shared journal. Beyond {@link patience} the callers of a batch learn that their outcome is unknown, and
   * others are refused. Without a batch it may take longer: others wait as long as the journal answers.
   */
  async #whileUndecided<T>(work: Promise<T>, batch?: Waiting<M>[]): Promise<T> {
    const timer = setInterval(() => {
      this.#isUndecided = batch !== undefined || this.#shared?.contact.problem !== undefined;
      if (!this.#isUndecided) return;
      const unknown = uncertain(new Error("PostgreSQL does not answer"));
      for (const { reject } of batch?.splice(0) ?? []) reject(unknown);
      this.#rejectWaiting(this.#refusal);
    }, patience);
    try {
      return await work;
    } finally {
      clearInterval(timer);
      this.#isUndecided = false;
    }
  }

  /**
   * Decides the changes that have waited longest and encodes their records, after that of what has ended. The others wait
   * for the next batch, so that no batch blocks the event loop for long.
   */
  #decide() {
    const removals = this.#removalsOfEnded();
    let deadline = Infinity;
    const batch: Waiting<M>[] = [];
    const draft = this.#draft;
    const made: JournalRecord[] = [];
    const answers: (() => void)[] = [];
    const encoder = new LineEncoder(this.#database.chain);
    let { sequence } = this.#database;
    for (const waiting of removals.length === 0 ? this.#waiting : [...removals, ...this.#waiting]) {
      // To remove a thousand records may take that long: the changes of callers have their own time.
      if (batch.length === removals.length) deadline = performance.now() + decidingMilliseconds;
      if (batch.length === mostInBatch || (batch.length > removals.length && performance.now() > deadline))
        break;
      batch.push(waiting);
      const { origin, decide, reject } = waiting;
      const context = { sequence: sequence + 1, now: this.#now() };
      try {
        const acknowledge = decide(draft.view, context);
        const changes = draft.changes();
        if (changes.length > 0) {
          const record = toRecord(context, origin, changes);
          encoder.add(JSON.stringify(record));
          ({ sequence } = context);
          made.push(record);
        }
        draft.commit();
        answers.push(acknowledge);
      } catch (error) {
        draft.rollback();
        answers.push(() => reject(error));
      }
    }
    draft.reset();
    // If that cannot be saved, the next batch begins with it again.
    batch.splice(0, removals.length);
    this.#waiting.splice(0, batch.length);
    return { batch, made, answers, encoder };
  }

  /** Returns the changes that remove what has ended. */
  #removalsOfEnded(): Waiting<M>[] {
    const ended = this.#database.ended(this.#events.endsBy(), mostRemoved);
    return [...new Set(ended.map(({ operation }) => operation))].map((operation) => {
      const decide = () => {
        for (const record of ended) if (record.operation === operation) this.#draft.delete(record);
        return () => {};
      };
      return { origin: { who: "system", operation }, decide, reject: () => {} };
    });
  }

  #rejectWaiting(refusal: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(refusal);
  }

  /** Stops for good: no change is acknowledged any more. */
  async #fail(error: Error): Promise<void> {
    this.#fatal = error;
    this.#rejectWaiting(unreliable(error));
    await this.#events.failed(error);
  }
}
