/** Who is authorized by a table as a whole, and whether any route allows a caller an operation. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAuthorized, isExcluded, isOperationAllowed } from "../../src/table/authorization.ts";
import { publicTokenOf } from "../../src/table/caller.ts";
import type { Input } from "../../src/table/restriction/restriction.ts";
import { goodTable } from "./_faults.ts";
import { cards, check, owner } from "./_library.ts";

const hidden = "hidden: { type: boolean, default: false }";

/** Returns which of some callers are allowed an operation by a table. */
function allowedBy(text: string, operation: string, input: Input, ...names: readonly string[]): string[] {
  const { table, faults } = check(text);
  assert.ok(table !== undefined, JSON.stringify(faults));
  return names.filter((name) => {
    const caller = cards.get(name) ?? assert.fail(`there is no ${name}`);
    return isOperationAllowed(table, caller, operation, input);
  });
}

const cardOf = (name: string) => cards.get(name) ?? assert.fail(`there is no ${name}`);

describe("the excluded group of a table", () => {
  const table = { excludedGroup: "BARRED" };
  const open = { restriction: { kind: "open" } } as const;
  const administrators = { restriction: { kind: "administrators" } } as const;

  it("excludes its members, but not the unrestricted caller", () => {
    assert.equal(isExcluded(table, cardOf("barred")), true);
    assert.equal(isExcluded(table, owner), false);
    for (const name of ["visitor", "rosa", "friend", "head"])
      assert.equal(isExcluded(table, cardOf(name)), false, name);
  });

  it("excludes nobody if there is none", () => {
    assert.equal(isExcluded({ excludedGroup: undefined }, cardOf("barred")), false);
    assert.equal(isExcluded({ excludedGroup: "FRIENDS" }, cardOf("friend")), true);
  });

  it("takes precedence over the restriction of a route", () => {
    assert.equal(isAuthorized(table, open, cardOf("barred"), {}), false);
    assert.equal(isAuthorized(table, administrators, cardOf("barred"), {}), false);
    assert.equal(isAuthorized(table, administrators, cardOf("rosa"), {}), false);
    assert.equal(isAuthorized(table, administrators, cardOf("head"), {}), true);
    assert.equal(isAuthorized(table, administrators, owner, {}), true);
    assert.equal(isAuthorized({ excludedGroup: undefined }, administrators, cardOf("barred"), {}), true);
  });
});

it("only a caller without an identity is distinguished by the token", () => {
  const visitor = { ...cardOf("visitor"), token: "t1" };
  const rosa = { ...cardOf("rosa"), token: "t2" };
  assert.equal(publicTokenOf(visitor), "t1");
  assert.equal(publicTokenOf(rosa), undefined);
  assert.equal(publicTokenOf(owner), undefined);
});

describe("an operation is allowed by a table", () => {
  const callers = ["visitor", "desk1", "north3", "north4", "south9"];

  it("with the default of a missing parameter, whichever the default is", () => {
    const secret = goodTable.replace(hidden, "hidden: { type: boolean, default: true }");
    assert.deepEqual(allowedBy(goodTable, "books.list", {}, ...callers), callers);
    assert.deepEqual(allowedBy(secret, "books.list", {}, ...callers), ["desk1"]);
    assert.deepEqual(allowedBy(secret, "books.list", { hidden: false }, ...callers), callers);
    assert.deepEqual(allowedBy(goodTable, "books.list", { hidden: true }, ...callers), ["desk1"]);
  });

  it("only with every parameter that has no default", () => {
    const book = { branch: "NORTH", title: "Emma", pages: 400, kind: "novel" };
    assert.deepEqual(allowedBy(goodTable, "books.add", book, ...callers), ["north4"]);
    for (const missing of ["branch", "title"]) {
      const { [missing]: _, ...rest } = { ...book } as Record<string, string | number>;
      assert.deepEqual(allowedBy(goodTable, "books.add", rest, ...callers), [], missing);
    }
  });

  it("only with values that the route accepts", () => {
    const book = { branch: "NORTH", title: "Emma", pages: 400, kind: "novel" };
    for (const wrong of [{ branch: "EAST" }, { pages: 5001 }, { kind: "essay" }, { title: "" }]) {
      const input = { ...book, ...wrong };
      assert.deepEqual(allowedBy(goodTable, "books.add", input, ...callers), [], JSON.stringify(wrong));
    }
  });

  it("only with values that the route accepts, even if everyone may call it", () => {
    const find = `  /find:
    summary: Returns the books that match.
    restriction: open
    parameters: { mode: { type: enum, values: [short], default: short } }
    handler: books.find
`;
    const table = goodTable + find;
    for (const input of [{}, { mode: "short" }, { mode: "SHORT" }])
      assert.deepEqual(allowedBy(table, "books.find", input, "visitor"), ["visitor"]);
    for (const mode of ["long", "", 7])
      assert.deepEqual(allowedBy(table, "books.find", { mode }, "visitor", "rosa"), [], String(mode));
  });

  it("by any of its routes, and by none of another operation", () => {
    const second = `${goodTable}  /shelf:
    summary: Returns the books of the shelf.
    restriction: { service: ARCHIVE }
    parameters: { ${hidden} }
    handler: books.list
`;
    const closed = second.replace("      - open\n", "      - administrators\n");
    assert.deepEqual(allowedBy(closed, "books.list", {}, "rosa", "desk1", "archive2"), ["archive2"]);
    assert.deepEqual(allowedBy(goodTable, "house.open", {}, ...callers), []);
  });
});
