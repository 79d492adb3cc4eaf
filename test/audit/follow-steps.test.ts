/** The steps of following a journal: when one begins, and that nothing remains open after the last. */
import assert from "node:assert/strict";
import { EventEmitter, getEventListeners } from "node:events";
import fs from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { follow } from "../../src/audit/follow.ts";
import type { JournalRecord } from "../../src/store/change.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { segment, systemError, writeLines } from "../store/_faults.ts";
import { openStore, want } from "./_history.ts";

/** A step that never ends fails the test. */
const inTime = { timeout: 60_000 };

/** The time between two steps without a report, in milliseconds. */
const pollMilliseconds = 2000;

/** A watcher of a folder that reports only what a test tells it to. */
class Watcher extends EventEmitter {
  closed = 0;
  close(): void {
    this.closed += 1;
  }
}

/** Replaces the watchers and the timers of the process. */
function controlled(t: TestContext, failure?: Error) {
  const watcher = new Watcher();
  const timers: { callback: () => void; cleared: boolean }[] = [];
  t.mock.method(fs, "watch", (_folder: string, listener: () => void) => {
    if (failure !== undefined) throw failure;
    return watcher.on("change", listener);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const { setTimeout, clearTimeout } = globalThis;
  t.mock.method(globalThis, "setTimeout", (callback: () => void, milliseconds: number) => {
    // The file system and the store have timers of their own.
    if (milliseconds !== pollMilliseconds) return setTimeout(callback, milliseconds);
    const timer = { callback, cleared: false };
    timers.push(timer);
    return timer;
  });
  t.mock.method(globalThis, "clearTimeout", (timer: { cleared: boolean } | NodeJS.Timeout) => {
    if ("cleared" in timer) timer.cleared = true;
    else clearTimeout(timer);
  });
  return { watcher, timers, change: () => watcher.emit("change") };
}

/** Follows a folder. */
function following(folder: string) {
  const stop = new AbortController();
  return { stop, records: follow(folder, 0, stop.signal) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

const numberOf = ({ value }: IteratorResult<JournalRecord>): number => value?.sequence;

describe("following a journal, step by step", inTime, () => {
  it("polls if the folder cannot be watched", async (t) => {
    const { timers } = controlled(t, systemError("ENOSPC"));
    const store = await openStore(t);
    const { records } = following(store.folder);
    const coming = records.next();
    await until(() => timers.length === 1);
    await want(store, "A");
    timers[0]?.callback();
    assert.equal(numberOf(await coming), 1);
    await records.return(undefined);
  });

  it("polls after its watcher has failed, and closes it", async (t) => {
    const { watcher, timers } = controlled(t);
    const store = await openStore(t);
    const { records } = following(store.folder);
    const coming = records.next();
    await until(() => timers.length === 1);
    watcher.emit("error", systemError("EPERM"));
    assert.equal(watcher.closed, 1);
    await want(store, "A");
    timers[0]?.callback();
    assert.equal(numberOf(await coming), 1);
  });
});

describe("following a journal leaves nothing open", inTime, () => {
  it("when its reader stops", async (t) => {
    const { watcher } = controlled(t);
    const store = await openStore(t);
    await want(store, "A");
    const { records, stop } = following(store.folder);
    await records.next();
    assert.deepEqual([watcher.closed, getEventListeners(stop.signal, "abort").length], [0, 1]);
    await records.return(undefined);
    assert.ok(watcher.closed > 0);
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  });

  it("when it is stopped while it waits", async (t) => {
    const { watcher, timers } = controlled(t);
    const store = await openStore(t);
    const { records, stop } = following(store.folder);
    const coming = records.next();
    await until(() => timers.length === 1);
    stop.abort();
    assert.equal((await coming).done, true);
    assert.ok(watcher.closed > 0);
    assert.equal(timers[0]?.cleared, true);
  });

  it("when the journal cannot be read", async (t) => {
    const { watcher } = controlled(t);
    const store = await openStore(t);
    const { records } = following(store.folder);
    t.mock.method(nodeFiles, "open", () => Promise.reject(systemError("EIO")));
    await assert.rejects(records.next(), { code: "EIO" });
    assert.ok(watcher.closed > 0);
  });
});

it("a journal of a newer version is refused as such when it is followed", inTime, async (t) => {
  const store = await openStore(t);
  await store.close();
  const path = join(store.folder, segment(1));
  const header = JSON.parse((await readFile(path, "utf8")).slice(9));
  await writeFile(path, "");
  await writeLines(path, [{ ...header, version: 99 }]);
  const records = follow(store.folder, 0, new AbortController().signal);
  await assert.rejects(records.next(), {
    code: "STORE_UNAVAILABLE",
    message: /was written in /,
    hint: /newer version/,
  });
});
