/** The JSON Schema for editors: that of the shipped file, and of one mind with the checker. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { handlers } from "../../src/resources/index.ts";
import { editorSchema } from "../../src/table/editor-schema.ts";
import { projectFolder, shippedRoutes } from "../_setup.ts";
import { corpus, edited, goodTable } from "./_faults.ts";
import { check, operations } from "./_library.ts";
// The faulty tables of these are the corpus.
import "./table-faults.test.ts";
import "./table-faults-routes.test.ts";
import "./table-faults-restriction.test.ts";
import "./table-faults-cases.test.ts";

/** As it is after it was written to a file. */
function toPlain(schema: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema));
}

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const accepts = ajv.compile(toPlain(editorSchema([...operations().keys()])));

/** What the schema has against a table; undefined where it can not be read as YAML. */
function refusal(text: string): string[] | undefined {
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 100 });
  } catch {
    return undefined;
  }
  if (accepts(content)) return [];
  return (accepts.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
}

/**
 * The kinds of fault that only the checker sees, by what it says of them: names that the data or the rest of the
 * table has, and what goes with what.
 */
const onlyTheChecker: readonly [kind: string, says: RegExp][] = [
  [
    "a prefix or a path that is not well formed",
    /^expected a path (with a placeholder for the token|such as)/,
  ],
  ["a product token that is not well formed", /^expected a product token/],
  ["a path that matches what another one matches", /^duplicate path/],
  ["two parameters of one name", /needs a name of its own/],
  ["a parameter in braces that is not declared", /^the placeholder \{\w+\} is missing in/],
  ["a name of a parameter that is not well formed", /^expected a name of letters, digits/],
  ["a name that is more than a name in JavaScript", /cannot be a name here/],
  ["a group, faction or service that there is not", /^unknown (group|faction|service) "/],
  ["a type that there is not", /^unknown type |^the type "\w+" has a fault/],
  ["a type that is called as a built-in one", /is a built-in type/],
  ["a refinement that does not apply to the type", /does not apply to the type|an enum needs its values/],
  ["limits that contradict one another", /is (above|below) the |2147483647/],
  ["a pattern that is no regular expression", /^expected a regular expression/],
  [
    "a parameter that the operation needs, does not take or takes otherwise",
    / requires |^unknown parameter "\w+" of (?!the route)/,
  ],
  ["a default or a condition that is not of the parameter's type", /^"\w+" must be /],
  ["a default of a parameter in the path", /^a path parameter is always present/],
  [
    "a parameter of the restriction that there is not, or of another type",
    /^expected a (text )?parameter of|^unknown \w+ parameter /,
  ],
  ["a condition on a parameter that there is not", /^unknown parameter "\w+" of the route/],
  [
    "cases in an order in which one never applies, or none does at last",
    /this case never applies|^expected a last case/,
  ],
  ["no route at all", /^expected at least one route/],
];

const isForTheChecker = (message: string) => onlyTheChecker.some(([, says]) => says.test(message));

describe("the schema in the repository", () => {
  it("is what `npm run schema` makes", async () => {
    const file = JSON.parse(await readFile(join(projectFolder, "routes.schema.json"), "utf8"));
    const made = toPlain(editorSchema([...handlers.keys()]));
    assert.deepEqual(file, made, "`npm run schema` makes it anew");
  });

  it("is named in the first line of the shipped table, and accepts it", async () => {
    const text = await readFile(shippedRoutes, "utf8");
    assert.equal(text.split("\n")[0], "# yaml-language-server: $schema=./routes.schema.json");
    const file = JSON.parse(await readFile(join(projectFolder, "routes.schema.json"), "utf8"));
    const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(file);
    assert.ok(validate(parse(text)), JSON.stringify(validate.errors));
  });

  it("is in the package", async () => {
    const { files } = JSON.parse(await readFile(join(projectFolder, "package.json"), "utf8"));
    assert.ok(files.includes("routes.schema.json"));
  });

  it("says of every key what it is for, so that an editor can", async () => {
    const file = JSON.parse(await readFile(join(projectFolder, "routes.schema.json"), "utf8"));
    const mute: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, each] of Object.entries(value)) {
        const isProperty = path.endsWith("/properties");
        if (isProperty && !("description" in each || "$ref" in each)) mute.push(`${path}/${key}`);
        visit(each, `${path}/${key}`);
      }
    };
    visit(file, "");
    assert.deepEqual(mute, []);
  });
});

