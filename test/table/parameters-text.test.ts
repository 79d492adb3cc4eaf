/** Text and instant parameters: which texts are accepted, and as which value (contract, sections 1 and 3). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Failure } from "../../src/domain/errors.ts";
import {
  type Parameter,
  parseParameter,
  quote,
  type Refinements,
  toSchema,
} from "../../src/table/parameters.ts";
import { Pattern } from "../../src/table/pattern.ts";
import type { ParameterValue } from "../../src/table/restriction/restriction.ts";

const vocabulary = { group: [], faction: [], service: [] };

function parse(text: string, base: "text" | "instant", refinements: Refinements = {}): ParameterValue {
  const type = { base, name: base, description: undefined, ...refinements };
  const schema = toSchema(type, () => vocabulary);
  const parameter: Parameter = {
    name: "it",
    in: "query",
    isReference: false,
    type,
    schema,
    default: undefined,
  };
  return parseParameter(parameter, text, vocabulary);
}

function refusal(text: string, base: "text" | "instant", refinements?: Refinements): Failure {
  try {
    parse(text, base, refinements);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return assert.fail(`${JSON.stringify(text)} was taken`);
}

describe("a text parameter accepts a text", () => {
  const taken: readonly (readonly [string, string])[] = [
    ["of one character", "a"],
    ["with dashes for spaces", "Rotes-Haus-am-See"],
    ["with only a dash", "-"],
    ["of 64 characters", "a".repeat(64)],
    ["of 64 emoji, which are one character each", "\u{1F600}".repeat(64)],
    ["with symbols of any kind", `<b>"'&%+#/\\?;=\`\${x}</b>`],
    ["in any script", "Пожар-火事-\u0639\u0631\u0628\u064A"],
    ["named like a property of every object", "__proto__"],
    ["constructor", "constructor"],
    ["null", "null"],
    ["with an emoji of several joined characters", "\u{1F469}\u200D\u{1F692}"],
  ];
  for (const [name, text] of taken) {
    it(name, () => assert.equal(parse(text, "text"), text));
  }

  it("in any Unicode form, and composes it", () => {
    assert.equal(parse("Cafe\u0301", "text"), "Caf\u00E9");
    assert.equal(parse("\u212B", "text"), "\u00C5");
  });

  it("by its length when composed", () => {
    assert.equal(parse("e\u0301".repeat(64), "text"), "\u00E9".repeat(64));
    assert.equal(refusal("e\u0301".repeat(65), "text").code, "PARAMETER_INVALID");
    // Composed, this Hebrew letter is two characters.
    assert.equal(refusal("\uFB2E".repeat(33), "text").code, "PARAMETER_INVALID");
  });

  it("with combining marks, each of which counts", () => {
    assert.equal(parse(`x${"\u0332".repeat(63)}`, "text"), `x${"\u0332".repeat(63)}`);
    assert.equal(refusal(`x${"\u0332".repeat(64)}`, "text").code, "PARAMETER_INVALID");
  });

  it("that it has returned, and returns the same again", () => {
    const visible = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    const acceptable = visible.filter((each) => !/[\s\p{Z}\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(each));
    fc.assert(
      fc.property(acceptable, (text) => {
        fc.pre(Array.from(text.normalize("NFC")).length <= 64);
        const answered = parse(text, "text");
        assert.equal(parse(String(answered), "text"), answered);
      }),
    );
  });
});

describe("a text parameter refuses a text", () => {
  const refused: readonly (readonly [string, string])[] = [
    ["that is empty", ""],
    ["of 65 characters", "a".repeat(65)],
    ["of 65 emoji", "\u{1F600}".repeat(65)],
    ["of a million characters", "a".repeat(1_000_000)],
    ["with a control character", "a\u0007b"],
    ["with a null character", "a\0b"],
    ["with a delete character", "a\u007Fb"],
    ["with a control character beyond ASCII", "a\u0085b"],
    ["with a high surrogate alone", "a\ud83d"],
    ["with a low surrogate alone", "\ude00a"],
    ["with a right-to-left override", "a\u202Eb"],
    ["with a directional isolate", "a\u2066b"],
    ["with a directional mark", "a\u200Eb"],
  ];
  for (const [name, text] of refused) {
    it(name, () => assert.equal(refusal(text, "text").code, "PARAMETER_INVALID"));
  }

  const whites = [" ", "\t", "\n", "\r", "\u00A0", "\u2003", "\u2028", "\u3000", "\u1680", "\v"];
  for (const white of whites) {
    const code = white.charCodeAt(0).toString(16).padStart(4, "0");
    it(`with the white space U+${code}, with a hint`, () => {
      for (const text of [`a${white}b`, white, `a${white}`]) {
        const { hint, message } = refusal(text, "text");
        assert.match(`${message} ${hint}`, /"-"/);
      }
    });
  }

  it("that does not match the pattern as a whole", () => {
    const version = { pattern: new Pattern("\\d+(\\.\\d+){1,3}|next") };
    assert.equal(parse("2.5.1", "text", version), "2.5.1");
    assert.equal(parse("next", "text", version), "next");
    for (const text of ["v2.5.1", "2.5.1-beta", "nextest", "2.5\n", "2"])
      assert.equal(refusal(text, "text", version).code, "PARAMETER_INVALID", text);
  });

  it("that is shorter or longer than its type allows", () => {
    const code = { minLength: 2, maxLength: 3 };
    assert.equal(parse("ab", "text", code), "ab");
    assert.equal(parse("\u{1F600}\u{1F600}\u{1F600}", "text", code), "\u{1F600}\u{1F600}\u{1F600}");
    for (const text of ["a", "\u{1F600}", "abcd"])
      assert.equal(refusal(text, "text", code).code, "PARAMETER_INVALID", text);
  });
});

describe("an instant parameter accepts an instant", () => {
  const noon = Date.UTC(2026, 10, 21, 12);
  const taken: readonly (readonly [string, string, number])[] = [
    ["in milliseconds since 1970", "1795262400000", 1795262400000],
    ["at the start of 1970", "0", 0],
    ["with leading zeros", "0001", 1],
    ["at the latest date", "8640000000000000", 8640000000000000],
    ["in UTC", "2026-11-21T12:00:00Z", noon],
    ["in lower case", "2026-11-21t12:00:00z", noon],
    ["without seconds", "2026-11-21T12:00Z", noon],
    ["with a fraction of a second", "2026-11-21T12:00:00.250Z", noon + 250],
    ["with a finer fraction than a millisecond", "2026-11-21T12:00:00.250999999Z", noon + 250],
    ["with one digit of a fraction", "2026-11-21T12:00:00.5Z", noon + 500],
    ["in a zone ahead", "2026-11-21T13:00:00+01:00", noon],
    ["in a zone behind", "2026-11-21T06:30:00-05:30", noon],
    ["in a zone without a colon", "2026-11-21T13:00:00+0100", noon],
    ["in a zone with a space for an unencoded +", "2026-11-21T13:00:00 01:00", noon],
    ["on 29 February of a leap year", "2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
    ["that is on the day before in UTC", "2026-11-22T00:30:00+02:00", Date.UTC(2026, 10, 21, 22, 30)],
  ];
  for (const [name, text, expected] of taken) {
    it(name, () => assert.equal(parse(text, "instant"), expected));
  }

  it("of any value, as a number and in ISO 8601", () => {
    const date = fc.date({
      min: new Date(0),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (instant) => {
        assert.equal(parse(String(instant.getTime()), "instant"), instant.getTime());
        assert.equal(parse(instant.toISOString(), "instant"), instant.getTime());
      }),
    );
  });
});

describe("an instant parameter refuses an instant", () => {
  const refused: readonly (readonly [string, string])[] = [
    ["that is empty", ""],
    ["without a zone", "2026-11-21T12:00:00"],
    ["without a time", "2026-11-21"],
    ["on 30 February", "2026-02-30T12:00:00Z"],
    ["on 29 February of a common year", "2026-02-29T12:00:00Z"],
    ["on 31 April", "2026-04-31T12:00:00Z"],
    ["in month 13", "2026-13-01T12:00:00Z"],
    ["in month 0", "2026-00-10T12:00:00Z"],
    ["on day 0", "2026-11-00T12:00:00Z"],
    ["at hour 25", "2026-11-21T25:00:00Z"],
    ["at minute 60", "2026-11-21T12:60:00Z"],
    ["at second 61", "2026-11-21T12:00:61Z"],
    ["in a zone 99 hours away", "2026-11-21T12:00:00+99:00"],
    ["in a zone 60 minutes past the hour", "2026-11-21T12:00:00+01:60"],
    ["before 1970", "1969-12-31T23:59:59Z"],
    ["before 1970 by its zone", "1970-01-01T00:30:00+01:00"],
    ["below 0", "-1"],
    ["after the latest date", "8640000000000001"],
    ["beyond 64 bits", "99999999999999999999"],
    ["as a fraction", "1795262400000.5"],
    ["in the form of JavaScript", "Sat Nov 21 2026 12:00:00 GMT+0100"],
    ["in the form of e-mail", "Sat, 21 Nov 2026 12:00:00 GMT"],
    ["with a space for the T", "2026-11-21 12:00:00Z"],
    ["as a word", "now"],
    ["with something after it", "2026-11-21T12:00:00Z;"],
    ["with a year of two digits", "26-11-21T12:00:00Z"],
    ["with a year of six digits", "+012026-11-21T12:00:00Z"],
  ];
  for (const [name, text] of refused) {
    it(name, () => {
      const failure = refusal(text, "instant");
      assert.equal(failure.code, "PARAMETER_INVALID");
      assert.match(failure.message, /milliseconds since 1970, or ISO 8601 with a zone/);
    });
  }
});

describe("a quoted text", () => {
  it("has no part of a secret, even if it is cut within one", () => {
    const secret = "s".repeat(200);
    for (let before = 0; before < 450; before += 1) {
      // Each run of 39 is too short for a secret, and each of 60 becomes one character.
      const start = `${"x".repeat(60)} `.repeat(8).slice(0, before);
      const quoted = quote(`${start} ${secret} ${"y ".repeat(5000)}`);
      assert.doesNotMatch(quoted, /ss/, `behind ${before} characters`);
      assert.ok(Array.from(quoted).length <= 43);
    }
  });
});
