/**
 * A node's side of the shared journal: appends its changes there, and takes over those of others. The folder has a copy of
 * all of them, so everything that reads files works as it does without other nodes. Only the writer calls what changes
 * data, between two batches.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import type { Database } from "../collection.ts";
import { uncertain, unsaved } from "../folder/refusals.ts";
import { FolderLost, type Journal, SyncFailure } from "../journal/journal.ts";
import { BrokenLine, linesAfter } from "../journal/lines.ts";
import type { Meter } from "../journal/meter.ts";
import { headerLine, readSegment } from "../journal/segment.ts";
import { Arrivals } from "./arrivals.ts";
import { Contact } from "./contact.ts";
import type { Append, Batch, Head, NodeReport, Sequencer } from "./sequencer.ts";
import { AppendRefused, journalReason, unshared } from "./sequencer.ts";

/** How often the head is asked for, in milliseconds: a notification can be lost with its connection. */
const pollInterval = 250;
/** Of how many polls one says what this node has, and which table. */
const pollsPerReport = 20;
/** The pause before an append is repeated, in milliseconds. */
const pause = 100;
/** The bytes of others' changes that are taken over at once, unless one change has more. */
const bytesAtOnce = 1024 * 1024;

export interface SharedOptions {
  readonly sequencer: Sequencer;
  /** How long a node answers without contact to the journal, in milliseconds: revoked tokens live on meanwhile. */
  readonly maxStaleness: number;
}

/** What a node needs of its store. */
export interface NodeContext {
  readonly database: Database;
  readonly journal: Journal;
  readonly now: () => number;
  readonly warn: (message: string, error?: unknown) => void;
  readonly meter: Meter | undefined;
  /** Is called when there are changes to take over: {@link SharedJournal.catchUp} is to be called soon. */
  readonly wake: () => void;
}

export class SharedJournal {
  /** The revision of the route table in force, for the other nodes. */
  table: string | null = null;
  readonly contact: Contact;
  readonly #sequencer: Sequencer;
  readonly #context: NodeContext;
  readonly #closing = new AbortController();
  /** The id of the journal that the folder belongs to. */
  readonly #id: string;
  /** The number of the last change in the shared journal, as far as this node knows. */
  #newest = 0;
  #polls = 0;
  /** The refusal of the last append by PostgreSQL, until one succeeds. */
  failed: AppendRefused | undefined;
  /** How to append while nobody else can. */
  #held: Append | undefined;
  #nodes: readonly NodeReport[] = [];
  #polling: Promise<void> = Promise.resolve();
  readonly #arrivals = new Arrivals(() => this.sequence);

  constructor({ sequencer, maxStaleness }: SharedOptions, id: string, context: NodeContext) {
    this.#sequencer = sequencer;
    this.contact = new Contact(maxStaleness, context.warn);
    this.#id = id;
    this.#context = context;
  }

  /** Takes over what others have changed, and follows them from now on. @throws what the sequencer throws */
  async start(): Promise<void> {
    await this.#ask();
    await this.catchUp();
    // Again: what took long to catch up would pass for contact that was lost.
    await this.#ask();
    await this.#sequencer.watch(() => this.#context.wake());
    this.#polling = this.#poll();
  }

  /** The number of the last change that this node knows. */
  get sequence(): number {
    return this.#context.database.sequence;
  }

  /** See {@link Arrivals.reach}. */
  reach(sequence: number): Promise<boolean> {
    return this.#arrivals.reach(sequence);
  }

  /** How many changes of others this node lacks. */
  get lag(): number {
    return Math.max(0, this.#newest - this.#context.database.sequence);
  }

  /** See {@link Contact.unfit}. */
  get unfit(): string | undefined {
    return this.contact.unfit;
  }

  /** Where another node has another route table: which, in a sentence. */
  get difference(): string | undefined {
    const other = this.#nodes.find(
      ({ table, age }) => table !== this.table && table !== null && age < 60_000,
    );
    return other && `The route table differs from that of ${other.name}.`;
  }

