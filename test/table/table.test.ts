/** What a table means for requests: its parameters, restrictions, conditions and limits apply to every one. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { defaultDeclarations } from "../../src/table/declared/declarations.ts";
import { limitWords } from "../../src/table/limits.ts";
import type { Table } from "../../src/table/table.ts";
import { shippedRoutes } from "../_setup.ts";
import { edited, goodTable } from "./_faults.ts";
import { check, Library, vocabulary } from "./_library.ts";

const book = { title: "Rayuela", pages: "600", kind: "novel" };
type Book = Partial<typeof book>;

/** Adds a book, by default as a member of rank 4. */
function add(library: Library, values: Book, card = "north4") {
  return library.ask(card, `/books/NORTH/add?${new URLSearchParams({ ...book, ...values })}`);
}

function tableOf(text: string): Table {
  const { table, faults } = check(text);
  return table ?? assert.fail(JSON.stringify(faults));
}

describe("a parameter accepts only values within", () => {
  const rows: readonly (readonly [what: string, from: string, to: string, Book, Book, says?: RegExp])[] = [
    [
      "its pattern",
      "maxLength: 64,",
      "maxLength: 64, pattern: '[A-Z].*',",
      { title: "Rayuela" },
      { title: "rayuela" },
      /must be a title, not/,
    ],
    ["its maximum", "maximum: 5000", "maximum: 600", { pages: "600" }, { pages: "601" }, /from 1 to 600/],
    ["its minimum", "minimum: 1,", "minimum: 600,", { pages: "600" }, { pages: "599" }, /from 600 to 5000/],
    ["its maxLength", "maxLength: 64", "maxLength: 7", { title: "Rayuela" }, { title: "Rayuelas" }],
    ["its minLength", "maxLength: 64", "minLength: 3", { title: "Ray" }, { title: "Ra" }],
    ["its values", "[novel, poem]", "[poem]", { kind: "POEM" }, { kind: "novel" }, /poem/],
    [
      "the limits of the type that it refines",
      "pages: pages",
      "pages: { type: pages, maximum: 100 }",
      { pages: "100" },
      { pages: "0" },
      /from 1 to 100/,
    ],
    [
      "its own limit and the other one of the operation",
      "pages: pages",
      "pages: { type: integer, maximum: 7 }",
      { pages: "7" },
      { pages: "8" },
      /from 1 to 7/,
    ],
    [
      "the limits of the operation, if it has none",
      "pages: pages",
      "pages: integer",
      { pages: "5000" },
      { pages: "5001" },
      /must be a whole number from 1 to 5000, not \\"5001\\"\./,
    ],
    [
      "the length that the operation accepts, if it has none",
      "title: title",
      "title: text",
      { title: "t".repeat(64) },
      { title: "t".repeat(65) },
      /1 to 64 characters, not 65 characters/,
    ],
  ];
  for (const [what, from, to, good, bad, says = /"/] of rows) {
    it(what, async () => {
      const library = new Library(edited(from, to));
      assert.equal((await add(library, good)).status, 200);
      const { status, body, text } = await add(library, bad);
      assert.deepEqual([status, body.parameter], [400, Object.keys(bad)[0]]);
      assert.match(text, says);
      assert.equal(library.runs.length, 1);
    });
  }

  it("the route's own limits, which other routes do not have", async () => {
    const remove = "  /remove/{branch}: { summary: R., restriction: open, handler: books.add, parameters: ";
    const own = `${remove}{ branch: faction, title: title, kind: kind, pages: { type: pages, maximum: 9 } } }\n`;
    const library = new Library(goodTable + own);
    const query = new URLSearchParams(book);
    assert.equal((await library.ask("rosa", `/remove/NORTH?${query}`)).status, 400);
    assert.equal((await add(library, {})).status, 200);
  });
});

it("a parameter may be missing if it has a default, which the operation then gets", async () => {
  const library = new Library(edited("kind: kind", "kind: { type: kind, default: poem }"));
  assert.equal((await library.ask("north4", "/books/NORTH/add?title=Rayuela&pages=600")).status, 200);
  assert.equal(library.runs[0]?.input.kind, "poem");
  const without = new Library(edited("{ type: boolean, default: false }", "boolean"));
  assert.equal((await without.ask("rosa", "/books")).body.code, "PARAMETER_MISSING");
  assert.equal((await without.ask("rosa", "/books?hidden=false")).status, 200);
});

describe("the restriction of a route may be", () => {
  const ofBranch = "{ faction: $branch, rank: 4 }";
  const rows: readonly (readonly [
    to: string,
    yes: readonly string[],
    no: readonly string[],
    needs: string,
  ])[] = [
    ["{ faction: $branch, rank: 5 }", [], ["north4"], "members of the faction NORTH with rank 5 or higher."],
    ["{ faction: $branch }", ["north3"], ["south9"], "members of the faction NORTH."],
    ["{ faction: north, rank: 4 }", ["north4"], ["south9"], "members of the faction NORTH with rank 4"],
    ["open", ["visitor"], [], ""],
    [
      `{ allOf: [${ofBranch}, administrators] }`,
      [],
      ["north4", "head"],
      "those who are both members of the faction NORTH with rank 4 or higher and administrators.",
    ],
    [
      `[{ when: { kind: POEM }, restriction: open }, ${ofBranch}]`,
      ["north4"],
      ["rosa"],
      "members of the faction NORTH with rank 4 or higher.",
    ],
    [
      "[{ when: { kind: NOVEL }, anyOf: [administrators, { service: DESK }] }, open]",
      ["desk1", "head"],
      ["rosa"],
      "administrators or members of the service DESK.",
    ],
  ];
  for (const [to, yes, no, needs] of rows) {
    it(to, async () => {
      const library = new Library(edited(ofBranch, to));
      for (const card of yes) assert.equal((await add(library, {}, card)).status, 200, card);
      for (const card of no) {
        const { status, body } = await add(library, {}, card);
        assert.deepEqual([status, body.code], [403, "RESTRICTED"], card);
        assert.ok(String(body.info).startsWith(`This operation is only for ${needs}`), String(body.info));
      }
    });
  }
});

it("a table without an excluded group excludes nobody", async () => {
  const barred = async (text: string) => (await new Library(text).ask("barred", "/books")).body.code;
  assert.equal(await barred(goodTable), "EXCLUDED");
  assert.equal(await barred(edited("excluded: { group: BARRED }\n", "")), undefined);
});

describe("a condition is compared with", () => {
  const ofReader = "{ anyOf: [{ self: reader }, administrators, { group: STAFF }] }";
  for (const [written, text, other] of [
    ["7", "7", "07"],
    ["2.5", "2.5", "2.50"],
    ["-3", "-3", "3"],
    ["true", "true", "yes"],
    ['"2.10"', "2.10", "2.1"],
    ["'007'", "007", "7"],
    ["!!str 1e3", "1e3", "1000"],
    ["bank-robbery", "BANK-robbery", "robbery"],
    ["❤", "❤\ufe0f", "heart"],
  ] as const) {
    it(`the text ${text} if it is written as ${written}`, async () => {
      const library = new Library(edited(ofReader, `[{ when: { reader: ${written} }, group: STAFF }, open]`));
      const status = async (name: string) =>
        (await library.ask("rosa", `/readers/${encodeURIComponent(name)}`)).status;
      assert.deepEqual([await status(text), await status(other)], [403, 200]);
    });
  }

  for (const [written, value] of [
    ["5", "5"],
    ["1e3", "1000"],
    ["0x1F", "31"],
  ] as const) {
    it(`the integer ${value} if it is written as ${written}`, async () => {
      const cases = `[{ when: { pages: ${written} }, group: STAFF }, open]`;
      const library = new Library(edited("{ faction: $branch, rank: 4 }", cases));
      assert.deepEqual(
        [(await add(library, { pages: value })).status, (await add(library, { pages: "6" })).status],
        [403, 200],
      );
    });
  }

  it("a boolean however it is written", async () => {
    const library = new Library(edited("{ hidden: true }", "{ hidden: True }"));
    const status = async (hidden: string) => (await library.ask("rosa", `/books?hidden=${hidden}`)).status;
    assert.deepEqual([await status("TRUE"), await status("false")], [403, 200]);
  });
});

describe("the limits of a table", () => {
  /** Returns the limits of the good table with further lines at its top, and of the routes that have one. */
  function limitsOf(lines: string, limit = ""): Record<string, string> {
    const route = "    handler: books.add\n";
    const { limits, routes } = tableOf(`${lines}\n${edited(route, route + limit)}`);
    const own = routes.flatMap((route) =>
      route.limit === undefined ? [] : [[route.path, route.limit] as const],
    );
    return Object.fromEntries(
      [...Object.entries(limits), ...own].map(([name, limit]) => [name, limitWords(limit)]),
    );
  }
  const shipped = {
    reads: "10/s, burst 60",
    changes: "1/s, burst 30",
    unknown: "20/min, burst 20",
    pages: "5/s, burst 60",
  };
  const off = { reads: "off", changes: "off", unknown: "off", pages: "off" };
  const path = "/books/{branch}/add";

  for (const [lines, limit, expected] of [
    ["", "", shipped],
    ["limits: {}", "", shipped],
    ["limits: { changes: { rate: 5/h, burst: 2 } }", "", { ...shipped, changes: "5/h, burst 2" }],
    ["limits: off", "", off],
    ["limits: { unknown: off }", "", { ...shipped, unknown: "off" }],
    ["", "    limit: off\n", { ...shipped, [path]: "off" }],
    ["", "    limit: { rate: 3/min, burst: 1 }\n", { ...shipped, [path]: "3/min, burst 1" }],
  ] as const) {
    it(`are the shipped ones, but for what it declares: ${lines}${limit}`, () =>
      assert.deepEqual(limitsOf(lines, limit), expected));
  }

  for (const [rate, perSecond] of [
    ["10/s", 10],
    ["20/min", 1 / 3],
    ["100/h", 1 / 36],
    ["999999/s", 999_999],
  ] as const) {
    it(`with the rate ${rate} allow ${perSecond} requests a second`, () => {
      const { reads } = tableOf(`limits: { reads: { rate: ${rate}, burst: 1 } }\n${goodTable}`).limits;
      assert.ok(reads !== "off" && Math.abs(reads.perSecond - perSecond) < 1e-9);
    });
  }
});

describe("the limits of an hour", () => {
  const names = { group: ["BLACKLIST", "TARGETLIST"], faction: [], service: ["RESCUE", "POLICE"] };

  it("of the shipped table are all that its declarations add to those of a table without any", async () => {
    const { table } = checkRoutes(await readFile(shippedRoutes, "utf8"), names);
    const statistics = table?.declared.statistics.map(({ perHour: _, ...statistic }) => statistic);
    assert.deepEqual({ ...table?.declared, statistics }, defaultDeclarations());
  });

  it("of the shipped table are of each statistic type", async () => {
    const { table } = checkRoutes(await readFile(shippedRoutes, "utf8"), names);
    assert.deepEqual(
      // Of PLAYTIME, two additions fall into 60 minutes where the client's clock is a little off.
      table?.declared.statistics.map(({ name, perHour }) => `${name} ${perHour}`),
      ["KILL 120", "DEATH 120", "PLAYTIME 2", "REVIVE 60", "SERVICE 60"],
    );
    const integers = (table?.routes ?? []).flatMap(({ handler, parameters }) =>
      parameters.flatMap(({ type }) => (type.base === "integer" ? [{ handler, ...type }] : [])),
    );
    const rounded = integers.filter(({ roundsDown }) => roundsDown === true);
    assert.deepEqual([...new Set(rounded.map(({ handler }) => handler))], ["navipoint.add"]);
    assert.ok(integers.length > rounded.length);
  });
});

describe("a text parameter without limits", () => {
  const parameterOf = (handler: string, name: string, type: string) => {
    const route = `{ summary: R., restriction: open, parameters: { ${name}: ${type} }, handler: ${handler} }`;
    const { table, faults } = checkRoutes(`prefix: /x/{key}\nroutes:\n  /route: ${route}\n`, vocabulary);
    return table?.routes[0]?.parameters[0] ?? assert.fail(JSON.stringify(faults));
  };

  it("has those of the operation", () =>
    assert.equal(parameterOf("targetlist.add", "name", "text").type.maxLength, 32));
  it("accepts what could not be added if the operation looks an entry up, unless its type is narrowed", () => {
    for (const [type, expected] of [
      ["text", true],
      ["{ type: text, minLength: 1, maxLength: 64 }", true],
      ["{ type: text, minLength: 2, maxLength: 64 }", false],
      ["{ type: text, maxLength: 63 }", false],
      ["{ type: text, pattern: a }", false],
    ] as const)
      assert.equal(parameterOf("wantedreason.remove", "reason", type).isReference, expected, type);
  });
});

it("the texts of a table are read in NFC", () => {
  const text = edited("Returns a reader.", "Returns a cafe\u0301.")
    .replace(
      "{ reader: text }",
      '{ reader: { type: enum, values: ["Cafe\u0301"], description: "a cafe\u0301" } }',
    )
    .replace("{ self: reader }, ", "");
  const { summary, parameters } = tableOf(text).routes.at(-1) ?? assert.fail("there is no route");
  assert.deepEqual(
    [summary, parameters[0]?.type.description, parameters[0]?.type.values],
    ["Returns a café.", "a café", ["Café"]],
  );
});

it("a table has another revision after any change", () => {
  const revisionOf = (text: string) => tableOf(text).revision;
  assert.equal(revisionOf(goodTable), revisionOf(goodTable));
  assert.notEqual(revisionOf(goodTable), revisionOf(edited("rank: 4", "rank: 5")));
});
