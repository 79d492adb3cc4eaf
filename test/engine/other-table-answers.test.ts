/** The engine's answers, log records and reports of callers with the table of a library. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Library } from "../table/_library.ts";

const table = `
prefix: /library/{key}
product: bookworm
excluded: { group: BARRED }
routes:
  /readers/{reader}: { summary: Shows., restriction: { self: reader }, parameters: { reader: text }, handler: readers.show }
  /house/open: { summary: Opens., restriction: open, handler: house.open }
  /house/close: { summary: Closes., restriction: open, handler: house.close }
  /shelf/break: { summary: Breaks., restriction: open, handler: shelf.break }
  /shelf/empty: { summary: Is empty., restriction: open, handler: shelf.empty }
`;

describe("the observer", () => {
  it("the observer gets one record per answer, with the route as declared and never with a card", async () => {
    const library = new Library(table);
    await library.ask("rosa", "/readers/Rosa");
    await library.ask("karl", "/readers/Rosa");
    await library.ask("nobody", "/house/open");
    await library.ask("rosa", "/nowhere");
    await library.ask("rosa", "/shelf/empty");
    const records = library.log.map(({ method, route, status, caller, code }) => [
      method,
      route,
      status,
      caller,
      code,
    ]);
    assert.deepEqual(records, [
      ["GET", "/readers/{reader}", 200, "reader-rosa", null],
      ["GET", "/readers/{reader}", 403, "reader-karl", "RESTRICTED"],
      ["GET", "/house/open", 401, null, "TOKEN_UNKNOWN"],
      ["GET", null, 404, null, "UNKNOWN_PATH"],
      ["GET", "/shelf/empty", 404, "reader-rosa", "UNKNOWN_ENTRY"],
    ]);
    assert.equal(new Set(library.log.map(({ requestId }) => requestId)).size, 5);
  });

  it("the observer gets no error for an intended refusal", async () => {
    const library = new Library(table);
    await library.ask("rosa", "/shelf/empty");
    assert.equal(library.log[0]?.error, undefined);
  });
});

describe("the seen callback", () => {
  it("seen is called for every request with a valid card, even a refused one, and no other", async () => {
    const library = new Library(table);
    await library.ask("rosa", "/house/open");
    await library.ask("karl", "/readers/Rosa");
    await library.ask("barred", "/house/open");
    await library.ask("visitor", "/house/open");
    await library.ask("nobody", "/house/open");
    await library.ask("rosa", "/nowhere");
    const seen = library.seen.map(([caller]) => caller);
    assert.deepEqual(seen, ["reader-rosa", "reader-karl", "reader-barred", null]);
  });

  const agents: readonly (readonly [string, string | undefined])[] = [
    ["bookworm/2.5.1", "2.5.1"],
    ["bookworm/2.5.1 (Windows; de)", "2.5.1"],
    ["Mozilla/5.0 (X11) BookWorm/3.0", "3.0"],
    ["gameaddon/2.5.1", undefined],
    ["mybookworm/1.0", undefined],
    ["bookworm", undefined],
    ["Mozilla/5.0", undefined],
  ];
  for (const [agent, version] of agents) {
    it(`seen is called with ${version ?? "no version"} for the User-Agent "${agent}"`, async () => {
      const library = new Library(table);
      await library.ask("rosa", "/house/open", { headers: { "User-Agent": agent } });
      assert.deepEqual(library.seen, [["reader-rosa", version]]);
    });
  }

  it("seen is called without a version if the table names no product", async () => {
    const library = new Library(table.replace("product: bookworm\n", ""));
    await library.ask("rosa", "/house/open", { headers: { "User-Agent": "bookworm/2.5.1" } });
    assert.deepEqual(library.seen, [["reader-rosa", undefined]]);
  });
});
