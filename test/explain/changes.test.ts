/** The changes between two tables in words: which routes and settings change, and what of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOfRoute, settingsChanged } from "../../src/explain/changes.ts";
import type { Route, Table } from "../../src/table/table.ts";
import { check } from "../table/_library.ts";

const head = "prefix: /library/{key}\nexcluded: { group: BARRED }\n";
const find = (parameters: string, more = "") =>
  `  /find: { summary: F., restriction: open, parameters: { ${parameters} }, ${more}handler: books.find }\n`;

function tableOf(text: string): Table {
  const { table, faults } = check(text);
  return table ?? assert.fail(JSON.stringify(faults));
}

/** Returns the only route of a table. */
function routeOf(text: string): Route {
  const [route] = tableOf(`${head}routes:\n${text}`).routes;
  return route ?? assert.fail("there is no route");
}

/** Returns how the route changes from one text to another. */
function change(before: string | undefined, after: string | undefined) {
  const [old, fresh] = [before, after].map((text) => (text === undefined ? undefined : routeOf(text)));
  return changeOfRoute("/find", { before: old, after: fresh });
}

const nothing = { restriction: null, handler: null, summary: null, limit: null, parameters: [] };
const route = find("shelf: integer");

describe("a route", () => {
  it("that is added or removed changes in everything that it has", () => {
    const own = (before: boolean) => {
      const of = (text: string) => ({ before: before ? text : null, after: before ? null : text });
      return {
        path: "/find",
        restriction: of("everyone with a valid token"),
        handler: of("books.find"),
        summary: of("F."),
        limit: null,
        parameters: [{ name: "shelf", ...of("integer") }],
      };
    };
    assert.deepEqual(change(undefined, route), { ...own(false), change: "added" });
    assert.deepEqual(change(route, undefined), { ...own(true), change: "removed" });
  });

  it("that is the same does not change", () => {
    assert.equal(change(route, route), undefined);
    assert.equal(
      change(find("shelf: integer", "limit: off, "), find("shelf: integer", "limit: off, ")),
      undefined,
    );
  });

  for (const [what, after, expected] of [
    [
      "a restriction",
      route.replace("open", "identified"),
      { restriction: { before: "everyone with a valid token", after: "identified players" } },
    ],
    ["a summary", route.replace("F.", "Finds."), { summary: { before: "F.", after: "Finds." } }],
    [
      "a limit",
      find("shelf: integer", "limit: { rate: 1/s, burst: 2 }, "),
      { limit: { before: null, after: "1/s, burst 2" } },
    ],
    ["no limit", find("shelf: integer", "limit: off, "), { limit: { before: null, after: "off" } }],
    [
      "a parameter",
      find("shelf: { type: integer, minimum: 1, maximum: 9, default: 7 }"),
      {
        parameters: [{ name: "shelf", before: "integer", after: "integer, minimum 1, maximum 9, default 7" }],
      },
    ],
    [
      "parameters of other names",
      find("words: { type: text, minLength: 2 }, mode: { type: enum, values: [short, long], default: long }"),
      {
        parameters: [
          { name: "shelf", before: "integer", after: null },
          { name: "words", before: null, after: "text, minLength 2" },
          { name: "mode", before: null, after: "enum, of short long, default long" },
        ],
      },
    ],
  ] as const) {
    it(`with ${what} instead changes in that alone`, () => {
      assert.deepEqual(change(route, after), { path: "/find", change: "changed", ...nothing, ...expected });
    });
  }

  it("with another handler changes in that alone", () => {
    const [before, after] = ["house.open", "shelf.empty"].map(
      (handler) => `  /find: { summary: F., restriction: open, handler: ${handler} }\n`,
    );
    const handler = { before: "house.open", after: "shelf.empty" };
    assert.deepEqual(change(before, after), { path: "/find", change: "changed", ...nothing, handler });
  });

  it("whose restriction has another form, but the same words, changes", () => {
    const listed = route.replace("restriction: open", "restriction: [open]");
    assert.deepEqual(change(route, listed), { path: "/find", change: "changed", ...nothing });
  });
});

describe("the settings that change", () => {
  const text = `${head}routes:\n${route}`;
  const changed = (edited: string) => settingsChanged({ before: tableOf(text), after: tableOf(edited) });

  it("are none of the same table", () => {
    assert.deepEqual(changed(`${text}# a remark\n`), []);
    assert.deepEqual(
      changed(`${text}limits: { reads: { rate: 10/s, burst: 60 } }\n`),
      [],
      "the shipped limit",
    );
  });

  for (const [edited, expected] of [
    [
      text.replace("/library/", "/books/"),
      { name: "prefix", before: "/library/{key}", after: "/books/{key}" },
    ],
    [`language: de\n${text}`, { name: "language", before: "en", after: "de" }],
    [`product: reader\n${text}`, { name: "product", before: null, after: "reader" }],
    [text.replace("excluded: { group: BARRED }\n", ""), { name: "excluded", before: "BARRED", after: null }],
    [`${text}limits: { changes: off }\n`, { name: "limits.changes", before: "1/s, burst 30", after: "off" }],
    [
      `${text}limits: { unknown: { rate: 1/min, burst: 2 } }\n`,
      { name: "limits.unknown", before: "20/min, burst 20", after: "1/min, burst 2" },
    ],
  ] as const) {
    it(`are ${expected.name} alone if it changes`, () => assert.deepEqual(changed(edited), [expected]));
  }
});
