/** Faults in a table's types, paths and handlers: each is reported with its line, its column, and what to do. */
import { describe, it } from "node:test";
import { assertFaults, itFinds } from "./_faults.ts";

describe("a fault is reported for a type", () => {
  itFinds([
    [
      "that refines an unknown type",
      "type: text, max",
      "type: txet, max",
      [5, 18, /unknown type "txet".*Did you mean "text"\?/],
    ],
    ["that refines itself", "type: text, max", "type: title, max", [5, 18, "refines itself"]],
    [
      "that refines one that refines it",
      "{ type: integer, minimum: 1, maximum: 5000 }",
      "{ type: count }\n  count: { type: pages }",
      [6, 18, "refines itself"],
      [7, 18, "refines itself"],
    ],
    [
      "named like a built-in one",
      "  kind: {",
      "  text: { type: text }\n  kind: {",
      [7, 3, '"text" is a built-in type'],
    ],
    [
      "integer with a minLength",
      "minimum: 1, max",
      "minLength: 1, max",
      [6, 27, /"minLength" does not apply to the type integer; expected minimum or maximum/],
    ],
    [
      "text with a minimum",
      "maxLength: 64",
      "minimum: 1",
      [5, 24, '"minimum" does not apply to the type text'],
    ],
    [
      "boolean with a pattern",
      "type: boolean,",
      "type: boolean, pattern: x,",
      [14, 44, '"pattern" does not apply to the type boolean; expected no refinement'],
    ],
    ["that is a map", "{ type: boolean,", "{ type: { a: 1 },", [14, 29, "expected a text, got a map"]],
    ["text with values", "maxLength: 64", "values: [a]", [5, 24, '"values" does not apply to the type text']],
    [
      "with a minimum above the maximum",
      "minimum: 1",
      "minimum: 5001",
      [6, 36, "the minimum 5001 is above the maximum 5000"],
    ],
    [
      "with a minLength above the maxLength",
      "maxLength: 64",
      "minLength: 65, maxLength: 64",
      [5, 35, "the minLength 65 is above the maxLength 64"],
    ],
    ["with a minLength above the default maxLength", "maxLength: 64", "minLength: 65", [5, 35, "64"]],
    [
      "with a minimum beyond 32 bits",
      "minimum: 1, maximum: 5000",
      "minimum: 2147483648",
      [6, 36, "2147483647"],
    ],
    [
      "with a minimum below 32 bits",
      "minimum: 1, maximum: 5000",
      "maximum: 5000, minimum: -2147483649",
      [6, 51, "expected a number from -2147483648 to 2147483647, got -2147483649"],
    ],
    [
      "with a maximum above 32 bits",
      "minimum: 1, maximum: 5000",
      "minimum: 1, maximum: 2147483648",
      [6, 48, "expected a number from -2147483648 to 2147483647, got 2147483648"],
    ],
    [
      "with a maximum below the default minimum",
      "minimum: 1, maximum: 5000",
      "maximum: -2147483649",
      [6, 36, "the minimum -2147483648 is above the maximum -2147483649"],
    ],
    [
      "with a maxLength below the default minLength",
      "maxLength: 64",
      "maxLength: 0",
      [5, 35, "expected 1 or more, got 0"],
    ],
    [
      "with a pattern that is no regular expression",
      "maxLength: 64",
      "pattern: '['",
      [5, 33, "expected a regular expression"],
    ],
    [
      "with a pattern that is invalid for Unicode",
      "maxLength: 64",
      "pattern: '\\-'",
      [5, 33, "expected a regular expression"],
    ],
    [
      "enum without values",
      "{ type: enum, values: [novel, poem] }",
      "{ type: enum }",
      [7, 17, "an enum needs its values"],
    ],
  ]);
});

describe("a fault is reported for a path", () => {
  const form = "expected a path such as /statistic/{player}/add";
  itFinds([
    ["without a slash", "  /books:", "  books:", [9, 3, form]],
    ["that ends in a slash", "  /books:", "  /books/:", [9, 3, form]],
    ["that is only a slash", "  /books:", "  /:", [9, 3, form]],
    ["with an empty segment", "/books/{branch}/add:", "/books//{branch}:", [21, 3, form]],
    ["with a placeholder within a segment", "/readers/{reader}:", "/readers/r{reader}:", [30, 3, form]],
    ["with a placeholder that is not closed", "/readers/{reader}:", "/readers/{reader:", [30, 3, form]],
    ["with an asterisk", "  /books:", "  /books/**:", [9, 3, form]],
    ["with a colon for a parameter", "  /books:", "  /books/:all:", [9, 3, form]],
    ["with a query", "  /books:", "  /books?hidden=true:", [9, 3, form]],
    ["with a space", "  /books:", "  /my books:", [9, 3, form]],
    ["that URLs resolve", "  /books:", "  /books/../all:", [9, 3, form]],
    [
      "with the same placeholder twice",
      "/books/{branch}/add:",
      "/books/{branch}/{branch}:",
      [21, 3, "a name of its own"],
    ],
    [
      "with the placeholder of the prefix",
      "/readers/{reader}:",
      "/readers/{key}:",
      [30, 3, "a name of its own"],
      [30, 3, "{key}"],
    ],
    [
      "that matches the requests of another",
      "/readers/{reader}:",
      "/books/{reader}:",
      [30, 3, "duplicate path: it matches the same requests as /books/{branch} in line 16"],
    ],
    [
      "with a placeholder that is no parameter",
      "    parameters: { reader: text }\n",
      "",
      [30, 3, "{reader}"],
      [30, 3, "reader"],
      [32, 36, "reader"],
    ],
    [
      "with a dash in the name of a parameter",
      "pages: pages",
      "page-count: pages",
      [27, 7, 'got "page-count"'],
    ],
  ]);

  it("that is missing: there are no routes", () => {
    assertFaults("prefix: /library/{key}\nroutes: {}\n", [2, 1, "expected at least one route"]);
  });

  it("that is missing: the routes are empty", () => {
    assertFaults("prefix: /library/{key}\nroutes:\n", [2, 8, /expected .*, got nothing/]);
  });
});

