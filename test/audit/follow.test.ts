/** Following a journal: each change is yielded once and in order, across segments. */
import assert from "node:assert/strict";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { follow } from "../../src/audit/follow.ts";
import { segmentFile } from "../../src/store/folder/folder-names.ts";
import { wantedKey, wantedReason } from "../_entries.ts";
import { segment, writeLines } from "../store/_faults.ts";
import { changeOf, type Keeper, openStore, want } from "./_history.ts";

/** A change that is never yielded fails the test. */
const inTime = { timeout: 60_000 };

/** Follows a folder after a change. `next` waits for that many numbers. */
function following(t: TestContext, folder: string, after: number) {
  const stop = new AbortController();
  const records = follow(folder, after, stop.signal);
  t.after(() => stop.abort());
  return {
    stop: () => stop.abort(),
    records,
    async next(count: number): Promise<number[]> {
      const numbers: number[] = [];
      while (numbers.length < count) {
        const { value, done } = await records.next();
        assert.ok(done !== true, "it ended");
        numbers.push(value.sequence);
      }
      return numbers;
    },
  };
}

/** Puts a file in the place of another one at once: one that ends within its header would be damage. */
async function replace(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, bytes);
  await rename(`${path}.new`, path);
}

async function wantAll(store: Keeper, ...reasons: readonly string[]): Promise<void> {
  for (const reason of reasons) await want(store, reason);
}

