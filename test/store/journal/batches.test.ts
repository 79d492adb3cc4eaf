/** Batches of changes: which changes share a write, what is measured, and what is written for each. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { JournalRecord } from "../../../src/store/change.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readHistory } from "../../../src/store/journal/history.ts";
import type { Meter } from "../../../src/store/journal/meter.ts";
import { temporaryFolder } from "../../_setup.ts";
import {
  assertRefused,
  type Call,
  type Notebook,
  openNotebook,
  origin,
  put,
  ruledFiles,
  segment,
  systemError,
} from "../_faults.ts";

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
    return this.measures.flatMap((measure) =>
      measure.startsWith("appended ") ? Number(measure.slice(9)) : [],
    );
  }
}

describe("a batch", () => {
  it("has at most 256 changes, and all changes are made in their order", async (t) => {
    const measured = await Measured.open(t);
    const changes = Array.from({ length: 514 }, (_, index) =>
      measured.store.change(origin, (draft, { sequence }) => {
        draft.notes.put({ id: `n${index}`, text: "", topic: null });
        return sequence;
      }),
    );
    const numbers = changes.map((_, index) => index + 1);
    assert.deepEqual(await Promise.all(changes), numbers);
    assert.ok(Math.max(...measured.batches) <= 256 && measured.batches.length >= 4, `${measured.batches}`);
  });

  it("is decided for 5 ms at most: of changes that take 3 ms each, two share a write", async (t) => {
    const measured = await Measured.open(t);
    const changes = Array.from({ length: 7 }, (_, index) =>
      measured.store.change(origin, (draft) => {
        const end = performance.now() + 3;
        while (performance.now() < end);
        draft.notes.put({ id: `n${index}`, text: "", topic: null });
      }),
    );
    await Promise.all(changes);
    assert.ok(Math.max(...measured.batches) <= 2, `${measured.batches}`);
    assert.equal(measured.store.sequence, 7);
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
