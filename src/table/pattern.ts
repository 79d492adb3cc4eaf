/**
 * Patterns of a table. RE2 matches them, in time linear in the text: JavaScript's regular expressions can take seconds for
 * 28 letters, and any caller could send them. A pattern must be valid in JavaScript as well (flag `u`), since the OpenAPI
 * description shows it to clients and editors. Patterns that the two engines read differently are refused;
 * `test/table/pattern.test.ts` compares the engines for the rest, in texts without white space.
 */
import { RE2JS } from "re2js";

/** The maximum number of characters. */
const maxLength = 500;
/** The maximum size when compiled: `\p{L}{900}` has 902 steps. Each costs time for each character of a text. */
const maxSteps = 1000;

/** Why a pattern cannot be used; the message continues "expected a regular expression". */
export class PatternFault extends Error {}

export class Pattern {
  readonly source: string;
  readonly #compiled: RE2JS;

  /** @throws PatternFault */
  constructor(source: string) {
    if (source.length > maxLength) {
      throw new PatternFault(` of at most ${maxLength} characters, got ${source.length}`);
    }
    try {
      new RegExp(source, "u");
    } catch (error) {
      throw new PatternFault(`, got one that is invalid in JavaScript: ${messageOf(error)}`);
    }
    const fault = misreadIn(source);
    if (fault !== undefined) throw fault;
    this.source = source;
    this.#compiled = compile(source);
    const size = this.#compiled.programSize();
    if (size > maxSteps) {
      throw new PatternFault(` of at most ${maxSteps} steps, got ${size}; repeat less in it`);
    }
  }

  /** Whether a text matches from its first to its last character. */
  matches(text: string): boolean {
    return this.#compiled.testExact(text);
  }

  toString(): string {
    return this.source;
  }
}

/** Returns a fault if RE2 accepts a pattern, but matches other texts than JavaScript. */
function misreadIn(source: string): PatternFault | undefined {
  // Without escaped backslashes, each backslash escapes what follows.
  const escaped = source.replaceAll("\\\\", "");
  const [backreference] = /\\[1-9k]/.exec(escaped) ?? [];
  if (backreference !== undefined) return inexpressible(`the backreference ${backreference}`);
  if (/\\ud[89a-f]/i.test(escaped)) return misread("the escape of half a character", "\\u{1F600}");
  const bare = escaped.replace(/\\(?:[uxpP]\{[^}]*\}|.)/gsu, "");
  if (/\[[^\]]*\[:/.test(bare)) return misread('"[:" in a class', "\\[:");
  const withoutClasses = bare.replace(/\[[^\]]*\]/g, "");
  if (/\{(?:\d+,)?0\d/.test(withoutClasses)) return misread("a count that begins with 0", "{1}");
  return undefined;
}

function misread(what: string, instead: string): PatternFault {
  return new PatternFault(`, got one with ${what}, which RE2 reads differently; write ${instead}`);
}

function compile(source: string): RE2JS {
  // In RE2, scripts and categories are named without their property.
  const bare = source.replace(/(\\p\{)(?:Script|sc|General_Category|gc)=/giu, "$1");
  try {
    return RE2JS.compile(RE2JS.translateRegExp(bare));
  } catch (error) {
    throw inexpressible(messageOf(error).replace(/^error parsing regexp: /, ""));
  }
}

function inexpressible(what: string): PatternFault {
  const instead =
    "it has no look-around, no backreference, and few properties for \\p{…} beyond general categories and scripts";
  return new PatternFault(`, got one that RE2 cannot match in linear time (${what}); ${instead}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
