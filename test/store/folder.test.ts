/** A new data folder: who can enter it, which process has it, and the space on its disk. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import fs, { writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { spaceFor } from "../../src/store/folder/disk.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { makeFolder, modeForOthers } from "../../src/store/folder/folder.ts";
import { FolderHeld, lockFile, lockHolder, processState } from "../../src/store/folder/lock-file.ts";
import { temporaryFolder } from "../_setup.ts";
import { oneByOne } from "./_faults.ts";

/** Has the mocked functions of `fs` called by everyone, until the end of the test. */
function publishMocks(t: TestContext): void {
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

const permissionsOf = (path: string): number => statSync(path).mode & 0o7777;

const onPosix = process.platform === "win32" ? "Windows has no permissions" : false;
const onLinux = process.platform === "linux" ? false : "only Linux tells the state of a process";

describe("a data folder that is created", { skip: onPosix }, () => {
  it("is private, but not the folders above it", async (t) => {
    const base = await temporaryFolder(t);
    const folder = join(base, "above", "data");
    mkdirSync(join(base, "usual"));
    const { calls } = await oneByOne((files) => makeFolder(files, folder));
    assert.deepEqual(calls, ["mkdir above", "mkdir data", "readdir data"]);
    assert.equal(permissionsOf(folder), 0o700);
    assert.equal(permissionsOf(join(base, "above")), permissionsOf(join(base, "usual")));
    assert.deepEqual(readdirSync(folder), []);
  });

  for (const [before, after] of [
    [0o755, 0o700],
    [0o777, 0o700],
    [0o750, 0o700],
    [0o701, 0o700],
    [0o720, 0o700],
    [0o700, 0o700],
    [0o500, 0o500],
    // Shared on purpose.
    [0o1777, 0o1777],
    [0o2775, 0o2775],
    [0o1700, 0o1700],
  ] as const) {
    const [from, to] = [before, after].map((mode) => mode.toString(8));
    it(`and was there with mode ${from} has mode ${to} when that returns`, async (t) => {
      const folder = join(await temporaryFolder(t), "data");
      mkdirSync(folder);
      chmodSync(folder, before);
      // Changing the mode takes its time.
      const { chmod } = fs;
      t.mock.method(fs, "chmod", async (path: string, mode: number) => {
        for (let turns = 0; turns < 5; turns += 1) await setImmediate();
        await chmod(path, mode);
      });
      publishMocks(t);
      await makeFolder(nodeFiles, folder);
      assert.equal(permissionsOf(folder), after);
    });
  }

  for (const [name, isKept] of [
    ["routes.yaml", false],
    ["lock", false],
    ["tables", false],
    ["thesis.txt", true],
    ["journal-000000000001.log", true],
    ["unsynced", true],
    ["replaced-1", true],
    [".profile", true],
  ] as const) {
    it(`and contains ${name} ${isKept ? "keeps its mode" : "becomes private"}`, async (t) => {
      const folder = join(await temporaryFolder(t), "data");
      mkdirSync(folder);
      chmodSync(folder, 0o755);
      await writeFile(join(folder, name), "");
      const made = makeFolder(nodeFiles, folder);
      await (name === "thesis.txt" ? assert.rejects(made, /it contains thesis\.txt/) : made);
      assert.equal(permissionsOf(folder), isKept ? 0o755 : 0o700);
    });
  }

  it("and belongs to somebody else is used as it is", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const chmod = t.mock.method(fs, "chmod", () => Promise.reject(new Error("EPERM")));
    publishMocks(t);
    await makeFolder(nodeFiles, folder);
    assert.equal(chmod.mock.callCount(), 1);
  });
});

describe("the mode of a data folder for others", { skip: onPosix }, () => {
  for (const [mode, expected] of [
    [0o700, undefined],
    [0o500, undefined],
    [0o1700, undefined],
    [0o755, "0755"],
    [0o750, "0750"],
    [0o701, "0701"],
    [0o740, "0740"],
    [0o2770, "2770"],
    [0o1777, "1777"],
  ] as const) {
    it(`is ${expected ?? "undefined"} for the mode ${mode.toString(8)}`, async (t) => {
      const folder = join(await temporaryFolder(t), "data");
      mkdirSync(folder);
      chmodSync(folder, mode);
      assert.equal(await modeForOthers(folder), expected);
    });
  }
});

