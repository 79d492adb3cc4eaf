/**
 * The JSON Schema for editors: the shipped file is up to date, and the schema agrees with the checker. Runs alone, since it
 * imports other test files for their faulty tables.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { handlers } from "../../src/resources/index.ts";
import { editorSchema } from "../../src/table/editor/editor-schema.ts";
import { projectFolder, shippedRoutes } from "../_setup.ts";
import { corpus, edited, goodTable } from "./_faults.ts";
import { check, operations } from "./_library.ts";
// The faulty tables of these are the corpus.
import "./table-faults.test.ts";
import "./table-faults-routes.test.ts";
import "./table-faults-restriction.test.ts";
import "./table-faults-cases.test.ts";
import "./table-faults-limits.test.ts";

/** Returns the schema as it is in a file. */
function toPlain(schema: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema));
}

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const accepts = ajv.compile(toPlain(editorSchema([...operations().keys()])));

/** Returns why the schema refuses a table; undefined if the table is invalid YAML. */
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
 * The kinds of faults that only the checker finds, by their messages: names in the data or in the table, and
 * inconsistencies.
 */
const onlyTheChecker: readonly [kind: string, says: RegExp][] = [
  ["a malformed prefix or path", /^expected a path (with a placeholder for the token|such as)/],
  ["a malformed product token", /^expected a product token/],
  ["a path that matches the requests of another", /^duplicate path/],
  ["two parameters of one name", /needs a name of its own/],
  ["a placeholder that is no parameter", /^the placeholder \{\w+\} is missing in/],
  ["a malformed name of a parameter", /^expected a name of letters, digits/],
  ["a name of a property that every object has", /cannot be a name here/],
  ["an unknown group, faction or service", /^unknown (group|faction|service) "/],
  ["an unknown type", /^unknown type |^the type "\w+" has a fault/],
  ["a type named like a built-in one", /is a built-in type/],
  ["a refinement that does not apply to the type", /does not apply to the type|an enum needs its values/],
  ["contradictory limits", /is (above|below) the |2147483647/],
  ["a pattern that is no regular expression", /^expected a regular expression/],
  [
    "a parameter that the operation requires, does not have or requires otherwise",
    / requires |^unknown parameter "\w+" of (?!the route)/,
  ],
  ["a default or a condition that is not of the parameter's type", /^"\w+" must be /],
  ["a default of a path parameter", /^a path parameter is always present/],
  [
    "an unknown parameter in the restriction, or one of another type",
    /^expected a (text )?parameter of|^unknown \w+ parameter /,
  ],
  ["a condition on an unknown parameter", /^unknown parameter "\w+" of the route/],
  ["cases of which one never applies, or none always", /this case never applies|^expected a last case/],
  ["a table without routes", /^expected at least one route/],
];

const isForTheChecker = (message: string) => onlyTheChecker.some(([, says]) => says.test(message));

describe("routes.schema.json", () => {
  it("is the output of `npm run schema`", async () => {
    const file = JSON.parse(await readFile(join(projectFolder, "routes.schema.json"), "utf8"));
    const made = toPlain(editorSchema([...handlers.keys()]));
    assert.deepEqual(file, made, "run `npm run schema`");
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

  it("has a description of every key", async () => {
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

/** Valid tables. */
const good: readonly [what: string, from: string, to: string][] = [
  ["as it is", "product: reader", "product: reader"],
  ["without a product", "product: reader\n", ""],
  ["without an exclusion", "excluded: { group: BARRED }\n", ""],
  ["with an intention", "    handler: books.add\n", "    handler: books.add\n    intended: [open-change]\n"],
  ["with unserved operations", "product: reader", "product: reader\nunserved: [house.close, books.list]"],
  ["with an empty unserved", "product: reader", "product: reader\nunserved: []"],
  ["with a watch", "product: reader", "product: reader\nwatch: { books.add: { kind: { poem: 3 } } }"],
  [
    "with limits",
    "product: reader",
    "product: reader\nlimits: { reads: { rate: 1/min, burst: 2 }, unknown: off }",
  ],
  ["without limits", "product: reader", "product: reader\nlimits: off"],
  [
    "with a limit",
    "    handler: books.add\n",
    "    handler: books.add\n    limit: { rate: 5/h, burst: 1 }\n",
  ],
  ["without a limit", "    handler: books.add\n", "    handler: books.add\n    limit: off\n"],
  ["with a word as restriction", "{ faction: $branch, rank: 4 }", "administrators"],
  ["with a name in lower case", "group: STAFF", "group: staff"],
  ["with a $ before the parameter of self", "self: reader", "self: $reader"],
  ["with a list of one case", "{ faction: $branch, rank: 4 }", "[open]"],
  ["with cases in an anyOf", "administrators,", "[{ when: { reader: Ada }, group: STAFF }, identified],"],
  ["with an allOf", "administrators,", "{ allOf: [identified, { group: FRIENDS }] },"],
  [
    "with an anyOf in an allOf",
    "administrators,",
    "{ allOf: [{ anyOf: [open, { allOf: [identified] }] }] },",
  ],
  [
    "with cases in an allOf",
    "administrators,",
    "{ allOf: [[{ when: { reader: Ada }, group: STAFF }, open]] },",
  ],
  ["with an anyOf in an anyOf", "administrators,", "{ anyOf: [open, { anyOf: [identified] }] },"],
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
  ["with an anyOf in a case", "      - open\n", "      - { anyOf: [open, administrators] }\n"],
  ["with a condition that is a text", "hidden: true }", 'hidden: "true" }'],
  [
    "with a refined type in a parameter",
    "title: title",
    "title: { type: title, minLength: 2, pattern: 'A.*' }",
  ],
  ["with a default that is a text", "default: false", 'default: "false"'],
  ["with an alias", "{ faction: $branch, rank: 4 }", "&a { faction: $branch, rank: 4 }"],
  ["as JSON in YAML", "{ anyOf: [{ self: reader }", '{ "anyOf": [{ "self": "reader" }'],
];

describe("checker and schema accept", () => {
  for (const [what, from, to] of good) {
    it(`a table ${what}`, () => {
      const text = edited(from, to);
      assert.deepEqual(check(text).faults, []);
      assert.deepEqual(refusal(text), []);
    });
  }
});

/** Faults of form. */
const malformed: readonly [what: string, from: string, to: string][] = [
  ["an unknown key at the top", "product: reader", "produkt: reader"],
  ["an unknown key of a route", "summary: Adds a book.", "summary: Adds a book.\n    sumary: x"],
  ["an unknown key of a type", "maxLength: 64", "maxlength: 64"],
  ["an unknown key of a parameter", "default: false", "defualt: false"],
  ["an unknown key of a restriction", "rank: 4", "rnak: 4"],
  ["an unknown word of a restriction", "administrators,", "admins,"],
  ["an unknown handler", "handler: books.of", "handler: books.off"],
  ["an unknown unserved handler", "product: reader", "unserved: [books.off]"],
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
  ["a word with a value", "administrators,", "{ administrators: true },"],
  ["two restrictions in one map", "group: STAFF", "group: STAFF, self: reader"],
  ["a condition outside a list", "{ faction: $branch, rank: 4 }", "{ when: { kind: poem }, faction: NORTH }"],
  ["an empty condition", "when: { hidden: true }", "when: {}"],
  ["a condition without a restriction", ", service: DESK", ""],
  ["an empty anyOf", "[{ self: reader }, administrators, { group: STAFF }]", "[]"],
  ["an empty allOf", "[{ self: reader }, administrators, { group: STAFF }]", "[{ allOf: [] }]"],
  ["an empty list of cases", "{ faction: $branch, rank: 4 }", "[]"],
  ["an empty restriction", "{ faction: $branch, rank: 4 }", ""],
  ["a limit of 0 an hour", "product: reader", "watch: { books.add: { kind: { poem: 0 } } }"],
  ["a watch without parameters", "product: reader", "watch: { books.add: {} }"],
];

describe("checker and schema refuse", () => {
  for (const [what, from, to] of malformed) {
    it(what, () => {
      const text = edited(from, to);
      assert.equal(check(text).table, undefined, "the checker took it");
      assert.notDeepEqual(refusal(text), [], "the schema took it");
    });
  }
});

/** Faulty tables that the corpus has only with further faults. */
const further = [
  "prefix: /library/{key}\nroutes: {}\n",
  edited("/readers/{reader}:", "/readers/{reader}/{shelf}:"),
];

describe("of the corpus of faulty tables", () => {
  it("the schema accepts only those of a kind that only the checker finds", () => {
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
    it(`only the checker finds ${kind}`, () => {
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

  it("checker and schema accept the valid table", () => {
    assert.deepEqual(check(goodTable).faults, []);
    assert.deepEqual(refusal(goodTable), []);
  });
});
