/** Batches of changes: which changes share a write, what is measured, and what is written for each. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { JournalRecord } from "../../src/store/change.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import type { Meter } from "../../src/store/journal/meter.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  assertRefused,
  type Call,
  contents,
  type Notebook,
  openNotebook,
  origin,
  put,
  ruledFiles,
  segment,
  systemError,
} from "./_faults.ts";

/** A store on a disk with a rule, and what it measures. */
class Measured {
  readonly measures: string[] = [];
  readonly calls: string[] = [];
  readonly folder: string;
  fails: (call: Call) => boolean = () => false;
  store!: Notebook;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async open(t: TestContext): Promise<Measured> {
    const measured = new Measured(await temporaryFolder(t));
    const say = (text: string, duration = 0) => {
      assert.ok(duration >= 0, `${duration} ms`);
      measured.measures.push(text);
    };
    const meter: Meter = {
      appended: (changes, duration) => say(`appended ${changes}`, duration),
      appendFailed: () => say("append failed"),
      synced: (duration) => say("synced", duration),
      snapshot: (result) => say(`snapshot ${result}`),
    };
    const files = ruledFiles((call) => {
      measured.calls.push(call.operation);
      return measured.fails(call) ? systemError("ENOSPC") : undefined;
    });
    measured.store = await openNotebook(measured.folder, { files, meter, now: () => 1234 });
    t.after(() => measured.store.close().catch(() => {}));
    measured.calls.length = 0;
    return measured;
  }

  /** The numbers of changes that were appended together. */
  get batches(): number[] {
    return this.measures.flatMap((each) => (each.startsWith("appended ") ? Number(each.slice(9)) : []));
  }
}

/** The first change is written alone; meanwhile the others wait. */
function putMany(store: Notebook, count: number): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, index) => put(store, `n${index}`)));
}

describe("a batch", () => {
  for (const [waiting, expected] of [
    [1, [1, 1]],
    [255, [1, 255]],
    [256, [1, 256]],
    [257, [1, 256, 1]],
    [513, [1, 256, 256, 1]],
  ] as const) {
    it(`has at most 256 changes: of ${waiting} that wait`, async (t) => {
      t.mock.method(performance, "now", () => 0);
      const measured = await Measured.open(t);
      await putMany(measured.store, 1 + waiting);
      assert.deepEqual(measured.batches, expected);
      assert.equal(measured.store.sequence, 1 + waiting);
    });
  }

  for (const [milliseconds, expected] of [
    [0, [1, 6]],
    [2.5, [1, 3, 3]],
    [2.6, [1, 2, 2, 2]],
    [5, [1, 2, 2, 2]],
    [5.1, [1, 1, 1, 1, 1, 1, 1]],
  ] as const) {
    it(`is decided for 5 ms: with changes that take ${milliseconds} ms each`, async (t) => {
      let now = 0;
      t.mock.method(performance, "now", () => now);
      const measured = await Measured.open(t);
      const { store } = measured;
      const changes = Array.from({ length: 7 }, (_, index) =>
        store.change(origin, (draft, { sequence }) => {
          now += milliseconds;
          draft.notes.put({ id: `n${index}`, text: "", topic: null });
          return sequence;
        }),
      );
      assert.deepEqual(await Promise.all(changes), [1, 2, 3, 4, 5, 6, 7]);
      assert.deepEqual(measured.batches, expected);
    });
  }

  it("has a change even if time has run out before it is decided", async (t) => {
    let calls = 0;
    const measured = await Measured.open(t);
    t.mock.method(performance, "now", () => {
      calls += 1;
      assert.ok(calls < 1000, "the batches never end");
      return calls * 10;
    });
    await putMany(measured.store, 3);
    assert.deepEqual(measured.batches, [1, 1, 1]);
  });
});

describe("what a store measures", () => {
  it("is each sync, the changes of each append, and each snapshot", async (t) => {
    const { store, measures } = await Measured.open(t);
    await Promise.all([put(store, "a"), put(store, "b"), put(store, "c")]);
    assert.deepEqual(measures.splice(0), ["synced", "appended 1", "synced", "appended 2"]);
    await store.changeInBulk(origin, () => [
      { collection: "notes", key: "d", before: null, after: { id: "d", text: "", topic: null } },
      { collection: "notes", key: "e", before: null, after: { id: "e", text: "", topic: null } },
    ]);
    assert.deepEqual(measures.splice(0), ["synced", "appended 1"]);
    await store.snapshot();
    assert.deepEqual(measures.splice(0), ["snapshot written"]);
    await store.snapshot();
    assert.deepEqual(measures, []);
  });

  it("is each append and each snapshot that failed", async (t) => {
    const measured = await Measured.open(t);
    const { store, measures } = measured;
    await put(store, "a");
    measures.length = 0;
    measured.fails = ({ operation }) => operation === "rename";
    await assertRefused(store.snapshot(), "ENOSPC");
    assert.deepEqual(measures.splice(0), ["snapshot failed"]);
    measured.fails = ({ operation }) => operation === "write";
    await assertRefused(put(store, "b"));
    assert.deepEqual(measures.splice(0), ["append failed"]);
    measured.fails = () => false;
    await put(store, "b");
    assert.deepEqual(measures, ["synced", "appended 1"]);
  });
});