  /** The refusal of a change that cannot be appended now, or undefined. */
  get refusal() {
    const { problem } = this.contact;
    return problem === undefined ? undefined : unshared(problem);
  }

  /**
   * Appends a batch after the last change of the database, in the shared journal and then in the folder. Does not settle
   * before it is known whether that was done.
   * @throws Failure `STORE_UNAVAILABLE` where nothing was appended, `OUTCOME_UNKNOWN` where the node is closed before that
   *   is known
   * @throws SyncFailure where the folder could not follow: nothing may be written any more
   */
  async append(batch: Batch): Promise<"appended" | "moved"> {
    const { sequence, chain } = this.#context.database;
    const append = this.#held ?? this.#sequencer.append;
    const began = performance.now();
    // The same bytes after the same change: however often it is tried, they can be appended only once.
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const result = await (isRepeated ? this.#sequencer.append : append)({ sequence, chain }, batch);
        if (result === "appended" || (isRepeated && (await this.#has(sequence, batch)))) {
          this.failed = undefined;
          this.#newest = Math.max(this.#newest, batch.head.sequence);
          this.#context.meter?.shared?.(performance.now() - began);
          break;
        }
        this.#context.meter?.moved?.();
        return "moved";
      } catch (error) {
        // Of a repetition it says nothing: the first attempt may have been made.
        this.failed = error instanceof AppendRefused ? error : undefined;
        if (this.failed !== undefined && !isRepeated) throw unsaved(error);
        this.contact.failed("asking", error);
        const isClosing = await sleep(pause, false, this.#closing).catch(() => true);
        if (isClosing || this.#closing.signal.aborted) throw uncertain(error);
      }
    }
    await this.#copy(batch.pieces, batch.head.sequence - sequence);
    return "appended";
  }

  /**
   * Runs a task while nobody else can append, once it has taken over what others have changed before.
   * @param task may append once
   * @throws Failure `STORE_UNAVAILABLE` where the journal does not answer
   */
  async hold(task: () => Promise<void>): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    const unreached = (error: unknown) => {
      throw error instanceof Failure || error instanceof SyncFailure
        ? error
        : unshared(`The shared journal does not answer: ${journalReason(error)}.`);
    };
    const held = await this.#sequencer.hold().catch(unreached);
    try {
      await this.catchUp().catch(unreached);
      this.#held = held.append;
      await task();
    } finally {
      this.#held = undefined;
      await held.release();
    }
  }

  /** Takes over what others have changed, into memory and into the folder. */
  async catchUp(): Promise<void> {
    if (this.contact.divergence !== undefined) return;
    try {
      await this.#catchUp();
      this.contact.succeeded("reading");
    } catch (error) {
      // The next poll tries again, and says why it fails.
      const isKnown = error instanceof SyncFailure || this.contact.divergence !== undefined;
      if (!isKnown) this.contact.failed("reading", error);
      throw error;
    }
  }

  async #catchUp(): Promise<void> {
    const { database } = this.#context;
    const newest = this.#newest;
    let [pieces, length]: [Buffer[], number] = [[], 0];
    for await (const { first, bytes } of this.#sequencer.read(database.sequence)) {
      // An incomplete write of the folder has cut a batch in two.
      const isPartlyHere = first <= database.sequence && pieces.length === 0;
      pieces.push(isPartlyHere ? linesAfter(bytes, database.chain) : bytes);
      length += bytes.length;
      if (length < bytesAtOnce) continue;
      pieces = await this.#takeOver(Buffer.concat(pieces));
      // The lines of a bulk change are decoded again only once there are twice as many.
      length = -(pieces[0]?.length ?? 0);
    }
    if (pieces.length > 0) await this.#takeOver(Buffer.concat(pieces));
    if (database.sequence < newest)
      throw this.#diverge(`What follows change ${database.sequence} in the shared journal is missing`);
  }

  /** Takes over lines. Returns them where they end within a bulk change, whose other lines follow. */
  async #takeOver(lines: Buffer): Promise<Buffer[]> {
    const { database } = this.#context;
    const header = headerLine(database.sequence + 1, database.chain, 0);
    const { records, torn } = this.#read(Buffer.concat([header, lines]));
    if (torn > 0) return [lines];
    // A collection that this version does not know is refused before the folder has the change.
    for (const { record } of records)
      for (const { collection } of record.changes) database.collection(collection);
    // Requests need not wait for this disk: the shared journal has the changes.
    const copied = this.#copy([lines], records.length);
    for (const { record, chain } of records) database.apply(record, chain);
    this.#arrivals.look();
    await copied;
    return [];
  }

