/** Who is authorized by a table as a whole, and whether any route allows a caller an operation. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allowedInput, denialOf, isExcluded } from "../../src/table/authorization.ts";
import { publicTokenOf } from "../../src/table/caller.ts";
import type { Input } from "../../src/table/restriction/restriction.ts";
import { goodTable } from "./_faults.ts";
import { cards, check, owner } from "./_library.ts";

const cardOf = (name: string) => cards.get(name) ?? assert.fail(`there is no ${name}`);
const callers = ["visitor", "rosa", "friend", "head", "desk1", "archive2", "north3", "north4", "south9"];

it("the excluded group takes precedence over restrictions, but not over the unrestricted caller", () => {
  const { operation } = check(goodTable).table?.routes[0] ?? assert.fail();
  const administrators = { operation, restriction: { kind: "administrators" } } as const;
  for (const [excludedGroup, name, excluded, denial] of [
    ["BARRED", "barred", true, "EXCLUDED"],
    ["BARRED", "head", false, undefined],
    ["BARRED", "rosa", false, "RESTRICTED"],
    ["BARRED", "owner", false, undefined],
    ["FRIENDS", "friend", true, "EXCLUDED"],
    [undefined, "barred", false, undefined],
  ] as const) {
    const caller = name === "owner" ? owner : cardOf(name);
    const table = { excludedGroup };
    assert.equal(isExcluded(table, caller), excluded, name);
    assert.equal(
      denialOf(table, administrators, caller, () => ({})),
      denial,
      name,
    );
  }
});

it("only a caller without an identity is distinguished by the token", () => {
  const withToken = (name: string, token: string) => publicTokenOf({ ...cardOf(name), token });
  assert.deepEqual([withToken("visitor", "t1"), withToken("rosa", "t2")], ["t1", undefined]);
});

describe("an operation is allowed", () => {
  const hidden = "hidden: { type: boolean, default: false }";
  const secret = goodTable.replace(hidden, hidden.replace("false", "true"));
  const route = (path: string, rest: string) => `${goodTable}  ${path}: { summary: S., ${rest} }\n`;
  const narrow = route(
    "/find",
    "restriction: open, parameters: { mode: { type: enum, values: [short], default: short } }, handler: books.find",
  );
  const second = route(
    "/shelf",
    `restriction: { service: ARCHIVE }, parameters: { ${hidden} }, handler: books.list`,
  ).replace("      - open\n", "      - administrators\n");
  const book = { branch: "NORTH", title: "Emma", pages: 400, kind: "novel" };
  const { title: _, ...untitled } = book;
  const rows: readonly (readonly [what: string, text: string, string, Input, readonly string[]])[] = [
    ["without a parameter that has a default to nobody", goodTable, "books.list", {}, []],
    ["with a value in place of the default", secret, "books.list", { hidden: false }, callers],
    ["with a value that another case is for", goodTable, "books.list", { hidden: true }, ["desk1"]],
    ["with every parameter", goodTable, "books.add", book, ["north4"]],
    ["without a parameter to nobody", goodTable, "books.add", untitled, []],
    ["with an unknown name to nobody", goodTable, "books.add", { ...book, branch: "EAST" }, []],
    ["with a value beyond its limits to nobody", goodTable, "books.add", { ...book, pages: 5001 }, []],
    ["with a value that the route does not have to nobody", narrow, "books.find", { mode: "long" }, []],
    ["with a value in other letters", narrow, "books.find", { mode: "SHORT" }, callers],
    ["by any of its routes", second, "books.list", { hidden: false }, ["head", "archive2"]],
    ["by no route of another operation", goodTable, "house.open", {}, []],
  ];
  for (const [what, text, operation, input, expected] of rows) {
    it(what, () => {
      const { table, faults } = check(text);
      assert.ok(table !== undefined, JSON.stringify(faults));
      const allowed = callers.filter(
        (name) => allowedInput(table, cardOf(name), operation, input) !== undefined,
      );
      assert.deepEqual(allowed, expected);
    });
  }
});
