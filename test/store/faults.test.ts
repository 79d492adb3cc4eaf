/** The store on a failing disk: which changes it refuses, which it keeps, and what the next start does. */
import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../_setup.ts";
import {
  assertKept,
  assertRefused,
  type Call,
  contents,
  dataFile,
  durableFlag,
  durableFlags,
  fill,
  howDurable,
  type Notebook,
  namesIn,
  numbered,
  type Outcome,
  openNotebook,
  origin,
  put,
  ruledFiles,
  stateAfter,
  systemError,
} from "./_faults.ts";

/** A store with 5 changes on a disk with a rule that can be changed. */
class Bench {
  readonly folder: string;
  readonly calls: Call[] = [];
  readonly fatal: Error[] = [];
  rule: (call: Call) => Outcome = () => undefined;
  store!: Notebook;
  readonly #durable: number;

  constructor(folder: string, durable: number) {
    this.folder = folder;
    this.#durable = durable;
  }

  /** @param durable the flag of writes that are durable when they return; 0 for a system that has none */
  static async open(t: TestContext, durable = durableFlag): Promise<Bench> {
    const bench = new Bench(join(await temporaryFolder(t), "data"), durable);
    await bench.reopen();
    await fill(bench.store, 5);
    t.after(() => bench.store.close().catch(() => {}));
    return bench;
  }

