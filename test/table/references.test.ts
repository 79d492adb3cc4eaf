/** What in tables refers to a group, faction or service, which therefore cannot be removed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MembershipKind } from "../../src/table/caller.ts";
import { type References, referencesTo } from "../../src/table/restriction/references.ts";
import type { Table } from "../../src/table/table.ts";
import { goodTable } from "./_faults.ts";
import { check } from "./_library.ts";

function tableOf(text: string): Table {
  const { table, faults } = check(text);
  assert.ok(table !== undefined, JSON.stringify(faults));
  return table;
}

/** Returns a table with these routes, each a restriction or a restriction with parameters. */
function tableWith(routes: Readonly<Record<string, readonly [string, string?]>>, head = ""): Table {
  const lines = Object.entries(routes).map(
    ([path, [restriction, parameters = "{}"]]) =>
      `  ${path}: { summary: S., restriction: ${restriction}, parameters: ${parameters}, handler: books.find }`,
  );
  return tableOf(`prefix: /library/{key}\n${head}routes:\n${lines.join("\n")}\n`);
}

const references = (tables: readonly Table[], kind: MembershipKind, name: string): References =>
  referencesTo(tables, { kind, name });
const routesTo = (table: Table, kind: MembershipKind, name: string) => references([table], kind, name).routes;

describe("a table refers to a name", () => {
  it("in a restriction, whatever the case of the name", () => {
    const table = tableWith({ "/a": ["{ group: STAFF }"], "/b": ["{ group: FRIENDS }"], "/c": ["open"] });
    assert.deepEqual(routesTo(table, "group", "STAFF"), ["/a"]);
    assert.deepEqual(routesTo(table, "group", "staff"), ["/a"]);
    assert.deepEqual(routesTo(table, "group", "BARRED"), []);
  });

  it("of the same kind only", () => {
    const table = tableWith({ "/a": ["{ service: DESK, rank: 2 }"] });
    assert.deepEqual(routesTo(table, "service", "DESK"), ["/a"]);
    assert.deepEqual(routesTo(table, "group", "DESK"), []);
    assert.deepEqual(routesTo(table, "faction", "DESK"), []);
  });

  it("in parts of compounds and cases", () => {
    const table = tableWith({
      "/a": ["{ anyOf: [administrators, { allOf: [identified, { faction: NORTH }] }] }"],
      "/b": ["[{ when: { mode: long }, faction: NORTH }, open]", "{ mode: { type: enum, values: [long] } }"],
      "/c": ["{ anyOf: [administrators, { faction: SOUTH }] }"],
    });
    assert.deepEqual(routesTo(table, "faction", "NORTH"), ["/a", "/b"]);
    assert.deepEqual(routesTo(table, "faction", "SOUTH"), ["/c"]);
  });

  it("as the default of a parameter of its kind", () => {
    const table = tableWith({
      "/a": ["open", "{ within: { type: group, default: staff } }"],
      "/b": ["open", "{ words: { type: text, default: STAFF } }"],
      "/c": ["open", "{ within: group }"],
    });
    assert.deepEqual(routesTo(table, "group", "STAFF"), ["/a"]);
    assert.deepEqual(routesTo(table, "service", "STAFF"), []);
  });

  it("as the value of a parameter of its kind in a condition", () => {
    const table = tableWith({
      "/a": ["[{ when: { at: DESK }, restriction: administrators }, open]", "{ at: service }"],
      "/b": ["[{ when: { words: DESK }, restriction: administrators }, open]", "{ words: text }"],
      "/c": [
        "[{ when: { words: DESK, at: ARCHIVE }, restriction: administrators }, open]",
        "{ words: text, at: service }",
      ],
    });
    assert.deepEqual(routesTo(table, "service", "DESK"), ["/a"]);
    assert.deepEqual(routesTo(table, "service", "ARCHIVE"), ["/c"]);
  });

  it("but not by a parameter that can have it as value", () => {
    const table = tableWith({ "/a": ["{ service: $at }", "{ at: service }"] });
    assert.deepEqual(routesTo(table, "service", "DESK"), []);
  });

  it("as its excluded group", () => {
    const excluding = tableWith({ "/a": ["open"] }, "excluded: { group: BARRED }\n");
    const nobody = tableWith({ "/a": ["open"] });
    assert.deepEqual(references([excluding], "group", "barred"), { routes: [], isExcluded: true });
    assert.deepEqual(references([excluding], "group", "STAFF"), { routes: [], isExcluded: false });
    assert.deepEqual(references([excluding], "faction", "BARRED"), { routes: [], isExcluded: false });
    assert.deepEqual(references([nobody], "group", "BARRED"), { routes: [], isExcluded: false });
    assert.equal(references([nobody, excluding], "group", "BARRED").isExcluded, true);
  });
});

it("the references of several tables are listed once, in the order of the tables", () => {
  const [first, second] = [
    tableWith({ "/b": ["{ group: STAFF }"], "/a": ["{ group: STAFF }"] }),
    tableWith({ "/a": ["{ group: STAFF }"], "/c": ["{ group: STAFF }"] }),
  ];
  assert.deepEqual(references([first, second], "group", "STAFF").routes, ["/b", "/a", "/c"]);
  assert.deepEqual(references([tableOf(goodTable)], "group", "STAFF").routes, ["/readers/{reader}"]);
});
