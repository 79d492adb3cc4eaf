/** The parameters of a request: their decoding, defaults, and the order of their failures. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { House } from "./_house.ts";

/** Asserts the failure of a request: its code, its parameter and its sentence. */
async function assertRefused(
  house: House,
  path: string,
  code: string,
  parameter: string | undefined,
  info: string | RegExp,
): Promise<void> {
  const { body } = await house.ask("rosa", path);
  assert.deepEqual([body.code, body.parameter], [code, parameter], JSON.stringify(body));
  if (typeof info === "string") assert.equal(body.info, info);
  else assert.match(body.info, info);
}

describe("a query", () => {
  const read: readonly (readonly [query: string, hidden: boolean, pages: number])[] = [
    ["", false, 3],
    ["?", false, 3],
    ["?hidden=true", true, 3],
    ["?&&pages=7&", false, 7],
    ["?%70ages=%37&hidden=false", false, 7],
  ];
  for (const [query, hidden, pages] of read) {
    it(`"${query}" has the parameters ${hidden} and ${pages}`, async () => {
      const { status, body } = await new House().ask("rosa", `/shelves/find${query}`);
      assert.deepEqual([status, body], [200, { hidden, pages }]);
    });
  }

  it("with more than a hundred parameters is refused for the first unknown one", async () => {
    const many = Array.from({ length: 200 }, (_, index) => `x${index}=1`).join("&");
    await assertRefused(new House(), `/shelves/find?${many}`, "PARAMETER_UNKNOWN", "x0", /x0/);
    await assertRefused(new House(), "/house/open?pages=1", "PARAMETER_UNKNOWN", "pages", /pages/);
  });

  it("with a value longer than any that is valid is refused with its beginning", async () => {
    for (const value of ["7".repeat(769), "%37".repeat(257)]) {
      const path = `/shelves/find?pages=${value}`;
      await assertRefused(new House(), path, "PARAMETER_INVALID", "pages", /, not "[7…]{1,41}"\.$/);
    }
    const malformed = '"pages" has a malformed percent-encoding.';
    const path = `/shelves/find?pages=${"%zz".repeat(256)}`;
    await assertRefused(new House(), path, "PARAMETER_INVALID", "pages", malformed);
  });

  it("is refused for a repeated, a missing, a malformed or a secret value, naming the parameter", async () => {
    const house = new House();
    await assertRefused(house, "/shelves/find?pages=1&pages=1", "PARAMETER_REPEATED", "pages", /pages/);
    const missing = await house.ask("rosa", "/books/remove?book=a");
    assert.deepEqual(
      [missing.body.code, missing.body.info, missing.body.hint],
      ["PARAMETER_MISSING", 'The parameter "pages" is missing.', "Expected a whole number from 1 to 9."],
    );
    for (const [text, parameter] of [
      ["?pages=%", "pages"],
      ["?pages=%E4", "pages"],
      // The restriction depends on it.
      ["?hidden=%zz", "hidden"],
    ] as const) {
      const info = `"${parameter}" has a malformed percent-encoding.`;
      await assertRefused(house, `/shelves/find${text}`, "PARAMETER_INVALID", parameter, info);
    }
    const secret = '"book" contains a token.';
    await assertRefused(house, "/books/remove?book=a-card-7&pages=1", "PARAMETER_INVALID", "book", secret);
    await assertRefused(
      house,
      "/readers/card%2D7",
      "PARAMETER_INVALID",
      "reader",
      '"reader" contains a token.',
    );
    assert.deepEqual(house.requests, []);
  });
});

describe("a malformed text that refers to an entry", () => {
  const long = "x".repeat(70);
  const removing = (failure: Failure | undefined) =>
    new House(
      {},
      {
        "books.remove": () => {
          if (failure !== undefined) throw failure;
          return "Removed.";
        },
      },
    );

  it("is accepted where there is an entry, as older data may contain it", async () => {
    const { status } = await removing(undefined).ask("rosa", `/books/remove?book=${long}&pages=1`);
    assert.equal(status, 200);
  });

  it("is refused as such where there is none, and other failures stay", async () => {
    const path = `/books/remove?book=${long}&pages=1`;
    const house = removing(new Failure("UNKNOWN_ENTRY", "There is no such book."));
    await assertRefused(house, path, "PARAMETER_INVALID", "book", /book/);
    await assertRefused(
      house,
      "/books/remove?book=a&pages=1",
      "UNKNOWN_ENTRY",
      undefined,
      "There is no such book.",
    );
    const other = removing(new Failure("CONFLICT", "The book is lent."));
    await assertRefused(other, path, "CONFLICT", undefined, "The book is lent.");
    await assertRefused(other, `/books/remove?book=${long}`, "PARAMETER_MISSING", "pages", /missing/);
  });
});