describe("following a journal", inTime, () => {
  it("yields the existing changes after a number, then new ones", async (t) => {
    const store = await openStore(t);
    await wantAll(store, "A", "B", "C");
    const followed = following(t, store.folder, 1);
    assert.deepEqual(await followed.next(2), [2, 3]);
    const coming = followed.next(1);
    await want(store, "D");
    assert.deepEqual(await coming, [4]);
  });

  it("yields new changes of an empty journal", async (t) => {
    const store = await openStore(t);
    const coming = following(t, store.folder, 0).next(2);
    await wantAll(store, "A", "B");
    assert.deepEqual(await coming, [1, 2]);
  });

  it("yields a bulk change of several lines once, as one change", async (t) => {
    const store = await openStore(t);
    await want(store, "A");
    const followed = following(t, store.folder, 0);
    assert.deepEqual(await followed.next(1), [1]);
    const coming = followed.next(2);
    const changes = Array.from({ length: 20_000 }, (_, index) =>
      changeOf("entries", wantedKey(`R${index}`), null, wantedReason(`R${index}`)),
    );
    await store.changeInBulk({ who: "operator", operation: "data.import" }, () => changes);
    await want(store, "B");
    assert.deepEqual(await coming, [2, 3]);
  });

  it("continues in new segments, even if some stay empty", async (t) => {
    const store = await openStore(t);
    await want(store, "A");
    const followed = following(t, store.folder, 1);
    const coming = followed.next(4);
    await want(store, "B");
    await store.snapshot();
    await store.snapshot();
    await want(store, "C");
    await store.snapshot();
    await wantAll(store, "D", "E");
    assert.deepEqual(await coming, [2, 3, 4, 5]);
  });

  it("continues while old segments are deleted", async (t) => {
    const store = await openStore(t, { retention: { milliseconds: 0, snapshots: 1 } });
    await want(store, "A");
    const followed = following(t, store.folder, 0);
    assert.deepEqual(await followed.next(1), [1]);
    for (const reason of ["B", "C", "D"]) {
      const coming = followed.next(1);
      await want(store, reason);
      assert.deepEqual(await coming, [store.sequence]);
      await store.snapshot();
    }
    assert.ok(!(await readdir(store.folder)).includes(segmentFile(1)), "nothing was dropped");
  });

  it("continues after the store is closed and opened again", async (t) => {
    const first = await openStore(t);
    const { folder } = first;
    await want(first, "A");
    const followed = following(t, folder, 0);
    assert.deepEqual(await followed.next(1), [1]);
    await first.close({ snapshot: true });
    const second = await openStore(t, { folder });
    const coming = followed.next(1);
    await want(second, "B");
    assert.deepEqual(await coming, [2]);
  });

  it("yields every change of a busy store once", async (t) => {
    const store = await openStore(t, { snapshotAfter: { bytes: 2000, snapshots: 0 } });
    const coming = following(t, store.folder, 0).next(400);
    for (let batch = 0; batch < 40; batch += 1) {
      await Promise.all(Array.from({ length: 10 }, (_, index) => want(store, `R${batch}-${index}`)));
    }
    assert.deepEqual(
      await coming,
      Array.from({ length: 400 }, (_, index) => index + 1),
    );
  });

  it("waits for the rest of a partly written record", async (t) => {
    const store = await openStore(t);
    await wantAll(store, "A", "B");
    await store.close();
    const path = join(store.folder, segmentFile(1));
    const whole = await readFile(path);
    const withoutLast = whole.lastIndexOf("\n", whole.length - 2) + 1;
    for (const cut of [withoutLast, withoutLast + 5]) {
      await writeFile(path, whole.subarray(0, cut));
      const followed = following(t, store.folder, 0);
      assert.deepEqual(await followed.next(1), [1]);
      const coming = followed.next(1);
      await replace(path, whole);
      assert.deepEqual(await coming, [2]);
      followed.stop();
    }
  });

  it("yields no change without its line feed, which can be cut back and replaced by another", async (t) => {
    const { folder } = await openStore(t);
    const path = join(folder, segmentFile(1));
    const journals: Buffer[] = [];
    for (const reason of ["B", "C"]) {
      const store = await openStore(t);
      await wantAll(store, "A", reason);
      journals.push(await readFile(join(store.folder, segmentFile(1))));
    }
    const [voided = Buffer.alloc(0), meant = Buffer.alloc(0)] = journals;
    await replace(path, voided.subarray(0, -1));
    const { next, records } = following(t, folder, 0);
    assert.deepEqual(await next(1), [1]);
    const coming = records.next();
    await replace(path, meant);
    assert.match(JSON.stringify((await coming).value), /"C"/);
  });

  it("reads again after a failed write was cut back and replaced by another", async (t) => {
    const folder = (await openStore(t)).folder;
    const path = join(folder, segmentFile(1));
    const header = await readFile(path);
    const other = await openStore(t);
    await wantAll(other, "A-long-reason-that-takes-room", "B");
    const meant = await readFile(join(other.folder, segmentFile(1)));
    const voided = await openStore(t);
    await wantAll(voided, "A");
    const cutBack = await readFile(join(voided.folder, segmentFile(1)));
    await writeFile(path, cutBack);
    const followed = following(t, folder, 0);
    assert.deepEqual(await followed.next(1), [1]);
    await replace(path, header);
    const coming = followed.next(1);
    await replace(path, meant);
    assert.deepEqual(await coming, [2]);
  });

  it("refuses to go on in another journal, which ends earlier", async (t) => {
    const [store, other] = [await openStore(t), await openStore(t)];
    await wantAll(store, "A", "B", "C", "D");
    await wantAll(other, "A", "B");
    const followed = following(t, store.folder, 3);
    assert.deepEqual(await followed.next(1), [4]);
    await replace(join(store.folder, segmentFile(1)), await readFile(join(other.folder, segmentFile(1))));
    await assert.rejects(followed.next(1), {
      code: "STORE_UNAVAILABLE",
      message: /now ends with change 2, before change 4, which was read/,
    });
  });

  it("reports the position of damage", async (t) => {
    const store = await openStore(t);
    await wantAll(store, "A", "B");
    await store.close();
    const path = join(store.folder, segmentFile(1));
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.indexOf('"A"') + 1) + 1, bytes.indexOf('"A"') + 1);
    await writeFile(path, bytes);
    await assert.rejects(following(t, store.folder, 0).next(1), {
      code: "STORE_UNAVAILABLE",
      message: new RegExp(`${segmentFile(1)} is damaged at byte \\d+`),
    });
  });

  it("ends when it is stopped, even while it waits", async (t) => {
    const store = await openStore(t);
    const followed = following(t, store.folder, 0);
    const ended = followed.records.next();
    followed.stop();
    assert.deepEqual(await ended, { value: undefined, done: true });
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