  /** Offers a snapshot to new nodes. If that fails, the next one is offered. */
  async offerSnapshot(head: Head, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const failed = (error: unknown) =>
      this.#context.warn("The snapshot was not offered to new machines.", error);
    await this.#sequencer.offerSnapshot(head, pieces).catch(failed);
  }

  /** Appends to the folder what the shared journal has. */
  async #copy(pieces: readonly Buffer[], changes: number): Promise<void> {
    await this.#context.journal.copy(pieces, changes).catch((error: unknown) => {
      // Even if this was found before the write, the shared journal has the change.
      if (error instanceof FolderLost) throw new FolderLost(error.path, true);
      // A refusal says that nothing was changed, but the shared journal has the change.
      const cause = error instanceof Failure ? error.cause : error;
      // Whatever the error: from now on memory and folder would lack what others have.
      throw new SyncFailure("the copy of the shared journal could not be written", cause);
    });
  }

  #read(bytes: Buffer) {
    try {
      return readSegment(bytes);
    } catch (error) {
      if (!(error instanceof BrokenLine)) throw error;
      throw this.#diverge(
        `What follows change ${this.#context.database.sequence} in the shared journal does not follow it here`,
      );
    }
  }

  /** Remembers that the journal is not that of the folder. Returns the refusal. */
  #diverge(what: string) {
    if (this.contact.divergence === undefined) {
      this.#context.warn(
        `${what}: it has gone back in time, lacks rows, or is a different journal. All changes are refused, and soon all requests with a token, until the cause is removed and this machine started again; this folder has the changes up to ${this.#context.database.sequence}. See docs/several-machines.md.`,
      );
      this.contact.divergence = `${what}.`;
    }
    return unshared(`${what}.`);
  }

  /** Returns whether the lines after a change are those of a batch. */
  async #has(after: number, { pieces }: Batch): Promise<boolean> {
    for await (const lines of this.#sequencer.read(after))
      return lines.first === after + 1 && pieces[0]?.equals(lines.bytes) === true;
    return false;
  }

  async #poll(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(pollInterval, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#ask();
        if (this.lag > 0 || this.contact.fails("reading")) this.#context.wake();
        // For what this node itself has changed.
        this.#arrivals.look();
      } catch (error) {
        this.contact.failed("asking", error);
      }
      await this.#report();
      this.contact.tell();
    }
  }

  /** Says what this node has, and which table, every few polls. */
  async #report(): Promise<void> {
    this.#polls += 1;
    const isDue = this.#polls % pollsPerReport === 1 || this.contact.fails("reporting");
    if (!isDue || this.contact.fails("asking")) return;
    try {
      this.#nodes = await this.#sequencer.report({ sequence: this.sequence, table: this.table });
      this.contact.succeeded("reporting");
    } catch (error) {
      this.contact.failed("reporting", error);
    }
  }

  /** Asks for the head and the clock. */
  async #ask(): Promise<void> {
    const { database, now } = this.#context;
    // Taken before, since the journal has at least these changes.
    const { sequence, chain } = database;
    const began = performance.now();
    const state = await this.#sequencer.state();
    const { id, head } = state;
    this.#newest = head.sequence;
    if (id !== this.#id) this.#diverge("The shared journal is not the one of this folder");
    else if (head.sequence < sequence) this.#diverge(`The shared journal ends with change ${head.sequence}`);
    else if (head.sequence === sequence && head.chain !== chain)
      this.#diverge(`Change ${sequence} in the shared journal is not that of this folder`);
    this.contact.note(state, database.sequence, now(), began);
  }

  /** Ends everything that waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sequencer.close();
    await this.#polling;
  }
}
