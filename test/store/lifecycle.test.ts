/** What a store waits for, and when it begins a snapshot. */
import assert from "node:assert/strict";
import { cp, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import type { Files } from "../../src/store/folder/files.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readState } from "../../src/store/reading.ts";
import { runs } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  assertKept,
  type Call,
  contents,
  dataFile,
  fill,
  namesIn,
  notebook,
  numbered,
  type Outcome,
  openNotebook,
  origin,
  put,
  quickFiles,
  ruledFiles,
  segment,
  snapshot,
  sorted,
  stateAfter,
  systemError,
} from "./_faults.ts";

type Options = NonNullable<Parameters<typeof openNotebook>[1]>;

/** A disk that holds the calls of a rule until they are let go. */
class Gate {
  readonly calls: Call[] = [];
  holds: (call: Call) => boolean = () => false;
  fails: (call: Call) => Outcome = () => undefined;
  #held: (() => void)[] = [];
  readonly files = ruledFiles(async (call) => {
    this.calls.push(call);
    if (this.holds(call)) await new Promise<void>((resolve) => this.#held.push(resolve));
    return this.fails(call);
  });

  /** A store with some changes on such a disk. */
  static async open(t: TestContext, changes: number, options: Options = {}) {
    const gate = new Gate();
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder, { files: gate.files, now: () => 1234, ...options });
    t.after(() => store.close().catch(() => {}));
    await fill(store, changes);
    gate.calls.length = 0;
    return { gate, folder, store };
  }

  /** Starts something, and asserts that it is not done before a held call is. */
  async assertAwaited<T>(start: () => Promise<T>, holds: (call: Call) => boolean): Promise<T> {
    this.holds = holds;
    let isDone = false;
    const done = start().finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    while (this.#held.length === 0) {
      assert.equal(isDone, false, "it is done, and no call was held");
      await setImmediate();
    }
    for (let turns = 0; turns < 20; turns += 1) await setImmediate();
    assert.equal(isDone, false);
    this.letGo();
    return done;
  }

