/** Texts: when two are the same, suggestions, lists and their order. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { escapeInvisible } from "../../src/domain/escape.ts";
import {
  allOf,
  compareTexts,
  comparisonIn,
  didYouMean,
  endsAlike,
  fold,
  longestTyped,
  mostCompared,
  nearest,
  oneOf,
  pluralOf,
} from "../../src/domain/text.ts";
import { runs } from "../_depth.ts";

/** Texts with letters whose case or composition is special. */
const text = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(..."aAäÄßẞσΣςıIİǰJé\u030C\u0307\u0301-") },
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
});

describe("two texts are the same", () => {
  const same: readonly (readonly [string, string, string])[] = [
    ["when they differ only in case", "Diebstahl", "dIEBSTAHL"],
    ["when they differ only in the case of letters beyond ASCII", "ÄRGER", "ärger"],
    ["when an accent is composed in one and combined in the other", "Caf\u00E9", "Cafe\u0301"],
    ["when they differ in case and in composition", "CAFE\u0301", "caf\u00E9"],
    ["when only one case has a composed form", "J\u030Cor", "\u01F0or"],
    ["when a capital sharp s is written small", "STRAẞE", "straße"],
    ["when the Kelvin sign is written as a letter", "\u212Am", "km"],
  ];
  for (const [name, left, right] of same) {
    it(name, () => assert.equal(fold(left), fold(right)));
  }

  it("when one ends in a capital sigma and the other in a small one", () => {
    assert.equal(fold("\u039F\u0394\u039F\u03A3"), fold("\u03BF\u03B4\u03BF\u03C3"));
  });

  it("when one is folded and the other folded twice", () => {
    fc.assert(
      fc.property(text, (any) => assert.equal(fold(fold(any)), fold(any))),
      { numRuns: runs(1000) },
    );
  });

  it("in any composition", () => {
    fc.assert(fc.property(text, (any) => assert.equal(fold(any.normalize("NFD")), fold(any))));
  });
});

describe("two texts differ", () => {
  const different: readonly (readonly [string, string, string])[] = [
    ["in a letter", "Mord", "Mort"],
    ["in an accent", "Cafe", "Caf\u00E9"],
    ["in a dash", "Rotes-Haus", "RotesHaus"],
    ["when one has a full-width letter", "A", "\uFF21"],
    ["when one is empty", "", "-"],
  ];
  for (const [name, left, right] of different) {
    it(name, () => assert.notEqual(fold(left), fold(right)));
  }
});

describe("the nearest known name", () => {
  const services = ["RESCUE", "POLICE"];

  for (const [what, typed, known, found] of [
    ["a missing letter", "RESCU", services, "RESCUE"],
    ["an extra letter", "RESCUEE", services, "RESCUE"],
    ["a wrong letter", "RESKUE", services, "RESCUE"],
    ["swapped letters", "RECSUE", services, "RESCUE"],
    ["another case", "polic", services, "POLICE"],
    ["its own spelling", "POLISE", ["Police"], "Police"],
    [
      "the nearest of several",
      "/wantedreason/ad",
      ["/wantedreason", "/wantedreason/add"],
      "/wantedreason/add",
    ],
    ["two equally near", "DEO", ["CEO", "DEV"], undefined],
    ["two equally near, and a nearer one", "DEO", ["CEO", "DEV", "deo", "CEO", "DEV"], "deo"],
    ["two equally near, of which one is spelled twice", "DEO", ["CEO", "DEV", "Dev"], undefined],
    ["two spellings of one", "SUPP", ["Sup", "SUP"], "Sup"],
    ["the first spelling of the nearest", "POLISE", ["POLE", "POLICE", "Police", "POLICED"], "POLICE"],
    ["the same from behind", "POLISE", ["POLICED", "Police", "POLICE", "POLE"], "Police"],
    ["one letter of three", "MOP", ["MOD"], "MOD"],
    ["two letters of three", "TOP", ["MOD"], undefined],
    ["two letters of four", "TOPM", ["TEAM"], "TEAM"],
    ["three letters of four", "TOPS", ["TEAM"], undefined],
    ["three letters of eight", "abcdeXYZ", ["abcdefgh"], undefined],
    ["three letters of nine", "abcdefXYZ", ["abcdefghi"], "abcdefghi"],
    ["four letters of nine", "abcdeWXYZ", ["abcdefghi"], undefined],
    ["three missing letters of nine", "abcdef", ["abcdefghi"], "abcdefghi"],
    ["four missing letters of nine", "abcde", ["abcdefghi"], undefined],
    ["none that is near", "fishing", services, undefined],
    ["no names", "RESCUE", [], undefined],
    ["a property of Object", "__proto__", services, undefined],
  ] as const)
    it(`with ${what}: ${found ?? "none"}`, () => assert.equal(nearest(typed, known), found));

  it("is always a known name or undefined", () => {
    fc.assert(
      fc.property(text, fc.array(text), (typed, known) => {
        const found = nearest(typed, known);
        assert.ok(found === undefined || known.includes(found), `${found} is not known`);
      }),
    );
  });

  it("of a known name is that name, apart from case", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.nat(), (known, index) => {
        const typed = known[index % known.length] ?? "";
        assert.equal(fold(nearest(typed, known) ?? "none"), fold(typed));
      }),
    );
  });

  it("is undefined for a text of more than 200 characters", () => {
    const known = "a".repeat(200);
    assert.equal(nearest(known, [known]), known);
    assert.equal(nearest(`${known}a`, [known]), undefined);
    assert.equal(longestTyped, 200);
  });

  it("is undefined among more names than are compared", () => {
    const names = Array.from({ length: mostCompared }, (_, index) => `Player${index}`);
    assert.equal(nearest("Plaver7", names), "Player7");
    assert.equal(nearest("Plaver7", [...names, "Ada"]), undefined);
  });

  it("is suggested in a sentence after a space", () => {
    assert.equal(didYouMean("RESCU", services), ' Did you mean "RESCUE"?');
    assert.equal(didYouMean("fishing", services), "");
  });
});

