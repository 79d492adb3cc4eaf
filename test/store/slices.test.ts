/** Slices of a long computation. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Slices } from "../../src/store/slices.ts";

describe("a slice", () => {
  it("is over after 3 ms, and the next one begins when the event loop has had its turn", async (t) => {
    let now = 1000;
    t.mock.method(performance, "now", () => now);
    const slices = new Slices();
    assert.equal(slices.isOver, false);
    now = 1002.9;
    assert.equal(slices.isOver, false);
    now = 1003;
    assert.equal(slices.isOver, true);
    now = 1050;
    const turns: string[] = [];
    setImmediate(() => {
      turns.push("another's");
      now = 1060;
    });
    await slices.next();
    turns.push("ours");
    assert.deepEqual(turns, ["another's", "ours"]);
    now = 1062.9;
    assert.equal(slices.isOver, false);
    now = 1063;
    assert.equal(slices.isOver, true);
  });
});
