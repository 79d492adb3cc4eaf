/** Parameters: which texts of a request each type accepts, and as which value. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import * as v from "valibot";
import { parse, stringify } from "yaml";
import { Failure } from "../../src/domain/errors.ts";
import { bases, baseTypes } from "../../src/table/base-types.ts";
import { parseParameter, quote } from "../../src/table/parameters.ts";
import { character } from "../_character.ts";
import { runs } from "../_depth.ts";
import { Library, vocabulary } from "./_library.ts";

/** An entry of `parameters.yaml`, whose head explains it. */
interface Entry {
  readonly parameter: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly expected?: string;
  readonly accepts?: Readonly<Record<string, unknown>>;
  readonly refuses?: readonly string[];
  readonly says?: Readonly<Record<string, readonly [info: string, hint?: string]>>;
  /** Texts that are accepted so many times, and not once more. */
  readonly repeats?: Readonly<Record<string, number>>;
  /** White space that is refused with a hint, anywhere in a text. */
  readonly spaces?: readonly string[];
}

const entries: readonly Entry[] = parse(readFileSync(new URL("parameters.yaml", import.meta.url), "utf8"));

/** Returns a function that sends a text as the parameter. */
function senderOf(parameters: Entry["parameter"]) {
  const [name = ""] = Object.keys(parameters);
  const [path, handler] =
    name === "branch"
      ? ["/{branch}", "books.of"]
      : ["/find", name === "hidden" ? "books.list" : "books.find"];
  const routes = { [path]: { summary: "F.", restriction: "open", parameters, handler } };
  const library = new Library(stringify({ prefix: "/library/{key}", limits: "off", routes }));
  return async (text: string) => {
    const value = encodeURIComponent(text);
    const { body } = await library.ask("rosa", path === "/find" ? `/find?${name}=${value}` : `/${value}`);
    return { name, body };
  };
}

for (const { parameter, code = "PARAMETER_INVALID", expected, ...entry } of entries) {
  describe(`the parameter ${JSON.stringify(parameter)}`, () => {
    const send = senderOf(parameter);
    const assertRefused = async (text: string, start = "") => {
      const { name, body } = await send(text);
      assert.deepEqual([body.code, body.parameter], [code, name], JSON.stringify(text));
      assert.ok(String(body.info).startsWith(start), String(body.info));
      return body;
    };

    it("accepts valid texts", async () => {
      for (const [text, value] of Object.entries(entry.accepts ?? {})) {
        const { name, body } = await send(text);
        assert.deepEqual(body, { [name]: value }, text);
      }
      for (const [text, times] of Object.entries(entry.repeats ?? {})) {
        const { name, body } = await send(text.repeat(times));
        assert.deepEqual(body, { [name]: text.repeat(times).normalize("NFC") });
        await assertRefused(text.repeat(times + 1));
      }
    });

    it("refuses others, in words", async () => {
      const start = expected === undefined ? "" : `"${Object.keys(parameter)[0]}" must be ${expected}, `;
      for (const text of entry.refuses ?? []) {
        const got = text === "" ? "but is empty." : "not ";
        await assertRefused(text, start === "" ? "" : `${start}${got}`);
      }
      for (const [text, [info, hint]] of Object.entries(entry.says ?? {})) {
        const body = await assertRefused(text);
        assert.deepEqual([body.info, body.hint], [info, hint]);
      }
      for (const space of entry.spaces ?? [])
        for (const text of [`a${space}b`, space, `a${space}`])
          assert.equal((await assertRefused(text)).hint, 'Write "-" for a space.');
    });
  });
}

/** Parses a text as a built-in type. */
function parsed(text: string, base: (typeof baseTypes)[number], roundsDown?: true) {
  const own = roundsDown === undefined ? {} : { roundsDown };
  const type = { base, name: base, description: undefined, values: ["der"], ...own };
  const schema = bases[type.base].toSchema(type, () => vocabulary);
  const parameter = {
    name: "it",
    in: "query",
    isReference: false,
    type,
    schema,
    default: undefined,
  } as const;
  return parseParameter(parameter, text, vocabulary);
}

