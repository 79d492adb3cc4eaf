/** The store on a working disk: changes and batches. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Failure } from "../../src/domain/errors.ts";
import { temporaryFolder } from "../_setup.ts";
import { contents, openNotebook, origin, put, ruledFiles } from "./_faults.ts";

/** A store of which each sync of a change is held until it is let go. */
async function heldStore(t: TestContext) {
  const gate = { syncs: 0, closed: false, open: () => {} };
  const files = ruledFiles(async ({ operation }) => {
    if (operation !== "datasync") return undefined;
    gate.syncs += 1;
    if (gate.closed) {
      await new Promise<void>((resolve) => {
        gate.open = resolve;
      });
    }
    return undefined;
  });
  const store = await openNotebook(await temporaryFolder(t), { files });
  t.after(() => store.close());
  gate.syncs = 0;
  gate.closed = true;
  /** Waits for the sync of a number, and for everything that does not wait for it. */
  const reach = async (sync: number) => {
    while (gate.syncs < sync) await setImmediate();
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  };
  return { gate, store, reach };
}

describe("a change", () => {
  it("returns its answer and is visible to everyone", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    t.after(() => store.close());
    const answer = await store.change({ who: "operator", operation: "test" }, (draft, { sequence }) => {
      draft.notes.put({ id: "a", text: "one", topic: null });
      assert.equal(draft.notes.get("a")?.text, "one");
      return `change ${sequence}`;
    });
    assert.equal(answer, "change 1");
    assert.equal(store.data.notes.get("a")?.text, "one");
    assert.equal(store.sequence, 1);
  });

  it("that throws changes nothing, and others in its batch are made", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await put(store, "a", "old");
    const refusal = new Failure("CONFLICT", "no");
    const outcomes = await Promise.allSettled([
      put(store, "b"),
      store.change(origin, (draft) => {
        draft.notes.put({ id: "a", text: "new", topic: null });
        draft.notes.delete("b");
        throw refusal;
      }),
      store.change(origin, (draft) => [...draft.notes.values()].map(({ id, text }) => `${id}=${text}`)),
    ]);
    assert.equal(outcomes[1]?.status === "rejected" && outcomes[1].reason, refusal);
    assert.deepEqual(outcomes[2]?.status === "fulfilled" && outcomes[2].value, ["a=old", "b=b"]);
    assert.equal(store.sequence, 2);
    await store.close();
    const again = await openNotebook(folder);
    t.after(() => again.close());
    assert.deepEqual(contents(again.data), contents(store.data));
  });

  it("that cannot be encoded is refused and invisible to those after it", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    t.after(() => store.close());
    const impossible = store.change(origin, (draft) => {
      draft.notes.put({ id: "a", text: 1n as unknown as string, topic: null });
    });
    const seen = store.change(origin, (draft) => draft.notes.has("a"));
    await assert.rejects(impossible, /BigInt/);
    assert.equal(await seen, false);
    assert.equal(store.data.notes.has("a"), false);
  });

  it("is acknowledged only after its sync, and invisible before", async (t) => {
    const { gate, store, reach } = await heldStore(t);
    let answers = 0;
    const change = put(store, "a").then(() => {
      answers += 1;
    });
    await reach(1);
    assert.equal(answers, 0);
    assert.equal(store.data.notes.has("a"), false);
    assert.equal(store.sequence, 0);
    gate.closed = false;
    gate.open();
    await change;
    assert.equal(store.data.notes.has("a"), true);
  });

  it("that is refused because of an earlier one waits for the sync of that one", async (t) => {
    const { gate, store, reach } = await heldStore(t);
    const first = put(store, "first");
    const second = put(store, "a");
    let refused = false;
    const third = store
      .change(origin, (draft) => {
        if (draft.notes.has("a")) throw new Failure("CONFLICT", "a is there");
      })
      .catch(() => {
        refused = true;
      });
    await reach(1);
    gate.open();
    await first;
    // The refusal rests on what is not durable yet.
    await reach(2);
    assert.equal(refused, false);
    gate.closed = false;
    gate.open();
    await Promise.all([second, third]);
    assert.equal(refused, true);
  });
});
