/** A shared journal in memory, whose answers a test can lose, delay or refuse. */
import { Database } from "../../../src/store/collection.ts";
import type {
  Append,
  Batch,
  Head,
  JournalState,
  Lines,
  Sequencer,
} from "../../../src/store/shared/sequencer.ts";
import { encodeSnapshot } from "../../../src/store/snapshot.ts";
import { notebook } from "../_faults.ts";

/** The journal itself. */
export class FakeJournal {
  head: Head = { sequence: 0, chain: 0 };
  readonly batches: (Batch & Pick<Lines, "first">)[] = [];
  /** Is asked before an append takes place, and after it; what it throws reaches the node. */
  before: (batch: Batch) => unknown = () => {};
  after: (batch: Batch) => unknown = () => {};
  readonly #wakes = new Map<FakeSequencer, () => void>();
  #held: Promise<void> = Promise.resolve();

  /** Returns the journal for one more node. @param wakes whether it is told of the changes of others at once */
  node({ wakes = true } = {}): FakeSequencer {
    return new FakeSequencer(this, (sequencer, wake) => {
      if (wakes) this.#wakes.set(sequencer, wake);
    });
  }

  async append(after: Head, batch: Batch): Promise<"appended" | "moved"> {
    await this.before(batch);
    const isNext = after.sequence === this.head.sequence && after.chain === this.head.chain;
    if (isNext) {
      this.head = batch.head;
      this.batches.push({ first: after.sequence + 1, ...batch });
    }
    await this.after(batch);
    if (!isNext) return "moved";
    for (const wake of this.#wakes.values()) wake();
    return "appended";
  }

  async hold(): Promise<() => Promise<void>> {
    const before = this.#held;
    let release = () => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return async () => release();
  }
}

export class FakeSequencer implements Sequencer {
  readonly name = "fake";
  readonly #journal: FakeJournal;
  readonly #onWatch: (sequencer: FakeSequencer, wake: () => void) => void;
  /** What the clock of the journal shows. */
  now: () => number = Date.now;

  constructor(journal: FakeJournal, onWatch: (sequencer: FakeSequencer, wake: () => void) => void) {
    this.#journal = journal;
    this.#onWatch = onWatch;
  }

  readonly append: Append = (after, batch) => this.#journal.append(after, batch);

  async hold() {
    return { append: this.append, release: await this.#journal.hold() };
  }

  /** Settles when reads may go on. */
  reading: Promise<unknown> = Promise.resolve();

  async *read(after: number): AsyncGenerator<Lines> {
    await this.reading;
    for (const { head, first, pieces } of this.#journal.batches)
      if (head.sequence > after) for (const bytes of pieces) yield { first, bytes };
  }

  async state(): Promise<JournalState> {
    return { id: "fake", head: this.#journal.head, now: this.now() };
  }

  async report() {
    return [];
  }

  async watch(wake: () => void): Promise<void> {
    this.#onWatch(this, wake);
    // As PostgreSQL does: there may be something to read from before.
    wake();
  }

  async offerSnapshot(): Promise<void> {}

  async snapshot(): ReturnType<Sequencer["snapshot"]> {
    return { head: { sequence: 0, chain: 0 }, pieces: encodeSnapshot(new Database(notebook), 0) };
  }

  async close(): Promise<void> {}
}
