/** Values that an operation refuses: faults of the table in the table, and bounds that it takes from the operation. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { parseParameter } from "../../src/table/parameters.ts";
import { shippedRoutes } from "../_setup.ts";
import { edited, itFinds } from "./_faults.ts";
import { check, Library } from "./_library.ts";

const names = { group: ["TARGETLIST", "BLACKLIST"], faction: ["GROVE"], service: ["RESCUE", "POLICE"] };
const shipped = await readFile(shippedRoutes, "utf8");

/** Checks the shipped table with other parameters of one route. Line 3 of the edited route has them. */
function withParameters(path: string, parameters: string) {
  const start = shipped.indexOf(`\n  ${path}:\n`) + 1;
  const at = shipped.indexOf("parameters: {", start);
  const end = shipped.indexOf("\n", at);
  assert.ok(start > 0 && at > start, path);
  const text = `${shipped.slice(0, at)}parameters: ${parameters}${shipped.slice(end)}`;
  const line = shipped.slice(0, at).split("\n").length;
  const { table, faults } = checkRoutes(text, names);
  const found = faults.map((fault) => [fault.line - line, fault.column, fault.message]);
  return { route: table?.routes.find((each) => each.path === path), found, vocabulary: names };
}

describe("a value that the operation refuses is a fault:", () => {
  for (const [what, path, parameters, column, message] of [
    [
      "a default below its minimum",
      "/wantedreason/add",
      "{ reason: reason, points: { type: integer, default: -5 } }",
      69,
      'wantedreason.add refuses -5 as "points": expected a whole number from 0 to 1000',
    ],
    [
      "a default below the minimum of days",
      "/housebanreason/add",
      "{ reason: reason, days: { type: integer, default: 0 } }",
      67,
      'housebanreason.add refuses 0 as "days": expected a whole number from 1 to 3650',
    ],
    [
      "a default with an invisible character",
      "/wantedreason/add",
      '{ reason: { type: reason, default: "a\\u200Bb" }, points: points }',
      52,
      'wantedreason.add refuses "a\u200Bb" as "reason": leave out the invisible character U+200B',
    ],
    [
      "a value of an enum with a space",
      "/wantedreason/add",
      "{ reason: { type: enum, values: [Theft, two words] }, points: points }",
      57,
      'wantedreason.add refuses "two words" as "reason": expected no white space; write "-" for a space',
    ],
    [
      "an empty value of an enum",
      "/wantedreason/add",
      '{ reason: { type: enum, values: ["", Theft] }, points: points }',
      50,
      'wantedreason.add refuses "" as "reason": expected 1 to 64 characters',
    ],
    [
      "a value of an enum that is no player's name",
      "/targetlist/add",
      "{ name: { type: enum, values: [Ada, bad name], default: Ada } }",
      53,
      'targetlist.add refuses "bad name" as "name": expected 1 to 32 letters, digits, "_", "." or "-"',
    ],
  ] as const) {
    it(what, () => {
      const { found } = withParameters(path, parameters);
      assert.deepEqual(found, [[0, column, message]]);
    });
  }

  it("a value of a named enum, at the parameter", () => {
    const text = shipped.replace(
      "mark: { type: enum,",
      "who: { type: enum, values: [bad name] }\n  mark: { type: enum,",
    );
    const at = text.indexOf("parameters:", text.indexOf("\n  /targetlist/add:\n"));
    const edit = `${text.slice(0, at)}parameters: { name: who }${text.slice(text.indexOf("\n", at))}`;
    const { faults } = checkRoutes(edit, names);
    assert.equal(faults.length, 1);
    assert.equal(faults[0]?.column, 25);
    assert.match(faults[0]?.message ?? "", /^targetlist\.add refuses "bad name" as "name": /);
  });

  itFinds([
    [
      "a minimum above its maximum",
      "pages: pages",
      "pages: { type: integer, minimum: 5001 }",
      [27, 7, 'books.add requires the minimum of "pages" to be at most 5000, not 5001'],
    ],
    [
      "a maximum below its minimum",
      "pages: pages",
      "pages: { type: integer, maximum: 0 }",
      [27, 7, 'books.add requires the maximum of "pages" to be at least 1, not 0'],
    ],
    [
      "a condition beyond its bounds",
      "{ faction: $branch, rank: 4 }\n    parameters:\n      branch: faction\n      title: title\n      pages: pages",
      "[{ when: { pages: 0 }, group: STAFF }, open]\n    parameters:\n      branch: faction\n      title: title\n      pages: integer",
      [23, 36, '"pages" must be a whole number from 1 to 5000, not "0".'],
    ],
  ]);
});

describe("a type without bounds takes those of the operation", () => {
  it("for an integer", async () => {
    const library = new Library(edited("pages: pages", "pages: integer"));
    const ask = (pages: string) => library.ask("north4", `/books/NORTH/add?title=A&kind=poem&pages=${pages}`);
    assert.equal((await ask("5000")).status, 200);
    for (const pages of ["0", "5001"]) {
      const { status, body } = await ask(pages);
      assert.equal(status, 400);
      assert.equal(body.info, `"pages" must be a whole number from 1 to 5000, not "${pages}".`);
    }
  });

  it("for a text", () => {
    const { route, vocabulary } = withParameters("/targetlist/add", "{ name: text }");
    const [parameter] = route?.parameters ?? [];
    assert.ok(parameter !== undefined);
    assert.equal(parseParameter(parameter, "a".repeat(32), vocabulary), "a".repeat(32));
    assert.throws(() => parseParameter(parameter, "a".repeat(33), vocabulary), {
      message: '"name" must be 1 to 32 characters, not 33 characters.',
    });
  });

  it("but keeps a narrower bound of its own", () => {
    const { table, faults } = check(edited("pages: pages", "pages: { type: integer, maximum: 7 }"));
    assert.deepEqual(faults, []);
    const types = (table?.routes ?? []).flatMap(({ parameters }) => parameters.map(({ type }) => type));
    const pages = types.find(({ base }) => base === "integer");
    assert.deepEqual([pages?.minimum, pages?.maximum], [1, 7]);
  });

  it("and a text that names an entry stays one", () => {
    const { route } = withParameters("/wantedreason/remove", "{ reason: text }");
    assert.equal(route?.parameters[0]?.isReference, true);
  });
});

it("texts of a table are read in NFC", () => {
  const text = edited("values: [novel, poem]", "values: [novel]")
    .replace("Returns a reader.", "Returns a cafe\u0301.")
    .replace(
      "{ reader: text }",
      '{ reader: { type: enum, values: ["Cafe\u0301"], description: "a cafe\u0301" } }',
    )
    .replace("{ self: reader }, ", "");
  const { table, faults } = check(text);
  assert.deepEqual(faults, []);
  const route = table?.routes.find(({ handler }) => handler === "readers.show");
  const type = route?.parameters[0]?.type;
  assert.deepEqual(
    [route?.summary, type?.description, type?.values],
    ["Returns a café.", "a café", ["Café"]],
  );
});
