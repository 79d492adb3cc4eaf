/** The engine's answers, log records and reports of callers with the table of a library (contract, section 1). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Library, secret } from "../table/_library.ts";

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

describe("the methods of a request", () => {
  it("HEAD answers as GET does, without the body", async () => {
    const library = new Library(table);
    const head = await library.ask("rosa", "/house/open", { method: "HEAD" });
    const get = await library.ask("rosa", "/house/open");
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
    assert.equal(head.headers.get("etag"), get.headers.get("etag"));
    assert.equal(head.headers.get("content-length"), get.headers.get("content-length"));
  });

  it("HEAD never runs a change", async () => {
    const library = new Library(table);
    const head = await library.ask("rosa", "/house/close", { method: "HEAD" });
    assert.equal(head.status, 405);
    assert.equal(head.headers.get("allow"), "GET, OPTIONS");
    assert.equal(library.runs.length, 0);
  });

  it("OPTIONS is answered without a card, and runs nothing", async () => {
    const library = new Library(table);
    for (const [path, allow] of [
      ["/house/open", "GET, HEAD, OPTIONS"],
      ["/house/close", "GET, OPTIONS"],
    ] as const) {
      const answer = await library.ask("nobody", path, { method: "OPTIONS" });
      assert.equal(answer.status, 204);
      assert.equal(answer.text, "");
      assert.equal(answer.headers.get("access-control-allow-methods"), allow);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    }
    assert.deepEqual(library.runs, []);
    assert.deepEqual(library.seen, []);
  });

  it("any other method is refused with 405 and Allow", async () => {
    const library = new Library(table);
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "BREW"]) {
      const read = await library.ask("rosa", "/house/open", { method });
      assert.equal(read.status, 405, method);
      assert.equal(read.body.code, "METHOD_NOT_ALLOWED");
      assert.equal(read.headers.get("allow"), "GET, HEAD, OPTIONS");
      assert.equal(
        (await library.ask("rosa", "/house/close", { method })).headers.get("allow"),
        "GET, OPTIONS",
      );
    }
    assert.equal(library.runs.length, 0);
  });
});

describe("an unknown path", () => {
  it("an unknown path is answered with the nearest path under the table's prefix", async () => {
    const library = new Library(table);
    const answer = await library.ask("rosa", "/house/opne");
    assert.equal(answer.status, 404);
    assert.equal(answer.body.code, "UNKNOWN_PATH");
    assert.match(String(answer.body.hint), /\/library\/\{key\}\/house\/open/);
    assert.ok(!answer.text.includes("rosa"), "the card is in the answer");
  });

  it("a path under another prefix is unknown", async () => {
    const library = new Library(table);
    for (const path of [
      "/gameaddon/v1/rosa/house/open",
      "/",
      "/library",
      "/library/rosa",
      "/Library/rosa/house/open",
    ])
      assert.equal((await library.request(path)).body.code, "UNKNOWN_PATH", path);
  });

  it("a malformed percent-encoding in a path is refused", async () => {
    const library = new Library(table);
    const answer = await library.ask("rosa", "/readers/%E0%A4%A");
    assert.equal(answer.status, 400);
    assert.equal(answer.body.code, "PARAMETER_INVALID");
    assert.equal(answer.body.requestId, library.log[0]?.requestId);
  });
});

describe("an operation that throws", () => {
  it("an operation that throws answers INTERNAL without details", async () => {
    const library = new Library(table);
    const answer = await library.ask("rosa", "/shelf/break");
    assert.equal(answer.status, 500);
    assert.equal(answer.body.code, "INTERNAL");
    assert.deepEqual(Object.keys(answer.body).toSorted(), [
      "code",
      "httpStatus",
      "httpStatusCode",
      "info",
      "requestId",
    ]);
    for (const part of ["shelf 7", "secret.db", "Error:", "    at ", ".ts"])
      assert.ok(!answer.text.includes(part), `${answer.text} has ${part}`);
  });

  it("an operation that throws is logged with its error and the request id of the answer", async () => {
    const library = new Library(table);
    const answer = await library.ask("rosa", "/shelf/break");
    const [record] = library.log;
    assert.equal(record?.requestId, answer.body.requestId);
    assert.equal(record?.code, "INTERNAL");
    assert.ok(record?.error instanceof Error);
    assert.equal(record.error.message, secret);
  });

  it("an operation that throws does not affect the next request", async () => {
    const library = new Library(table);
    await library.ask("rosa", "/shelf/break");
    assert.equal((await library.ask("rosa", "/house/open")).status, 200);
  });
});

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
