/** Faults in a table's types, paths and handlers: each is found with its line, its column, and what to do. */
import { describe, it } from "node:test";
import { assertFaults, itFinds } from "./_faults.ts";

describe("types", () => {
  itFinds([
    [
      "one that is made of a type that there is not",
      "type: text, max",
      "type: txet, max",
      [5, 18, /unknown type "txet".*Did you mean "text"\?/],
    ],
    ["one that is refines itself", "type: text, max", "type: title, max", [5, 18, "refines itself"]],
    [
      "two that are made of each other",
      "{ type: integer, minimum: 1, maximum: 5000 }",
      "{ type: count }\n  count: { type: pages }",
      [6, 18, "refines itself"],
      [7, 18, "refines itself"],
    ],
    [
      "one that is called as a built-in one",
      "  kind: {",
      "  text: { type: text }\n  kind: {",
      [7, 3, '"text" is a built-in type'],
    ],
    [
      "a length of a number",
      "minimum: 1, max",
      "minLength: 1, max",
      [6, 27, /"minLength" does not apply to the type integer; expected minimum or maximum/],
    ],
    [
      "a minimum of a text",
      "maxLength: 64",
      "minimum: 1",
      [5, 24, '"minimum" does not apply to the type text'],
    ],
    [
      "a pattern of a boolean",
      "type: boolean,",
      "type: boolean, pattern: x,",
      [14, 44, '"pattern" does not apply to the type boolean; expected no refinement'],
    ],
    [
      "a parameter's type that is no name",
      "{ type: boolean,",
      "{ type: { a: 1 },",
      [14, 29, "expected a text, got a map"],
    ],
    ["values of a text", "maxLength: 64", "values: [a]", [5, 24, '"values" does not apply to the type text']],
    [
      "a minimum above the maximum",
      "minimum: 1",
      "minimum: 5001",
      [6, 36, "the minimum 5001 is above the maximum 5000"],
    ],
    [
      "a minLength above the maxLength",
      "maxLength: 64",
      "minLength: 65, maxLength: 64",
      [5, 35, "the minLength 65 is above the maxLength 64"],
    ],
    ["a minLength above the maxLength that every text has", "maxLength: 64", "minLength: 65", [5, 35, "64"]],
    [
      "a minimum above what fits 32 bits",
      "minimum: 1, maximum: 5000",
      "minimum: 2147483648",
      [6, 36, "2147483647"],
    ],
    [
      "a pattern that is no regular expression",
      "maxLength: 64",
      "pattern: '['",
      [5, 33, "expected a regular expression"],
    ],
    [
      "a pattern that is not one for Unicode",
      "maxLength: 64",
      "pattern: '\\-'",
      [5, 33, "expected a regular expression"],
    ],
    [
      "an enum without values",
      "{ type: enum, values: [novel, poem] }",
      "{ type: enum }",
      [7, 17, "an enum needs its values"],
    ],
  ]);
});

describe("paths", () => {
  const form = "expected a path such as /statistic/{player}/add";
  itFinds([
    ["one without a slash", "  /books:", "  books:", [9, 3, form]],
    ["one that ends in a slash", "  /books:", "  /books/:", [9, 3, form]],
    ["one that is only a slash", "  /books:", "  /:", [9, 3, form]],
    ["one with an empty segment", "/books/{branch}/add:", "/books//{branch}:", [21, 3, form]],
    ["one with a brace within a segment", "/readers/{reader}:", "/readers/r{reader}:", [30, 3, form]],
    ["one with a brace that is not closed", "/readers/{reader}:", "/readers/{reader:", [30, 3, form]],
    ["one with an asterisk", "  /books:", "  /books/**:", [9, 3, form]],
    ["one with a colon for a parameter", "  /books:", "  /books/:all:", [9, 3, form]],
    ["one with a query", "  /books:", "  /books?hidden=true:", [9, 3, form]],
    ["one with a space", "  /books:", "  /my books:", [9, 3, form]],
    ["one that a client would shorten", "  /books:", "  /books/../all:", [9, 3, form]],
    [
      "one with the same parameter twice",
      "/books/{branch}/add:",
      "/books/{branch}/{branch}:",
      [21, 3, "a name of its own"],
    ],
    [
      "one with the parameter of the prefix",
      "/readers/{reader}:",
      "/readers/{key}:",
      [30, 3, "a name of its own"],
      [30, 3, "{key}"],
    ],
    [
      "one that matches what another one matches",
      "/readers/{reader}:",
      "/books/{reader}:",
      [30, 3, "duplicate path: it matches the same requests as /books/{branch} in line 16"],
    ],
    [
      "a parameter in braces that is not declared",
      "    parameters: { reader: text }\n",
      "",
      [30, 3, "{reader}"],
      [30, 3, "reader"],
      [32, 36, "reader"],
    ],
    ["a parameter whose name has a dash", "pages: pages", "page-count: pages", [27, 7, 'got "page-count"']],
  ]);

  it("none at all", () => {
    assertFaults("prefix: /library/{key}\nroutes: {}\n", [2, 1, "expected at least one route"]);
  });

  it("nothing where they should be", () => {
    assertFaults("prefix: /library/{key}\nroutes:\n", [2, 8, /expected .*, got nothing/]);
  });
});