describe("the process id in a lock file", () => {
  for (const [text, expected] of [
    ["1\n", 1],
    ["4711\n", 4711],
    ["4294967295\n", 4294967295],
    ["", undefined],
    ["\n", undefined],
    ["4711", undefined],
    ["0\n", undefined],
    ["007\n", undefined],
    ["-1\n", undefined],
    ["4711\n\n", undefined],
    ["4711\n12\n", undefined],
    ["12345678901\n", undefined],
    ["somebody\n", undefined],
  ] as const) {
    it(`${JSON.stringify(text)} is ${expected ?? "none"}`, async (t) => {
      const folder = await temporaryFolder(t);
      await writeFile(lockFile(folder), text);
      assert.equal(await lockHolder(folder), expected);
    });
  }

  it("is unknown without a lock file", async (t) => {
    assert.equal(await lockHolder(await temporaryFolder(t)), undefined);
  });

  it("is in the refusal, if it is known", () => {
    for (const [pid, who] of [
      [4711, "Another process (4711)"],
      [undefined, "Another process"],
    ] as const) {
      const refusal = new FolderHeld("/data", pid);
      assert.equal(refusal.message, `${who} has the data folder /data open.`);
      assert.equal(refusal.pid, pid);
      assert.equal(refusal.code, "STORE_UNAVAILABLE");
      assert.match(refusal.hint ?? "", /--data/);
    }
  });
});

describe("the state of a process", { skip: onLinux }, () => {
  for (const [stat, expected] of [
    ["7 (node) R 1 7", "running"],
    ["7 (node) S 1 7", "running"],
    ["7 (node) T 1 7", "stopped"],
    ["7 (node) t 1 7", "stopped"],
    ["7 (a) T (b)) S 1 7", "running"],
    ["7 (a) S (b)) T 1 7", "stopped"],
    ["", undefined],
  ] as const) {
    it(`is ${expected ?? "unknown"} where the system says "${stat}"`, async (t) => {
      const read = t.mock.method(fs, "readFile", async () => stat);
      publishMocks(t);
      assert.equal(await processState(7), expected);
      assert.equal(read.mock.calls[0]?.arguments[0], "/proc/7/stat");
    });
  }

  it("is running, stopped, running again, and undefined once it has ended", async (t) => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    t.after(() => child.kill("SIGKILL"));
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const becomes = async (state: string | undefined) => {
      while ((await processState(pid)) !== state) await setImmediate();
    };
    assert.equal(await processState(pid), "running");
    child.kill("SIGSTOP");
    await becomes("stopped");
    child.kill("SIGCONT");
    await becomes("running");
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    await becomes(undefined);
  });
});

describe("the space on the disk of a data folder", () => {
  const kibibyte = 1024;

  for (const [numbers, free, shortage] of [
    [{ bavail: 32, bsize: 4 * kibibyte, files: 10, ffree: 1 }, 128 * kibibyte, undefined],
    [{ bavail: 31, bsize: 4 * kibibyte, files: 10, ffree: 1 }, 124 * kibibyte, "126976 bytes are free"],
    [{ bavail: 128 * kibibyte - 1, bsize: 1, files: 0, ffree: 0 }, 131_071, "131071 bytes are free"],
    [{ bavail: 0, bsize: 512, files: 10, ffree: 0 }, 0, "0 bytes are free"],
    [{ bavail: 100, bsize: 4 * kibibyte, files: 10, ffree: 0 }, 409_600, "it can hold no more files"],
    [{ bavail: 100, bsize: 4 * kibibyte, files: 1, ffree: 0 }, 409_600, "it can hold no more files"],
    // This file system does not count files.
    [{ bavail: 100, bsize: 4 * kibibyte, files: 0, ffree: 0 }, 409_600, undefined],
  ] as const) {
    it(`${shortage === undefined ? "is enough" : "is not enough"}: ${JSON.stringify(numbers)}`, async (t) => {
      const statfs = t.mock.method(fs, "statfs", async () => numbers);
      publishMocks(t);
      assert.deepEqual(await spaceFor("/data"), { free, shortage });
      assert.equal(statfs.mock.calls[0]?.arguments[0], "/data");
    });
  }
});
