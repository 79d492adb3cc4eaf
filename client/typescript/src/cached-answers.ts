/** A cache of answers with their ETags, for conditional requests. */

/** A cached answer. */
export interface CachedAnswer {
  readonly etag: string;
  /** Parsed again for each caller, so that none can change what another gets. */
  readonly text: string;
}

/** Enough for all lists, and the statistics of some players. */
const maxAnswers = 100;

/** The answers of one client, by address. The least recently used one is removed first. */
export class CachedAnswers {
  readonly #answers = new Map<string, CachedAnswer>();

  get(address: string): CachedAnswer | undefined {
    const answer = this.#answers.get(address);
    if (answer !== undefined) this.put(address, answer);
    return answer;
  }

  put(address: string, answer: CachedAnswer): void {
    this.#answers.delete(address);
    this.#answers.set(address, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
  }
}