describe("a change", () => {
  it("without effect asks nothing of the disk, and neither does a refused one", async (t) => {
    const { store, calls } = await Measured.open(t);
    await put(store, "a");
    calls.length = 0;
    await put(store, "a");
    await store.change(origin, (draft) => draft.notes.delete("nobody"));
    assert.equal(await store.change(origin, (draft) => draft.notes.size), 1);
    await assert.rejects(
      store.change(origin, (draft) => {
        draft.notes.put({ id: "b", text: "", topic: null });
        throw new Error("no");
      }),
      /no/,
    );
    assert.equal(await store.changeInBulk(origin, () => []), undefined);
    assert.deepEqual(calls, []);
    assert.equal(store.sequence, 1);
  });

  it("is decided after a bulk change that began to be decided before it", async (t) => {
    const { store } = await Measured.open(t);
    let decide = () => {};
    const after = { id: "a", text: "", topic: null };
    const bulk = store.changeInBulk(origin, async ({ sequence, now }) => {
      assert.deepEqual([sequence, now], [1, 1234]);
      await new Promise<void>((resolve) => {
        decide = resolve;
      });
      return [{ collection: "notes", key: "a", before: null, after }];
    });
    let isMade = false;
    const other = store.change(origin, (draft) => {
      isMade = true;
      return draft.notes.get("a");
    });
    for (let turns = 0; turns < 20; turns += 1) await setImmediate();
    assert.deepEqual([isMade, store.data.notes.size], [false, 0]);
    decide();
    assert.equal(await bulk, 1);
    assert.deepEqual(await other, after);
  });

  it("has who, what for and why in the journal", async (t) => {
    const { store, folder } = await Measured.open(t);
    const add = (id: string) => [
      { collection: "notes", key: id, before: null, after: { id, text: id, topic: null } },
    ];
    const whole = { who: "public", token: "t1", operation: "o", request: "r1", table: "v1", undoes: 1 };
    await put(store, "a");
    await store.change(whole, (draft) => draft.notes.put({ id: "b", text: "b", topic: null }));
    await store.changeInBulk({ ...origin, token: undefined }, () => add("c"));
    const records: JournalRecord[] = [];
    for await (const record of readHistory(nodeFiles, folder)) records.push(record);
    const absent = { request: null, table: null, undoes: null };
    assert.deepEqual(records, [
      { sequence: 1, instant: 1234, ...origin, ...absent, changes: add("a") },
      { sequence: 2, instant: 1234, ...whole, changes: add("b") },
      { sequence: 3, instant: 1234, ...origin, ...absent, changes: add("c") },
    ]);
    assert.equal((await readFile(join(folder, segment(1)), "utf8")).match(/"token"/g)?.length, 1);
  });
});

describe("after the disk has failed", () => {
  it("nothing is asked of it any more, whatever is asked of the store", async (t) => {
    const measured = await Measured.open(t);
    const { store, calls } = measured;
    await put(store, "a");
    const before = contents(store.data);
    // The next change begins a batch of its own.
    await setImmediate();
    measured.fails = ({ operation }) => operation === "datasync";
    const waiting = [put(store, "b"), put(store, "c"), store.snapshot(), store.check()];
    const words = (index: number) => (index === 0 ? "may have been saved" : "Nothing was changed");
    await Promise.all(waiting.map((each, index) => assertRefused(each, words(index))));
    measured.fails = () => false;
    calls.length = 0;
    await assertRefused(put(store, "d"), "Nothing was changed");
    await assertRefused(
      store.changeInBulk(origin, () => assert.fail("nothing is decided any more")),
      "Nothing was changed",
    );
    await assertRefused(store.snapshot(), "Nothing was changed");
    await store.check();
    assert.deepEqual(calls, []);
    assert.deepEqual(contents(store.data), before);
    await store.close({ snapshot: true });
    // Not that the service is shutting down: the cause is the disk.
    await assertRefused(put(store, "d"), "Nothing was changed");
    await assertRefused(
      store.changeInBulk(origin, () => []),
      "Nothing was changed",
    );
  });
});
