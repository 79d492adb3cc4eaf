/** Parameters: which texts each base type accepts, and as which value (contract, sections 1 and 3). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Failure, type FailureCode } from "../../src/domain/errors.ts";
import {
  type BaseType,
  expectation,
  type Parameter,
  parseParameter,
  type Refinements,
  toSchema,
} from "../../src/table/parameters.ts";
import type { ParameterValue } from "../../src/table/restriction/restriction.ts";
import { runs } from "../_depth.ts";

const vocabulary = {
  group: ["CEO", "BLACKLIST"],
  faction: ["GROVE", "constructor"],
  service: ["RESCUE", "POLICE"],
};

function parameter(base: BaseType, refinements: Refinements = {}): Parameter {
  const type = { base, name: base, description: undefined, ...refinements };
  return {
    name: "it",
    in: "query",
    isReference: false,
    type,
    schema: toSchema(type, () => vocabulary),
    default: undefined,
  };
}

function parse(text: string, base: BaseType, refinements?: Refinements): ParameterValue {
  return parseParameter(parameter(base, refinements), text, vocabulary);
}

function refusal(text: string, base: BaseType, refinements?: Refinements): Failure {
  try {
    parse(text, base, refinements);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return assert.fail(`${JSON.stringify(text)} was taken`);
}

function assertRefused(
  text: string,
  base: BaseType,
  refinements?: Refinements,
  code: FailureCode = "PARAMETER_INVALID",
): void {
  const failure = refusal(text, base, refinements);
  assert.equal(failure.code, code, JSON.stringify(text));
  assert.equal(failure.parameter, "it");
}

describe("an integer parameter", () => {
  it("accepts digits with a sign and leading zeros", () => {
    const taken: readonly (readonly [string, number])[] = [
      ["0", 0],
      ["7", 7],
      ["-7", -7],
      ["007", 7],
      ["-007", -7],
      ["2147483647", 2147483647],
      ["-2147483648", -2147483648],
    ];
    for (const [text, value] of taken) assert.equal(parse(text, "integer"), value, text);
  });

  it("parses -0 as 0", () => {
    for (const text of ["-0", "-000"]) assert.ok(Object.is(parse(text, "integer"), 0), text);
  });

  it("refuses numbers beyond 32 bits", () => {
    for (const text of ["2147483648", "-2147483649", "9007199254740993", "1".repeat(400)])
      assertRefused(text, "integer");
  });

  it("refuses other forms of numbers", () => {
    const others = [
      "",
      " ",
      "+1",
      " 1",
      "1 ",
      "1.0",
      "1.5",
      "1e3",
      "0x10",
      "1_000",
      "1,000",
      "--1",
      "-",
      "NaN",
    ];
    const odd = ["Infinity", "null", "true", "\u0661", "\uFF11", "1\n", "\u22121", "1\0"];
    for (const text of [...others, ...odd]) assertRefused(text, "integer");
  });

  it("accepts numbers within the limits of its type, including the limits", () => {
    const points = { minimum: 0, maximum: 1000 };
    assert.equal(parse("0", "integer", points), 0);
    assert.equal(parse("1000", "integer", points), 1000);
    assert.equal(parse("-0", "integer", points), 0);
    assertRefused("-1", "integer", points);
    assertRefused("1001", "integer", points);
  });

  it("accepts every 32-bit integer", () => {
    fc.assert(fc.property(fc.integer(), (value) => assert.equal(parse(String(value), "integer"), value)));
  });
});

describe("a boolean parameter", () => {
  it("accepts true and false in any case", () => {
    for (const text of ["true", "TRUE", "True"]) assert.equal(parse(text, "boolean"), true);
    for (const text of ["false", "FALSE", "False"]) assert.equal(parse(text, "boolean"), false);
  });

  it("refuses anything else", () => {
    for (const text of ["", "1", "0", "yes", "no", "on", "t", "true ", "null", "undefined"])
      assertRefused(text, "boolean");
  });
});

describe("an enum parameter", () => {
  const article = { values: ["der", "die", "das"] };

  it("accepts values in any case, and returns them as the table has them", () => {
    assert.equal(parse("DIE", "enum", article), "die");
    assert.equal(parse("kill", "enum", { values: ["KILL", "DEATH"] }), "KILL");
  });

  it("lists its values in a refusal", () => {
    assert.match(refusal("dem", "enum", article).message, /der, die or das/);
    for (const text of ["", "de", "der,die", "der ", "0", "constructor", "__proto__"])
      assertRefused(text, "enum", article);
  });
});

describe("a parameter for a name in the data", () => {
  it("accepts names in any case, and returns them as seeded", () => {
    assert.equal(parse("ceo", "group"), "CEO");
    assert.equal(parse("Grove", "faction"), "GROVE");
    assert.equal(parse("rescue", "service"), "RESCUE");
    assert.equal(parse("CONSTRUCTOR", "faction"), "constructor");
  });

  it("suggests the nearest name in a refusal", () => {
    const kinds: readonly (readonly [BaseType, string, FailureCode, string])[] = [
      ["group", "BLACKLST", "UNKNOWN_GROUP", "BLACKLIST"],
      ["faction", "GROV", "UNKNOWN_FACTION", "GROVE"],
      ["service", "POLISE", "UNKNOWN_ENTRY", "POLICE"],
    ];
    for (const [base, text, code, near] of kinds) {
      assertRefused(text, base, undefined, code);
      assert.ok(refusal(text, base).message.includes(`Did you mean "${near}"?`), text);
    }
  });

  it("refuses names of properties that every object has", () => {
    for (const text of ["__proto__", "toString", "length", "0", ""])
      assertRefused(text, "group", undefined, "UNKNOWN_GROUP");
  });
});

describe("the refusal of a parameter", () => {
  it("says what was expected and what it got", () => {
    const { message } = refusal("many", "integer", { minimum: 0, maximum: 1000 });
    assert.match(message, /"it"/);
    assert.match(message, /a whole number from 0 to 1000/);
    assert.match(message, /"many"/);
    assert.match(refusal("", "boolean").message, /true or false, not nothing\.$/);
  });

  it("uses the description of the type", () => {
    const type = { base: "text", name: "reason", description: "a reason", maxLength: 20 } as const;
    assert.equal(expectation(type, vocabulary), "a reason (1 to 20 characters)");
  });

  it("never contains what could be a token", () => {
    const token = `gat_${"k".repeat(43)}`;
    for (const base of ["integer", "boolean", "instant", "group", "faction"] as const) {
      const { message, hint } = refusal(token, base);
      assert.ok(!`${message} ${hint}`.includes("kkkk"), message);
    }
  });

  it("contains no control characters or lone surrogates, and little of the text", () => {
    const { message } = refusal(`\u001b[31m\r\n\ud800${"n ".repeat(5000)}`, "integer");
    assert.doesNotMatch(message, /[\p{Cc}\p{Cs}]/u);
    assert.ok(message.length < 300, `${message.length} characters`);
  });

  it("is the only way to fail, for any text", () => {
    const bases = ["integer", "boolean", "enum", "instant", "group", "faction", "service", "text"] as const;
    const any = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.constantFrom("\ud800", "\udc00x", "\0"),
    );
    fc.assert(
      fc.property(any, fc.constantFrom(...bases), (text, base) => {
        try {
          parse(text, base, base === "enum" ? { values: ["der"] } : {});
        } catch (error) {
          assert.ok(error instanceof Failure, String(error));
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});
