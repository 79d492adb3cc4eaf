/** Answers that are kept with their ETags, so that what has not changed is not sent again. */

/** An answer, as it came. */
export interface Kept {
  readonly etag: string;
  /** Parsed anew for each caller: nobody can change what another one gets. */
  readonly text: string;
}

/** As many as there are lists, and some players' statistics. */
const most = 100;

/** The answers of one client, by address. The one that was not asked for the longest goes first. */
export class KeptAnswers {
  readonly #answers = new Map<string, Kept>();

  get(address: string): Kept | undefined {
    const kept = this.#answers.get(address);
    if (kept !== undefined) this.put(address, kept);
    return kept;
  }

  put(address: string, kept: Kept): void {
    this.#answers.delete(address);
    this.#answers.set(address, kept);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > most && oldest !== undefined) this.#answers.delete(oldest);
  }
}
