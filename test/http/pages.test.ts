/** Pages within the process: what of them is logged, and the files of the documentation page. */
import assert from "node:assert/strict";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { describe, it, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import type { IncomingRequest } from "../../src/engine/request.ts";
import { type Answer, reportAnswer } from "../../src/engine/response.ts";
import { docsPages } from "../../src/http/docs-page.ts";
import { answerPage, type Page } from "../../src/http/page.ts";

const table = { prefix: "/a/{tokenString}", title: "A & B" };

function requestFor(headers: Readonly<Record<string, string>> = {}, method = "GET"): IncomingRequest {
  return {
    method,
    pathname: "/page",
    search: "",
    address: "192.0.2.1",
    header: (name) => headers[name] ?? null,
  };
}

/** Returns a header of an answer. */
function headerOf({ headers }: Answer, name: string): string | undefined {
  const place = headers.findIndex((header, index) => index % 2 === 0 && header.toLowerCase() === name);
  return place === -1 ? undefined : headers[place + 1];
}

describe("the log of a page", () => {
  const fault = new Error("a fault");
  const answer = () => {
    throw fault;
  };

  for (const logAddress of [true, false]) {
    it(`a fault of a probe is logged, with${logAddress ? "" : "out"} the address`, async () => {
      const records: RequestRecord[] = [];
      const observer = { logAddress, observe: (record: RequestRecord) => void records.push(record) };
      const page: Page = { name: "/page", isProbe: true, answer };
      assert.equal((await answerPage(page, requestFor(), observer)).status, 500);
      assert.deepEqual(
        records.map(({ route, code, error, address }) => ({ route, code, error, address })),
        [{ route: "/page", code: "INTERNAL", error: fault, address: logAddress ? "192.0.2.1" : undefined }],
      );
    });
  }

  for (const [isProbe, expected] of [
    [true, []],
    [false, [200, 405]],
    [undefined, [200, 405]],
  ] as const) {
    it(`answers and refusals of a page are logged unless it is a probe: ${isProbe}`, async () => {
      const statuses: number[] = [];
      const observer = { observe: ({ status }: RequestRecord) => void statuses.push(status) };
      const page: Page = {
        name: "/page",
        answer: (_, id) => reportAnswer({ status: "ok" }, true, id),
        ...(isProbe === undefined ? {} : { isProbe }),
      };
      for (const method of ["GET", "POST"]) await answerPage(page, requestFor({}, method), observer);
      assert.deepEqual(statuses, expected);
    });
  }
});

describe("the files of the documentation page", () => {
  /** Lets a file be read by a function. */
  function reading(t: TestContext, read: (path: string) => Promise<Buffer>) {
    const { mock } = t.mock.method(fs, "readFile", read);
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    return mock;
  }

  /** Returns a page of its own, with nothing cached yet. */
  function pageAt(path: string): Page {
    const page = new Map(docsPages(table)).get(path);
    assert.ok(page !== undefined, path);
    return page;
  }

  it("a file is read once, and compressed for the first client that accepts it", async (t) => {
    // More than the service compresses while a client waits.
    const text = Array.from({ length: 50_000 }, (_, number) => `line ${number}`).join("\n");
    const mock = reading(t, async () => Buffer.from(text));
    const page = pageAt("/docs/page.js");
    for (let times = 0; times < 2; times += 1) {
      const answer = await answerPage(page, requestFor({ "accept-encoding": "gzip" }), {});
      assert.equal(headerOf(answer, "content-encoding"), "gzip");
      assert.equal(gunzipSync(answer.body ?? Buffer.alloc(0)).toString(), text);
    }
    assert.equal(mock.callCount(), 1);
  });

  it("a file that cannot be read is read again for the next request", async (t) => {
    let isBroken = true;
    reading(t, async () => {
      if (isBroken) throw new Error("EMFILE");
      return Buffer.from("whole");
    });
    const page = pageAt("/docs/page.css");
    assert.equal((await answerPage(page, requestFor(), {})).status, 500);
    isBroken = false;
    const answer = await answerPage(page, requestFor(), {});
    assert.deepEqual([answer.status, answer.body?.toString()], [200, "whole"]);
  });

  it("a page has the paths of the description, and the title of the table", async (t) => {
    reading(t, async () => Buffer.from('<a href="{{openapi.json}}">{{openapi.yaml}}</a> {{title}}'));
    const { body } = await answerPage(pageAt("/docs"), requestFor(), {});
    const path = "/a/openapi";
    assert.equal(body?.toString(), `<a href="${path}.json">${path}.yaml</a> A &amp; B`);
  });
});
