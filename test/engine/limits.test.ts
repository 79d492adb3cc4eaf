/** Limits and authentication: which requests are counted, and as whose. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Limiter } from "../../src/engine/limiter.ts";
import { owner } from "../table/_library.ts";
import { House, table } from "./_house.ts";

describe("authentication", () => {
  it("is no part of a request that fails before it, unless limits apply", async () => {
    for (const limiter of [undefined, new Limiter(() => 0)]) {
      const house = new House({ limiter });
      const codes = [
        (await house.ask("rosa", "/nowhere")).body.code,
        (await house.ask("karl", "/house/open", {}, "POST")).body.code,
        (await house.ask("head", "/house/close", { purpose: "prefetch" })).body.code,
      ];
      assert.deepEqual(codes, ["UNKNOWN_PATH", "METHOD_NOT_ALLOWED", "SPECULATIVE"]);
      assert.equal(house.authenticated, limiter === undefined ? 0 : 3);
      assert.deepEqual(house.seen, []);
    }
  });

  it("that fails by an error of the service is answered as INTERNAL", async () => {
    for (const limiter of [undefined, new Limiter(() => 0)]) {
      const house = new House({
        limiter,
        authenticate: () => {
          throw new Error("the tokens cannot be read");
        },
      });
      const { status, body } = await house.ask("rosa", limiter === undefined ? "/house/open" : "/nowhere");
      assert.deepEqual([status, body.code], [500, "INTERNAL"]);
      assert.match(String(house.log[0]?.error), /the tokens cannot be read/);
    }
  });

  it("is left out for a caller within the process", async () => {
    const house = new House({ limiter: new Limiter(() => 0) });
    for (let count = 0; count < 3; count += 1) {
      assert.equal((await house.call("/house/open")).status, 200);
      assert.equal((await house.call("/nowhere")).status, 404);
    }
    assert.deepEqual([house.authenticated, house.seen], [0, []]);
    assert.equal(house.log[0]?.caller, owner.id);
  });
});

describe("limits", () => {
  /** Asks twice, and returns both codes, and the caller in the record of the refusal. */
  async function twice(card: string, path: string, method = "GET", headers = {}) {
    const house = new House({ limiter: new Limiter(() => 0) });
    const first = await house.ask(card, path, headers, method);
    const second = await house.ask(card, path, headers, method);
    const { caller, limit } = house.log[1] ?? {};
    return [first.body?.code ?? first.status, second.body?.code ?? second.status, caller, limit];
  }
  const prefetch = { purpose: "prefetch" };

  it("count what one of several machines refuses, or lets wait for a change", async () => {
    const node = { sequence: 5, unfit: undefined, reach: async () => false };
    for (const [atLeast, machine, codes] of [
      ["9", node, ["STORE_UNAVAILABLE", "RATE_LIMITED"]],
      ["soon", node, ["PARAMETER_INVALID", "RATE_LIMITED"]],
      ["5", { ...node, unfit: "It lags." }, ["STORE_UNAVAILABLE", "RATE_LIMITED"]],
      ["5", node, ["TOKEN_UNKNOWN", "RATE_LIMITED"]],
    ] as const) {
      const house = new House({ limiter: new Limiter(() => 0), node: machine });
      const ask = () => house.ask("nobodys", "/house/open", { "addon-at-least": atLeast });
      assert.deepEqual([(await ask()).body.code, (await ask()).body.code], codes);
      // A browser shows a page no refusal whose preflight fails.
      assert.equal(
        (await house.ask("nobodys", "/house/open", { "addon-at-least": atLeast }, "OPTIONS")).status,
        204,
      );
    }
  });

  it("count a request with a valid card as its caller's, also if it fails before authentication", async () => {
    const read = ["RATE_LIMITED", "reader-rosa", "reads"];
    assert.deepEqual(await twice("rosa", "/house/open"), [200, ...read]);
    assert.deepEqual(await twice("rosa", "/nowhere"), ["UNKNOWN_PATH", ...read]);
    assert.deepEqual(await twice("rosa", "/house/open", "POST"), ["METHOD_NOT_ALLOWED", ...read]);
    assert.deepEqual(await twice("rosa", "/house/close", "GET", prefetch), ["SPECULATIVE", ...read]);
    assert.deepEqual(await twice("rosa", "/house/close"), [200, 200, "reader-rosa", undefined]);
  });

  it("count a request without a valid card as a stranger's", async () => {
    const stranger = ["RATE_LIMITED", null, "unknown"];
    assert.deepEqual(await twice("nobody", "/house/open"), ["TOKEN_UNKNOWN", ...stranger]);
    assert.deepEqual(await twice("nobody", "/nowhere"), ["UNKNOWN_PATH", ...stranger]);
    assert.deepEqual(await twice("nobody", "/house/open", "POST"), ["METHOD_NOT_ALLOWED", ...stranger]);
    assert.deepEqual(await twice("nobody", "/house/close", "GET", prefetch), ["SPECULATIVE", ...stranger]);
  });

  it("say how long to wait and what is expected", async () => {
    let now = 0;
    const house = new House({ limiter: new Limiter(() => now) });
    for (const [card, who] of [
      ["rosa", ""],
      ["nobody", " without a valid addon token"],
    ] as const) {
      const name = who === "" ? "reads" : "unknown";
      await house.ask(card, "/house/open");
      now += 3_590_000;
      const { body, headers } = await house.ask(card, "/house/open");
      assert.equal(body.info, `Too many requests${who}: try again in 10 seconds.`);
      assert.equal(body.hint, `Expected at most 1/h, burst 1 (the limit "${name}").`);
      assert.deepEqual(headers.get("retry-after"), ["10"]);
      now += 9000;
      const last = await house.ask(card, "/house/open");
      assert.equal(last.body.info, `Too many requests${who}: try again in 1 second.`);
    }
  });

  it("that are off count nothing", async () => {
    const text = table.replace(/^limits: .*$/m, "limits: { reads: off, changes: off, unknown: off }");
    const limiter = new Limiter(() => {
      throw new Error("a request is counted");
    });
    const house = new House({ limiter }, {}, text);
    const asked = [
      await house.ask("rosa", "/house/open"),
      await house.ask("rosa", "/nowhere"),
      await house.ask("rosa", "/house/close"),
      await house.ask("nobody", "/house/open"),
      await house.ask("nobody", "/nowhere"),
    ];
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 404, 200, 401, 404],
    );
  });
});
