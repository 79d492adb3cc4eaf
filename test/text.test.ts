/** Texts: which are the same, which known name someone meant, how names are listed (contract, section 1). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  compareTexts,
  didYouMean,
  fold,
  longestTyped,
  mostCompared,
  nearest,
  oneOf,
} from "../src/domain/text.ts";

/** Letters whose case, composition or both go their own ways, among any others. */
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

  it("when a capital sigma ends a word in one and a small one in the other", () => {
    assert.equal(fold("\u039F\u0394\u039F\u03A3"), fold("\u03BF\u03B4\u03BF\u03C3"));
  });

  it("and stay so when they are folded twice", () => {
    fc.assert(
      fc.property(text, (any) => assert.equal(fold(fold(any)), fold(any))),
      { numRuns: 1000 },
    );
  });

  it("in whatever composition they come", () => {
    fc.assert(fc.property(text, (any) => assert.equal(fold(any.normalize("NFD")), fold(any))));
  });
});

describe("two texts differ", () => {
  const different: readonly (readonly [string, string, string])[] = [
    ["in a letter", "Mord", "Mort"],
    ["in an accent", "Cafe", "Caf\u00E9"],
    ["in a dash", "Rotes-Haus", "RotesHaus"],
    ["where one has the width of another script", "A", "\uFF21"],
    ["where one is empty", "", "-"],
  ];
  for (const [name, left, right] of different) {
    it(name, () => assert.notEqual(fold(left), fold(right)));
  }
});

describe("the nearest known name", () => {
  const services = ["RESCUE", "POLICE"];

  it("is found for a letter too few, too many, wrong or swapped", () => {
    for (const typed of ["RESCU", "RESCUEE", "RESKUE", "RECSUE"])
      assert.equal(nearest(typed, services), "RESCUE", typed);
  });

  it("is found in any case, and given as it is known", () => {
    assert.equal(nearest("polic", services), "POLICE");
    assert.equal(nearest("POLISE", ["Police"]), "Police");
  });

  it("is the nearest of several", () => {
    assert.equal(nearest("/wantedreason/ad", ["/wantedreason", "/wantedreason/add"]), "/wantedreason/add");
  });

  it("is none where two are equally near, but not for one name in two spellings", () => {
    assert.equal(nearest("DEO", ["CEO", "DEV"]), undefined);
    assert.equal(nearest("DEO", ["CEO", "DEV", "DEO"]), "DEO");
    assert.equal(nearest("SUPP", ["Sup", "SUP"]), "Sup");
  });

  it("of up to three characters has at most one that is wrong", () => {
    assert.equal(nearest("VIPP", ["VIP"]), "VIP");
    assert.equal(nearest("TOP", ["MOD", "SUP"]), undefined);
  });

  it("is none where nothing is near, and none of none", () => {
    assert.equal(nearest("fishing", services), undefined);
    assert.equal(nearest("RESCUE", []), undefined);
  });

  it("is none for what every object has", () => {
    assert.equal(nearest("__proto__", services), undefined);
    assert.equal(nearest("constructor", services), undefined);
  });

  it("of any text is one of the known names or none", () => {
    fc.assert(
      fc.property(text, fc.array(text), (typed, known) => {
        const found = nearest(typed, known);
        assert.ok(found === undefined || known.includes(found), `${found} is not known`);
      }),
    );
  });

  it("of a name that is known is that name, but for case", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.nat(), (known, index) => {
        const typed = known[index % known.length] ?? "";
        assert.equal(fold(nearest(typed, known) ?? "none"), fold(typed));
      }),
    );
  });

  it("is none for a text of more than 200 characters, however near", () => {
    const known = "a".repeat(200);
    assert.equal(nearest(known, [known]), known);
    assert.equal(nearest(`${known}a`, [known]), undefined);
    assert.equal(longestTyped, 200);
  });

  it("is none of more names than are compared", () => {
    const names = Array.from({ length: mostCompared }, (_, index) => `Player${index}`);
    assert.equal(nearest("Plaver7", names), "Player7");
    assert.equal(nearest("Plaver7", [...names, "Ada"]), undefined);
  });

  it("is asked for in a sentence of its own, after a space", () => {
    assert.equal(didYouMean("RESCU", services), ' Did you mean "RESCUE"?');
    assert.equal(didYouMean("fishing", services), "");
  });
});

describe("names are listed", () => {
  it("with commas, and a word before the last", () => {
    assert.equal(oneOf([]), "");
    assert.equal(oneOf(["der"]), "der");
    assert.equal(oneOf(["der", "die"]), "der or die");
    assert.equal(oneOf(["der", "die", "das"]), "der, die or das");
    assert.equal(oneOf(["der", "die", "das"], "and"), "der, die and das");
  });
});

describe("lists are in order", () => {
  it("without regard to case", () => {
    const sorted = ["b", "C", "a", "B", "A", "c"].toSorted(compareTexts);
    assert.deepEqual(
      sorted.map((each) => each.toLowerCase()),
      ["a", "a", "b", "b", "c", "c"],
    );
  });

  it("that is the same however they came", () => {
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const once = texts.toSorted(compareTexts);
        assert.deepEqual(texts.toReversed().toSorted(compareTexts), once);
      }),
    );
  });

  it("of which each is before, after or the same as each", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(Math.sign(compareTexts(a, b)) + Math.sign(compareTexts(b, a)), 0);
        assert.equal(compareTexts(a, b) === 0, a === b);
      }),
    );
  });
});
