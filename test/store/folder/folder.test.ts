/** A new data folder: who can enter it, and which process has it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { makeFolder, modeWith } from "../../../src/store/folder/folder.ts";
import { FolderHeld, lockFile, lockHolder, processState } from "../../../src/store/folder/lock-file.ts";
import { temporaryFolder } from "../../_setup.ts";

const permissionsOf = (path: string): number => statSync(path).mode & 0o7777;

const onPosix = process.platform === "win32" ? "Windows has no permissions" : false;
const onLinux = process.platform === "linux" ? false : "only Linux tells the state of a process";

describe("a data folder that is created", { skip: onPosix }, () => {
  it("is private, but not the folders above it", async (t) => {
    const base = await temporaryFolder(t);
    const folder = join(base, "above", "data");
    mkdirSync(join(base, "usual"));
    await makeFolder(nodeFiles, folder);
    assert.equal(permissionsOf(folder), 0o700);
    assert.equal(permissionsOf(join(base, "above")), permissionsOf(join(base, "usual")));
    assert.deepEqual(readdirSync(folder), []);
  });

  // Those with a sticky or setgid bit are shared on purpose.
  for (const [before, after, forOthers] of [
    [0o755, 0o700, "0755"],
    [0o777, 0o700, "0777"],
    [0o750, 0o700, "0750"],
    [0o701, 0o700, "0701"],
    [0o720, 0o700, "0720"],
    [0o700, 0o700, undefined],
    [0o500, 0o500, undefined],
    [0o1777, 0o1777, "1777"],
    [0o2775, 0o2775, "2775"],
    [0o1700, 0o1700, undefined],
  ] as const) {
    const [from, to] = [before, after].map((mode) => mode.toString(8));
    it(`and was there with mode ${from} gets mode ${to}`, async (t) => {
      const folder = join(await temporaryFolder(t), "data");
      mkdirSync(folder);
      chmodSync(folder, before);
      assert.equal(await modeWith(0o077, folder), forOthers);
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
