/** What an operator can change: narrower parameters and other restrictions, which then apply to every request. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { edited, goodTable } from "./_faults.ts";
import { check, Library } from "./_library.ts";

const book = { title: "Rayuela", pages: "600", kind: "novel" };

/** Adds a book, by default as a member of rank 4; returns the status of the answer, and the parameter at fault. */
async function add(library: Library, values: Partial<typeof book>, card = "north4") {
  const query = new URLSearchParams({ ...book, ...values });
  const { status, body, text } = await library.ask(card, `/books/NORTH/add?${query}`);
  return { status, parameter: body.parameter, text };
}

describe("an operator can narrow a parameter", () => {
  it("with a pattern, which every text must then match", async () => {
    const library = new Library(edited("maxLength: 64,", "maxLength: 64, pattern: '[A-Z].*',"));
    assert.equal((await add(library, {})).status, 200);
    const refused = await add(library, { title: "rayuela" });
    assert.equal(refused.status, 400);
    assert.equal(refused.parameter, "title");
    assert.match(refused.text, /a title \(1 to 64 characters\)/);
  });

  it("with a lower maximum", async () => {
    const library = new Library(edited("maximum: 5000", "maximum: 600"));
    assert.equal((await add(library, { pages: "600" })).status, 200);
    const refused = await add(library, { pages: "601" });
    assert.equal(refused.status, 400);
    assert.equal(refused.parameter, "pages");
    assert.match(refused.text, /from 1 to 600/);
  });

  it("with a higher minimum", async () => {
    const library = new Library(edited("minimum: 1,", "minimum: 600,"));
    assert.equal((await add(library, { pages: "600" })).status, 200);
    assert.equal((await add(library, { pages: "599" })).status, 400);
  });

  it("with a lower maxLength", async () => {
    const library = new Library(edited("maxLength: 64", "minLength: 3, maxLength: 7"));
    assert.equal((await add(library, { title: "Rayuela" })).status, 200);
    for (const title of ["Rayuelas", "Ra"]) assert.equal((await add(library, { title })).status, 400, title);
  });

  it("with fewer values", async () => {
    const library = new Library(edited("[novel, poem]", "[poem]"));
    assert.equal((await add(library, { kind: "poem" })).status, 200);
    const refused = await add(library, { kind: "novel" });
    assert.equal(refused.status, 400);
    assert.equal(refused.parameter, "kind");
  });

  it("of one route only, with a type that refines another", async () => {
    const library = new Library(edited("pages: pages", "pages: { type: pages, maximum: 100 }"));
    assert.equal((await add(library, { pages: "100" })).status, 200);
    assert.equal((await add(library, { pages: "101" })).status, 400);
    assert.equal((await add(library, { pages: "0" })).status, 400, "the minimum of the type is lost");
  });

  it("by adding or removing a default", async () => {
    const withDefault = new Library(edited("kind: kind", "kind: { type: kind, default: poem }"));
    const query = "title=Rayuela&pages=600";
    assert.equal((await withDefault.ask("north4", `/books/NORTH/add?${query}`)).status, 200);
    assert.equal(withDefault.runs[0]?.input.kind, "poem");
    const without = new Library(edited("{ type: boolean, default: false }", "boolean"));
    assert.equal((await without.ask("rosa", "/books")).body.code, "PARAMETER_MISSING");
    assert.equal((await without.ask("rosa", "/books?hidden=false")).status, 200);
  });
});

describe("a wide type", () => {
  it("never passes a value that the operation does not accept", async () => {
    const wide = edited("pages: { type: integer, minimum: 1, maximum: 5000 }", "pages: integer")
      .replace("pages: integer", "pages: { type: integer }")
      .replace("title: { type: text, maxLength: 64,", "title: { type: text,");
    const library = new Library(wide);
    assert.equal((await add(library, { pages: "5000" })).status, 200);
    for (const pages of ["0", "-1", "5001", "2147483647"]) {
      const refused = await add(library, { pages });
      assert.equal(refused.status, 400, pages);
      assert.equal(refused.parameter, "pages");
    }
    assert.equal((await add(library, { title: "t".repeat(65) })).status, 400);
    assert.equal(library.runs.length, 1);
  });
});

