/** What a store waits for, and when it begins a snapshot. */
import assert from "node:assert/strict";
import { cp, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { temporaryFolder } from "../_setup.ts";
import {
  assertKept,
  assertRefused,
  type Call,
  dataFile,
  fill,
  namesIn,
  type Outcome,
  openNotebook,
  origin,
  put,
  ruledFiles,
  segment,
  snapshot,
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

describe("a failed sync", () => {
  for (const isBulk of [false, true]) {
    it(`of a ${isBulk ? "bulk " : ""}change is marked in the folder before its caller is refused`, async (t) => {
      const fatal: Error[] = [];
      const { gate, folder, store } = await Gate.open(t, 2, { onFatal: (error) => fatal.push(error) });
      gate.fails = ({ operation }) => (operation === "datasync" ? systemError("EIO") : undefined);
      const after = { id: "a", text: "", topic: null };
      const change = (): Promise<unknown> =>
        isBulk
          ? store.changeInBulk(origin, () => [{ collection: "notes", key: "a", before: null, after }])
          : put(store, "a");
      const isMark = ({ path, operation }: Call) => path.endsWith("unsynced") && operation === "close";
      await assertRefused(gate.assertAwaited(change, isMark), "may have been saved");
      assert.deepEqual(await namesIn(folder, /^unsynced$/), ["unsynced"]);
      assert.equal((await stat(join(folder, "unsynced"))).mode & 0o777, 0o600);
      assert.equal(fatal.length, 1);
    });
  }

  it("begins no snapshot, even if one is due, and warns of none", async (t) => {
    const warnings: string[] = [];
    const { gate, folder, store } = await Gate.open(t, 0, {
      snapshotAfter: { bytes: 1, snapshots: 0 },
      warn: (message) => warnings.push(message),
    });
    gate.fails = ({ operation }) => (operation === "datasync" ? systemError("EIO") : undefined);
    await assertRefused(put(store, "a"));
    await store.close();
    assert.deepEqual(warnings, []);
    assert.deepEqual(await namesIn(folder, dataFile), [segment(1)]);
  });
});

describe("a snapshot", () => {
  it("of a store without changes is written", async (t) => {
    const { folder, store } = await Gate.open(t, 0);
    assert.equal(await store.snapshot(), 0);
    await store.close();
    assert.deepEqual(await namesIn(folder, dataFile), [segment(1), snapshot(0)]);
    const again = await openNotebook(folder);
    assertKept(again, 0, 0);
    assert.equal(again.isNew, false);
    await again.close();
  });

  it("that would have no more than the newest one asks nothing of the disk, also after a restart", async (t) => {
    const { folder, store } = await Gate.open(t, 2);
    await store.close({ snapshot: true });
    const gate = new Gate();
    const again = await openNotebook(folder, { files: gate.files });
    assert.ok(!gate.calls.some(({ operation }) => operation === "rename"));
    gate.calls.length = 0;
    assert.equal(await again.snapshot(), 2);
    assert.deepEqual(gate.calls, []);
    await again.close();
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

  it("is not begun while another one is under way", async (t) => {
    const { gate, folder, store } = await Gate.open(t, 0, { snapshotAfter: { bytes: 1, snapshots: 0 } });
    await gate.assertAwaited(async () => {
      await fill(store, 3);
      await store.close();
    }, renames);
    assert.equal((await namesIn(folder, /^snapshot-/)).length, 1);
    assert.equal(gate.calls.filter(renames).length, 1);
  });
});
