/** Why a store does not accept changes, in a sentence without a path. */
import assert from "node:assert/strict";
import fs, { rm, statfs } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../_setup.ts";
import {
  assertRefused,
  type Call,
  type Outcome,
  openNotebook,
  put,
  ruledFiles,
  systemError,
} from "./_faults.ts";

/** A store with a change, on a disk with a rule that can be changed, and without durable writes. */
async function storeOnDisk(t: TestContext) {
  const disk = { fails: (_: Call): Outcome => undefined };
  const folder = await temporaryFolder(t);
  const store = await openNotebook(folder, { files: ruledFiles((call) => disk.fails(call), 0) });
  t.after(() => store.close().catch(() => {}));
  await put(store, "first");
  return { disk, folder, store };
}

describe("the problem of a store", () => {
  const failures = ["ENOSPC", "EDQUOT", "EIO"];

  for (const code of failures) {
    it(`is a change that could not be saved for ${code}, until one is`, async (t) => {
      const { disk, store } = await storeOnDisk(t);
      assert.equal(await store.problem(), undefined);
      disk.fails = ({ operation }) => (operation === "write" ? systemError(code) : undefined);
      await assertRefused(put(store, "a"));
      assert.equal(await store.problem(), `The last change could not be saved (${code}).`);
      disk.fails = () => undefined;
      await put(store, "a");
      assert.equal(await store.problem(), undefined);
    });
  }

  it("has no code where the operating system gave none", async (t) => {
    const { disk, store } = await storeOnDisk(t);
    disk.fails = ({ operation }) => (operation === "write" ? new Error("no") : undefined);
    await assertRefused(put(store, "a"));
    assert.equal(await store.problem(), "The last change could not be saved.");
  });

  it("is a disk that is no longer reliable, for good", async (t) => {
    const { disk, store } = await storeOnDisk(t);
    disk.fails = ({ operation }) => (operation === "datasync" ? systemError("EIO") : undefined);
    await assertRefused(put(store, "a"));
    disk.fails = () => undefined;
    assert.equal(await store.problem(), "The disk is no longer reliable.");
  });

  it("is a folder that cannot be read", async (t) => {
    const { folder, store } = await storeOnDisk(t);
    await rm(folder, { recursive: true });
    assert.equal(await store.problem(), "The data folder cannot be read (ENOENT).");
  });

  it("is a full disk, before a change has failed", async (t) => {
    const { store } = await storeOnDisk(t);
    const space = await statfs(store.folder);
    const free = (room: object) => {
      t.mock.method(fs, "statfs", async () => Object.assign(Object.create(space), room));
      syncBuiltinESMExports();
    };
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const bsize = 1024;
    free({ bavail: 127, bsize });
    assert.equal(await store.problem(), "The disk is full: 130048 bytes are free.");
    free({ bavail: 128, bsize, files: 100, ffree: 0 });
    assert.equal(await store.problem(), "The disk is full: it can hold no more files.");
    for (const [files, ffree] of [
      [0, 0],
      [100, 1],
    ]) {
      free({ bavail: 128, bsize, files, ffree });
      assert.equal(await store.problem(), undefined);
    }
  });
});
