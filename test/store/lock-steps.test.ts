/** The lock on a data folder, step by step: what is opened, locked, signed and closed, and in which order. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { FolderLock } from "../../src/store/folder/lock.ts";
import { FolderHeld } from "../../src/store/folder/lock-file.ts";
import { temporaryFolder } from "../_setup.ts";
import { oneByOne, ruledFiles, segment, systemError } from "./_faults.ts";
import { isFree } from "./_journal.ts";

const pid = `${process.pid}\n`;

/** A folder with two segments. */
async function folderWithSegments(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const first of [1, 4]) await writeFile(join(folder, segment(first)), "the header and some changes");
  return folder;
}

/** Locks a folder one call after another. */
function take(folder: string, rule?: Parameters<typeof oneByOne>[1]) {
  return oneByOne((files) => FolderLock.take(files, folder), rule);
}

describe("locking a data folder", () => {
  it("locks the lock file and the newest segment, and signs the lock file", async (t) => {
    const folder = await folderWithSegments(t);
    const path = join(folder, "lock");
    await writeFile(path, "a process id that is longer than any other\n");
    const { calls, outcome } = await take(folder);
    assert.ok(outcome instanceof FolderLock, `${outcome}`);
    const name = folder.split("/").at(-1);
    assert.deepEqual(calls, [
      "open lock",
      `readdir ${name}`,
      `open ${segment(4)}`,
      `readdir ${name}`,
      "truncate lock",
      "write lock",
    ]);
    assert.equal(readFileSync(path, "utf8"), pid);
    assert.deepEqual([isFree(path), isFree(join(folder, segment(4)))], [false, false]);
    assert.equal(isFree(join(folder, segment(1))), true);
    if (process.platform === "linux") assert.equal(isFree(join(folder, segment(4)), 1), false);
    await outcome.release();
    assert.deepEqual([isFree(path), isFree(join(folder, segment(4)))], [true, true]);
    assert.equal(readFileSync(path, "utf8"), "");
  });

  it("without segments locks only the lock file", async (t) => {
    const folder = await temporaryFolder(t);
    const { calls, outcome } = await take(folder);
    assert.ok(outcome instanceof FolderLock, `${outcome}`);
    const name = folder.split("/").at(-1);
    assert.deepEqual(calls, ["open lock", `readdir ${name}`, "truncate lock", "write lock"]);
    assert.equal(outcome.misplaced, undefined);
    await outcome.release();
  });

  it("is refused with the process id of the holder, whose lock file is only closed", async (t) => {
    const folder = await folderWithSegments(t);
    const holder = await FolderLock.take(nodeFiles, folder);
    const { calls, outcome } = await take(folder);
    assert.ok(outcome instanceof FolderHeld, `${outcome}`);
    assert.equal(outcome.message, `Another process (${process.pid}) has the data folder ${folder} open.`);
    assert.equal(outcome.pid, process.pid);
    assert.deepEqual(calls, ["open lock", "close lock"]);
    assert.equal(readFileSync(join(folder, "lock"), "utf8"), pid);
    await holder.release();
  });

  it("is refused at once if only the newest segment is locked, and releases everything", async (t) => {
    const folder = await folderWithSegments(t);
    const holder = await FolderLock.take(nodeFiles, folder);
    await rm(join(folder, "lock"));
    const { calls, outcome } = await take(folder);
    assert.ok(outcome instanceof FolderHeld, `${outcome}`);
    assert.equal(outcome.message, `Another process has the data folder ${folder} open.`);
    assert.equal(outcome.pid, undefined);
    assert.deepEqual(calls.slice(2), [
      `open ${segment(4)}`,
      `close ${segment(4)}`,
      "truncate lock",
      "close lock",
    ]);
    assert.equal(isFree(join(folder, "lock")), true);
    assert.equal(readFileSync(join(folder, "lock"), "utf8"), "");
    await holder.release();
  });

  it("succeeds on a full disk, where the process id cannot be written", async (t) => {
    const folder = await folderWithSegments(t);
    const { outcome } = await take(folder, ({ operation }) =>
      operation === "write" ? systemError("ENOSPC") : undefined,
    );
    assert.ok(outcome instanceof FolderLock, `${outcome}`);
    assert.equal(isFree(join(folder, "lock")), false);
    await outcome.release();
  });

  it("tries the next segment where the newest one has vanished meanwhile", async (t) => {
    const folder = await folderWithSegments(t);
    let missing = 3;
    const { outcome } = await take(folder, ({ operation, path }) => {
      if (operation !== "open" || !path.endsWith(segment(4)) || missing === 0) return undefined;
      missing -= 1;
      return systemError("ENOENT");
    });
    assert.ok(outcome instanceof FolderLock, `${outcome}`);
    assert.equal(isFree(join(folder, segment(4))), false);
    await outcome.release();
  });

  for (const [code, attempts] of [
    ["ENOENT", 10],
    ["EIO", 1],
  ] as const) {
    it(`is refused for ${code} of the newest segment after ${attempts === 1 ? "one attempt" : "10 attempts"}`, async (t) => {
      const folder = await folderWithSegments(t);
      const error = systemError(code);
      const { calls, outcome } = await take(folder, ({ operation, path }) =>
        operation === "open" && path.endsWith(segment(4)) ? error : undefined,
      );
      assert.equal(outcome, error);
      assert.equal(calls.filter((call) => call === `open ${segment(4)}`).length, attempts);
      assert.equal(isFree(join(folder, "lock")), true);
    });
  }

  it("is refused after 10 attempts where the newest segment is replaced each time, and leaves none open", async (t) => {
    const folder = await folderWithSegments(t);
    const path = join(folder, segment(4));
    let opened = 0;
    const files = ruledFiles(async (call) => {
      if (call.operation === "open" && call.path === path) opened += 1;
      // It is locked by now, but no longer the file of its name.
      if (call.operation === "readdir" && opened > 0) {
        await writeFile(`${path}.new`, "another");
        await rename(`${path}.new`, path);
      }
      return undefined;
    });
    await assert.rejects(FolderLock.take(files, folder), FolderHeld);
    assert.equal(opened, 10);
    assert.deepEqual([isFree(path), isFree(join(folder, "lock"))], [true, true]);
  });

  it("follows to a segment that has appeared since", async (t) => {
    const folder = await folderWithSegments(t);
    let listings = 0;
    const files: Files = {
      ...nodeFiles,
      async readdir(path) {
        listings += 1;
        if (listings === 2) await writeFile(join(folder, segment(9)), "newer");
        return nodeFiles.readdir(path);
      },
    };
    const lock = await FolderLock.take(files, folder);
    assert.equal(isFree(join(folder, segment(4))), true);
    assert.equal(isFree(join(folder, segment(9))), false);
    await lock.release();
  });
});

