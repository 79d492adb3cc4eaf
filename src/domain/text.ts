/** Texts: when two are the same, their order, suggestions and lists for messages. */
import { distance } from "fastest-levenshtein";

/** Returns the form that texts share if they differ only in case or Unicode composition. */
export function fold(text: string): string {
  // Lower case may compose again (J with a caron), and has two forms of sigma, by the position in the word.
  return text.normalize("NFC").toLowerCase().normalize("NFC").replaceAll("ς", "σ");
}

/**
 * Returns the form by which entries are found: {@link fold} without U+FE0F, which only selects the emoji style of a
 * character. The keys of records contain it: they are stored in files.
 */
export function comparisonForm(text: string): string {
  return fold(text.replaceAll("\uFE0F", ""));
}

/**
 * Returns the first invisible character of a text, such as "U+200B": two entries must not look the same. Joiners and
 * selectors within an emoji are visible.
 */
export function invisibleIn(text: string): string | undefined {
  // Few fonts show those of interlinear annotation, of embedded objects and between hieroglyphs; two others are blank.
  const invisible =
    /[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFC\u{13430}-\u{1343F}\u{16FE4}\u{1D159}]/u;
  // Few texts have one; searching for emoji takes longer.
  if (!invisible.test(text)) return undefined;
  const [found] = invisible.exec(text.replace(/\p{RGI_Emoji}/gv, "")) ?? [];
  if (found === undefined) return undefined;
  return `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Returns a text with an apostrophe before what a spreadsheet would take for a formula, and before the quotes of one:
 * at its start, and behind each semicolon, at which some divide a line. Some read full-width signs as well.
 */
export function escapeFormulas(text: string): string {
  return text.replace(/(^|;)(?=['"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'");
}

/** Returns a text as it was before {@link escapeFormulas}. */
export function unescapeFormulas(text: string): string {
  return text.replace(/(^|;)'(?=['"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1");
}

/** Returns a text with a capital at its start. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a text with a small letter at its start, to continue a sentence. */
export function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Returns the advice for an invisible character that {@link invisibleIn} returned. */
export function leaveOut(invisible: string): string {
  return `leave out the invisible character ${invisible}`;
}

/** The longest text that gets a suggestion, in UTF-16 units. */
export const longestTyped = 200;

/**
 * The most names to compare for a suggestion; among more, none is suggested. Any stranger can cause a suggestion, so it
 * must be cheap: comparing 300 names of 32 characters takes 0.5 ms.
 */
export const mostCompared = 300;

/**
 * Returns the name nearest to `typed`; undefined if none is near or several are equally near, because a wrong guess may
 * open a route to another group. In a name of up to three characters only one may differ.
 */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  if (typed.length > longestTyped || known.length > mostCompared) return undefined;
  const text = fold(typed);
  const near = known.flatMap((name) => {
    const folded = fold(name);
    const far = folded.length <= 3 ? 1 : Math.max(2, Math.floor(folded.length / 3));
    // The distance of two texts is at least the difference of their lengths.
    if (Math.abs(folded.length - text.length) > far) return [];
    const difference = distance(text, folded);
    return difference > far ? [] : { name, folded, difference };
  });
  const least = Math.min(...near.map(({ difference }) => difference));
  const [first, ...others] = near.filter(({ difference }) => difference === least);
  return others.every(({ folded }) => folded === first?.folded) ? first?.name : undefined;
}

/**
 * Whether the last words of two paths or dotted names differ in at most one character: `remov` is a typo of `remove`,
 * `rename` is another word.
 */
export function endsAlike(typed: string, known: string): boolean {
  const lastOf = (name: string) => fold(name).split(/[./]/).at(-1) ?? "";
  return distance(lastOf(typed), lastOf(known)) <= 1;
}

/** Returns ` Did you mean "x"?`, or an empty text if no name is near. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const name = nearest(typed, known);
  return name === undefined ? "" : ` Did you mean "${name}"?`;
}

/** The most names in a message: there can be thousands, and nobody reads as many. */
export const mostNamed = 20;

/** Returns a list in words: `a, b or c`; of too many names the first, as in `a, b or 4,980 more`. */
export function oneOf(names: readonly string[]): string {
  return inWords(names, "or", mostNamed);
}

/** As {@link oneOf}, but `a, b and c`, of at most `most` names. */
export function allOf(names: readonly string[], most = mostNamed): string {
  return inWords(names, "and", most);
}

function inWords(names: readonly string[], conjunction: string, most: number): string {
  const more = names.length - most;
  const named = more > 0 ? [...names.slice(0, most), `${more.toLocaleString("en")} more`] : names;
  if (named.length < 2) return named.join("");
  return `${named.slice(0, -1).join(", ")} ${conjunction} ${named.at(-1)}`;
}

/** Returns a name or a path as an argument in a command to paste: a dash would begin an option, and a space end it. */
export function asArgument(text: string): string {
  const quoted = /^[\p{L}\p{N}_./:@+-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return text.startsWith("-") ? `-- ${quoted}` : quoted;
}

/** Returns the plural of a noun by the usual rules: `entries`, `branches`, `boxes`, `tokens`. */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:[sxz]|[cs]h)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Returns a number with its noun, such as `1 entry` or `2 entries`. */
export function counted(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : pluralOf(noun)}`;
}

/** Returns a number in words: `no faults`, `a fault` or `2 faults`. */
export function numbered(number: number, noun: string): string {
  return number > 1 ? counted(number, noun) : number === 1 ? `a ${noun}` : `no ${pluralOf(noun)}`;
}

/** The language that orders names by default. */
export const defaultLanguage = "en";

/** Returns a negative number if the first text comes first, a positive one if it comes second, 0 for equal texts. */
export type Comparison = (a: string, b: string) => number;

/**
 * Returns the order of texts in a language: `Ömer` comes near `Otto`. Texts that are equal in the language are ordered by
 * code unit. Creating the order takes far longer than a comparison.
 * @param language a BCP 47 tag that Intl supports
 */
export function comparisonIn(language: string): Comparison {
  const { compare } = new Intl.Collator(language);
  return (a, b) => compare(a, b) || compareUnits(a, b);
}

/** Orders texts for the command line: by their folded form, then by code unit. */
export function compareTexts(a: string, b: string): number {
  return compareUnits(fold(a), fold(b)) || compareUnits(a, b);
}

/** Returns what has names in the order of {@link compareTexts}, each folded once. No two names are the same. */
export function byName<T extends { readonly name: string }>(named: Iterable<T>): T[] {
  const keyed = Array.from(named, (one) => ({ one, key: fold(one.name) }));
  return keyed.sort((a, b) => compareUnits(a.key, b.key)).map(({ one }) => one);
}

function compareUnits(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