describe("handlers", () => {
  itFinds([
    [
      "one that there is not",
      "handler: books.of",
      "handler: books.off",
      [20, 14, /unknown handler "books.off".*Did you mean "books.of"\?/],
    ],
    [
      "one that is a slip for one that changes data",
      "handler: books.add",
      "handler: books.ad",
      [29, 14, /unknown handler "books.ad".*Did you mean "books.add"\?/],
    ],
    [
      "one that is like one that changes data, but no slip for it",
      "handler: books.of",
      "handler: books.mad",
      [20, 14, /unknown handler "books.mad"(?!.*Did you mean "books.add")/],
    ],
    [
      "one that is like none",
      "handler: books.of",
      "handler: x",
      [20, 14, /unknown handler "x"; expected .*readers\.show/],
    ],
    [
      "one that every object has",
      "handler: books.of",
      "handler: constructor",
      [20, 14, 'unknown handler "constructor"'],
    ],
    [
      "one that needs a parameter more",
      "      title: title\n",
      "",
      [24, 5, 'books.add requires the parameter "title"'],
    ],
    [
      "one that needs a parameter, with none at all",
      "    parameters: { hidden: { type: boolean, default: false } }\n",
      "",
      [9, 3, 'requires the parameter "hidden"'],
      [12, 19, 'unknown parameter "hidden"'],
    ],
    [
      "one that does not take a parameter",
      "      kind: kind\n",
      "      kind: kind\n      knd: kind\n",
      [29, 7, /unknown parameter "knd" of books.add.*Did you mean "kind"\?/],
    ],
    [
      "one that needs a number, not a text",
      "pages: pages",
      "pages: title",
      [27, 14, '"pages" to be of type integer, not title'],
    ],
    [
      "one that needs a text, not a number",
      "title: title",
      "title: pages",
      [26, 14, '"title" to be of type text, not pages'],
    ],
    [
      "one that needs a faction, not a group",
      "parameters: { branch: faction }",
      "parameters: { branch: group }",
      [18, 29, "of type faction"],
      [19, 27, '"branch" to be of type faction, not group'],
    ],
    [
      "one that needs a boolean, not a word",
      "{ type: boolean, default: false }",
      "{ type: enum, values: ['true'] }",
      [14, 19, "of type boolean"],
    ],
    [
      "one that needs certain values, not any text",
      "kind: kind",
      "kind: text",
      [28, 13, '"kind" to be an enum of novel, poem and essay'],
    ],
    [
      "one that can not work with a further value",
      "[novel, poem]",
      "[novel, poem, map]",
      [28, 13, '"kind" to be an enum of novel, poem and essay, or of some of them'],
    ],
    [
      "one that can not work with so much",
      "maximum: 5000",
      "maximum: 5001",
      [27, 14, 'the maximum of "pages" to be at most 5000, not 5001'],
    ],
    [
      "one that can not work with so little",
      "minimum: 1,",
      "minimum: 0,",
      [27, 14, 'the minimum of "pages" to be at least 1, not 0'],
    ],
    [
      "one that can not work with a text of such length",
      "maxLength: 64",
      "maxLength: 65",
      [26, 14, 'the maxLength of "title" to be at most 64, not 65'],
    ],
    [
      "one that can not work with an empty text",
      "maxLength: 64",
      "minLength: 0",
      [26, 14, 'the minLength of "title" to be at least 1, not 0'],
    ],
  ]);
});

describe("parameters", () => {
  itFinds([
    [
      "one of a type that there is not",
      "title: title",
      "title: titel",
      [26, 14, /unknown type "titel".*Did you mean "title"\?/],
    ],
    [
      "one of a type that is like none",
      "title: title",
      "title: whatever",
      [26, 14, /unknown type "whatever"; expected .*text/],
    ],
    [
      "one of a type that every object has",
      "title: title",
      "title: constructor",
      [26, 14, 'unknown type "constructor"'],
    ],
    [
      "one that is made of a type that there is not",
      "title: title",
      "title: { type: titel }",
      [26, 22, /unknown type "titel".*Did you mean "title"\?/],
    ],
    [
      "one in the path with a default",
      "{ branch: faction }",
      "{ branch: { type: faction, default: NORTH } }",
      [19, 44, "a path parameter is always present"],
    ],
    [
      "one whose default is not of its type",
      "default: false",
      "default: nope",
      [14, 53, /true or false.*"nope"/],
    ],
    ["one whose default is nothing", "default: false", 'default: ""', [14, 53, "true or false"]],
    [
      "one whose default is above its maximum",
      "pages: pages",
      "pages: { type: pages, default: 5001 }",
      [27, 38, /from 1 to 5000.*"5001"/],
    ],
    [
      "one whose default is no whole number",
      "pages: pages",
      "pages: { type: pages, default: 1.5 }",
      [27, 38, /whole number.*"1.5"/],
    ],
    [
      "one whose default is none of its values",
      "kind: kind",
      "kind: { type: kind, default: essay }",
      [28, 36, /novel or poem.*"essay"/],
    ],
  ]);
});