describe("the last words of two paths or names are alike", () => {
  const all: readonly (readonly [string, string, boolean])[] = [
    ["/houseban/remove", "/navipoint/remove", true],
    ["/houseban/remov", "/houseban/remove", true],
    ["player.renove", "player.remove", true],
    ["player.REMOVE", "player.remove", true],
    ["/houseban/renam", "/houseban/remove", false],
    ["player rename", "player.remove", false],
    ["/houseban/remo", "/houseban/remove", false],
    ["/remove/houseban", "/remove/navipoint", false],
  ];
  for (const [typed, known, expected] of all) {
    it(`${typed} and ${known}: ${expected}`, () => assert.equal(endsAlike(typed, known), expected));
  }
});

describe("escaping invisible characters", () => {
  it("writes control, format and invisible characters as numbers", () => {
    assert.equal(escapeInvisible("a\u001b[2J\n\u202eb\u200b"), "a\\u001b[2J\\u000a\\u202eb\\u200b");
  });

  it("leaves letters and emoji of several characters", () => {
    for (const same of ["Ähre", "👨‍👩‍👧", "❤️"]) assert.equal(escapeInvisible(same), same);
  });
});

describe("a list in words", () => {
  it("has commas, and a conjunction before the last item", () => {
    assert.equal(oneOf([]), "");
    assert.equal(oneOf(["der"]), "der");
    assert.equal(oneOf(["der", "die"]), "der or die");
    assert.equal(oneOf(["der", "die", "das"]), "der, die or das");
    assert.equal(allOf(["der", "die", "das"]), "der, die and das");
    const names = Array.from({ length: 5000 }, (_, index) => `n${index}`);
    assert.equal(oneOf(names), `${names.slice(0, 20).join(", ")} or 4,980 more`);
    assert.equal(allOf(names.slice(0, 20)).split(/, | and /).length, 20);
  });
});

it("a plural follows the rules of English spelling", () => {
  const nouns = ["boss", "box", "branch", "month", "party", "day", "lap time"];
  const plurals = ["bosses", "boxes", "branches", "months", "parties", "days", "lap times"];
  assert.deepEqual(nouns.map(pluralOf), plurals);
});

describe("the order of texts", () => {
  it("ignores case", () => {
    const sorted = ["b", "C", "a", "B", "A", "c"].toSorted(compareTexts);
    assert.deepEqual(
      sorted.map((name) => name.toLowerCase()),
      ["a", "a", "b", "b", "c", "c"],
    );
  });

  it("is that of the code units for texts that differ only in case", () => {
    const sorted = ["b", "C", "a", "B", "A", "c"].toSorted(compareTexts);
    assert.deepEqual(sorted, ["A", "a", "B", "b", "C", "c"]);
  });

  it("in a language is that of its letters, then that of the code units", () => {
    const compare = comparisonIn("en");
    const names = ["Otto", "zoe", "\u00e9", "Oma", "e\u0301", "B", "Ömer", "a", "Zoe"];
    const sorted = ["a", "B", "e\u0301", "\u00e9", "Oma", "Ömer", "Otto", "zoe", "Zoe"];
    assert.deepEqual(names.toSorted(compare), sorted);
    assert.deepEqual(names.toReversed().toSorted(compare), sorted);
    for (const [index, name] of sorted.entries()) {
      assert.equal(compare(name, name), 0);
      const next = sorted[index + 1];
      if (next !== undefined) assert.deepEqual([compare(name, next), compare(next, name)], [-1, 1], name);
    }
    // In Swedish, the letter is one of its own, after z.
    assert.deepEqual(["Ömer", "Zoe", "Otto"].toSorted(comparisonIn("sv")), ["Otto", "Zoe", "Ömer"]);
  });

  it("is antisymmetric, and 0 for equal texts alone", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(Math.sign(compareTexts(a, b)) + Math.sign(compareTexts(b, a)), 0);
        assert.equal(compareTexts(a, b) === 0, a === b);
      }),
    );
  });
});
