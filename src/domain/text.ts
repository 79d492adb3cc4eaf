/** Texts as the contract defines them (section 1): their form, and when two of them are the same. */
import { distance } from "fastest-levenshtein";

/** The form under which texts that differ only in case, or in their Unicode composition, are the same text. */
export function fold(text: string): string {
  // Lower case can compose again (J and a caron), and writes a sigma in two ways, by its place in the word.
  return text.normalize("NFC").toLowerCase().normalize("NFC").replaceAll("ς", "σ");
}

/**
 * The form under which entries are looked for: as {@link fold}, and without U+FE0F, which only asks for the coloured
 * form of a sign (contract, section 0). Keys of records are folded texts and keep it, since they are in files.
 */
export function comparisonForm(text: string): string {
  return fold(text.replaceAll("\uFE0F", ""));
}

/**
 * The first invisible character of a text, such as "U+200B"; undefined where there is none. Two texts that look the
 * same must not be two entries. Within an emoji, joiners and selectors are part of what is seen.
 */
export function invisibleIn(text: string): string | undefined {
  const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
  // Few texts have one at all, and looking for emoji takes longer.
  if (!invisible.test(text)) return undefined;
  const [found] = invisible.exec(text.replace(/\p{RGI_Emoji}/gv, "")) ?? [];
  if (found === undefined) return undefined;
  return `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** What to do about the invisible character that {@link invisibleIn} found. */
export function leaveOut(invisible: string): string {
  return `leave out the invisible character ${invisible}`;
}

/** The longest text, in UTF-16 units, that gets a suggestion: nobody mistypes more than that. */
export const longestTyped = 200;

/**
 * The most names that a text is compared with; of more, none is suggested. A stranger can ask for a suggestion as often
 * as for anything else, so it has to be cheap: 300 names of 32 characters take 0.2 ms, of 64 characters 0.5 ms.
 */
export const mostCompared = 300;

/** Names, folded once, of which someone who mistyped one may have meant the nearest. */
export class KnownNames {
  readonly #names: readonly (readonly [name: string, folded: string])[];

  constructor(names: readonly string[]) {
    const few = names.length <= mostCompared ? names : [];
    this.#names = few.map((name) => [name, fold(name)]);
  }

  /**
   * Returns the name that is nearest to `typed`, or undefined if none is near or several are equally near: a wrong guess
   * can open a route to another group. Of a name of up to three characters only one may be wrong.
   */
  nearest(typed: string): string | undefined {
    if (this.#names.length === 0 || typed.length > longestTyped) return undefined;
    const text = fold(typed);
    let nearest: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    let foldedNearest = "";
    let isAmbiguous = false;
    for (const [name, folded] of this.#names) {
      const far = folded.length <= 3 ? 1 : Math.max(2, Math.floor(folded.length / 3));
      // Two texts are at least as far from each other as their lengths are.
      if (Math.abs(folded.length - text.length) > far) continue;
      const difference = distance(text, folded);
      if (difference > far || difference > least) continue;
      if (difference === least) {
        isAmbiguous ||= folded !== foldedNearest;
        continue;
      }
      nearest = name;
      foldedNearest = folded;
      least = difference;
      isAmbiguous = false;
    }
    return isAmbiguous ? undefined : nearest;
  }
}

/** Returns the known name that someone who typed `typed` most likely meant; see {@link KnownNames}. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  return typed.length > longestTyped ? undefined : new KnownNames(known).nearest(typed);
}

/**
 * Whether the last words of a path or a dotted name differ in one character at most: `remov` is a slip for `remove`,
 * `rename` means something else.
 */
export function endsAlike(typed: string, known: string): boolean {
  const lastOf = (name: string) => fold(name).split(/[./]/).at(-1) ?? "";
  return distance(lastOf(typed), lastOf(known)) <= 1;
}

/** ` Did you mean "x"?`, or nothing where no known name is near. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const name = nearest(typed, known);
  return name === undefined ? "" : ` Did you mean "${name}"?`;
}

/** `a, b or c`. */
export function oneOf(names: readonly string[], conjunction = "or"): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

/** The language whose order names have where nothing says otherwise. */
export const defaultLanguage = "en";

/** Negative where the first text comes before the second, positive where it comes behind, 0 for the same text. */
export type Comparison = (a: string, b: string) => number;

/**
 * Returns the order of texts in a language: `Ömer` stands near `Otto`. Texts that the language takes for equal are
 * ordered by code unit, so that the order is always the same. Making one takes far longer than comparing with it.
 * @param language a BCP 47 tag that Intl supports
 */
export function comparisonIn(language: string): Comparison {
  const { compare } = new Intl.Collator(language);
  return (a, b) => compare(a, b) || (a === b ? 0 : a < b ? -1 : 1);
}

/** Orders texts as the command line lists them: without regard to case, and always the same. */
export function compareTexts(a: string, b: string): number {
  const left = fold(a);
  const right = fold(b);
  if (left !== right) return left < right ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The same text in a copy of its own, with a byte a character where it is ASCII: a piece of a longer text is neither. */
export function compact(text: string): string {
  const isASCII = Buffer.byteLength(text) === text.length;
  return isASCII ? Buffer.from(text, "latin1").toString("latin1") : text;
}