/** Good tables: the checker accepts them. */
const good: readonly [what: string, from: string, to: string][] = [
  ["as it is", "product: reader", "product: reader"],
  ["without a product", "product: reader\n", ""],
  ["without an exclusion", "excluded: { group: BARRED }\n", ""],
  ["with what is meant", "    handler: books.add\n", "    handler: books.add\n    intended: [open-change]\n"],
  ["with what is left out", "product: reader", "product: reader\nunserved: [house.close, books.list]"],
  ["with nothing left out", "product: reader", "product: reader\nunserved: []"],
  ["with what is watched", "product: reader", "product: reader\nwatch: { books.add: { kind: { poem: 3 } } }"],
  ["with one word", "{ faction: $branch, rank: 4 }", "administrators"],
  ["with a name in lower case", "group: STAFF", "group: staff"],
  ["with a $ before the parameter of self", "self: reader", "self: $reader"],
  ["with a list of one case", "{ faction: $branch, rank: 4 }", "[open]"],
  [
    "with cases in one of several",
    "administrators,",
    "[{ when: { reader: Ada }, group: STAFF }, identified],",
  ],
  ["with all of several", "administrators,", "{ allOf: [identified, { group: FRIENDS }] },"],
  [
    "with all of any of several",
    "administrators,",
    "{ allOf: [{ anyOf: [open, { allOf: [identified] }] }] },",
  ],
  [
    "with cases in all of several",
    "administrators,",
    "{ allOf: [[{ when: { reader: Ada }, group: STAFF }, open]] },",
  ],
  ["with several of several", "administrators,", "{ anyOf: [open, { anyOf: [identified] }] },"],
  ["with a case under its key", "      - open\n", "      - restriction: open\n"],
  [
    "with a case under its key and a condition",
    ", service: DESK",
    ", restriction: { service: DESK, rank: 2 }",
  ],
  [
    "with cases within a case",
    "      - open\n",
    "      - [{ when: { hidden: false }, group: STAFF }, open]\n",
  ],
  ["with cases within a case under its key", "      - open\n", "      - restriction: [identified]\n"],
  ["with several in a case", "      - open\n", "      - { anyOf: [open, administrators] }\n"],
  ["with a condition that is a text", "hidden: true }", 'hidden: "true" }'],
  ["with a type within a parameter", "title: title", "title: { type: title, minLength: 2, pattern: 'A.*' }"],
  ["with a default that is a text", "default: false", 'default: "false"'],
  ["with an alias", "{ faction: $branch, rank: 4 }", "&a { faction: $branch, rank: 4 }"],
  ["as JSON in YAML", "{ anyOf: [{ self: reader }", '{ "anyOf": [{ "self": "reader" }'],
];

describe("what the checker accepts, the schema accepts", () => {
  for (const [what, from, to] of good) {
    it(`a table ${what}`, () => {
      const text = edited(from, to);
      assert.deepEqual(check(text).faults, []);
      assert.deepEqual(refusal(text), []);
    });
  }
});

