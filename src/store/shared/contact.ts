/** A node's contact with the shared journal and its clock: whether the node may answer, and why changes are refused. */
import { counted } from "../../domain/text.ts";
import { type JournalState, journalReason } from "./sequencer.ts";

/** After what time of failures the log says so, and after what time without one that it is over, in milliseconds. */
const toldAfter = { fails: 2_000, answers: 5_000 };

/** How far the clock may be off the shared journal's, in milliseconds, before that is said, and before the node stops. */
const tolerated = { warn: 2_000, stop: 60_000 };

/** What can fail: questions for the head, reading the changes of others, and writing what this node has. */
type Attempt = "asking" | "reading" | "reporting";

export class Contact {
  /** Why the folder's changes are not those of the journal: nothing can be appended any more, nor answered for long. */
  divergence: string | undefined;
  readonly #maxStaleness: number;
  readonly #warn: (message: string) => void;
  /** Up to when the node knows everything, by the monotonic clock. */
  #current = performance.now();
  /** A change that the journal had then, and that the node is to know next. */
  #goal = { sequence: 0, at: performance.now() };
  /** What the clock of the journal showed, and when, by the monotonic clock. */
  #clock = { shown: 0, at: 0 };
  /** How far that of this machine is ahead of it, in milliseconds. */
  #skew = 0;
  /** Whether that was said. */
  #isOff = false;
  /** Why something fails, until it succeeds. */
  readonly #failures = new Map<Attempt, string>();
  /** What the log says of the journal. */
  #told: "answers" | "fails" | "is unfit" = "answers";
  /** Since when something fails, and until when something has failed, by the monotonic clock. */
  #failing = { since: 0, until: 0 };

  /** @param maxStaleness how long the node answers without contact, in milliseconds: revoked tokens live on meanwhile */
  constructor(maxStaleness: number, warn: (message: string) => void) {
    this.#maxStaleness = maxStaleness;
    this.#warn = warn;
  }

  /** What the clock of the journal shows, in milliseconds since 1970. That of this machine can jump meanwhile. */
  get now(): number {
    return this.#clock.shown + performance.now() - this.#clock.at;
  }

  /** Why changes are refused, in a sentence without an address; undefined if they are not. */
  get problem(): string | undefined {
    const failure = this.#failure;
    const failed = failure && `The shared journal does not answer: ${failure}.`;
    return this.divergence ?? this.unfit ?? failed;
  }

  /** Why nothing may be answered, in a sentence; undefined if it may. */
  get unfit(): string | undefined {
    const behind = performance.now() - this.#current;
    if (behind <= this.#maxStaleness) {
      if (Math.abs(this.#skew) <= tolerated.stop) return undefined;
      return `The clock of this machine is ${Math.round(this.#skew / 1000)} seconds off that of the shared journal.`;
    }
    if (this.divergence !== undefined) return this.divergence;
    const time = `the shared journal for ${counted(Math.round(behind / 1000), "second")}`;
    const failure = this.#failure;
    if (failure === undefined) return `This machine has not kept up with ${time}.`;
    return `There was no answer from ${time}: ${failure}.`;
  }

  get #failure(): string | undefined {
    const [first] = this.#failures.values();
    return first;
  }

  failed(attempt: Attempt, error: unknown): void {
    if (this.#failures.size === 0) this.#failing.since = performance.now();
    this.#failures.set(attempt, journalReason(error));
  }

  /** Whether the last attempt of a kind has failed. */
  fails(attempt: Attempt): boolean {
    return this.#failures.has(attempt);
  }

  succeeded(attempt: Attempt): void {
    this.#failures.delete(attempt);
  }

  /**
   * Notes what the journal has answered to a question of `began`.
   * @param sequence the last change of the node now
   * @param own what the clock of this machine shows now
   */
  note({ head, now: shown }: JournalState, sequence: number, own: number, began: number): void {
    this.succeeded("asking");
    this.#noteClock(shown, own, began);
    // Others may have revoked tokens since, of which this node does not hear.
    if (this.divergence !== undefined) return;
    // Under load there is nearly always something newer on its way: what counts is how long it takes.
    if (sequence >= this.#goal.sequence) {
      this.#current = this.#goal.at;
      this.#goal = { sequence: head.sequence, at: began };
    }
    if (sequence >= head.sequence) this.#current = began;
  }

  #noteClock(shown: number, own: number, began: number): void {
    const now = performance.now();
    const doubt = (now - began) / 2;
    // Rather late than early: it ends what others have.
    this.#clock = { shown, at: now };
    this.#skew = own - doubt - shown;
    const wasOff = this.#isOff;
    this.#isOff = Math.abs(this.#skew) > tolerated.warn + doubt;
    if (this.#isOff && !wasOff)
      this.#warn(`The clock of this machine is ${Math.round(this.#skew)} ms off that of the shared journal.`);
  }

  /** Writes to the log when contact is lost, when nothing is answered for that, and when both are over. */
  tell(): void {
    const [now, isUnfit] = [performance.now(), this.unfit !== undefined];
    // What has diverged is never over.
    if (isUnfit || this.#failures.size > 0 || this.divergence !== undefined) this.#failing.until = now;
    // Neither is told at once, since a machine at the limit would fill the log.
    const isOver = now - this.#failing.until > toldAfter.answers;
    const isLong = this.#failures.size > 0 && now - this.#failing.since > toldAfter.fails;
    const state = isUnfit ? "is unfit" : isLong ? "fails" : isOver ? "answers" : this.#told;
    if (state === this.#told) return;
    this.#told = state;
    if (state === "answers") this.#warn("The shared journal answers, and so does this machine.");
    else if (state === "fails") this.#warn(`${this.problem} Changes are refused; reads go on.`);
    else this.#warn(`${this.unfit} Every request with a token is refused.`);
  }
}