describe("releasing a data folder", () => {
  it("unlocks the lock file before it is closed: Windows does not say when closing does", async (t) => {
    const folder = await folderWithSegments(t);
    const path = join(folder, "lock");
    let wasFree: boolean | undefined;
    const { calls, outcome } = await oneByOne(
      async (files) => {
        const lock = await FolderLock.take(files, folder);
        await lock.release();
      },
      (call) => {
        if (call.operation === "close" && call.path === path) wasFree = isFree(path);
        return undefined;
      },
    );
    assert.equal(outcome, undefined);
    assert.equal(wasFree, true);
    assert.deepEqual(calls.slice(-3), [`close ${segment(4)}`, "truncate lock", "close lock"]);
  });

  it("succeeds where the process id cannot be removed", async (t) => {
    const folder = await folderWithSegments(t);
    const lock = await FolderLock.take(
      ruledFiles(({ operation }) => (operation === "truncate" ? systemError("EIO") : undefined)),
      folder,
    );
    await lock.release();
    assert.equal(isFree(join(folder, "lock")), true);
  });
});

describe("the segment of a locked data folder", () => {
  it("is locked when the journal begins with it, unless it is locked already", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, segment(1));
    const lock = await FolderLock.take(nodeFiles, folder);
    const file = await nodeFiles.open(path, "a");
    lock.begin(path, file);
    assert.equal(isFree(path), false);
    assert.equal(lock.misplaced, undefined);

    const other = await nodeFiles.open(path, "a");
    assert.throws(() => lock.begin(path, other), FolderHeld);
    assert.throws(() => lock.lockSegment(other), FolderHeld);
    await other.close();
    await file.close();
    await lock.release();

    const again = await FolderLock.take(nodeFiles, folder);
    const reopened = await nodeFiles.open(path, "r+");
    again.begin(path, reopened);
    assert.equal(again.misplaced, undefined);
    await reopened.close();
    await again.release();
  });

  it("is misplaced once another file, or none, has its name", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, segment(1));
    const lock = await FolderLock.take(nodeFiles, folder);
    const file = await nodeFiles.open(path, "a");
    lock.begin(path, file);
    await rename(path, `${path}.moved`);
    assert.equal(lock.misplaced, path);
    await writeFile(path, "another");
    assert.equal(lock.misplaced, path);
    await rename(`${path}.moved`, path);
    assert.equal(lock.misplaced, undefined);
    await file.close();
    await lock.release();
  });

  it("that the journal follows to replaces the one before it, which is released", async (t) => {
    const folder = await folderWithSegments(t);
    const [old, path] = [join(folder, segment(4)), join(folder, segment(7))];
    const { calls, outcome } = await oneByOne(async (files) => {
      const lock = await FolderLock.take(files, folder);
      const before = await files.open(old, "r+");
      lock.begin(old, before);
      await before.close();
      assert.equal(isFree(old), false);
      const file = await files.open(path, "a");
      lock.lockSegment(file);
      await lock.follow(path, file);
      assert.equal(isFree(old), true);
      await rm(old);
      assert.equal(lock.misplaced, undefined);
      await rm(path);
      assert.equal(lock.misplaced, path);
      await file.close();
      await lock.release();
    });
    assert.equal(outcome, undefined, `${outcome}`);
    assert.deepEqual(calls.slice(-5), [
      `open ${segment(7)}`,
      `close ${segment(4)}`,
      `close ${segment(7)}`,
      "truncate lock",
      "close lock",
    ]);
  });
});

describe("a lock file that is deleted or replaced", () => {
  it("is found", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "lock");
    const lock = await FolderLock.take(nodeFiles, folder);
    assert.equal(lock.misplaced, undefined);
    await rm(path);
    assert.equal(lock.misplaced, path);
    await writeFile(path, pid);
    assert.equal(lock.misplaced, path);
    await lock.release();
  });
});