describe("a parameter", () => {
  it("accepts every 32-bit integer and every instant, as a number and in ISO 8601", () => {
    const date = fc.date({
      min: new Date(0),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.integer(), date, (number, instant) => {
        assert.equal(parsed(String(number), "integer"), number);
        assert.equal(parsed(String(instant.getTime()), "instant"), instant.getTime());
        assert.equal(parsed(instant.toISOString(), "instant"), instant.getTime());
      }),
    );
  });

  it("accepts a text that an answer had, and returns the same again", () => {
    const visible = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    const acceptable = visible.filter(
      (character) => !/[\s\p{Z}\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(character),
    );
    fc.assert(
      fc.property(acceptable, (text) => {
        fc.pre(Array.from(text.normalize("NFC")).length <= 64);
        const answered = parsed(text, "text");
        assert.equal(parsed(String(answered), "text"), answered);
      }),
    );
  });

  it("fails only as a Failure, which has no control characters and no part of what could be a token", () => {
    const any = fc.oneof(
      fc.string({ unit: character }),
      fc.string(),
      fc.constantFrom("\ud800", "\udc00x", "\0"),
    );
    fc.assert(
      fc.property(any, fc.constantFrom(...baseTypes), (start, base) => {
        const text = `${start} gat_${"k".repeat(43)} \u001b[31m\ud800 ${"n ".repeat(500)}`;
        for (const value of [start, text]) {
          try {
            parsed(value, base);
          } catch (error) {
            assert.ok(error instanceof Failure, String(error));
            const words = `${error.message} ${error.hint}`;
            assert.doesNotMatch(words, /[\p{Cc}\p{Cs}]|kkkk/u);
            assert.ok(words.length < 300, `${words.length} characters`);
          }
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it("with decimals is rounded down only if the operation does so", () => {
    const rows = { "7": 7, "1.9": 1, "-1.1": -2, "-0.0": 0, "1.0E7": 10_000_000 };
    for (const [text, value] of Object.entries(rows))
      assert.equal(parsed(text, "integer", true), value, text);
    assert.throws(() => parsed("1.9", "integer"), Failure);
    assert.throws(() => parsed("many", "integer", true), {
      message:
        '"it" must be a number from -2147483648 to 2147483647 (decimals are rounded down), not "many".',
    });
    assert.ok(Object.is(parsed("-0", "integer"), 0));
    assert.ok(!v.is(v.string(), parsed("-7", "integer")));
  });
});

it("an unknown or a repeated parameter is refused with what to do", async () => {
  const routes = {
    "/find": {
      summary: "F.",
      restriction: "open",
      parameters: { mode: { type: "enum", values: ["short"] } },
      handler: "books.find",
    },
    "/open": { summary: "O.", restriction: "open", handler: "house.open" },
  };
  const library = new Library(stringify({ prefix: "/library/{key}", routes }));
  for (const [path, ...expected] of [
    [
      "/open?wrong=1",
      "PARAMETER_UNKNOWN",
      'This operation has no parameter "wrong".',
      "It takes none.",
      "wrong",
    ],
    [
      "/find?mod=short",
      "PARAMETER_UNKNOWN",
      'This operation has no parameter "mod". Did you mean "mode"?',
      "It takes mode.",
      "mod",
    ],
    ["/find?mode=short&mode=short", "PARAMETER_REPEATED", '"mode" is repeated.', "Give it once.", "mode"],
  ] as const) {
    const { code, info, hint, parameter } = (await library.ask("rosa", path)).body;
    assert.deepEqual([code, info, hint, parameter], expected);
  }
});

describe("a quoted text", () => {
  it("has at most 40 characters", () => {
    for (const character of ["é", "\u{1F600}"]) {
      assert.equal(quote(character.repeat(40)), `"${character.repeat(40)}"`);
      assert.equal(quote(character.repeat(41)), `"${character.repeat(40)}…"`);
    }
  });

  it("has no word of 40 characters or more, which could be a secret, even if it is cut within one", () => {
    assert.equal(quote("x".repeat(39)), `"${"x".repeat(39)}"`);
    assert.equal(quote(`a ${"x".repeat(40)} b`), '"a … b"');
    // It is read up to 400 units, without a word that goes on beyond them.
    assert.equal(quote(`${"x".repeat(395)} tail`), '"… tail"');
    assert.equal(quote(`${"x".repeat(396)} tail`), '"… …"');
    for (let before = 0; before < 450; before += 1) {
      const start = `${"x".repeat(60)} `.repeat(8).slice(0, before);
      assert.doesNotMatch(
        quote(`${start} ${"s".repeat(200)} ${"y ".repeat(5000)}`),
        /ss/,
        `behind ${before}`,
      );
    }
  });
});
