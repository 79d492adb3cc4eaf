/** Idempotency keys: which answers are stored, and for how long. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { model } from "../../src/domain/model.ts";
import { runOnce } from "../../src/identity/idempotency.ts";
import type { DataStore } from "../../src/store/data.ts";
import { Store } from "../../src/store/store.ts";
import { type Cleanup, Clock, temporaryFolder } from "../_setup.ts";

async function openStore(t: Cleanup, folder?: string): Promise<DataStore> {
  const store = await Store.open({ folder: folder ?? (await temporaryFolder(t)), model, now: () => now });
  t.after(() => store.close());
  return store;
}

const { time: now } = new Clock();

/** Returns a function that runs an operation with a key and answers the number of the run. */
function counter(store: DataStore) {
  let runs = 0;
  const run = () => {
    runs += 1;
    return String(runs);
  };
  return async (scope: string, key: string, change = run): Promise<string> => {
    const request = { scope, key, operation: "count", input: {} };
    const origin = { who: "public", operation: "count" };
    return store.change(origin, (draft) => runOnce(draft, request, now, change));
  };
}

/** Stores answers of a caller directly, as an older version may have. */
async function fill(store: DataStore, scope: string, count: number): Promise<void> {
  const piece = 5000;
  for (let first = 0; first < count; first += piece) {
    await store.change({ who: "system", operation: "fill" }, (draft) => {
      for (let number = first; number < Math.min(count, first + piece); number += 1) {
        const record = { scope, key: `k-${number}`, request: "", info: "", instant: now };
        draft.repetitions.put(record);
      }
    });
  }
}

describe("the answers of a caller", () => {
  it("old stored answers are deleted in the change that adds one", async (t) => {
    const store = await openStore(t);
    await fill(store, "Ada", 1000);
    const { sequence } = store;
    await counter(store)("Ada", "new");
    assert.equal(store.sequence, sequence + 1);
    assert.equal(store.data.repetitions.size, 1000);
    assert.equal(store.data.repetitions.has("Ada k-0"), false);
  });

  it("stored answers of an older version beyond 1,000 are deleted, a hundred per change", async (t) => {
    const folder = await temporaryFolder(t);
    const before = await Store.open({ folder, model, now: () => now });
    await fill(before, "Ada", 1250);
    await before.close();
    const store = await openStore(t, folder);
    const count = counter(store);
    const left: number[] = [];
    for (const key of ["a", "b", "c", "d"]) {
      await count("Ada", key);
      left.push(store.data.repetitions.size);
    }
    assert.deepEqual(left, [1151, 1052, 1000, 1000]);
  });

  it("the answer of an operation that fails is not stored, and its key stays free", async (t) => {
    const store = await openStore(t);
    const count = counter(store);
    const fail = () => {
      throw new Error("refused");
    };
    await assert.rejects(count("Ada", "k-1", fail), /refused/);
    assert.equal(store.data.repetitions.size, 0);
    assert.equal(await count("Ada", "k-1"), "1");
  });
});
