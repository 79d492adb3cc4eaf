/** The order of names and reasons in answers: that of the table's language (contract, section 0). */
import { type Comparison, comparisonIn, defaultLanguage } from "../../domain/text.ts";

/** See the head of this file. */
export class NameOrder {
  #language = defaultLanguage;
  #compare = comparisonIn(defaultLanguage);
  #version = 0;
  readonly #watchers: (() => void)[] = [];

  /** Compares two names. */
  readonly compare: Comparison = (a, b) => this.#compare(a, b);

  /** Changes whenever the order does, and only grows. */
  get version(): number {
    return this.#version;
  }

  /** Changes the order to that of another language. @param language a BCP 47 tag that Intl supports */
  use(language: string): void {
    if (language === this.#language) return;
    this.#language = language;
    this.#compare = comparisonIn(language);
    this.#version += 1;
    for (const watcher of this.#watchers) watcher();
  }

  /** Calls back after each change of the order. */
  watch(watcher: () => void): void {
    this.#watchers.push(watcher);
  }
}
