/** The messages about a full or failing disk: what happened, to which file, and what to do next. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { remedyFor, systemCode, unsaved, unusable, unwritten } from "../../src/store/folder/refusals.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  assertRefused,
  type Call,
  fill,
  type Outcome,
  openNotebook,
  put,
  ruledFiles,
  segment,
  snapshot,
  systemError,
} from "./_faults.ts";

/** A part of the advice. */
const advice: readonly (readonly [code: string, words: RegExp])[] = [
  ["ENOSPC", /disk is full: make room/],
  ["EDQUOT", /quota.*make room/],
  ["EIO", /disk failed.*dmesg.*Copy the data folder/],
  ["EROFS", /read-only.*mount it for writing/],
  ["EACCES", /This user is not allowed.*permissions/],
  ["EPERM", /This user is not allowed.*permissions/],
  ["EMFILE", /Too many files are open.*ulimit/],
  ["ENFILE", /Too many files are open.*ulimit/],
  ["EEXIST", /A file has the name of a required folder/],
  ["ENOTDIR", /A file has the name of a required folder/],
];

/** A store with 2 changes, on a disk with a rule that can be changed, and without durable writes. */
async function storeOnDisk(t: TestContext) {
  const disk = { fails: (_: Call): Outcome => undefined };
  const folder = await temporaryFolder(t);
  const store = await openNotebook(folder, { files: ruledFiles((call) => disk.fails(call), 0) });
  t.after(() => store.close().catch(() => {}));
  await fill(store, 2);
  return { disk, folder, store };
}

describe("the advice about an error of the file system", () => {
  for (const [code, words] of advice) {
    it(`${code} is for the operator, not for a player, and alone`, () => {
      const error = new Error("it failed", { cause: systemError(code) });
      assert.match(remedyFor(error) ?? "", words);
      assert.match(unwritten(error, false).hint ?? "", words);
      const { hint = "", operatorHint = "", message } = unsaved(error);
      assert.match(operatorHint, words);
      for (const text of [hint, message]) assert.doesNotMatch(text, words);
      const folder = unusable("/data", systemError(code));
      assert.match(folder.hint ?? "", words);
      const isToOwner = code === "EACCES" || code === "EPERM";
      assert.equal(folder.hint?.includes("--data"), !isToOwner);
      assert.match(folder.message, new RegExp(`/data .*${code}`));
    });
  }

  it("is about the nearest cause that has a code of the system", () => {
    const because = (cause: unknown, code?: string) => {
      const error = new Error("it failed", { cause });
      return code === undefined ? error : Object.assign(error, { code });
    };
    assert.equal(systemCode(systemError("EIO")), "EIO");
    assert.equal(systemCode(because(because(systemError("EIO")))), "EIO");
    assert.equal(systemCode(because(systemError("EIO"), "ENOSPC")), "ENOSPC");
    // Node's own codes, and a failure's, are not the system's.
    for (const code of ["ERR_INVALID_ARG_TYPE", "STORE_UNAVAILABLE", "E", ""]) {
      assert.equal(systemCode(because(systemError("EIO"), code)), "EIO", code);
    }
    assert.equal(systemCode(systemError("E2BIG")), "E2BIG");
    for (const none of [because(undefined), because("EIO"), { code: "EIO" }, "EIO", undefined]) {
      assert.equal(systemCode(none), undefined);
    }
  });

  it("is the cause and what is safe where there is none", () => {
    for (const error of [systemError("EWEIRD"), new Error("EIO is not its code"), "EIO"]) {
      assert.equal(remedyFor(error), undefined);
    }
    const error = systemError("EWEIRD");
    assert.match(unwritten(error, false).hint ?? "", /Nothing is lost.*Remove the cause/);
    assert.match(unwritten(error, true).hint ?? "", /only the memory of the service has: do not stop it/);
    assert.match(unsaved(error).operatorHint ?? "", /^EWEIRD: injected\.$/);
    assert.match(unusable("/data", error).hint ?? "", /--data/);
  });
});

describe("a failed snapshot, and a failed change", () => {
  for (const code of ["ENOSPC", "EDQUOT", "EIO"]) {
    it(`with ${code} name the file and the remedy, and are the problem of the store until a change succeeds`, async (t) => {
      const { disk, folder, store } = await storeOnDisk(t);
      const [, words = /./] = advice.find(([known]) => known === code) ?? [];
      assert.equal(await store.problem(), undefined);
      disk.fails = ({ operation }) => (operation === "write" ? systemError(code) : undefined);
      const { operatorHint = "" } = await assertRefused(put(store, "a"), "Nothing was changed");
      assert.ok(operatorHint.includes(join(folder, segment(1))), operatorHint);
      assert.match(operatorHint, words);
      assert.equal(await store.problem(), `The last change could not be saved (${code}).`);
      disk.fails = ({ operation, path }) =>
        operation === "sync" && path.includes("snapshot-") ? systemError(code) : undefined;
      const { hint = "" } = await assertRefused(store.snapshot(), code, join(folder, `.${snapshot(2)}`));
      assert.match(hint, /Nothing is lost/);
      assert.match(hint, words);
      disk.fails = () => undefined;
      await put(store, "a");
      assert.equal(await store.problem(), undefined);
    });
  }
});

describe("the problem of a store", () => {
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
});
