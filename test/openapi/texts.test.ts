/** The texts of a description, word by word: of parameters with their examples, of operations and their headers, and in general. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { headersOf } from "../../src/openapi/common.ts";
import { Components, type ResponseObject } from "../../src/openapi/document.ts";
import { describeTable } from "../../src/openapi/openapi.ts";
import { generalWords } from "../../src/openapi/words.ts";
import { check, vocabulary } from "../table/_library.ts";
import { describedAs, list, operationAt, tableOf, withOperation } from "./_openapi.ts";

describe("the description of an operation", () => {
  const close = "  /close: { summary: C., restriction: open, handler: house.close }\n";
  const success = (document: ReturnType<typeof describedAs>, path: string): ResponseObject => {
    const response = operationAt(document, path).responses[200];
    return response !== undefined && !("$ref" in response) ? response : assert.fail("it is shared");
  };

  it("says whether a change may have been made before, and has the example of its answer", () => {
    const safe = success(
      describedAs(close, withOperation("house.close", { example: "It is closed." })),
      "/close",
    );
    const counting = success(describedAs(close, withOperation("house.close", { counts: true })), "/close");
    assert.equal(safe.description, "The change is made, or was made before.");
    assert.equal(counting.description, "The change is made.");
    assert.deepEqual(safe.content?.["application/json"]?.example, { info: "It is closed." });
    assert.equal("example" in (counting.content?.["application/json"] ?? {}), false);
    assert.deepEqual(Object.keys(safe.headers), ["X-Request-Id", "Cache-Control"]);
  });

  it("has only its own paragraphs", () => {
    const safe = "It is safe to repeat: if the change has been made, the answer is 200, and nothing changes.";
    const everyone = "Who may call it: everyone with a valid token.";
    assert.equal(operationAt(describedAs(close), "/close").description, `${everyone}\n\n${safe}`);
    assert.equal(operationAt(describedAs(list), "/books").description, everyone);
    const limited = close.replace("handler", "limit: off, handler");
    assert.equal(
      operationAt(describedAs(limited), "/close").description,
      `${everyone}\n\n${safe}\n\nThe limit of this operation: off.`,
    );
  });

  it("has a 200 with an ETag and a 304 if it reads, and no 304 if it changes", () => {
    const read = operationAt(describedAs(list), "/books").responses;
    assert.deepEqual(Object.keys(success(describedAs(list), "/books").headers), [
      "X-Request-Id",
      "ETag",
      "Cache-Control",
    ]);
    assert.ok(read[304] !== undefined);
    assert.equal(operationAt(describedAs(close), "/close").responses[304], undefined);
  });

  it("has each failure once, and the other answers with their operation", () => {
    const document = describedAs(`${list}${close}`);
    for (const [path, own] of [
      ["/books", ["200", "304"]],
      ["/close", ["200"]],
    ] as const) {
      const responses = Object.entries(operationAt(document, path).responses);
      assert.deepEqual(
        responses.flatMap(([status, response]) => ("$ref" in response ? [] : [status])),
        own,
      );
    }
    assert.deepEqual(Object.keys(document.components.responses).sort(), [
      "BadRequest",
      "BadRequest2",
      "Forbidden",
      "Forbidden2",
      "InternalServerError",
      "RequestHeaderFieldsTooLarge",
      "RequestTimeout",
      "ServiceUnavailable",
      "TooEarly",
      "TooManyRequests",
      "Unauthorized",
    ]);
  });
});

it("failures have the headers of their status", () => {
  const always = ["X-Request-Id", "Cache-Control"];
  for (const [status, ...more] of [
    [400],
    [401, "WWW-Authenticate"],
    [403],
    [429, "Retry-After", "RateLimit", "RateLimit-Policy"],
    [500],
    [503, "Retry-After"],
  ] as const)
    assert.deepEqual(Object.keys(headersOf(status, new Components())), [...always, ...more], `${status}`);
});

it("a tag has the text of its resource, even if the resource is called like a property of every object", () => {
  const routes = ["constructor", "stream"].map(
    (name) => `  /${name}: { summary: O., restriction: open, handler: house.open }\n`,
  );
  const { tags } = describeTable(tableOf(routes.join("")), vocabulary);
  assert.deepEqual(tags, [
    { name: "constructor", description: "Everything under `/constructor`." },
    { name: "stream", description: "What has changed, as it changes." },
  ]);
});

describe("the general words", () => {
  const wordsOf = (more: string) => {
    const { table } = check(`prefix: /library/{key}\n${more}routes:\n${list}`);
    return generalWords(table ?? assert.fail("the table has faults"));
  };
  const limitsOf = (limits: string) => {
    const words = wordsOf(`limits: ${limits}\n`);
    const start = words.indexOf("## Limits");
    assert.ok(words.every((word) => word !== undefined));
    return start === -1 ? [] : words.slice(start + 1);
  };
  const end =
    "A network is an IPv4 address or an IPv6 /56. Any request beyond that gets a 429 (`RATE_LIMITED`): repeat it after " +
    "`Retry-After` seconds.";
  const ofReads = "Reads are limited to 1/s, burst 2 for each token, or for each public token and network.";
  const ofChanges =
    "Changes are limited to 2/min, burst 3 for each token, or for each public token and network; " +
    "all changes with one public token together to ten times as many from all networks.";
  const strangers =
    "Requests without a valid token are limited to 3/h, burst 4 for each network. " +
    "Pages, this description and preflights are limited to 4/h, burst 5 for each network.";
  const [reads, changes, unknown] = [
    "reads: { rate: 1/s, burst: 2 }",
    "changes: { rate: 2/min, burst: 3 }",
    "unknown: { rate: 3/h, burst: 4 }, pages: { rate: 4/h, burst: 5 }",
  ];

  it("say how a client sends its version only if the table names a product", () => {
    const version = "A client sends its version as `User-Agent: bookworm/1.2.3`.";
    assert.ok(wordsOf("product: bookworm\n").includes(version));
    assert.equal(wordsOf("").length, wordsOf("product: bookworm\n").length - 1);
    assert.doesNotMatch(wordsOf("").join("\n"), /User-Agent/);
  });

  for (const [limits, expected] of [
    ["off", []],
    [`{ ${reads}, ${changes}, ${unknown} }`, [`${ofReads} ${ofChanges} ${strangers} ${end}`]],
    [`{ ${reads}, changes: off, ${unknown} }`, [`${ofReads} ${strangers} ${end}`]],
    [`{ reads: off, ${changes}, unknown: off, pages: off }`, [`${ofChanges} ${end}`]],
    [`{ reads: off, changes: off, ${unknown} }`, [`${strangers} ${end}`]],
  ] as const) {
    it(`name the limits ${limits}`, () => assert.deepEqual(limitsOf(limits), expected));
  }
});
