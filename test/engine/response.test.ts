/** Answers: the headers of reads, failures and reports. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { ReadyBody } from "../../src/engine/body.ts";
import { type Answer, failureAnswer, readAnswer, reportAnswer } from "../../src/engine/response.ts";

/** Returns the value of a header. */
function header({ headers }: Answer, name: string): string | undefined {
  const index = headers.indexOf(name);
  return index === -1 ? undefined : headers[index + 1];
}

const long = new ReadyBody("x".repeat(5000), { cached: true });

/** Reads with some headers, by their names in lower case. */
function read(body: ReadyBody, method = "GET", sent: Readonly<Record<string, string>> = {}): Answer {
  return readAnswer(body, { method, header: (name) => sent[name] ?? null }, "id");
}

describe("the answer of a read", () => {
  it("describes its body, compressed or not", () => {
    const [plain, compressed] = [read(long), read(long, "GET", { "accept-encoding": "gzip" })];
    for (const [answer, encoding] of [
      [plain, undefined],
      [compressed, "gzip"],
    ] as const) {
      assert.equal(header(answer, "Content-Encoding"), encoding);
      assert.equal(header(answer, "Content-Type"), "application/json; charset=utf-8");
      assert.equal(header(answer, "Content-Length"), String(answer.body?.length));
    }
    assert.equal(header(plain, "Content-Length"), "5002");
  });

  it("has no body for HEAD, but its length, and neither for the ETag that the client has", () => {
    const head = read(long, "HEAD");
    assert.deepEqual([head.status, head.body, header(head, "Content-Length")], [200, null, "5002"]);
    const same = read(long, "GET", { "if-none-match": `"other", ${long.etag}` });
    assert.deepEqual([same.status, same.body, header(same, "Content-Length")], [304, null, undefined]);
    assert.equal(read(long, "GET", { "if-none-match": '"other"' }).status, 200);
  });
});

it("a failure asks for a token with 401 alone, and for another try with 503 alone", () => {
  for (const [code, challenge, retry] of [
    ["TOKEN_EXPIRED", "Bearer", undefined],
    ["RESTRICTED", undefined, undefined],
    ["STORE_UNAVAILABLE", undefined, "5"],
  ] as const) {
    const answer = failureAnswer(new Failure(code, "Refused."), "id");
    assert.deepEqual([header(answer, "WWW-Authenticate"), header(answer, "Retry-After")], [challenge, retry]);
  }
});

it("a report is 200 or 503 with Retry-After", () => {
  for (const [isAvailable, status, retry] of [
    [true, 200, undefined],
    [false, 503, "5"],
  ] as const) {
    const answer = reportAnswer({ isAvailable }, isAvailable, "id");
    assert.deepEqual([answer.status, header(answer, "Retry-After")], [status, retry]);
    assert.equal(String(answer.body), JSON.stringify({ isAvailable }));
  }
});
