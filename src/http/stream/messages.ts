/** Audiences, and what each is told of a change. */
import { eventOf } from "./event-stream.ts";
import type { Push, Topic } from "./topics.ts";

/** Callers with the same rights. */
export interface Audience {
  /** What the rights were decided from. */
  readonly basis: string;
  readonly topics: readonly Topic[];
  readonly push: Push | undefined;
}

/** The messages about some topics. Audiences that hear of the same resources share one. */
export class Messages {
  readonly #changed: ReadonlySet<string>;
  readonly #byAudience = new Map<Audience, Buffer | undefined>();
  readonly #byContent = new Map<string, Buffer>();

  constructor(changed: ReadonlySet<string>) {
    this.#changed = changed;
  }

  /** Returns the message for an audience, or nothing. @param before what its caller could hear of until now */
  of(audience: Audience, before: Audience): Buffer | undefined {
    if (audience !== before) {
      const keys = new Set(before.topics.map(({ key }) => key));
      return this.#about(audience.topics.filter(({ key }) => this.#changed.has(key) || !keys.has(key)));
    }
    if (!this.#byAudience.has(audience)) {
      const about = audience.topics.filter(({ key }) => this.#changed.has(key));
      this.#byAudience.set(audience, this.#about(about));
    }
    return this.#byAudience.get(audience);
  }

  #about(topics: readonly Topic[]): Buffer | undefined {
    if (topics.length === 0) return undefined;
    const data = JSON.stringify({ resources: [...new Set(topics.map(({ resource }) => resource))] });
    const message = this.#byContent.get(data) ?? eventOf("changed", data);
    this.#byContent.set(data, message);
    return message;
  }
}