  letGo(): void {
    this.holds = () => false;
    for (const resolve of this.#held.splice(0)) resolve();
  }
}

const renames = ({ operation, path }: Call) => operation === "rename" && path.includes("snapshot-");

describe("closing a store", () => {
  it("waits for the changes that are under way, and refuses those that come", async (t) => {
    const { gate, folder, store } = await Gate.open(t, 2);
    let made: unknown;
    const close = () => {
      made = fill(store, 3);
      const closing = store.close();
      assert.equal(
        gate.calls.some(({ operation }) => operation === "close"),
        false,
      );
      return closing;
    };
    await gate.assertAwaited(close, ({ operation }) => operation === "datasync");
    await made;
    await assert.rejects(put(store, "a"), { code: "SHUTTING_DOWN" });
    await assert.rejects(
      store.changeInBulk(origin, () => assert.fail("nothing is decided any more")),
      { code: "SHUTTING_DOWN" },
    );
    await assert.rejects(store.snapshot(), { code: "SHUTTING_DOWN" });
    await store.check();
    const again = await openNotebook(folder);
    assertKept(again, 3, 3);
    await again.close();
  });

  it("waits for a snapshot that is under way, written or not", async (t) => {
    for (const fails of [false, true]) {
      const { gate, folder, store } = await Gate.open(t, 2);
      if (fails) gate.fails = (call) => (renames(call) ? systemError("EIO") : undefined);
      const taken = store.snapshot().then(
        () => "written",
        () => "failed",
      );
      await gate.assertAwaited(() => store.close(), renames);
      assert.equal(await taken, fails ? "failed" : "written");
      assert.deepEqual(await namesIn(folder, /^snapshot-|tmp$/), fails ? [] : [snapshot(2)]);
      await (await openNotebook(folder)).close();
    }
  });

  it("waits for its own snapshot, and writes none unless it is told to", async (t) => {
    const { gate, folder, store } = await Gate.open(t, 2);
    await gate.assertAwaited(() => store.close({ snapshot: true }), renames);
    assert.deepEqual(await namesIn(folder, /^snapshot-/), [snapshot(2)]);
    for (const options of [undefined, {}, { snapshot: false }]) {
      const again = await openNotebook(folder, { now: () => 1234 });
      await fill(again, again.sequence + 1);
      await again.close(options);
    }
    assert.deepEqual(await namesIn(folder, /^snapshot-/), [snapshot(2)]);
  });

  it("a second time asks nothing of the disk", async (t) => {
    const { gate, store } = await Gate.open(t, 2);
    await store.close();
    gate.calls.length = 0;
    await store.close({ snapshot: true });
    assert.deepEqual(gate.calls, []);
  });
});

describe("a snapshot", () => {
  it("written while changes go on is exactly the state after its number, and loses none of them", async (t) => {
    const folder = await temporaryFolder(t);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 60 }),
        async (before, during) => {
          run += 1;
          const here = join(folder, String(run));
          // Texts that are long enough for several pieces, between which changes get their turn.
          const length = 30_000;
          const store = await openNotebook(here);
          await fill(store, before, length);
          const snapshot = store.snapshot();
          const changes: Promise<number>[] = [];
          for (let number = before + 1; number <= before + during; number += 1) {
            changes.push(store.change(origin, numbered(number, length)));
            if (number % 3 === 0) await changes.at(-1);
          }
          await Promise.all([snapshot, ...changes]);
          await store.close();
          const [name = ""] = (await namesIn(here, /^snapshot-/)).slice(-1);
          const sequence = Number(/\d+/.exec(name));
          assert.ok(sequence >= before);
          const { database } = await readState(nodeFiles, here, notebook, sequence);
          assert.equal(database.sequence, sequence);
          assert.deepEqual(sorted(contents(database.view)), sorted(stateAfter(sequence, length)));
          const again = await openNotebook(here);
          assertKept(again, before + during, before + during, length);
          await again.close();
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it("lets others have their turn while it is encoded, even on an instant disk", async (t) => {
    // What is written to the snapshot is discarded at once, so each turn is one that encoding gave.
    let turns = 0;
    let isWriting = false;
    const open: Files["open"] = async (path, flags, mode) => {
      const file = await quickFiles.open(path, flags, mode);
      if (!path.includes(snapshot(1))) return file;
      isWriting = true;
      const write = async (_: unknown, __: number, length: number) => ({ bytesWritten: length });
      const sync = async () => {
        isWriting = false;
      };
      return Object.assign(file, { write, sync });
    };
    const store = await openNotebook(await temporaryFolder(t), { files: { ...quickFiles, open } });
    await store.change(origin, (draft) => {
      for (let each = 0; each < 40_000; each += 1)
        draft.notes.put({ id: String(each), text: "t".repeat(100), topic: null });
    });
    let isDone = false;
    const taken = store.snapshot().finally(() => {
      isDone = true;
    });
    for (; !isDone; await setImmediate()) if (isWriting) turns += 1;
    await taken;
    assert.ok(turns >= 5, `${turns} turns`);
    await store.close();
  });

  it("at a stop leaves the next start nothing to replay, and is not repeated", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await fill(store, 7);
    await store.close({ snapshot: true });
    await assert.rejects(store.snapshot(), { code: "SHUTTING_DOWN" });
    const names = await namesIn(folder, dataFile);
    assert.deepEqual(names, [
      "journal-000000000001.log",
      "journal-000000000008.log",
      "snapshot-000000000007.jsonl",
    ]);
    const identity = async () => (await stat(join(folder, "snapshot-000000000007.jsonl"))).ino;
    const before = await identity();
    const again = await openNotebook(folder);
    assert.equal(await again.snapshot(), 7);
    await again.close({ snapshot: true });
    assert.deepEqual(await namesIn(folder, dataFile), names);
    assert.equal(await identity(), before);
  });

  it("is written when it returns, and a change goes on meanwhile", async (t) => {
    const { gate, folder, store } = await Gate.open(t, 2);
    const [taken, next] = await gate.assertAwaited(async () => {
      const taking = store.snapshot();
      await fill(store, 3);
      // Another one has every change from before it was requested.
      return Promise.all([taking, store.snapshot()]);
    }, renames);
    assert.ok(taken === 2 || taken === 3);
    assert.equal(next, 3);
    assert.equal((await namesIn(folder, /^snapshot-/)).at(-1), snapshot(3));
  });

  /** Puts notes of some length into a new store, and returns whether a snapshot was begun after each. */
  async function begun(t: TestContext, options: Options, ...lengths: readonly number[]): Promise<boolean[]> {
    const { gate, store } = await Gate.open(t, 0, options);
    const seen: boolean[] = [];
    for (const [index, length] of lengths.entries()) {
      gate.calls.length = 0;
      await put(store, `n${index}`, "x".repeat(length));
      // A snapshot that is due has begun by now; it is finished before the next change.
      await setImmediate();
      const isBegun = gate.calls.some(({ operation }) => operation === "readdir");
      if (isBegun) await store.snapshot();
      seen.push(isBegun);
    }
    await store.close();
    return seen;
  }

  it("begins once the journal has the configured bytes, and not a byte earlier", async (t) => {
    const { folder, store } = await Gate.open(t, 0);
    const sizes: number[] = [];
    for (const each of ["n0", "n1"]) {
      await put(store, each, "x".repeat(100));
      sizes.push((await readFile(join(folder, segment(1)))).length);
    }
    const [one = 0, two = 0] = sizes;
    for (const [bytes, expected] of [
      [one, [true, true]],
      [one + 1, [false, true]],
      [two, [false, true]],
      [two + 1, [false, false]],
    ] as const) {
      assert.deepEqual(await begun(t, { snapshotAfter: { bytes, snapshots: 0 } }, 100, 100), expected);
    }
  });

  it("begins once the journal is as long as the configured multiple of the last one, and not a byte earlier", async (t) => {
    const base = await temporaryFolder(t);
    const whole = join(base, "whole");
    const now = () => 1234;
    const first = await openNotebook(whole, { now });
    await fill(first, 5, 100);
    await first.close({ snapshot: true });
    const { size } = await stat(join(whole, snapshot(5)));
    /** Puts a note of some length, and returns the length of the journal, and whether a snapshot was begun. */
    const grow = async (length: number) => {
      const folder = join(base, String(length));
      await cp(whole, folder, { recursive: true });
      const gate = new Gate();
      const snapshotAfter = { bytes: 1, snapshots: 2 };
      const store = await openNotebook(folder, { files: gate.files, now, snapshotAfter });
      gate.calls.length = 0;
      await put(store, "a", "x".repeat(length));
      await store.close();
      return { grown: (await stat(join(folder, segment(6)))).size, isBegun: gate.calls.some(renames) };
    };
    const { grown, isBegun } = await grow(0);
    assert.equal(isBegun, false);
    const length = 2 * size - grown;
    assert.deepEqual(await grow(length - 1), { grown: 2 * size - 1, isBegun: false });
    assert.deepEqual(await grow(length), { grown: 2 * size, isBegun: true });
  });
});
