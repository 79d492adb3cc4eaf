/** Faults in a table's form and head: each is reported with its line, its column, and what to do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFaults, edited, goodTable, itFinds } from "./_faults.ts";
import { check } from "./_library.ts";

it("a table without faults has none", () => {
  const { table, faults } = check(goodTable);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    table?.routes.map(({ path }) => path),
    ["/books", "/books/{branch}", "/books/{branch}/add", "/readers/{reader}"],
  );
});

describe("a file that is no table is refused if it", () => {
  it("is empty", () => assertFaults("", [1, 1, "expected a route table, got an empty file"]));
  it("has only a comment", () => assertFaults("# nothing yet\n", [1, 1, "got a file with only comments"]));
  it("is a list", () => assertFaults("- prefix: /library/{key}\n", [1, 1, "expected a map"]));
  it("is a word", () => assertFaults("routes", [1, 1, "expected a map"]));
  it("is in UTF-16", () => {
    const asRead = Buffer.from(`\ufeff${goodTable}`, "utf16le").toString("utf8");
    assertFaults(asRead, [1, 4, "expected text in UTF-8, got a NUL character; save the file as UTF-8"]);
  });
  it("is a long text, quoting little of it", () => {
    const { faults } = check("word ".repeat(100_000));
    assert.deepEqual(
      faults.map(({ message }) => [message.slice(0, 19), message.length < 3_000]),
      [["expected a map, got", true]],
    );
  });
  it("has a long text, quoting little of it and ending with what to do", () => {
    const { faults } = check(edited("{ faction: $branch }", `{ group: ${"STAFF".repeat(50_000)} }`));
    assert.equal(faults.length, 1);
    assert.match(
      faults[0]?.message ?? "",
      /^unknown group "STAFF[\s\S]{0,2500}STAFF"; expected STAFF, FRIENDS or BARRED$/,
    );
  });
  it("has other keys", () =>
    assertFaults('{"a": 1}', [1, 1, "is missing"], [1, 1, "is missing"], [1, 2, "unknown key"]));
  it("is indented by tabs", () => {
    assertFaults("prefix: /library/{key}\nroutes:\n\t/books: {}\n", [
      3,
      1,
      /expected spaces as indentation, got a tab/,
    ]);
  });
});

describe("invalid YAML is reported for", () => {
  itFinds([
    [
      "a bracket that is never closed",
      "[novel, poem] }",
      "[novel, poem }",
      [7, 44, "invalid YAML"],
      [7, 45, "invalid YAML"],
    ],
    ["a quote that is never closed", "Adds a book.", '"Adds a book.', [35, 1, /invalid YAML: .*quote/]],
    [
      "a duplicate key",
      "    handler: books.of\n",
      "    handler: books.of\n    handler: books.of\n",
      [21, 5, "the first is in line 20"],
    ],
    ["a duplicate path", "  /readers/{reader}:", "  /books:", [30, 3, "the first is in line 9"]],
    [
      "an alias without an anchor",
      "$branch, rank: 4",
      "*north, rank: 4",
      [23, 29, /unknown anchor "north"; expected one before/],
    ],
    [
      "an inconsistent indentation",
      "    handler: books.of\n",
      "   handler: books.of\n",
      [20, 1, "invalid YAML"],
    ],
  ]);

  it("an explosion of aliases", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [before, each] of ["ab", "bc", "cd", "de", "ef"].map((pair) => pair.split("")))
      lines.push(`${each}: &${each} [${`*${before}, `.repeat(9)}*${before}]`);
    const { table, faults } = check(`${lines.join("\n")}\n${goodTable}`);
    assert.equal(table, undefined);
    assert.ok(faults.length > 0, "it was taken");
  });
});

describe("a fault is reported for a key", () => {
  itFinds([
    [
      "misspelt at the top",
      "product:",
      "produkt:",
      [2, 1, /unknown key "produkt".*Did you mean "product"\?/],
    ],
    ["unknown at the top", "product: reader", "colour: red", [2, 1, 'unknown key "colour"']],
    [
      "unknown in the exclusion",
      "{ group: BARRED }",
      "{ groop: BARRED }",
      [3, 1, '"group" is missing'],
      [3, 13, /unknown key "groop".*"group"/],
    ],
    [
      "unknown in a type",
      "maxLength: 64",
      "maxlenght: 64",
      [5, 24, /unknown key "maxlenght".*Did you mean "maxLength"\?/],
    ],
    [
      "unknown in a route",
      "    handler: books.of\n",
      "    handler: books.of\n    sumary: x\n",
      [21, 5, /unknown key "sumary".*Did you mean "summary"\?/],
    ],
    [
      "unknown in a parameter",
      "default: false",
      "defualt: false",
      [14, 44, /unknown key "defualt".*Did you mean "default"\?/],
    ],
    ["default in a type", "minimum: 1,", "default: 1,", [6, 27, 'unknown key "default"']],
    ["prefix that is missing", "prefix: /library/{key}\n", "", [1, 1, '"prefix" is missing']],
    [
      "routes that is missing",
      goodTable.slice(goodTable.indexOf("routes:")),
      "",
      [1, 1, '"routes" is missing'],
    ],
    ["summary that is missing", "    summary: Adds a book.\n", "", [21, 3, '"summary" is missing']],
    [
      "restriction that is missing",
      "    restriction: { faction: $branch }\n",
      "",
      [16, 3, '"restriction" is missing'],
    ],
    ["handler that is missing", "    handler: books.list\n", "", [9, 3, '"handler" is missing']],
    ["type that is missing in a type", "type: text, max", "max", [5, 3, '"type" is missing']],
    [
      "type that is missing in a parameter",
      "{ type: boolean, default: false }",
      "{ default: false }",
      [14, 19, '"type" is missing'],
    ],
  ]);
});

describe("a fault is reported for a value of the wrong kind", () => {
  itFinds([
    [
      "a prefix that is a list",
      "prefix: /library/{key}",
      "prefix: [/library]",
      [1, 1, /expected a text, got a list/],
    ],
    ["a prefix that is a map in YAML", "prefix: /library/{key}", "prefix: {key}", [1, 1, /expected a text/]],
    ["a product that is a number", "product: reader", "product: 2", [2, 10, /expected a text/]],
    ["an exclusion that is a word", "{ group: BARRED }", "BARRED", [3, 11, /expected a map/]],
    [
      "types that are a word",
      goodTable.slice(goodTable.indexOf("types:"), goodTable.indexOf("routes:")),
      "types: none\n",
      [4, 8, /expected /],
    ],
    [
      "a type that is a word",
      "title: { type: text, maxLength: 64, description: a title }",
      "title: text",
      [5, 10, "expected a map"],
    ],
    [
      "an empty route",
      goodTable.slice(goodTable.indexOf("    summary: Returns a reader")),
      "",
      [30, 21, "expected a map, got nothing"],
    ],
    ["a summary that is a number", "summary: Adds a book.", "summary: 7", [22, 14, /expected a text, got 7/]],
    ["an empty summary", "summary: Adds a book.", 'summary: ""', [22, 14, /summary|text|character/]],
    ["a handler that is a list", "handler: books.of", "handler: [books.of]", [20, 5, /expected a text/]],
    [
      "parameters that are a word",
      "parameters: { reader: text }",
      "parameters: reader",
      [33, 17, /expected /],
    ],
    [
      "parameters that are an empty list",
      "parameters: { hidden: { type: boolean, default: false } }",
      "parameters: []",
      [14, 5, /expected a map/],
    ],
    ["a parameter that is a number", "reader: text", "reader: 7", [33, 27, "a type's name, or a map"]],
    ["an empty parameter", "title: title", "title:", [26, 13, "a type's name, or a map"]],
    ["a maximum that is a word", "maximum: 5000", "maximum: many", [6, 48, /expected a number/]],
    ["a maximum with decimals", "maximum: 5000", "maximum: 1.5", [6, 48, /whole number/]],
    ["a maxLength of 0", "maxLength: 64", "maxLength: 0", [5, 35, /1 or more|at least 1|>=1/]],
    ["values that are a word", "[novel, poem]", "novel", [7, 31, "expected a list"]],
    ["values that are empty", "[novel, poem]", "[]", [7, 23, /value/]],
    ["a value that is a number", "[novel, poem]", "[novel, 7]", [7, 39, /expected a text/]],
    [
      "a default that is a list",
      "default: false",
      "default: [false]",
      [14, 44, /string|number|boolean|default|value/],
    ],
  ]);

  it("a default that is a list, without calling it a type", () => {
    const { faults } = check(edited("default: false", "default: [false]"));
    assert.doesNotMatch(faults[0]?.message ?? "", /type's name/);
  });
});

describe("a fault is reported for", () => {
  const example = "expected a path with a placeholder for the token";
  itFinds([
    ["a prefix without a slash", "/library/{key}", "library/{key}", [1, 9, example]],
    ["a prefix without a parameter", "/library/{key}", "/library", [1, 9, example]],
    ["a prefix with two parameters", "/library/{key}", "/{library}/{key}", [1, 9, example]],
    ["a prefix that ends in a slash", "/library/{key}", "/library/{key}/", [1, 9, example]],
    ["a prefix with an empty segment", "/library/{key}", "/library//{key}", [1, 9, example]],
    ["a prefix with a brace within a segment", "/library/{key}", "/library/k{key}", [1, 9, example]],
    ["a prefix with a query", "/library/{key}", "/library/{key}?x=1", [1, 9, example]],
    ["a product of two words", "product: reader", "product: the reader", [2, 10, 'got "the reader"']],
    ["a product with a slash", "product: reader", "product: reader/1.0", [2, 10, 'got "reader/1.0"']],
    [
      "an unknown excluded group",
      "BARRED",
      "BARED",
      [3, 20, /unknown group "BARED".*Did you mean "BARRED"\?/],
    ],
    ["an excluded group that is a faction", "BARRED", "NORTH", [3, 20, 'unknown group "NORTH"']],
  ]);
});
