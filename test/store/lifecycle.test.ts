/** What a store waits for when it is closed, and when it begins a snapshot. */
import assert from "node:assert/strict";
import { cp, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { readState } from "../../src/store/reading.ts";
import { runs } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  assertKept,
  contents,
  dataFile,
  fill,
  namesIn,
  notebook,
  numbered,
  openFiles,
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

describe("closing a store", () => {
  for (const fails of [false, true]) {
    it(`waits for changes and a snapshot that ${fails ? "fails" : "is written"}, and refuses what comes later`, async (t) => {
      const folder = await temporaryFolder(t);
      const files = ruledFiles(async ({ operation, path }) => {
        for (let turns = 0; turns < 5; turns += 1) await setImmediate();
        return fails && operation === "rename" && path.includes("snapshot-") ? systemError("EIO") : undefined;
      });
      const store = await openNotebook(folder, { files });
      const settled: string[] = [];
      fill(store, 3).then(() => settled.push("changes"));
      const taken = store.snapshot();
      taken.then(
        () => settled.push("written"),
        () => settled.push("failed"),
      );
      while ((await namesIn(folder, /\.tmp$/)).length === 0) await setImmediate();
      const closing = store.close();
      for (const refused of [
        put(store, "a"),
        store.changeInBulk(origin, () => assert.fail("nothing is decided any more")),
        store.snapshot(),
      ]) {
        await assert.rejects(refused, { code: "SHUTTING_DOWN" });
      }
      await closing;
      assert.deepEqual(openFiles(folder), []);
      assert.ok(settled.includes(fails ? "failed" : "written"), `${settled}`);
      assert.deepEqual((await namesIn(folder, /^snapshot-/)).length, fails ? 0 : 1);
      const made = store.sequence;
      await store.check();
      await store.close({ snapshot: true });
      assert.equal((await namesIn(folder, /^snapshot-/)).length, fails ? 0 : 1, "it is closed already");
      const again = await openNotebook(folder);
      assertKept(again, made, 3);
      await again.close();
    });
  }

  it("writes a snapshot only if it is told to", async (t) => {
    const folder = await temporaryFolder(t);
    for (const options of [undefined, {}, { snapshot: false }, { snapshot: true }]) {
      const store = await openNotebook(folder);
      await fill(store, store.sequence + 1);
      await store.close(options);
      assert.equal((await namesIn(folder, /^snapshot-/)).length, options?.snapshot ? 1 : 0);
    }
  });
});

describe("a snapshot", () => {
  it("written while changes go on is exactly the state after its number, and loses none of them", async (t) => {
    const folder = await temporaryFolder(t);
    let run = 0;
    const counts = [fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 60 })] as const;
    const property = fc.asyncProperty(...counts, async (before, during) => {
      run += 1;
      const here = join(folder, String(run));
      // Texts that are long enough for several pieces, between which changes get their turn.
      const length = 30_000;
      const store = await openNotebook(here);
      await fill(store, before, length);
      const first = store.snapshot();
      const changes: Promise<number>[] = [];
      for (let number = before + 1; number <= before + during; number += 1) {
        changes.push(store.change(origin, numbered(number, length)));
        if (number % 3 === 0) await changes.at(-1);
      }
      await Promise.all(changes);
      // One that is requested while another is written has every change that was acknowledged before.
      assert.equal(await store.snapshot(), before + during);
      await first;
      await store.close();
      for (const name of await namesIn(here, /^snapshot-/)) {
        const sequence = Number(/\d+/.exec(name));
        assert.ok(sequence >= before);
        const { database } = await readState(nodeFiles, here, notebook, { until: sequence });
        assert.equal(database.sequence, sequence);
        assert.deepEqual(sorted(contents(database.view)), sorted(stateAfter(sequence, length)));
      }
      const again = await openNotebook(here);
      assertKept(again, before + during, before + during, length);
      await again.close();
    });
    await fc.assert(property, { numRuns: runs(10) });
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
      for (let index = 0; index < 40_000; index += 1)
        draft.notes.put({ id: String(index), text: "t".repeat(100), topic: null });
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
    assert.deepEqual(names, [segment(1), segment(8), snapshot(7)]);
    const identity = async () => (await stat(join(folder, snapshot(7)))).ino;
    const before = await identity();
    const again = await openNotebook(folder);
    assert.equal(await again.snapshot(), 7);
    await again.close({ snapshot: true });
    assert.deepEqual(await namesIn(folder, dataFile), names);
    assert.equal(await identity(), before);
  });

  /** Puts a note of some length; returns the length of the journal, and whether a snapshot was begun then. */
  async function grow(folder: string, length: number, snapshotAfter: { bytes: number; snapshots: number }) {
    const store = await openNotebook(folder, { snapshotAfter, now: () => 1234 });
    const { length: before } = await namesIn(folder, /^snapshot-/);
    const newest = (await namesIn(folder, /^journal-/)).at(-1) ?? "";
    await put(store, "a", "x".repeat(length));
    await store.close();
    const { size } = await stat(join(folder, newest));
    return { size, isBegun: (await namesIn(folder, /^snapshot-/)).length > before };
  }

  it("begins once the journal has the configured bytes, and not a byte earlier", async (t) => {
    const base = await temporaryFolder(t);
    const { size } = await grow(join(base, "large"), 100, { bytes: 1e9, snapshots: 0 });
    for (const [bytes, isBegun] of [
      [size, true],
      [size + 1, false],
    ] as const) {
      const grown = await grow(join(base, String(bytes)), 100, { bytes, snapshots: 0 });
      assert.deepEqual(grown, { size, isBegun });
    }
  });

  it("begins once the journal is as long as the configured multiple of the last one, and not a byte earlier", async (t) => {
    const base = await temporaryFolder(t);
    const whole = join(base, "whole");
    const first = await openNotebook(whole, { now: () => 1234 });
    await fill(first, 5, 100);
    await first.close({ snapshot: true });
    const { size: last } = await stat(join(whole, snapshot(5)));
    const after = async (length: number) => {
      const folder = join(base, String(length));
      await cp(whole, folder, { recursive: true });
      return grow(folder, length, { bytes: 1, snapshots: 2 });
    };
    const { size, isBegun } = await after(0);
    assert.equal(isBegun, false);
    const length = 2 * last - size;
    assert.deepEqual(await after(length - 1), { size: 2 * last - 1, isBegun: false });
    assert.deepEqual(await after(length), { size: 2 * last, isBegun: true });
  });
});

it("a disk that fails during a snapshot of the journal's size causes a warning, and changes go on", async (t) => {
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
  assertKept(again, 30, 30);
  await again.close();
});

it("a store whose journal cannot be closed releases its folder all the same", async (t) => {
  const folder = await temporaryFolder(t);
  let isFailing = false;
  const files = ruledFiles(({ operation, path }) =>
    isFailing && operation === "close" && path.includes(segment(1)) ? systemError("EIO") : undefined,
  );
  const store = await openNotebook(folder, { files });
  isFailing = true;
  await assert.rejects(store.close(), { code: "EIO" });
  await (await openNotebook(folder)).close();
});
