/** Tests of the TypeScript client that watches: what it yields, when it connects again, and how it ends. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { platformTiming } from "../../client/typescript/src/timing.ts";
import { everyRight, openAs } from "../_setup.ts";
import { clientOf, GameAddonClient, GameAddonError, StillTiming } from "./_client.ts";
import { failureOf } from "./_setup.ts";

const none = { bankRob: null, bomb: null, gangwar: { attacker: 0, defender: 0 } };

/** Sleeps are recorded and over at once, except for the one until a stream counts as silent. */
class WatchTiming extends StillTiming {
  override readonly random = () => 0.5;
  override readonly sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    if (milliseconds >= 10_000) return platformTiming.sleep(milliseconds, signal);
    this.slept.push(milliseconds);
  };
}

/** Opens a service and a client of Ada, who may change everything, with her player's token. */
async function open(t: TestContext) {
  const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
  const timing = new WatchTiming();
  return { world, token, timing, client: clientOf(world, token, { timing }) };
}

it("watching yields the current events, and what changes after a random time of up to 3 seconds", async (t) => {
  const { world, token, timing, client } = await open(t);
  const watching = client.watch();
  assert.deepEqual((await watching.next()).value, { type: "event", event: none });
  await world.ok(token, "/wantedreason/add", { reason: "Theft", points: 3 });
  assert.deepEqual((await watching.next()).value, { type: "changed", resources: ["wantedreason"] });
  assert.deepEqual(timing.slept, [1500]);
  await world.ok(token, "/event/gangwar", { attacker: 1, defender: 2 });
  const event = { ...none, gangwar: { attacker: 1, defender: 2 } };
  assert.deepEqual((await watching.next()).value, { type: "event", event });
  await watching.return(undefined as never);
  while (world.service.streams.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

it("watching ends with the refusal of its token, also of one that is revoked meanwhile", async (t) => {
  const { world, client } = await open(t);
  const stranger = clientOf(world, `gat_${"x".repeat(43)}`, { timing: new WatchTiming() }).watch();
  const refused = await failureOf(stranger.next());
  assert.ok(refused instanceof GameAddonError && refused.code === "TOKEN_UNKNOWN");
  const watching = client.watch();
  await watching.next();
  await world.service.administer("token.revoke", { player: "Ada" });
  const revoked = await failureOf(watching.next());
  assert.ok(revoked instanceof GameAddonError && revoked.code === "TOKEN_REVOKED");
});

it("watching ends with the reason of its signal", async (t) => {
  const { world, client } = await open(t);
  const stopping = new AbortController();
  const watching = client.watch({ signal: stopping.signal });
  await watching.next();
  const next = failureOf(watching.next());
  const reason = new Error("enough");
  stopping.abort(reason);
  assert.equal(await next, reason);
  while (world.service.streams.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

it("watching connects again any number of times without a warning of a leak", async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  const types = ["text/event-stream", "text/plain"];
  const answers = Array.from({ length: 40 }, (_, index) => {
    const headers = { "content-type": types[index % 2] ?? "" };
    return new Response("", { status: index % 2 === 0 ? 200 : 503, headers });
  });
  const client = new GameAddonClient({
    baseUrl: "http://service",
    token: "gat_token",
    timing: new WatchTiming(),
    fetch: async () => answers.shift() ?? Response.json({ code: "TOKEN_REVOKED", info: "" }, { status: 401 }),
  });
  const watching = client.watch();
  assert.deepEqual((await watching.next()).value, { type: "missed" });
  await assert.rejects(async () => {
    for (;;) if ((await watching.next()).done === true) return;
  });
  await new Promise(setImmediate);
  assert.deepEqual([answers.length, warnings], [0, []]);
});

it("a stream of unknown content is closed before the next is opened", async () => {
  let isClosed = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from("event: event\ndata: {\n\n")),
    cancel: () => {
      isClosed = true;
    },
  });
  const refusal = Response.json({ code: "TOKEN_REVOKED", info: "" }, { status: 401 });
  const answers = [new Response(body, { headers: { "content-type": "text/event-stream" } }), refusal];
  const client = new GameAddonClient({
    baseUrl: "http://service",
    token: "gat_token",
    timing: new WatchTiming(),
    fetch: async () => answers.shift() ?? Response.error(),
  });
  await assert.rejects(client.watch().next());
  assert.ok(isClosed);
});

it("watching connects again after growing pauses, and says that something may have been missed", async () => {
  const timing = new WatchTiming();
  const stream = () => {
    const body =
      'retry: 2000\n\n:\n\nevent: event\ndata: {}\n\nevent: later\ndata: {}\n\nevent: event\ndata: {"a"';
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const unavailable = (headers: Record<string, string> = {}) => new Response("", { status: 503, headers });
  const answers = [
    stream(),
    unavailable(),
    unavailable({ "retry-after": "5" }),
    new TypeError("fetch failed"),
    Response.json({ code: "INTERNAL", info: "", requestId: "" }, { status: 500 }),
    new Response("<html>", { headers: { "content-type": "text/html" } }),
    new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }),
  ];
  const client = new GameAddonClient({
    baseUrl: "http://service",
    token: "gat_token",
    timing,
    fetch: async () => {
      const answer = answers.shift();
      if (answer instanceof Response) return answer;
      throw answer;
    },
  });
  const watching = client.watch();
  assert.deepEqual((await watching.next()).value, { type: "event", event: {} });
  assert.deepEqual((await watching.next()).value, { type: "missed" });
  assert.deepEqual(timing.slept, [1500, 3000, 5250, 7500, 7500, 7500, 1500]);
  await watching.return(undefined as never);
});