  async reopen(): Promise<void> {
    const files = ruledFiles((call) => {
      this.calls.push(call);
      return this.rule(call);
    }, this.#durable);
    this.store = await openNotebook(this.folder, { files, onFatal: (error) => this.fatal.push(error) });
  }

  /** Fails every call of these operations on the journal. */
  fail(code: string, ...operations: Call["operation"][]): void {
    this.rule = ({ operation, path }) =>
      path.includes("journal-") && operations.includes(operation) ? systemError(code) : undefined;
  }

  heal(): void {
    this.rule = () => undefined;
  }

  journal(): Promise<Buffer> {
    return readFile(join(this.folder, "journal-000000000001.log"));
  }

  /** What a start would find if the process ended now. */
  async assertCopyKeeps(t: TestContext, acknowledged: number, made: number): Promise<void> {
    const copy = await temporaryFolder(t);
    await cp(this.folder, copy, { recursive: true });
    const store = await openNotebook(copy);
    assertKept(store, acknowledged, made);
    await store.close();
  }
}

/** Asserts that each change is refused with 503 and a sentence for the player. */
const assertUnavailable = (...changes: Promise<unknown>[]) => assertRefusals("Nothing was changed", changes);

/** Asserts that changes are refused that the next start may find: nobody may be told that nothing was changed. */
const assertUncertain = (...changes: Promise<unknown>[]) => assertRefusals("may have been saved", changes);

async function assertRefusals(words: string, changes: readonly Promise<unknown>[]): Promise<void> {
  const errors = await Promise.all(changes.map((change) => assertRefused(change, words)));
  for (const error of errors) assert.doesNotMatch(error.message, /injected|journal-/);
}

describe("an append", () => {
  it("is whole even if every write takes only a few bytes", async (t) => {
    const bench = await Bench.open(t);
    bench.rule = ({ operation, length }) =>
      operation === "write" ? { bytes: Math.min(7, length) } : undefined;
    await fill(bench.store, 12);
    await bench.store.snapshot();
    await fill(bench.store, 15);
    await bench.assertCopyKeeps(t, 15, 15);
  });

  const midway = [...durableFlags].flatMap((durable) =>
    // Of a durable write, an I/O error may also be that of its sync.
    ["ENOSPC", "EDQUOT", "EFBIG", ...(durable === 0 ? ["EIO"] : [])].map((code) => ({ durable, code })),
  );
  for (const { durable, code } of midway) {
    const when = `that fails midway with ${code}, with ${howDurable(durable)},`;
    it(`${when} is cut back and refused to all waiting callers; later ones succeed`, async (t) => {
      const bench = await Bench.open(t, durable);
      const before = await bench.journal();
      let writes = 0;
      bench.rule = ({ operation }) => {
        if (operation !== "write") return undefined;
        writes += 1;
        return writes % 2 === 1 ? { bytes: 10 } : systemError(code);
      };
      const reading = bench.store.change(origin, (draft) => draft.notes.size);
      await assertUnavailable(put(bench.store, "a"), put(bench.store, "b"), put(bench.store, "c"));
      assert.equal(await reading, stateAfter(5).notes.length);
      assert.deepEqual(await bench.journal(), before);
      assert.deepEqual(contents(bench.store.data), stateAfter(5));
      assert.equal(bench.store.sequence, 5);
      bench.heal();
      await fill(bench.store, 8);
      assert.deepEqual(bench.fatal, []);
      await bench.assertCopyKeeps(t, 8, 8);
    });
  }

  for (const durable of durableFlags) {
    const where = `on a disk that takes no bytes, with ${howDurable(durable)},`;
    it(`${where} is refused instead of repeated forever`, async (t) => {
      const bench = await Bench.open(t, durable);
      bench.rule = ({ operation }) => (operation === "write" ? { bytes: 0 } : undefined);
      await assertUnavailable(put(bench.store, "a"));
      bench.heal();
      await fill(bench.store, 6);
      await bench.assertCopyKeeps(t, 6, 6);
    });
  }
});

describe("a disk that is no longer reliable", () => {
  const ways: Record<string, [code: string, ...Call["operation"][]]> = {
    "a failed append cannot be cut off": ["ENOSPC", "write", "truncate"],
    "the end of a failed append cannot be synced": ["ENOSPC", "write", "datasync"],
    "a sync fails": ["EIO", "datasync"],
  };
  const cases = Object.entries(ways).flatMap(([way, failure]) =>
    [...durableFlags].map((durable) => ({ way, failure, durable })),
  );
  for (const { way, failure, durable } of cases) {
    const when = `${way}, with ${howDurable(durable)}`;
    it(`${when}: no change is acknowledged any more, and the process must end`, async (t) => {
      const bench = await Bench.open(t, durable);
      bench.fail(...failure);
      const [appended, waiting] = [put(bench.store, "a"), put(bench.store, "b")];
      await Promise.all([assertUncertain(appended), assertUnavailable(waiting)]);
      assert.equal(bench.fatal.length, 1);
      assert.match(String(bench.fatal[0]?.message), /sync|cut back/);
      bench.heal();
      const before = await namesIn(bench.folder, dataFile);
      await assertUnavailable(put(bench.store, "c"), bench.store.snapshot());
      assert.deepEqual(await namesIn(bench.folder, dataFile), before);
      assert.deepEqual(await namesIn(bench.folder, /^unsynced$/), ["unsynced"]);
      assert.deepEqual(contents(bench.store.data), stateAfter(5));
      await bench.store.close({ snapshot: true });
      assert.deepEqual(await namesIn(bench.folder, dataFile), before);
    });
  }

  it("gets everything again at the next start, before anything is served", async (t) => {
    const bench = await Bench.open(t);
    bench.fail("EIO", "datasync");
    await assertUncertain(bench.store.change(origin, numbered(6)));
    await bench.store.close();
    bench.heal();
    bench.calls.length = 0;
    await bench.reopen();
    assertKept(bench.store, 5, 6);
    const { sequence } = bench.store;
    const snapshot = `snapshot-${String(sequence).padStart(12, "0")}.jsonl`;
    const steps = bench.calls.flatMap(({ operation, path }) => {
      if (operation === "sync" && path.includes(snapshot)) return "snapshot synced";
      if (operation === "rename") return "renamed";
      if (operation === "sync" && path === bench.folder) return "folder synced";
      if (operation === "unlink" && path.endsWith("unsynced")) return "marker removed";
      return [];
    });
    assert.deepEqual(steps.slice(-4), ["snapshot synced", "renamed", "folder synced", "marker removed"]);
    assert.deepEqual(await namesIn(bench.folder, /^unsynced$/), []);
    await fill(bench.store, sequence + 2);
    await bench.assertCopyKeeps(t, sequence + 2, sequence + 2);
  });

  it("keeps its mark if that start fails, and the start after it writes everything", async (t) => {
    const bench = await Bench.open(t);
    bench.fail("EIO", "datasync");
    await assertUncertain(bench.store.change(origin, numbered(6)));
    await bench.store.close();
    for (const operation of ["rename", "write", "sync"] as const) {
      bench.rule = (call) => (call.operation === operation ? systemError("EIO") : undefined);
      await assertRefused(bench.reopen(), bench.folder, operation === "sync" ? "could not be synced" : "EIO");
      assert.deepEqual(await namesIn(bench.folder, /^unsynced$/), ["unsynced"]);
    }
    bench.heal();
    await bench.reopen();
    assertKept(bench.store, 5, 6);
  });

  it("at a start is not read from: the start fails, and the one after it writes everything again", async (t) => {
    const bench = await Bench.open(t);
    await bench.store.close();
    bench.fail("EIO", "datasync");
    await assertRefused(bench.reopen(), bench.folder, "could not be synced");
    assert.deepEqual(await namesIn(bench.folder, /^unsynced$/), ["unsynced"]);
    bench.heal();
    await bench.reopen();
    assert.deepEqual(await namesIn(bench.folder, /^unsynced$/), []);
    assert.equal((await namesIn(bench.folder, /^snapshot-/)).length, 1);
    assertKept(bench.store, 5, 5);
  });

  it("that takes no mark either: all changes are refused, and the process must end", async (t) => {
    const bench = await Bench.open(t);
    bench.rule = ({ operation }) =>
      operation === "datasync" || operation === "open" ? systemError("EIO") : undefined;
    const [appended, waiting] = [put(bench.store, "a"), put(bench.store, "b")];
    await Promise.all([assertUncertain(appended), assertUnavailable(waiting)]);
    assert.equal(bench.fatal.length, 1);
  });
});

describe("a snapshot that fails", () => {
  it("at any system call leaves the data unchanged and the store usable, now and after a restart", async (t) => {
    const counting = await Bench.open(t);
    counting.calls.length = 0;
    await counting.store.snapshot();
    const { length } = counting.calls;
    assert.ok(length > 10);
    for (let index = 0; index < length; index += 1) {
      const bench = await Bench.open(t);
      let call = -1;
      bench.rule = () => {
        call += 1;
        return call === index ? systemError("EIO") : undefined;
      };
      const failed = counting.calls[index];
      const outcome = await bench.store.snapshot().then(() => "written", String);
      const step = `${failed?.operation} ${failed?.path.replace(counting.folder, "")}: ${outcome}`;
      bench.heal();
      assert.deepEqual(await namesIn(bench.folder, /\.tmp$/), [], step);
      // A segment that was not begun whole is gone again.
      const inSegment = failed?.path.includes("journal-") && /write|sync/.test(failed.operation);
      if (inSegment) assert.equal((await namesIn(bench.folder, /^journal-/)).length, 1, step);
      await fill(bench.store, 7);
      await bench.assertCopyKeeps(t, 7, 7).catch((error) => assert.fail(`${step}: ${error}`));
      await bench.store.snapshot();
      await fill(bench.store, 9);
      assert.deepEqual(bench.fatal, []);
      await bench.assertCopyKeeps(t, 9, 9).catch((error) => assert.fail(`${step}: ${error}`));
    }
  });

  it("on a full disk, repeatedly and after another change, loses no acknowledged change", async (t) => {
    const bench = await Bench.open(t);
    const full = ({ operation, path }: Call) =>
      operation === "write" && /\.tmp$|journal-0+[^1]/.test(path) ? systemError("ENOSPC") : undefined;
    bench.rule = ({ operation, path }) =>
      operation === "write" && path.endsWith(".tmp") ? systemError("ENOSPC") : undefined;
    await assertRefused(bench.store.snapshot(), "ENOSPC");
    bench.rule = full;
    await assertRefused(bench.store.snapshot(), "ENOSPC");
    bench.heal();
    await fill(bench.store, 7);
    bench.rule = full;
    await assertRefused(bench.store.snapshot(), "ENOSPC");
    bench.heal();
    await bench.assertCopyKeeps(t, 7, 7);
    await fill(bench.store, 9);
    await bench.store.close({ snapshot: true });
    await bench.assertCopyKeeps(t, 9, 9);
  });

  it("and cannot delete its new segment ends all changes, and the next start finds everything", async (t) => {
    const bench = await Bench.open(t);
    bench.rule = ({ operation, path }) =>
      operation === "unlink" || (operation === "sync" && path === bench.folder)
        ? systemError("EIO")
        : undefined;
    await assertRefused(bench.store.snapshot(), "EIO");
    bench.heal();
    assert.equal((await namesIn(bench.folder, /^journal-/)).length, 2);
    const { sequence } = bench.store;
    await assertRefused(fill(bench.store, sequence + 1), "Nothing was changed");
    await bench.assertCopyKeeps(t, sequence, sequence);
    await bench.store.close();
    await bench.reopen();
    await fill(bench.store, 10);
    await bench.assertCopyKeeps(t, 10, 10);
    await bench.store.snapshot();
    await fill(bench.store, 12);
    await bench.assertCopyKeeps(t, 12, 12);
  });

  it("after it was begun because of the journal's size causes a warning, and changes go on", async (t) => {
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const folder = await temporaryFolder(t);
    const files = ruledFiles(({ operation, path }) =>
      operation === "rename" && path.includes("snapshot-") ? systemError("EIO") : undefined,
    );
    const store = await openNotebook(folder, { files, snapshotAfter: { bytes: 1000, snapshots: 0 }, warn });
    await fill(store, 30);
    await store.close();
    assert.deepEqual(await namesIn(folder, /^snapshot-|\.tmp$/), []);
    assert.deepEqual([...new Set(warnings)], ["No snapshot could be written."]);
    const again = await openNotebook(folder);
    t.after(() => again.close());
    assertKept(again, 30, 30);
  });
});