/** Faults of form: both see them. */
const malformed: readonly [what: string, from: string, to: string][] = [
  ["an unknown key at the top", "product: reader", "produkt: reader"],
  ["an unknown key of a route", "summary: Adds a book.", "summary: Adds a book.\n    sumary: x"],
  ["an unknown key of a type", "maxLength: 64", "maxlength: 64"],
  ["an unknown key of a parameter", "default: false", "defualt: false"],
  ["an unknown key of a restriction", "rank: 4", "rnak: 4"],
  ["an unknown word of a restriction", "administrators,", "admins,"],
  ["an unknown handler", "handler: books.of", "handler: books.off"],
  ["an unknown handler that is left out", "product: reader", "unserved: [books.off]"],
  ["an unknown intention", "    handler: books.of\n", "    handler: books.of\n    intended: [open]\n"],
  ["a missing prefix", "prefix: /library/{key}\n", ""],
  ["a missing handler", "    handler: books.of\n", ""],
  ["a missing summary", "    summary: Adds a book.\n", ""],
  ["a missing restriction", "    restriction: { faction: $branch }\n", ""],
  ["a missing type", "type: text, max", "max"],
  ["a list for a word", "handler: books.of", "handler: [books.of]"],
  ["a number for a word", "product: reader", "product: 7"],
  ["a word for a number", "maximum: 5000", "maximum: many"],
  ["a word for a list", "[novel, poem]", "novel"],
  ["a word for a map", "{ group: BARRED }", "BARRED"],
  ["a rank of a group", "{ group: STAFF }", "{ group: STAFF, rank: 2 }"],
  ["a rank of a word", "rank: 4", "rank: chief"],
  ["a rank of 0", "rank: 4", "rank: 0"],
  ["a value for a word", "administrators,", "{ administrators: true },"],
  ["two restrictions in one", "group: STAFF", "group: STAFF, self: reader"],
  [
    "a condition outside of a list",
    "{ faction: $branch, rank: 4 }",
    "{ when: { kind: poem }, faction: NORTH }",
  ],
  ["a condition on nothing", "when: { hidden: true }", "when: {}"],
  ["a condition alone", ", service: DESK", ""],
  ["none of several", "[{ self: reader }, administrators, { group: STAFF }]", "[]"],
  ["none of all", "[{ self: reader }, administrators, { group: STAFF }]", "[{ allOf: [] }]"],
  ["no case", "{ faction: $branch, rank: 4 }", "[]"],
  ["no restriction", "{ faction: $branch, rank: 4 }", ""],
  ["a limit of 0 an hour", "product: reader", "watch: { books.add: { kind: { poem: 0 } } }"],
  ["a limit for nothing", "product: reader", "watch: { books.add: {} }"],
];

describe("faults of form are refused by both", () => {
  for (const [what, from, to] of malformed) {
    it(what, () => {
      const text = edited(from, to);
      assert.equal(check(text).table, undefined, "the checker took it");
      assert.notDeepEqual(refusal(text), [], "the schema took it");
    });
  }
});

/** Faulty tables that the corpus has only together with other faults. */
const further = [
  "prefix: /library/{key}\nroutes: {}\n",
  edited("/readers/{reader}:", "/readers/{reader}/{shelf}:"),
];

describe("on the corpus of faulty tables", () => {
  it("the schema takes nothing but what is of a kind that only the checker sees", () => {
    assert.ok(corpus.length >= 60, "the corpus is there");
    const missed = corpus.flatMap(([what, from, to]) => {
      const text = edited(from, to);
      const { table, faults } = check(text);
      if (table !== undefined || refusal(text)?.length !== 0) return [];
      const others = faults.filter(({ message }) => !isForTheChecker(message));
      return others.map(({ message }) => `${what}: ${message}`);
    });
    assert.deepEqual(missed, []);
  });

  for (const [kind, says] of onlyTheChecker) {
    it(`only the checker sees ${kind}`, () => {
      const of = [...corpus.map(([, from, to]) => edited(from, to)), ...further]
        .map((text) => ({ text, messages: check(text).faults.map(({ message }) => message) }))
        .filter(({ messages }) => messages.length > 0 && messages.every((message) => says.test(message)));
      assert.ok(of.length > 0, "the corpus has one");
      assert.ok(
        of.some(({ text }) => refusal(text)?.length === 0),
        "the schema sees it as well",
      );
    });
  }

  it("the good table is taken by both", () => {
    assert.deepEqual(check(goodTable).faults, []);
    assert.deepEqual(refusal(goodTable), []);
  });
});