describe("a fault is reported for a handler", () => {
  itFinds([
    [
      "that is unknown",
      "handler: books.of",
      "handler: books.off",
      [20, 14, /unknown handler "books.off".*Did you mean "books.of"\?/],
    ],
    [
      "that is a slip for a change",
      "handler: books.add",
      "handler: books.ad",
      [29, 14, /unknown handler "books.ad".*Did you mean "books.add"\?/],
    ],
    [
      "that resembles a change, but is no slip for it",
      "handler: books.of",
      "handler: books.mad",
      [20, 14, /unknown handler "books.mad"(?!.*Did you mean "books.add")/],
    ],
    [
      "that resembles none",
      "handler: books.of",
      "handler: x",
      [20, 14, /unknown handler "x"; expected .*readers\.show/],
    ],
    [
      "named like a property of every object",
      "handler: books.of",
      "handler: constructor",
      [20, 14, 'unknown handler "constructor"'],
    ],
    [
      "that requires a further parameter",
      "      title: title\n",
      "",
      [24, 5, 'books.add requires the parameter "title"'],
    ],
    [
      "that requires a parameter, in a route without any",
      "    parameters: { hidden: { type: boolean, default: false } }\n",
      "",
      [9, 3, 'requires the parameter "hidden"'],
      [12, 19, 'unknown parameter "hidden"'],
    ],
    [
      "that does not have a parameter",
      "      kind: kind\n",
      "      kind: kind\n      knd: kind\n",
      [29, 7, /unknown parameter "knd" of books.add.*Did you mean "kind"\?/],
    ],
    [
      "that requires an integer, not a text",
      "pages: pages",
      "pages: title",
      [27, 14, '"pages" to be of type integer, not title'],
    ],
    [
      "that requires a text, not an integer",
      "title: title",
      "title: pages",
      [26, 14, '"title" to be of type text, not pages'],
    ],
    [
      "that requires a faction, not a group",
      "parameters: { branch: faction }",
      "parameters: { branch: group }",
      [18, 29, "of type faction"],
      [19, 27, '"branch" to be of type faction, not group'],
    ],
    [
      "that requires a boolean, not an enum",
      "{ type: boolean, default: false }",
      "{ type: enum, values: ['true'] }",
      [14, 19, "of type boolean"],
    ],
    [
      "that requires an enum, not a text",
      "kind: kind",
      "kind: text",
      [28, 13, '"kind" to be an enum of novel, poem and essay'],
    ],
    [
      "that does not accept a further value",
      "[novel, poem]",
      "[novel, poem, map]",
      [28, 13, '"kind" to be an enum of novel, poem and essay, or of some of them'],
    ],
    [
      "that does not accept such a high number",
      "maximum: 5000",
      "maximum: 5001",
      [27, 14, 'the maximum of "pages" to be at most 5000, not 5001'],
    ],
    [
      "that does not accept such a low number",
      "minimum: 1,",
      "minimum: 0,",
      [27, 14, 'the minimum of "pages" to be at least 1, not 0'],
    ],
    [
      "that does not accept such a long text",
      "maxLength: 64",
      "maxLength: 65",
      [26, 14, 'the maxLength of "title" to be at most 64, not 65'],
    ],
    [
      "that does not accept an empty text",
      "maxLength: 64",
      "minLength: 0",
      [26, 14, 'the minLength of "title" to be at least 1, not 0'],
    ],
  ]);
});

describe("a fault is reported for a parameter", () => {
  itFinds([
    [
      "of an unknown type",
      "title: title",
      "title: titel",
      [26, 14, /unknown type "titel".*Did you mean "title"\?/],
    ],
    [
      "of an unknown type that resembles none",
      "title: title",
      "title: whatever",
      [26, 14, /unknown type "whatever"; expected .*text/],
    ],
    [
      "of a type named like a property of every object",
      "title: title",
      "title: constructor",
      [26, 14, 'unknown type "constructor"'],
    ],
    [
      "that refines an unknown type",
      "title: title",
      "title: { type: titel }",
      [26, 22, /unknown type "titel".*Did you mean "title"\?/],
    ],
    [
      "in the path with a default",
      "{ branch: faction }",
      "{ branch: { type: faction, default: NORTH } }",
      [19, 44, "a path parameter is always present"],
    ],
    [
      "whose default is not of its type",
      "default: false",
      "default: nope",
      [14, 53, /true or false.*"nope"/],
    ],
    ["whose default is empty", "default: false", 'default: ""', [14, 53, "true or false"]],
    [
      "whose default is above its maximum",
      "pages: pages",
      "pages: { type: pages, default: 5001 }",
      [27, 38, /from 1 to 5000.*"5001"/],
    ],
    [
      "whose default has decimals",
      "pages: pages",
      "pages: { type: pages, default: 1.5 }",
      [27, 38, /whole number.*"1.5"/],
    ],
    [
      "whose default is none of its values",
      "kind: kind",
      "kind: { type: kind, default: essay }",
      [28, 36, /novel or poem.*"essay"/],
    ],
  ]);
});
