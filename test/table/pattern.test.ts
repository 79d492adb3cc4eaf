/** Patterns: they mean the same as in JavaScript, and none is slow. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Pattern, PatternFault } from "../../src/table/pattern.ts";
import { runs } from "../_depth.ts";

/** The patterns of the shipped table, and others that tables may have. */
const patterns = String.raw`
[\p{L}\p{Nd}_.-]+
\d+(\.\d+){1,3}
[A-Z]{2}\d|next
[A-Z].*
|a
a|ab|abc
(?:a|ab)(?:c|bcd)
^a|b$
\bfoo\b
(?<year>\d{4})-\d\d
[^\s-]+
\u{1F600}+|\u00e4
[\u{1F600}-\u{1F64F}]+
\p{Script=Greek}+
[\p{gc=Lu}\P{L}]*
\w+\W\w*
(a*)*b?
.{3}`.split("\n");

/** Characters that distinguish patterns, without white space, which no text has. */
const character = fc.constantFrom(..."abcABZ019_.-/$^+😀😁äÄßİαΩ中٣ǅ\u0301\u200d");
const text = fc.oneof(
  fc.array(character, { maxLength: 12 }).map((characters) => characters.join("")),
  fc.constantFrom("2.5.1", "Ada", "next", "GR7", "foo", "2026-11", "abcd", "Ömer"),
);

/** Random patterns. */
const { pattern: composed } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...String.raw`a b [a-c] [^ab] . \d \p{L} 😀 \. ^ $`.split(" ")),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => one + other),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "*?", "{0,2}?"))
      .map(([one, times]) => `(${one})${times}`),
  ),
}));

/** Asserts that a pattern means the same in both engines. */
function assertSame(source: string, texts: readonly string[]): void {
  const pattern = new Pattern(source);
  const expected = new RegExp(`^(?:${source})$`, "u");
  for (const text of texts)
    assert.equal(pattern.matches(text), expected.test(text), `/${source}/ of ${text}`);
}

describe("a pattern", () => {
  for (const source of patterns) {
    it(`/${source}/ means what it means in JavaScript`, () => {
      fc.assert(
        fc.property(fc.array(text, { minLength: 100 }), (texts) => assertSame(source, texts)),
        {
          numRuns: runs(8),
        },
      );
    });
  }

  it("at random means what it means in JavaScript", () => {
    fc.assert(fc.property(composed, fc.array(text, { minLength: 1, maxLength: 5 }), assertSame));
  });

  it("that both engines accept, however odd, means what it means in JavaScript", () => {
    const pieces = String.raw`[ ] ^ - : ( | ) a 1 { } [:alpha:] {01} {1,02} (?: \uD83D \uDE00 \\`;
    const piece = fc.constantFrom(...pieces.split(" "));
    const odd = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
    const short = fc
      .array(fc.constantFrom(..."a1:[-{}0,x😀\\"), { maxLength: 3 })
      .map((characters) => characters.join(""));
    const accepted = odd.filter((source) => {
      try {
        new Pattern(source);
        return true;
      } catch (error) {
        if (error instanceof PatternFault) return false;
        throw error;
      }
    });
    fc.assert(fc.property(accepted, fc.array(short, { minLength: 10, maxLength: 20 }), assertSame), {
      numRuns: runs(1000),
    });
  });

  it("is matched in linear time, even if backtracking would never end", () => {
    // JavaScript's own engine takes 1.3 s for 28 letters, and four times as long for every two more.
    for (const source of ["([A-Za-z]+-?)+", "(a|a)*b", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)x"]) {
      assert.equal(new Pattern(source).matches(`${"a".repeat(10_000)}.`), false, source);
    }
  });
});

describe("a pattern is refused", () => {
  const refused: readonly (readonly [string, string, RegExp])[] = [
    ["that is no regular expression", "[", /invalid in JavaScript: .*Unterminated/],
    ["that RE2 accepts and JavaScript does not", "(?P<a>b)", /invalid in JavaScript/],
    ["with a look-ahead", "(?=a)a", /linear time.*look-around/],
    ["with a negative look-ahead", "(?!a)b", /linear time/],
    ["with a look-behind", "(?<!a)b", /linear time/],
    ["with a backreference", String.raw`(a)\1`, /the backreference \\1/],
    ["with a backreference by name", String.raw`\k<a>(?<a>b)`, /the backreference \\k/],
    ["with a backreference of two digits", `${"()".repeat(12)}${String.raw`\12`}`, /the backreference \\1/],
    ["with a POSIX class, which only RE2 has", "[[:alpha:]x[y]", /"\[:" in a class/],
    [
      "with an escaped surrogate pair, which is two characters in RE2",
      String.raw`[^\uD83D\uDE00]`,
      /u\{1F600\}/,
    ],
    ["with a count that begins with 0, which is text in RE2", "a{01}", /begins with 0/],
    ["with a second count that begins with 0", "a{1,02}", /begins with 0/],
    [
      "with a property that RE2 does not have",
      String.raw`\p{Default_Ignorable_Code_Point}`,
      /general categories and scripts/,
    ],
    ["that is too long", "a".repeat(501), /at most 500 characters, got 501/],
    ["that takes too many steps", String.raw`\p{L}{700}\p{L}{700}`, /at most 1000 steps, got 140\d/],
  ];
  for (const [name, source, expected] of refused) {
    it(name, () => {
      assert.throws(() => new Pattern(source), PatternFault);
      assert.throws(() => new Pattern(source), expected);
    });
  }

  it("but not at the longest, or with the most steps", () => {
    assert.equal(new Pattern("a".repeat(500)).matches("a".repeat(500)), true);
    assert.equal(new Pattern(String.raw`\p{L}{998}`).matches("a".repeat(998)), true);
    assert.throws(() => new Pattern(String.raw`\p{L}{999}`), { message: /at most 1000 steps, got 1001/ });
  });

  it("but not for an escaped backslash before a digit", () => {
    assert.equal(new Pattern(String.raw`\\1`).matches(String.raw`\1`), true);
  });

  it("but not for what only resembles a POSIX class, a surrogate or a count", () => {
    for (const [source, text] of [
      [String.raw`[\[:a]`, "["],
      ["[:a]", ":"],
      [String.raw`\\ud83d`, String.raw`\ud83d`],
      [String.raw`\u{01F600}`, "😀"],
      ["[{01]", "{"],
      ["a{0,10}", "aa"],
    ] as const) {
      assert.equal(new Pattern(source).matches(text), true, source);
    }
  });
});
