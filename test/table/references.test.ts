/** What in tables refers to a group, faction or service, which therefore cannot be removed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MembershipKind } from "../../src/table/caller.ts";
import { referencesTo } from "../../src/table/restriction/references.ts";
import type { Table } from "../../src/table/table.ts";
import { check } from "./_library.ts";

/** Returns a table with these routes: restrictions by path, with parameters of `books.find`. */
function tableWith(restrictions: Readonly<Record<string, string>>, parameters = "{}", head = ""): Table {
  const lines = Object.entries(restrictions).map(
    ([path, form]) =>
      `  ${path}: { summary: S., restriction: ${form}, parameters: ${parameters}, handler: books.find }\n`,
  );
  const { table, faults } = check(`prefix: /library/{key}\n${head}routes:\n${lines.join("")}`);
  return table ?? assert.fail(JSON.stringify(faults));
}

const parts = tableWith(
  {
    "/a": "{ anyOf: [administrators, { allOf: [identified, { faction: NORTH }] }] }",
    "/b": "[{ when: { at: DESK, words: ARCHIVE }, faction: NORTH }, open]",
    "/c": "{ anyOf: [{ service: $at }, { faction: SOUTH, rank: 2 }, { group: STAFF }] }",
  },
  "{ at: service, words: text }",
);
const defaults = tableWith(
  { "/d": "open" },
  "{ within: { type: group, default: friends }, words: { type: text, default: STAFF } }",
  "excluded: { group: BARRED }\nlists: { loan: { title: loan, fields: { branch: { type: faction, default: south } } } }\n",
);

describe("tables refer to a name", () => {
  type Row = readonly [
    what: string,
    MembershipKind,
    string,
    string[],
    isExcluded?: boolean,
    lists?: string[],
  ];
  const rows: readonly Row[] = [
    ["in parts of compounds and cases", "faction", "NORTH", ["/a", "/b"]],
    ["in any case, and as a default of a list", "faction", "south", ["/c"], false, ["loan"]],
    ["as the value of a parameter of its kind in a condition", "service", "DESK", ["/b"]],
    ["but not as a text in a condition, or as any value of a parameter", "service", "ARCHIVE", []],
    ["of the same kind only", "service", "NORTH", []],
    ["as the default of a parameter of its kind", "group", "FRIENDS", ["/d"]],
    ["but not as the default of a text", "group", "STAFF", ["/c"]],
    ["as the excluded group", "group", "barred", [], true],
    ["but not as a faction of the name of the excluded group", "faction", "BARRED", []],
  ];
  for (const [what, kind, name, routes, isExcluded = false, lists = []] of rows) {
    const expected = { routes, lists, isExcluded };
    it(what, () => assert.deepEqual(referencesTo([parts, defaults], { kind, name }), expected));
  }

  it("once, in the order of the tables", () => {
    const tables = ["/b /a", "/a /c"].map((paths) =>
      tableWith(Object.fromEntries(paths.split(" ").map((path) => [path, "{ group: STAFF }"]))),
    );
    const { routes, isExcluded } = referencesTo(tables, { kind: "group", name: "STAFF" });
    assert.deepEqual([routes, isExcluded], [["/b", "/a", "/c"], false]);
  });
});
