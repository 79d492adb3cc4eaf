/** The order of names and reasons in answers, by the table's language. */
import { type Comparison, comparisonIn, defaultLanguage } from "../../domain/text.ts";

/** The current order; a route table sets its language. */
export class NameOrder {
  #language = defaultLanguage;
  #compare = comparisonIn(defaultLanguage);
  #version = 0;

  /** Compares two names in the current language. */
  readonly compare: Comparison = (a, b) => this.#compare(a, b);

  /** Grows with every change of the order. */
  get version(): number {
    return this.#version;
  }

  /** Sets the language. @param language a BCP 47 tag that Intl supports */
  use(language: string): void {
    if (language === this.#language) return;
    this.#language = language;
    this.#compare = comparisonIn(language);
    this.#version += 1;
  }
}
