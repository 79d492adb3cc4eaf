/** Tests of the TypeScript client on a faulty network: what it retries, when, and that a kill counts once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClientOptions } from "../../client/typescript/src/index.ts";
import { failureCodes } from "../../src/domain/errors.ts";
import { statusOf } from "../../src/engine/response.ts";
import { openAs } from "../_setup.ts";
import { clientOf, GameAddonClient, GameAddonError, GameAddonNetworkError, StillTiming } from "./_client.ts";
import { type Fate, failureOf, openProxy } from "./_setup.ts";

const kill = { path: { player: "Ada" }, query: { type: "KILL" } } as const;

/** Returns a client whose requests a function answers; its argument is the number of earlier requests. */
function answeredBy(
  answer: (before: number, init: RequestInit | undefined) => Response | Promise<Response>,
  options: Partial<ClientOptions> = {},
) {
  const timing = new StillTiming();
  const requests: (RequestInit | undefined)[] = [];
  const client = new GameAddonClient({
    baseUrl: "http://service",
    token: "gat_token",
    timing,
    fetch: async (_input, init) => {
      requests.push(init);
      return answer(requests.length - 1, init);
    },
    ...options,
  });
  return { client, timing, requests };
}

function failure(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { httpStatusCode: status, httpStatus: "", info: "No.", code, requestId: "1" },
    { status, headers },
  );
}

/** A service that does not answer until the signal of the request is aborted. */
function silence(init: RequestInit | undefined): Promise<Response> {
  return new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    if (init?.signal?.aborted === true) reject(init.signal.reason);
  });
}

describe("a kill whose answer is lost", () => {
  const cases: Record<string, readonly Fate[]> = {
    once: ["lose"],
    "three times": ["lose", "lose", "lose"],
    "on the way to the service and back": ["drop", "lose"],
    "behind a proxy that says so": [(response) => void response.writeHead(502).end("<html>"), "lose"],
  };
  for (const [times, fates] of Object.entries(cases)) {
    it(`counts exactly once: ${times}`, async (t) => {
      const { world, token } = await openAs(t, "Ada", {}, { transport: "socket" });
      const proxy = await openProxy(t, world.url, fates);
      const client = clientOf(world, token, { baseUrl: proxy.url });
      const { info } = await client.get("/statistic/{player}/add", kill);
      assert.equal(info, "Added one KILL for Ada.");
      const keys = new Set(proxy.seen.map(({ headers }) => headers["idempotency-key"]));
      assert.equal(proxy.seen.length, fates.length + 1);
      assert.equal(keys.size, 1, "the key stays the same");
      assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 1);
    });
  }

  it("counts once even when the caller gives up and calls again later", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport: "socket" });
    const proxy = await openProxy(t, world.url, ["lose", "lose"]);
    const client = clientOf(world, token, { baseUrl: proxy.url, retries: 1 });
    const error = await failureOf(client.get("/statistic/{player}/add", kill));
    assert.ok(error instanceof GameAddonNetworkError && error.idempotencyKey !== undefined);
    await client.get("/statistic/{player}/add", { ...kill, idempotencyKey: error.idempotencyKey });
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 1);
  });
});

