/** The steps of a request at their boundaries: what an operation gets, and what a refusal says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import type { Caller } from "../../src/table/caller.ts";
import { cards, owner } from "../table/_library.ts";
import { House } from "./_house.ts";

describe("an unknown path", () => {
  it("has a hint with the nearest path, or the prefix; within the process for the operator", async () => {
    const house = new House();
    const hints = [
      (await house.ask("rosa", "/house/opne")).body.hint,
      (await house.ask("rosa", "/nothing/like/it")).body.hint,
      (await house.call("/house/opne")).body.hint,
      (await house.call("/library/x/house/opne")).body.hint,
      (await house.call("/nothing/like/it")).body.hint,
    ];
    assert.deepEqual(hints, [
      "Did you mean /library/{key}/house/open?",
      "Paths begin with /library/{key}; `/docs` lists them.",
      ...["Did you mean /house/open?", "Did you mean /house/open?"],
      "`addon-cli routes list` lists the paths.",
    ]);
  });
});

describe("a change", () => {
  const speculative: readonly (readonly [name: string, value: string, isRefused: boolean])[] = [
    ["purpose", "prerender", true],
    ["sec-purpose", "PREFETCH;anonymous-client-ip", true],
    ["x-purpose", "preview", true],
    ["x-moz", "Prefetch", true],
    ["early-data", "1", true],
    ["early-data", "0", true],
    ["purpose", "navigate", false],
    ["sec-fetch-mode", "prefetch", false],
  ];
  for (const [name, value, isRefused] of speculative) {
    it(`is ${isRefused ? "refused" : "made"} with the header ${name}: ${value}`, async () => {
      const house = new House();
      const { status, body } = await house.ask("rosa", "/house/close", { [name]: value });
      assert.equal(status, isRefused ? 425 : 200, JSON.stringify(body));
      assert.equal(house.requests.length, isRefused ? 0 : 1);
      assert.equal((await house.ask("rosa", "/house/open", { [name]: value })).status, 200);
    });
  }

  const keys: readonly (readonly [header: string | undefined, key: string | undefined])[] = [
    [undefined, undefined],
    ["k", "k"],
    ['"a b"', undefined],
    ['"quoted"', "quoted"],
    ['"', '"'],
    ["x".repeat(128), "x".repeat(128)],
    [`"${"x".repeat(128)}"`, "x".repeat(128)],
    ["!~", "!~"],
  ];
  for (const [header, key] of keys) {
    const isRefused = header !== undefined && key === undefined;
    it(`with the Idempotency-Key ${header?.slice(0, 20)} ${isRefused ? "is refused" : `has the key ${key}`}`, async () => {
      const house = new House();
      const headers: Record<string, string> = header === undefined ? {} : { "idempotency-key": header };
      const { status, body } = await house.ask("rosa", "/house/close", headers);
      assert.equal(status, isRefused ? 400 : 200, JSON.stringify(body));
      assert.deepEqual(
        house.requests.map(({ idempotencyKey }) => idempotencyKey),
        isRefused ? [] : [key],
      );
      await house.ask("rosa", "/house/open", headers);
      assert.equal(house.requests.at(-1)?.idempotencyKey, undefined, "a read has none");
    });
  }

  it("is refused with a malformed Idempotency-Key, or one with a token", async () => {
    const house = new House();
    for (const [header, info] of [
      ["", "Idempotency-Key must be 1 to 128 visible ASCII characters."],
      ['""', "Idempotency-Key must be 1 to 128 visible ASCII characters."],
      ["x".repeat(129), "Idempotency-Key must be 1 to 128 visible ASCII characters."],
      ["ü", "Idempotency-Key must be 1 to 128 visible ASCII characters."],
      ["my-card-7", '"Idempotency-Key" contains a token.'],
    ]) {
      const { body } = await house.ask("rosa", "/house/close", { "idempotency-key": header ?? "" });
      assert.deepEqual(
        [body.code, body.parameter, body.info],
        ["PARAMETER_INVALID", "Idempotency-Key", info],
      );
    }
    assert.deepEqual(house.requests, []);
  });

  it("is answered with its sentence when it is made, and with its failure when it is refused later", async () => {
    const done = await new House().ask("rosa", "/house/later");
    assert.deepEqual([done.status, done.body], [200, { info: "Closed later." }]);
    assert.deepEqual(done.headers.get("cache-control"), ["no-store"]);
    const house = new House(
      {},
      { "house.later": async () => Promise.reject(new Failure("CONFLICT", "Too late.")) },
    );
    const refused = await house.ask("rosa", "/house/later");
    assert.deepEqual([refused.status, refused.body.info], [409, "Too late."]);
    assert.deepEqual(
      house.log.map(({ status, code }) => [status, code]),
      [[409, "CONFLICT"]],
    );
  });

  it("is authorized again for the caller at its decision", async () => {
    const rosa = cards.get("rosa") ?? owner;
    const current: readonly (readonly [Caller, string | undefined])[] = [
      [rosa, undefined],
      [{ ...rosa, id: null }, "RESTRICTED"],
      [{ ...rosa, readOnly: true }, "READ_ONLY"],
      [cards.get("barred") ?? owner, "EXCLUDED"],
    ];
    for (const [caller, code] of current) {
      const house = new House(
        {},
        {
          "house.close": (_, { authorize }) => {
            authorize(caller);
            return "Closed.";
          },
        },
      );
      const { body } = await house.ask("rosa", "/house/close");
      assert.equal(body.code, code);
    }
  });
});

describe("a read", () => {
  it("has its result as JSON, or as the body that is ready", async () => {
    const house = new House();
    assert.deepEqual((await house.ask("rosa", "/house/open")).body, ["open"]);
    assert.deepEqual((await house.ask("rosa", "/house/lists")).body, ["lists"]);
  });

  it("varies by the header Authorization only if that has the token", async () => {
    const house = new House();
    const inPath = await house.ask("rosa", "/house/open");
    const inHeader = await house.ask("-", "/house/open", { authorization: "Bearer rosa" });
    const within = await house.call("/house/open");
    assert.deepEqual(
      [inPath, inHeader, within].map(({ status, headers }) => [status, headers.get("vary")]),
      [
        [200, ["Accept-Encoding"]],
        [200, ["Accept-Encoding", "Authorization"]],
        [200, ["Accept-Encoding"]],
      ],
    );
  });

  it("is refused with a value that the operation itself does not support", async () => {
    const house = new House();
    const { body } = await house.ask("rosa", "/readers/nobody");
    assert.deepEqual(
      [body.code, body.parameter, body.info],
      ["PARAMETER_INVALID", "reader", '"reader" is invalid: expected a reader.'],
    );
    assert.deepEqual((await house.ask("rosa", "/readers/somebody")).body, { reader: "somebody" });
    assert.equal(house.requests.length, 1);
  });
});

describe("a refusal", () => {
  it("of a change with a read-only token comes before the operation, which reads run", async () => {
    const house = new House({ authenticate: () => ({ ...(cards.get("rosa") ?? owner), readOnly: true }) });
    const { status, body } = await house.ask("rosa", "/house/close");
    assert.deepEqual([status, body.code, house.requests.length], [403, "READ_ONLY", 0]);
    assert.equal((await house.ask("rosa", "/house/open")).status, 200);
  });

  it("of a restricted caller is recorded with what is required, and what the caller had", async () => {
    const house = new House();
    assert.equal((await house.ask("visitor", "/house/close")).body.code, "RESTRICTED");
    await house.ask("rosa", "/house/close");
    assert.deepEqual(
      house.log.map(({ reason }) => reason),
      [{ needs: "identified players", had: "is a public token, which belongs to nobody" }, undefined],
    );
  });
});

it("a record has the address of the client only if addresses are logged", async () => {
  for (const logAddress of [undefined, false, true]) {
    const house = new House({ logAddress });
    await house.ask("rosa", "/house/open");
    assert.equal(house.log[0]?.address, logAddress === true ? "192.0.2.1" : undefined);
  }
});
