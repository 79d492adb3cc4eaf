/** The compression of answers (RFC 9110, sections 8.4, 8.8.3 and 12.5.3). */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { ReadyBody } from "../../../src/engine/body.ts";
import { wantedReason } from "../../_entries.ts";
import { openAs, prefix, type World } from "../../_setup.ts";

/** Opens a service with a list of 60 wanted reasons. */
async function open(t: TestContext): Promise<{ world: World; ask: Ask }> {
  const { world, token } = await openAs(t, "Ada");
  await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
    for (let points = 0; points < 60; points += 1)
      draft.entries.put(wantedReason(`Reason-${points}`, points));
  });
  const ask: Ask = (headers, path = "/wantedreason") =>
    Promise.resolve(world.service.fetch(new Request(`http://x${prefix}/${token}${path}`, { headers })));
  return { world, ask };
}

type Ask = (headers: Record<string, string>, path?: string) => Promise<Response>;

describe("a long list", () => {
  it("a long list is compressed if Accept-Encoding allows gzip", async (t) => {
    const { ask } = await open(t);
    const plain = await ask({});
    const text = await plain.text();
    for (const accepted of ["gzip", "br, GZIP", "gzip;q=0.5, identity;q=0.1", "deflate, *"]) {
      const answer = await ask({ "Accept-Encoding": accepted });
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal(answer.headers.get("content-encoding"), "gzip", accepted);
      assert.equal(answer.headers.get("content-length"), String(bytes.length));
      assert.equal(gunzipSync(bytes).toString(), text);
      assert.ok(bytes.length < Number(plain.headers.get("content-length")), "it is shorter");
    }
    for (const accepted of ["br", "gzip;q=0", "gzip; q=0.000", "*;q=0", "identity", "gzipped"]) {
      const answer = await ask({ "Accept-Encoding": accepted });
      assert.equal(answer.headers.get("content-encoding"), null, accepted);
      assert.equal(await answer.text(), text);
    }
    for (const headers of [{}, { "Accept-Encoding": "gzip" }])
      assert.equal((await ask(headers)).headers.get("vary"), "Accept-Encoding");
  });

  it("a compressed list has its own ETag, and either ETag matches either form", async (t) => {
    const { world, ask } = await open(t);
    const plain = (await ask({})).headers.get("etag") ?? "";
    const gzip = (await ask({ "Accept-Encoding": "gzip" })).headers.get("etag") ?? "";
    assert.notEqual(plain, gzip);
    for (const etag of [plain, gzip, `W/${gzip}`, `"x", ${plain}`]) {
      for (const encoding of ["gzip", "identity"]) {
        const again = await ask({ "If-None-Match": etag, "Accept-Encoding": encoding });
        assert.equal(again.status, 304, `${etag} for ${encoding}`);
        assert.equal(await again.text(), "");
      }
    }
    await world.service.call("/wantedreason/add", [
      ["reason", "Another"],
      ["points", "1"],
    ]);
    assert.equal((await ask({ "If-None-Match": gzip, "Accept-Encoding": "gzip" })).status, 200);
  });
});

it("a list that fits into one packet is not compressed", async (t) => {
  const { ask } = await open(t);
  const answer = await ask({ "Accept-Encoding": "gzip" }, "/player/groups");
  assert.equal(answer.headers.get("content-encoding"), null);
  assert.ok(((await answer.json()) as string[]).includes("VIP"), "it lists VIP");
});

it("a large body is sent uncompressed until another thread has compressed it", async () => {
  const text = Array.from({ length: 30_000 }, (_, number) => `Reason-${number}`);
  const body = new ReadyBody(text, { cached: true });
  const plain = body.for("gzip");
  assert.equal(plain.encoding, undefined);
  assert.deepEqual(JSON.parse(plain.bytes.toString()), text);
  while (body.for("gzip").encoding === undefined) await new Promise(setImmediate);
  const compressed = body.for("gzip");
  assert.deepEqual(gunzipSync(compressed.bytes), plain.bytes);
  assert.notEqual(compressed.etag, plain.etag);
  assert.ok(body.matches(compressed.etag), "its ETag matches");
  assert.equal(body.for(null), plain);
});
