/** Retention: every moment of the period can be restored, even after quiet days and after a jump of the clock. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { findMoment } from "../../src/store/clock.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readState } from "../../src/store/reading.ts";
import { Clock, day, temporaryFolder } from "../_setup.ts";
import {
  contents,
  fill,
  type Notebook,
  namesIn,
  notebook,
  openNotebook,
  ruledFiles,
  segment,
  snapshot,
  sorted,
  stateAfter,
  systemError,
} from "./_faults.ts";

/** A store whose clock is set by hand, and what was true when: the number of the last change at each day. */
class Diary {
  readonly folder: string;
  readonly #clock: Clock;
  readonly #begin: number;
  readonly #days: { readonly day: number; readonly sequence: number }[] = [];
  store!: Notebook;

  constructor(folder: string, clock: Clock) {
    this.folder = folder;
    this.#clock = clock;
    this.#begin = clock.time;
  }

  static async open(t: TestContext): Promise<Diary> {
    const clock = new Clock();
    const diary = new Diary(await temporaryFolder(t), clock);
    diary.store = await openNotebook(diary.folder, { now: clock.now });
    t.after(() => diary.store.close());
    return diary;
  }

  /** Makes a change on a day, then a snapshot. @param shown the day that the clock shows meanwhile */
  async on(actual: number, { shown = actual } = {}): Promise<void> {
    this.#set(shown);
    await fill(this.store, this.store.sequence + 1);
    this.#days.push({ day: actual, sequence: this.store.sequence });
    await this.store.snapshot();
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = await openNotebook(this.folder, { now: this.#clock.now });
  }

  /** Makes a change on a day. */
  async changeOn(actual: number): Promise<void> {
    this.#set(actual);
    await fill(this.store, this.store.sequence + 1);
    this.#days.push({ day: actual, sequence: this.store.sequence });
  }

  #set(shown: number): void {
    this.#clock.time = this.#begin + shown * day;
  }

  /** Asserts that each day from one on can still be restored. */
  async assertReaches(from: number): Promise<void> {
    for (const { day: written, sequence } of this.#days) {
      if (written < from) continue;
      const { database } = await readState(nodeFiles, this.folder, notebook, { until: sequence });
      assert.equal(database.sequence, sequence, `day ${written}`);
      assert.deepEqual(sorted(contents(database.view)), sorted(stateAfter(sequence)), `day ${written}`);
    }
  }

  snapshots(): Promise<string[]> {
    return namesIn(this.folder, /^snapshot-/);
  }
}

describe("a store in use", () => {
  it("writes a snapshot with a change a week after the newest one, also after a restart", async (t) => {
    const diary = await Diary.open(t);
    await diary.on(0);
    await diary.changeOn(6.9);
    assert.equal((await diary.snapshots()).length, 1);
    await diary.reopen();
    await diary.changeOn(7);
    while ((await diary.snapshots()).length < 2) await setImmediate();
  });

  it("waits ten minutes with another attempt after one has failed, since each begins a file", async (t) => {
    const clock = new Clock();
    const folder = await temporaryFolder(t);
    const files = ruledFiles(({ operation, path }) =>
      operation === "rename" && path.includes("snapshot-") ? systemError("ENOSPC") : undefined,
    );
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const snapshotAfter = { bytes: 10_000, snapshots: 0 };
    const store = await openNotebook(folder, { files, warn, now: () => clock.time, snapshotAfter });
    await fill(store, 30);
    const attempts = async (count: number) => {
      await fill(store, store.sequence + 5);
      while (warnings.length < count) await setImmediate();
      return [warnings.length, (await namesIn(folder, /^journal-/)).length];
    };
    assert.deepEqual(await attempts(1), [1, 2]);
    assert.deepEqual(await attempts(1), [1, 2]);
    // Then the journal need not grow that much again.
    clock.time += 10 * 60_000;
    assert.deepEqual(await attempts(2), [2, 3]);
    await store.close();
  });

  it("keeps a snapshot after which old files cannot be deleted", async (t) => {
    const folder = await temporaryFolder(t);
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    let isLocked = true;
    const files = ruledFiles(({ operation }) =>
      operation === "unlink" && isLocked ? systemError("EACCES") : undefined,
    );
    const retention = { milliseconds: 0, snapshots: 1 };
    const store = await openNotebook(folder, { files, warn, retention });
    for (const sequence of [5, 10, 15, 20]) {
      await fill(store, sequence);
      assert.equal(await store.snapshot(), sequence);
    }
    assert.deepEqual([...new Set(warnings)], ["Superseded files could not be deleted."]);
    isLocked = false;
    await store.snapshot();
    assert.equal((await namesIn(folder, /^snapshot-/)).length, 1, "they go also without another change");
    await store.close().catch(() => {});
  });

  it("writes its first snapshot with a change a week after the journal began, also after a restart", async (t) => {
    const diary = await Diary.open(t);
    await diary.changeOn(0);
    await diary.changeOn(6.9);
    assert.equal((await diary.snapshots()).length, 0);
    await diary.reopen();
    await diary.changeOn(7);
    while ((await diary.snapshots()).length < 1) await setImmediate();
  });

  it("writes a snapshot with the next change after one that was dated years ahead", async (t) => {
    const diary = await Diary.open(t);
    await diary.on(0, { shown: 3650 });
    await diary.changeOn(1);
    while ((await diary.snapshots()).length < 2) await setImmediate();
    await diary.changeOn(2);
    await diary.store.snapshot();
    assert.equal((await diary.snapshots()).length, 3);
  });

  it("deletes what is older than eight weeks, with one change a week", async (t) => {
    const diary = await Diary.open(t);
    for (let week = 0; week <= 12; week += 1) {
      await diary.changeOn(week * 7);
      await diary.store.snapshot();
    }
    const [oldest = ""] = await namesIn(diary.folder, /^journal-/);
    assert.ok(Number(/\d+/.exec(oldest)?.[0]) > 12 - 8, oldest);
    await diary.assertReaches(12 * 7 - 14);
  });
});

describe("retention", () => {
  it("allows restoring yesterday after 20 quiet days and four snapshots on one day", async (t) => {
    const diary = await Diary.open(t);
    for (const number of [0, 0.1, 0.2, 0.3]) await diary.on(number);
    // The service ran on, with a change each day and no reason for a snapshot.
    for (let number = 1; number < 20; number += 1) await diary.changeOn(number);
    for (const number of [20, 20.1, 20.2, 20.3]) await diary.on(number);
    await diary.assertReaches(6);
    const yesterday = new Clock().time + 19.3 * day;
    const { sequence = 0 } = (await findMoment(nodeFiles, diary.folder, yesterday)) ?? {};
    const { database } = await readState(nodeFiles, diary.folder, notebook, { until: sequence });
    assert.equal(database.sequence, 4 + 19);
  });

  it("deletes what no moment of the last 14 days needs", async (t) => {
    const diary = await Diary.open(t);
    for (let number = 0; number <= 40; number += 1) await diary.on(number);
    // Now is day 38, by the earliest of the last three. Days up to 24 are old, and the third newest of them is 22.
    const oldest = 22 + 1;
    assert.equal((await diary.snapshots())[0], snapshot(oldest));
    assert.equal((await namesIn(diary.folder, /^journal-/))[0], segment(oldest + 1));
    await diary.assertReaches(22);
  });

  for (const [when, shown, jumps] of [
    ["30 days ahead for one snapshot", 42, 1],
    ["30 days ahead for two snapshots", 42, 2],
    ["73 years ahead for one snapshot", 73 * 365, 1],
    ["73 years ahead for two snapshots", 73 * 365, 2],
    ["in 1970 for one snapshot", -56 * 365, 1],
  ] as const) {
    it(`deletes nothing of the last 14 days if the clock is ${when}`, async (t) => {
      const diary = await Diary.open(t);
      for (let number = 0; number <= 12; number += 1) await diary.on(number);
      for (let jump = 0; jump < jumps; jump += 1) await diary.on(12, { shown: shown + jump / 10 });
      await diary.assertReaches(0);
      for (const number of [13, 14, 15, 20, 25]) {
        await diary.on(number);
        await diary.assertReaches(number - 14);
      }
    });
  }

  it("still deletes after the clock was ahead for one snapshot", async (t) => {
    const diary = await Diary.open(t);
    await diary.on(0);
    await diary.on(1, { shown: 73 * 365 });
    for (let number = 2; number <= 40; number += 1) await diary.on(number);
    assert.equal((await diary.snapshots()).includes(snapshot(2)), false);
  });
});
