/** The engine with the table of a library: restrictions, parameters, and the order of the steps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Library, type LibraryAnswer, owner } from "../table/_library.ts";

const table = `
prefix: /library/{key}
product: bookworm
excluded: { group: BARRED }
types:
  title: { type: text, maxLength: 20, description: 'a title, with "-" for each space' }
  shortTitle: { type: title, maxLength: 5 }
  pages: { type: integer, minimum: 1, maximum: 5000 }
routes:
  /books:
    summary: Returns the books; the hidden ones are for the desk.
    restriction:
      - { when: { hidden: true }, service: DESK }
      - open
    parameters: { hidden: { type: boolean, default: false } }
    handler: books.list
  /books/find:
    summary: Finds books.
    restriction:
      - { when: { mode: long, shelf: 7 }, restriction: administrators }
      - { when: { mode: long }, restriction: identified }
      - restriction: open
    parameters:
      words: { type: text, minLength: 2, pattern: '[a-z-]+', default: any-words }
      since: { type: instant, default: "2026-11-21T12:00:00+01:00" }
      at: { type: service, default: desk }
      within: { type: group, default: FRIENDS }
      shelf: { type: integer, minimum: 0, maximum: 9, default: 3 }
      mode: { type: enum, values: [short, long], default: SHORT }
    handler: books.find
  /books/{branch}:
    summary: Returns the books of a branch.
    restriction: { faction: $branch }
    parameters: { branch: faction }
    handler: books.of
  /books/{branch}/add:
    summary: Adds a book to a branch.
    restriction: { faction: $branch, rank: 4 }
    parameters: { branch: faction, title: title, pages: pages, kind: { type: enum, values: [novel, poem] } }
    handler: books.add
  /readers/{reader}:
    summary: Returns a reader.
    restriction: { anyOf: [{ self: reader }, { service: archive, rank: 2 }, { group: Friends }] }
    parameters: { reader: text }
    handler: readers.show
  /house/open: { summary: Opens., restriction: identified, handler: house.open }
  /house/close: { summary: Closes., restriction: administrators, handler: house.close }
  /shelf/break: { summary: Breaks., restriction: open, handler: shelf.break }
  /shelf/empty: { summary: Is empty., restriction: open, handler: shelf.empty }
`;

function assertFailed(answer: LibraryAnswer, status: number, code: string): void {
  assert.equal(answer.body.code, code, answer.text);
  assert.equal(answer.status, status);
  assert.equal(answer.body.httpStatusCode, status);
  assert.equal(answer.body.requestId, answer.headers.get("x-request-id"));
}

const newBook = "title=Rayuela&pages=600&kind=novel";

describe("the restrictions of a library", () => {
  /** The card, the path, and whether the restriction allows it. */
  const decisions: readonly (readonly [card: string, path: string, isAllowed: boolean])[] = [
    ["visitor", "/books", true],
    ["visitor", "/books?hidden=false", true],
    ["visitor", "/books?hidden=true", false],
    ["head", "/books?hidden=true", false],
    ["desk1", "/books?hidden=true", true],
    ["visitor", "/house/open", false],
    ["rosa", "/house/open", true],
    ["rosa", "/house/close", false],
    ["head", "/house/close", true],
    ["north3", "/books/north", true],
    ["south9", "/books/north", false],
    ["north3", `/books/NORTH/add?${newBook}`, false],
    ["north4", `/books/NORTH/add?${newBook}`, true],
    ["south9", `/books/NORTH/add?${newBook}`, false],
    ["south9", `/books/South/add?${newBook}`, true],
    ["rosa", "/readers/Rosa", true],
    ["karl", "/readers/Rosa", false],
    ["head", "/readers/Rosa", false],
    ["archive2", "/readers/Rosa", true],
    ["desk1", "/readers/Rosa", false],
    ["friend", "/readers/Rosa", true],
    ["visitor", "/readers/Rosa", false],
    ["visitor", "/books/find", true],
    ["visitor", "/books/find?mode=long", false],
    ["rosa", "/books/find?mode=LONG", true],
    ["rosa", "/books/find?mode=long&shelf=7", false],
    ["head", "/books/find?mode=long&shelf=07", true],
    ["visitor", "/books/find?shelf=7", true],
  ];
  for (const [card, path, isAllowed] of decisions) {
    it(`${card} is ${isAllowed ? "allowed" : "denied"} ${path}`, async () => {
      const library = new Library(table);
      const answer = await library.ask(card, path);
      if (isAllowed) assert.equal(answer.status, 200, answer.text);
      else assertFailed(answer, 403, "RESTRICTED");
      assert.equal(library.runs.length, isAllowed ? 1 : 0);
    });
  }

  it("the unrestricted caller is allowed everything, even if excluded", async () => {
    const library = new Library(table);
    for (const path of ["/house/close", "/books/SOUTH", "/readers/Rosa"])
      assert.equal((await library.call(path, [])).status, 200, path);
    assert.equal((await library.call("/books", [["hidden", "true"]])).status, 200);
    assert.deepEqual(library.seen, []);
    assert.equal(library.log[0]?.caller, owner.id);
  });

  it("an excluded caller is denied everything, even an administrator", async () => {
    const library = new Library(table);
    for (const path of ["/books", "/house/open", "/house/close", "/books/find?mode=nothing"])
      assertFailed(await library.ask("barred", path), 403, "EXCLUDED");
    assert.equal(library.runs.length, 0);
  });

  it("a refusal names the callers who are allowed", async () => {
    const library = new Library(table);
    const info = async (path: string) => String((await library.ask("visitor", path)).body.info);
    assert.match(await info("/books/north/add"), /members of the faction NORTH with rank 4 or higher/);
    assert.match(await info("/books?hidden=true"), /members of the service DESK/);
    assert.match(await info("/house/close"), /administrators/);
    assert.match(
      await info("/readers/Rosa"),
      /the player named in "reader", members of the service ARCHIVE with rank 2 or higher or members of the group FRIENDS/,
    );
  });
});

