/** Faults in the cases of a restriction, and several faults at once, none of which hides another. */
import { describe, it } from "node:test";
import { assertFaults, edited, itFinds } from "./_faults.ts";

const desk = "service: DESK";
const lastCase = "      - open\n";

describe("a fault is reported for cases", () => {
  itFinds([
    ["without an unconditional one", lastCase, "", [11, 5, /expected a last case without `when`/]],
    [
      "with one after the unconditional one",
      lastCase,
      "      - open\n      - identified\n",
      [14, 9, "this case never applies"],
    ],
    [
      "with a condition after the unconditional one",
      lastCase,
      "      - open\n      - { when: { hidden: false }, group: STAFF }\n",
      [14, 9, "this case never applies"],
    ],
    [
      "with a condition on an unknown parameter",
      "when: { hidden: true }",
      "when: { hiden: true }",
      [12, 19, /unknown parameter "hiden".*Did you mean "hidden"\?/],
    ],
    [
      "with a condition on an invalid value",
      "when: { hidden: true }",
      "when: { hidden: yes }",
      [12, 27, /true or false.*"yes"/],
    ],
    [
      "with a condition on an empty value",
      "when: { hidden: true }",
      "when: { hidden: }",
      [12, 27, "true or false"],
    ],
    [
      "with a condition on a list of values",
      "when: { hidden: true }",
      "when: { hidden: [true] }",
      [12, 19, "true or false"],
    ],
    ["with an empty condition", "when: { hidden: true }", "when: {}", [12, 11, "a map of parameters"]],
    [
      "with a condition that is a word",
      "when: { hidden: true }",
      "when: hidden",
      [12, 11, "a map of parameters"],
    ],
    ["with a condition and nothing else", `, ${desk}`, "", [12, 9, "got none"]],
    [
      "with a misspelt restriction",
      lastCase,
      "      - opne\n",
      [13, 9, /unknown restriction "opne"; expected open, [^?]*$/],
    ],
    [
      "with a misspelt restriction under its key",
      lastCase,
      "      - restriction: opne\n",
      [13, 22, /unknown restriction "opne"; expected open, [^?]*$/],
    ],
    [
      "with an unknown service under its key",
      desk,
      "restriction: { service: DESC }",
      [12, 59, /unknown service "DESC".*Did you mean "DESK"\?/],
    ],
    [
      "with a restriction beside one under its key",
      desk,
      "restriction: open, service: DESK",
      [12, 35, 'unknown key "restriction"'],
    ],
    [
      "with a fault in nested cases",
      lastCase,
      "      - [{ when: { hidden: 7 }, group: STAFF }, open]\n",
      [13, 28, "true or false"],
    ],
  ]);
});

describe("several faults", () => {
  it("are all reported, in the order of the file", () => {
    const faulty = edited("group: STAFF", "group: STUFF")
      .replace("handler: books.of", "handler: books.off")
      .replace("rank: 4", "rank: four")
      .replace("service: DESK", "service: DESC")
      .replace("prefix: /library/{key}", "prefix: /library")
      .replace("BARRED", "BARED")
      .replace("values: [novel, poem]", "maximum: 3")
      .replace("default: false", "default: perhaps");
    assertFaults(
      faulty,
      [1, 9, "a path with a placeholder for the token"],
      [3, 20, '"BARED"'],
      [7, 23, '"maximum" does not apply to the type enum'],
      [12, 44, '"DESC"'],
      [14, 53, '"perhaps"'],
      [20, 14, '"books.off"'],
      [23, 44, '"four"'],
      [32, 71, '"STUFF"'],
    );
  });

  it("in a parameter and in a restriction of one route are both reported", () => {
    const faulty = edited("rank: 4", "rank: four").replace("title: title", "title: titel");
    assertFaults(faulty, [23, 44, 'got "four"'], [26, 14, '"titel"']);
  });

  it("of form are in the order of the file", () => {
    const faulty = edited("summary: Adds a book.", "sumary: Adds a book.")
      .replace("product:", "produkt:")
      .replace("    handler: readers.show\n", "");
    assertFaults(
      faulty,
      [2, 1, '"produkt"'],
      [21, 3, '"summary" is missing'],
      [22, 5, '"sumary"'],
      [30, 3, '"handler" is missing'],
    );
  });
});

describe("a name of a property that every object has is refused for", () => {
  itFinds([
    [
      "a parameter",
      "      kind: kind\n",
      "      kind: kind\n      constructor: kind\n",
      [29, 7, '"constructor" cannot be a name'],
    ],
    ["a path", "  /books:", "  __proto__:", [9, 3, '"__proto__" cannot be a name']],
    [
      "a type",
      "title: { type: text, ",
      "constructor: { type: txet, ",
      [5, 3, '"constructor" cannot be a name'],
    ],
  ]);
});
