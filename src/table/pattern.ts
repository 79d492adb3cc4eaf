/**
 * Patterns of the table, matched by RE2 in time linear in the text: a regular expression of JavaScript can take
 * seconds for 28 letters, and any caller could send them. A pattern has to be one of JavaScript's as well (flag `u`),
 * since the interface's description shows it to clients and editors. One that RE2 would read differently is refused.
 * The others mean the same for a text without white space: `test/table/pattern.test.ts` compares the engines.
 */
import { RE2JS } from "re2js";

/** A pattern has at most so many characters, */
const longestPattern = 500;
/** and at most so many steps once compiled: `\p{L}{900}` has 902. A step costs time for each character of a text. */
const largestProgram = 1000;

/** Whether a text matches a pattern from its first to its last character. */
export type Pattern = (text: string) => boolean;

/** Why a pattern cannot be used; the message goes on from "expected a regular expression". */
export class PatternFault extends Error {}

/** Compiles a pattern. @throws PatternFault */
export function toPattern(source: string): Pattern {
  if (source.length > longestPattern) {
    throw new PatternFault(`of at most ${longestPattern} characters, got ${source.length}`);
  }
  try {
    new RegExp(source, "u");
  } catch (error) {
    throw new PatternFault(`got one that JavaScript refuses: ${messageOf(error)}`);
  }
  const fault = misreadIn(source);
  if (fault !== undefined) throw fault;
  const compiled = compile(source);
  const size = compiled.programSize();
  if (size > largestProgram) {
    throw new PatternFault(
      `got one that takes ${size} steps, more than ${largestProgram}; repeat less in it`,
    );
  }
  return (text) => compiled.testExact(text);
}

/** Returns why RE2 would accept a pattern and match other texts than JavaScript does, or undefined if it would not. */
function misreadIn(source: string): PatternFault | undefined {
  // Without escaped backslashes, each backslash begins the escape of what follows it.
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
  return new PatternFault(`got one with ${what}, which RE2 reads differently; write ${instead} instead`);
}

function compile(source: string): RE2JS {
  // RE2 names scripts and categories without the property that they are values of.
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
  return new PatternFault(`got one that RE2 cannot match in linear time (${what}); ${instead}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
