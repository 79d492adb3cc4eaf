/** The sentences of refused parameters: what was expected, what was received, and what to do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { Failure } from "../../src/domain/errors.ts";
import {
  type BaseType,
  expectation,
  isNarrowed,
  type ParameterType,
  parseParameter,
  quote,
  type Refinements,
  repeatedParameter,
  toSchema,
  unknownParameter,
} from "../../src/table/parameters.ts";
import { Pattern } from "../../src/table/pattern.ts";

const vocabulary = { group: ["VIP", "DEV"], faction: ["GROVE"], service: ["RESCUE"] };

type Options = Refinements & Pick<ParameterType, "roundsDown"> & { readonly description?: string };

function typeOf(base: BaseType, options: Options = {}): ParameterType {
  return { base, name: base, description: undefined, ...options };
}

/** Returns why a text is refused: code, message and hint. */
function refusal(text: string, base: BaseType, options?: Options): (string | undefined)[] {
  const type = typeOf(base, options);
  const schema = toSchema(type, () => vocabulary);
  const parameter = {
    name: "it",
    in: "query",
    isReference: false,
    type,
    schema,
    default: undefined,
  } as const;
  try {
    parseParameter(parameter, text, vocabulary);
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.parameter, "it");
    return [error.code, error.message, error.hint];
  }
  return assert.fail(`${JSON.stringify(text)} was accepted`);
}

describe("what a parameter expects is", () => {
  for (const [expected, base, options] of [
    ["1 to 64 characters", "text"],
    ["2 to 64 characters", "text", { minLength: 2 }],
    ["a reason (1 to 20 characters)", "text", { description: "a reason", maxLength: 20 }],
    ["a whole number from -2147483648 to 2147483647", "integer"],
    ["a whole number from 1 to 30", "integer", { minimum: 1, maximum: 30 }],
    [
      "a number from 0 to 9; decimals are rounded down",
      "integer",
      { minimum: 0, maximum: 9, roundsDown: true },
    ],
    ["true or false", "boolean"],
    ["asc, desc or none", "enum", { values: ["asc", "desc", "none"] }],
    ["milliseconds since 1970, or ISO 8601 with a zone", "instant"],
  ] as const satisfies readonly (readonly [string, BaseType, Options?])[]) {
    it(`"${expected}"`, () => assert.equal(expectation(typeOf(base, options), vocabulary), expected));
  }
});

describe("the refusal of a text", () => {
  const code = { pattern: new Pattern("[a-z]+"), maxLength: 3 };
  const invalid = "PARAMETER_INVALID";
  const must = '"it" must be 1 to 3 characters, not';
  for (const [what, text, got, hint] of [
    ["of the maximum length quotes it", "abC", '"abC"'],
    ["that is one character too long has its length", "abcd", "4 characters"],
    ["counts a character of two units once", "\u{1F600}\u{1F600}\u{1F600}", '"\u{1F600}\u{1F600}\u{1F600}"'],
    ["counts a letter with its accent once", "e\u0301e\u0301e\u0301", '"e\u0301e\u0301e\u0301"'],
    ["that is empty has nothing", "", "nothing"],
    ["with a space says what to write", "a b", '"a b"', 'Write "-" for a space.'],
    [
      "with an invisible character says which to leave out",
      "a\u200Bb",
      '"a\u200Bb"',
      "To correct it, leave out the invisible character U+200B.",
    ],
    [
      "with a byte order mark does not call it a space",
      "\uFEFFa",
      '"\uFEFFa"',
      "To correct it, leave out the invisible character U+FEFF.",
    ],
  ] as const) {
    it(what, () => assert.deepEqual(refusal(text, "text", code), [invalid, `${must} ${got}.`, hint]));
  }

  it("of another type quotes it, however long it is, and has no hint", () => {
    const long = "many words ".repeat(7);
    const quoted = `"${long.slice(0, 40)}…"`;
    const sentences = {
      integer: "a whole number from -2147483648 to 2147483647",
      boolean: "true or false",
      instant: "milliseconds since 1970, or ISO 8601 with a zone",
    };
    for (const base of ["integer", "boolean", "instant"] as const) {
      const message = `"it" must be ${sentences[base]}, not ${quoted}.`;
      assert.deepEqual(refusal(long, base), [invalid, message, undefined]);
      assert.deepEqual(refusal("", base), [invalid, message.replace(quoted, "nothing"), undefined]);
    }
  });

  it("that is no name in the data has its own code, and lists the names", () => {
    for (const [base, own, hint] of [
      ["group", "UNKNOWN_GROUP", "Expected VIP or DEV."],
      ["faction", "UNKNOWN_FACTION", "Expected GROVE."],
      ["service", "UNKNOWN_ENTRY", "Expected RESCUE."],
    ] as const)
      assert.deepEqual(refusal("zzzzzz", base), [own, `There is no ${base} "zzzzzz".`, hint]);
    const near = 'There is no group "VIPS". Did you mean "VIP"?';
    assert.deepEqual(refusal("VIPS", "group"), ["UNKNOWN_GROUP", near, "Expected VIP or DEV."]);
  });
});