describe("the input of an operation", () => {
  it("an operation gets the defaults of the table, of every type", async () => {
    const library = new Library(table);
    await library.ask("visitor", "/books/find");
    const since = Date.UTC(2026, 10, 21, 11);
    const expected = { words: "any-words", since, at: "DESK", within: "FRIENDS", shelf: 3, mode: "short" };
    assert.deepEqual(library.runs[0]?.input, expected);
  });

  it("an operation gets its parameters as values of their types", async () => {
    const library = new Library(table);
    const query = "words=la-mar&since=0&at=archive&within=staff&shelf=-0&mode=Short";
    await library.ask("visitor", `/books/find?${query}`);
    const expected = { words: "la-mar", since: 0, at: "ARCHIVE", within: "STAFF", shelf: 0, mode: "short" };
    assert.deepEqual(library.runs[0]?.input, expected);
  });

  it("an operation does not run with parameters that the table does not allow", async () => {
    const library = new Library(table);
    const bad = ["words=a", "words=Mar", "since=now", "shelf=10", "shelf=-1", "shelf=1.0", "mode=middle"];
    for (const query of bad)
      assertFailed(await library.ask("rosa", `/books/find?${query}`), 400, "PARAMETER_INVALID");
    assertFailed(await library.ask("rosa", "/books/find?within=STAF"), 404, "UNKNOWN_GROUP");
    assertFailed(await library.ask("rosa", "/books/find?at=BAR"), 404, "UNKNOWN_ENTRY");
    assertFailed(await library.ask("rosa", "/books/EAST"), 404, "UNKNOWN_FACTION");
    assertFailed(await library.ask("rosa", "/books/find?mood=long"), 400, "PARAMETER_UNKNOWN");
    assertFailed(await library.ask("rosa", "/books/find?shelf=1&shelf=1"), 400, "PARAMETER_REPEATED");
    const missing = await library.ask("north4", "/books/NORTH/add?title=Rayuela&kind=novel");
    assertFailed(missing, 400, "PARAMETER_MISSING");
    assert.equal(missing.body.parameter, "pages");
    assert.equal(library.runs.length, 0);
  });

  it("an operation gets parameters from the path, percent-encoded or not, with or without a slash at the end", async () => {
    const library = new Library(table);
    for (const path of ["/readers/caf%C3%A9", "/readers/café", "/readers/caf%c3%a9/"]) {
      assert.deepEqual((await library.ask("friend", path)).body, { reader: "café" }, path);
    }
    assert.deepEqual((await library.ask("friend", "/readers/a%2Fb%3Fc")).body, { reader: "a/b?c" });
  });

  it("an operation called within the process gets parameters without decoding", async () => {
    const library = new Library(table);
    await library.call("/readers/100%-&?#ü", []);
    assert.deepEqual(library.runs[0]?.input, { reader: "100%-&?#ü" });
    await library.call("/books/SOUTH/add", [
      ["title", "a&b=c%20+d"],
      ["pages", "1"],
      ["kind", "poem"],
    ]);
    assert.equal(library.runs[1]?.input.title, "a&b=c%20+d");
  });
});

describe("the steps of the pipeline", () => {
  it("the steps of the pipeline run in order, and the first failure is answered", async () => {
    const library = new Library(table);
    const post = { method: "POST", headers: { Purpose: "prefetch" } };
    const prefetch = { headers: { "Sec-Purpose": "prefetch;prerender" } };
    assertFailed(await library.ask("nobody", "/nowhere", post), 404, "UNKNOWN_PATH");
    assertFailed(await library.ask("nobody", "/books/EAST/add?pages=0", post), 405, "METHOD_NOT_ALLOWED");
    assertFailed(await library.ask("nobody", "/books/EAST/add?pages=0", prefetch), 425, "SPECULATIVE");
    assertFailed(await library.ask("nobody", "/books/EAST/add?pages=0"), 401, "TOKEN_UNKNOWN");
    assertFailed(await library.ask("barred", "/books/EAST/add?pages=0"), 403, "EXCLUDED");
    assertFailed(await library.ask("rosa", "/books/EAST/add?pages=0"), 404, "UNKNOWN_FACTION");
    assertFailed(await library.ask("rosa", "/books/NORTH/add?pages=0"), 403, "RESTRICTED");
    assertFailed(await library.ask("north4", "/books/NORTH/add?pages=0"), 400, "PARAMETER_MISSING");
    assertFailed(await library.ask("rosa", "/shelf/empty"), 404, "UNKNOWN_ENTRY");
  });

  it("a read may be fetched ahead of time", async () => {
    const library = new Library(table);
    assert.equal((await library.ask("rosa", "/books", { headers: { Purpose: "prefetch" } })).status, 200);
  });
});
