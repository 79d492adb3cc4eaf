/** The router: which path matches which route, and which path is suggested for another. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Router } from "../../src/engine/router.ts";
import { check } from "../table/_library.ts";

const { table, faults } = check(`
prefix: /library/{key}/v1
routes:
  /house/close: { summary: Closes., restriction: open, handler: house.close }
  /house/open: { summary: Opens., restriction: open, handler: house.open }
  /readers/{reader}: { summary: Shows., restriction: open, parameters: { reader: text }, handler: readers.show }
`);
assert.ok(table !== undefined, JSON.stringify(faults));
const router = new Router(table);

describe("a path with the prefix", () => {
  it("has a route, a token and parameters", () => {
    const match = router.match("/library/rosa/v1/readers/caf%C3%A9");
    assert.equal(match?.route.path, "/readers/{reader}");
    assert.deepEqual([match?.token, { ...match?.params }], ["rosa", { reader: "caf%C3%A9" }]);
    assert.equal(router.match("/library/-/v1/house/open/")?.token, "-");
    assert.deepEqual({ ...router.match("/library/rosa/v1/house/open")?.params }, {});
  });

  for (const path of [
    "/library//v1/house/open",
    "/library/v1/house/open",
    "/library/rosa/v2/house/open",
    "/Library/rosa/v1/house/open",
    "/shelf/rosa/v1/house/open",
    "/library/rosa/v1",
    "/library/rosa/v1house/open",
    "/library/rosa",
    "/library/",
    "/",
    "",
  ]) {
    it(`has no route with another prefix: ${path}`, () => {
      assert.equal(router.match(path), undefined);
      assert.equal(router.tokenIn(path), /^\/library\/([^/]+)/.exec(path)?.[1] ?? "-");
    });
  }

  it("can have 64 characters of four bytes, percent-encoded, in a placeholder; no route has more", () => {
    const reader = encodeURIComponent("\u{20000}".repeat(64));
    assert.equal(router.match(`/library/rosa/v1/readers/${reader}`)?.params.reader, reader);
    assert.equal(
      router.match(`/library/rosa/v1/readers/${reader}${"x".repeat(router.longestPath)}`),
      undefined,
    );
  });

  it("has a token also without a route", () => {
    assert.equal(router.match("/library/rosa/v1/nowhere"), undefined);
    assert.equal(router.tokenIn("/library/rosa/v1/nowhere"), "rosa");
  });
});

describe("a path without the prefix", () => {
  it("has a route and parameters, encoded", () => {
    const match = router.find("/readers/a%b?ü");
    assert.deepEqual(
      [match?.route.path, match?.token, { ...match?.params }],
      ["/readers/{reader}", "", { reader: "a%25b%3F%C3%BC" }],
    );
    for (const path of ["house/open", "", "/house", "/house/open/now"])
      assert.equal(router.find(path), undefined);
  });

  it("has no segment that a URL cannot contain", () => {
    for (const segment of [".", "..", "\ud800"]) {
      const encoded = router.find(`/readers/${segment}`)?.params.reader ?? "";
      assert.equal(decodeURIComponent(encoded), "\ufffd");
    }
    assert.equal(router.find("/readers/...")?.params.reader, "...");
    assert.equal(decodeURIComponent(router.find("/readers/a😀")?.params.reader ?? ""), "a😀");
  });
});

describe("the nearest path", () => {
  it("is that of a change only for a slip in its last word", () => {
    assert.equal(router.nearest("/hous/close"), "/house/close");
    assert.equal(router.nearest("/house/closed"), "/house/close");
    assert.equal(router.nearest("/house/clothe"), undefined);
    assert.equal(router.nearest("/house/opened"), "/house/open");
    assert.equal(router.nearest("/nothing/like/it/at/all"), undefined);
  });

  it("is found behind the prefix, also with another token", () => {
    assert.equal(router.nearestTo("/library/rosa/v1/house/opne"), "/house/open");
    assert.equal(router.nearestTo("/elsewhere/x/v9/house/opne"), "/house/open");
  });

  it("is not searched for a path of more than 200 characters", () => {
    const padded = (length: number) => {
      const [before, behind] = ["/library/", "/v1/house/opne"];
      return `${before}${"x".repeat(length - before.length - behind.length)}${behind}`;
    };
    assert.equal(router.nearestTo(padded(200)), "/house/open");
    assert.equal(router.nearestTo(padded(201)), undefined);
  });
});