it("only an integer whose operation rounds down accepts decimals, and rounds them down", () => {
  const parsed = (text: string, options?: Options) =>
    v.safeParse(
      toSchema(typeOf("integer", options), () => vocabulary),
      text,
    ).output;
  for (const [text, rounded] of [
    ["7", 7],
    ["1.9", 1],
    ["-1.1", -2],
    ["-0.0", 0],
  ] as const)
    assert.equal(parsed(text, { roundsDown: true }), rounded, text);
  const { success } = v.safeParse(
    toSchema(typeOf("integer"), () => vocabulary),
    "1.9",
  );
  assert.equal(success, false);
  assert.equal(parsed("-7"), -7);
});

it("an unknown parameter is refused with the names that the operation has", () => {
  const partsOf = ({ code, message, hint, parameter }: Failure) => [code, message, hint, parameter];
  const sentence = "This operation has no parameter";
  assert.deepEqual(partsOf(unknownParameter("wrong", [])), [
    "PARAMETER_UNKNOWN",
    `${sentence} "wrong".`,
    "It takes none.",
    "wrong",
  ]);
  assert.deepEqual(partsOf(unknownParameter("playr", ["player", "type"])), [
    "PARAMETER_UNKNOWN",
    `${sentence} "playr". Did you mean "player"?`,
    "It takes player and type.",
    "playr",
  ]);
});

it("a repeated parameter is refused with what to do", () => {
  const { code, message, hint, parameter } = repeatedParameter("type");
  assert.deepEqual(
    [code, message, hint, parameter],
    ["PARAMETER_REPEATED", '"type" is repeated.', "Give it once.", "type"],
  );
});

describe("a quoted text", () => {
  it("has at most 40 characters", () => {
    for (const character of ["é", "\u{1F600}"]) {
      assert.equal(quote(character.repeat(40)), `"${character.repeat(40)}"`);
      assert.equal(quote(character.repeat(41)), `"${character.repeat(40)}…"`);
    }
  });

  it("has no word of 40 characters or more, which could be a secret", () => {
    assert.equal(quote(`${"x".repeat(39)}`), `"${"x".repeat(39)}"`);
    assert.equal(quote(`a ${"x".repeat(40)} b`), '"a … b"');
  });

  it("is read up to 400 units, without a word that goes on beyond them", () => {
    assert.equal(quote(`${"x".repeat(395)} tail`), '"… tail"');
    assert.equal(quote(`${"x".repeat(396)} tail`), '"… …"');
  });
});

it("a type of text is narrowed by a pattern, a minLength or a maxLength, but not by the built-in ones", () => {
  for (const wide of [{}, { minLength: 1 }, { maxLength: 64 }, { minLength: 0, maxLength: 65 }])
    assert.equal(isNarrowed(wide), false, JSON.stringify(wide));
  for (const narrow of [
    { pattern: new Pattern("a") },
    { minLength: 2 },
    { maxLength: 63 },
    { minLength: 2, maxLength: 64 },
    { minLength: 1, maxLength: 63 },
  ])
    assert.equal(isNarrowed(narrow), true, JSON.stringify(narrow));
});