describe("a temporary failure", () => {
  it("is retried after longer and longer pauses, and then reported", async () => {
    const { client, timing, requests } = answeredBy(() => new Response("<html>", { status: 504 }));
    await assert.rejects(client.get("/wantedreason"), {
      name: "GameAddonNetworkError",
      trouble: "answer",
      status: 504,
    });
    assert.equal(requests.length, 4);
    assert.deepEqual(timing.slept, [250, 500, 1000]);
  });

  it("is retried with pauses of at most 10 s", async () => {
    const { client, timing } = answeredBy(() => Promise.reject(new TypeError("fetch failed")), {
      retries: 8,
    });
    await assert.rejects(client.get("/wantedreason"), { trouble: "connection" });
    assert.equal(timing.slept.at(-1), 5000);
  });

  it("is retried after Retry-After, in seconds or as a date", async () => {
    const inFive = "Sat, 21 Nov 2026 12:00:05 GMT";
    for (const [retryAfter, wait] of [
      ["5", 5000],
      ["0", 250],
      [inFive, 5000],
      ["soon", 250],
    ] as const) {
      const headers = { "Retry-After": retryAfter };
      const { client, timing } = answeredBy((before) =>
        before === 0 ? failure(503, "SHUTTING_DOWN", headers) : Response.json([]),
      );
      assert.deepEqual(await client.get("/wantedreason"), []);
      assert.deepEqual(timing.slept, [wait], retryAfter);
    }
  });

  it("is reported at once if Retry-After is long", async () => {
    const headers = { "Retry-After": "3600" };
    const { client, timing, requests } = answeredBy(() => failure(503, "STORE_UNAVAILABLE", headers));
    await assert.rejects(client.get("/wantedreason"), { name: "GameAddonError", code: "STORE_UNAVAILABLE" });
    assert.equal(requests.length, 1);
    assert.deepEqual(timing.slept, []);
  });

  it("can be a timeout, which each attempt has for itself", async () => {
    const { client, requests } = answeredBy((_before, init) => silence(init), {
      timing: Object.assign(new StillTiming(), { timeout: () => AbortSignal.abort(new Error("late")) }),
      timeoutMilliseconds: 1234,
    });
    const error = await failureOf(client.get("/statistic/{player}/add", kill));
    assert.ok(error instanceof GameAddonNetworkError);
    assert.equal(error.trouble, "timeout");
    assert.match(error.message, /http:\/\/service did not answer within 1234 ms/);
    assert.equal(requests.length, 4);
    assert.equal(error.idempotencyKey, new Headers(requests[3]?.headers).get("idempotency-key"));
  });
});

describe("a call beyond a limit", () => {
  it("is repeated after Retry-After, as often as the limit of retries allows", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport: "socket", limits: true });
    const timing = new StillTiming();
    const sleep = async (milliseconds: number) => {
      await timing.sleep(milliseconds);
      world.clock.advance(milliseconds);
    };
    const client = clientOf(world, token, { timing: Object.assign(new StillTiming(), { sleep }) });
    for (let number = 0; number < 32; number += 1) await client.get("/statistic/{player}/add", kill);
    assert.deepEqual(timing.slept, [1000, 1000]);
    assert.equal((await client.get("/statistic/{player}", { path: { player: "Ada" } })).gameplay.kills, 32);
    const hasty = clientOf(world, token, { retries: 0 });
    await assert.rejects(hasty.get("/statistic/{player}/add", kill), { code: "RATE_LIMITED", status: 429 });
  });
});

describe("a permanent failure", () => {
  for (const code of failureCodes.filter((code) => ![429, 503].includes(statusOf[code]))) {
    it(`is not retried: ${code}`, async () => {
      const { client, requests } = answeredBy(() => failure(statusOf[code], code));
      await assert.rejects(client.get("/event/gangwar", { query: { attacker: 1, defender: 2 } }), {
        name: "GameAddonError",
        code,
        status: statusOf[code],
      });
      assert.equal(requests.length, 1);
    });
  }

  it("can be an answer that is not from the service, such as a login page of a network", async () => {
    const { client, requests } = answeredBy(() => new Response("<html>Welcome</html>"));
    await assert.rejects(client.get("/wantedreason"), { trouble: "answer", status: 200 });
    assert.equal(requests.length, 1);
  });
});

describe("the signal of a call", () => {
  const reason = new Error("the player has left");

  it("ends a call that waits for an answer", async () => {
    const controller = new AbortController();
    const { client, requests } = answeredBy((_before, init) => {
      queueMicrotask(() => controller.abort(reason));
      return silence(init);
    });
    await assert.rejects(client.get("/wantedreason", { signal: controller.signal }), reason);
    assert.equal(requests.length, 1);
  });

  it("ends a call that waits for its next attempt", async () => {
    const controller = new AbortController();
    const { client, requests } = answeredBy(
      () => {
        queueMicrotask(() => controller.abort(reason));
        return failure(503, "SHUTTING_DOWN", { "Retry-After": "59" });
      },
      { timing: undefined as never },
    );
    await assert.rejects(client.get("/wantedreason", { signal: controller.signal }), reason);
    assert.equal(requests.length, 1);
  });

  it("prevents the call if it is already aborted", async () => {
    const { client, requests } = answeredBy(() => Response.json([]));
    await assert.rejects(client.get("/wantedreason", { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(requests.length, 0);
  });
});

it("a 503 is reported as a failure of the service after the last attempt", async () => {
  const { client } = answeredBy(() => failure(503, "SHUTTING_DOWN"), { retries: 0 });
  const error = await failureOf(client.get("/wantedreason"));
  assert.ok(error instanceof GameAddonError);
  assert.equal(error.code, "SHUTTING_DOWN");
});
