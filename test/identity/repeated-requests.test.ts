/** Repeated requests: which get the stored answer of their key, and when answers expire. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runOnce } from "../../src/identity/idempotency.ts";
import { assertRefused, type Memory, memory } from "../_memory.ts";
import { openStore } from "../audit/_history.ts";

const day = 24 * 60 * 60 * 1000;
const start = 100 * day;

/** Runs an operation that answers the number of its run. */
class Counter {
  readonly data: Memory = memory();
  runs = 0;
  run(scope: string, key: string, { operation = "count", input = {}, now = start } = {}): string {
    return runOnce(this.data, { scope, key, operation, input }, now, () => {
      this.runs += 1;
      return String(this.runs);
    });
  }
}

describe("a request with a key", () => {
  it("is run once for its caller, for 24 hours", () => {
    const counter = new Counter();
    assert.equal(counter.run("Ada", "k"), "1");
    assert.equal(counter.run("Ada", "k", { now: start + day - 1 }), "1");
    assert.equal(counter.run("Bob", "k"), "2");
    assert.equal(counter.run("Ada", "l"), "3");
    assert.equal(counter.run("Ada", "k", { now: start + day }), "4");
    assert.equal(counter.run("Ada", "k", { now: start + 2 * day - 1 }), "4");
    assert.equal(counter.data.repetitions.size, 3);
  });

  it("is refused for another operation or other parameters, until the key expires", () => {
    const counter = new Counter();
    counter.run("Ada", "k", { input: { type: "KILL" } });
    for (const other of [{ input: { type: "DEATH" } }, { operation: "other", input: { type: "KILL" } }]) {
      assertRefused(() => counter.run("Ada", "k", other), {
        code: "CONFLICT",
        message: "The Idempotency-Key was used for another request.",
        parameter: "Idempotency-Key",
        hint: "Use a new key for each operation; repeat a key only to repeat its request.",
      });
    }
    assert.equal(counter.runs, 1);
    assert.equal(counter.run("Ada", "k", { operation: "other", now: start + day }), "2");
  });

  it("deletes the oldest answer of its caller beyond 1,000", () => {
    const counter = new Counter();
    counter.run("Bob", "first");
    for (let number = 0; number < 1000; number += 1) counter.run("Ada", `k${number}`);
    const { repetitions } = counter.data;
    assert.equal(repetitions.find("scope", "Ada").length, 1000);
    counter.run("Ada", "last");
    assert.equal(repetitions.find("scope", "Ada").length, 1000);
    const { runs } = counter;
    counter.run("Ada", "k1");
    counter.run("Bob", "first");
    assert.equal(counter.runs, runs, "these are still stored");
    counter.run("Ada", "k0");
    assert.equal(counter.runs, runs + 1, "the oldest was deleted");
  });

  it("deletes the hundred oldest answers beyond 100,000 of all callers, and no sooner", () => {
    const counter = new Counter();
    const { repetitions } = counter.data;
    for (let number = 0; number < 99_999; number += 1) {
      const scope = `caller-${number % 500}`;
      repetitions.put({ scope, key: `k${number}`, request: "", info: "", instant: start });
    }
    counter.run("Ada", "a");
    assert.equal(repetitions.size, 100_000);
    counter.run("Ada", "b");
    assert.equal(repetitions.size, 99_901);
    assert.deepEqual([repetitions.has("caller-99 k99"), repetitions.has("caller-100 k100")], [false, true]);
    counter.run("Ada", "c");
    assert.equal(repetitions.size, 99_902);
  });
});

it("expired answers are removed with all others of their minute, a thousand at a time", async (t) => {
  const minute = 60_000;
  let now = start;
  const store = await openStore(t, { now: () => now });
  await store.change({ who: "system", operation: "test" }, ({ repetitions }) => {
    for (let number = 0; number < 1003; number += 1) {
      const instant = start + (number < 1001 ? minute - number : minute + 1);
      repetitions.put({ scope: "Ada", key: `k${number}`, request: "", info: "", instant });
    }
  });
  const { sequence } = store;
  now = start + day + minute - 1;
  await store.removeEnded();
  assert.deepEqual([store.data.repetitions.size, store.sequence], [1003, sequence]);
  now = start + day + minute;
  await store.removeEnded();
  assert.deepEqual([store.data.repetitions.size, store.sequence], [2, sequence + 2]);
});