describe("an operator can change a restriction", () => {
  const ofBranch = "{ faction: $branch, rank: 4 }";

  it("to a higher rank", async () => {
    const library = new Library(edited("rank: 4", "rank: 5"));
    const refused = await add(library, {});
    assert.equal(refused.status, 403);
    assert.match(refused.text, /members of the faction NORTH with rank 5 or higher/);
  });

  it("to a lower rank, or to none", async () => {
    assert.equal((await add(new Library(edited("rank: 4", "rank: 3")), {}, "north3")).status, 200);
    assert.equal((await add(new Library(edited(", rank: 4", "")), {}, "north3")).status, 200);
  });

  it("to a name in upper or lower case", async () => {
    const library = new Library(edited(ofBranch, "{ faction: north, rank: 4 }"));
    assert.equal((await add(library, {})).status, 200);
    const refused = await add(library, {}, "south9");
    assert.equal(refused.status, 403);
    assert.match(refused.text, /members of the faction NORTH/);
  });

  it("to one with two requirements", async () => {
    const library = new Library(
      edited(ofBranch, `{ allOf: [${ofBranch}, { anyOf: [administrators, identified] }] }`),
    );
    assert.equal((await add(library, {})).status, 200);
    const both = new Library(edited(ofBranch, `{ allOf: [${ofBranch}, administrators] }`));
    for (const card of ["north4", "head"]) {
      const refused = await add(both, {}, card);
      assert.equal(refused.status, 403, card);
      assert.match(
        refused.text,
        /only for those who are both members of the faction NORTH with rank 4 or higher and administrators\./,
      );
    }
  });

  it("to cases with different requirements for values of a parameter", async () => {
    const cases = `[{ when: { kind: poem }, restriction: administrators }, ${ofBranch}]`;
    const library = new Library(edited(ofBranch, cases));
    assert.equal((await add(library, { kind: "novel" })).status, 200);
    assert.equal((await add(library, { kind: "POEM" })).status, 403);
    assert.equal((await add(library, { kind: "poem" }, "head")).status, 200);
  });

  it("to open", async () => {
    const library = new Library(edited(ofBranch, "open"));
    assert.equal((await add(library, {}, "visitor")).status, 200);
  });

  it("to a case with an anyOf", async () => {
    const cases = `[{ when: { kind: poem }, anyOf: [administrators, { service: DESK }] }, identified]`;
    const library = new Library(edited(ofBranch, cases));
    assert.equal((await add(library, { kind: "poem" }, "desk1")).status, 200);
    assert.equal((await add(library, { kind: "poem" }, "rosa")).status, 403);
    assert.equal((await add(library, { kind: "novel" }, "rosa")).status, 200);
  });
});

describe("a table", () => {
  it("needs no product, exclusion or types", () => {
    const head = "product: reader\nexcluded: { group: BARRED }\n";
    assert.deepEqual(check(edited(head, "")).faults, []);
  });

  it("without an excluded group excludes nobody", async () => {
    const library = new Library(edited("excluded: { group: BARRED }\n", ""));
    assert.equal((await library.ask("barred", "/books")).status, 200);
  });

  it("can have CRLF line ends and a byte order mark", () => {
    const { table, faults } = check(`\uFEFF${goodTable.replaceAll("\n", "\r\n")}`);
    assert.deepEqual(faults, []);
    assert.equal(table?.routes.length, 4);
  });

  it("can use anchors and aliases", () => {
    const { faults } = check(
      edited("summary: Adds a book.", "summary: &add Adds a book.").replace("Returns a reader.", "*add"),
    );
    assert.deepEqual(faults, []);
  });

  it("has another revision after any change", () => {
    const revision = (text: string) => check(text).table?.revision;
    assert.equal(revision(goodTable), revision(goodTable));
    assert.notEqual(revision(goodTable), revision(edited("rank: 4", "rank: 5")));
    assert.notEqual(revision(goodTable), undefined);
  });
});
