/** The ids of requests. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { Exchange } from "../../src/engine/exchange.ts";

it("each of many requests has another random UUID", () => {
  const ids = Array.from({ length: 1000 }, () => {
    return new Exchange({}, { method: "GET", address: undefined }).requestId;
  });
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
