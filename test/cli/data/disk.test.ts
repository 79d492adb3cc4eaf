/** Commands on full, read-only and failing disks: real ones, through mount and strace. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { sample } from "../../_depth.ts";
import { temporaryFolder } from "../../_setup.ts";
import { callsOf, drive, driveUntil, noStrace, unavailable } from "../../_strace.ts";
import { CliProcess, main, moduleOf } from "../_process.ts";
import { seededDesk } from "../_setup.ts";

const noMount = unavailable("unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=64k t /mnt");

/** Returns a desk with a player, a small disk with a copy of its data, and a function that runs commands on the copy. */
async function smallDisk(t: TestContext, isReadOnly = false) {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  const mounted = join(desk.folder, "disk");
  await mkdir(mounted);
  const protect = isReadOnly ? "mount -o remount,ro disk" : "";
  const script = `mount -t tmpfs -o size=512k t disk; cp -a data disk\n${protect}\necho Ready; exec sleep 600`;
  const mounting = new CliProcess(desk, [], [], ["unshare", "-Urm", "sh", "-euc", script]);
  await mounting.shows("stdout", /Ready/);
  // The disk is seen by that process only, and by others at this path.
  const disk = join("/proc", String(mounting.pid), "root", mounted);
  const run = (...args: string[]) => desk.run(["--data", join(disk, "data"), ...args]);
  const ballast = join(disk, "ballast");
  const fill = () =>
    writeFile(ballast, Buffer.alloc(512 * 1024)).catch(({ code }) => assert.equal(code, "ENOSPC"));
  return { desk, disk, run, fill, makeRoom: () => rm(ballast) };
}

describe("on a full disk", { skip: noMount }, () => {
  it("commands say that it is full, status names it, and a backup to another disk succeeds", async (t) => {
    const { desk, disk, run, fill, makeRoom } = await smallDisk(t);
    const backups = join(disk, "backups");
    await mkdir(backups);
    const old = "gameaddon-2024-01-01T00-00-00.000Z.jsonl.gz";
    await writeFile(join(backups, old), "old");
    await fill();
    // The last block of the journal has some room left.
    let number = 0;
    while ((await run("player", "add", `Filler${number}`)).exitCode === 0 && number < 99) number += 1;
    for (const args of [
      ["player", "add", "Bob"],
      ["data", "snapshot"],
      ["data", "backup", join(disk, "b.gz")],
      ["data", "backup", `${backups}/`, "--keep", "1"],
    ]) {
      const { exitCode, stderr } = await run(...args);
      assert.equal(exitCode, 1, args.join(" "));
      assert.match(stderr, /disk\/.*ENOSPC.*\n?.*The disk is full: make room/);
    }
    assert.deepEqual(await readdir(backups), [old]);
    const { stderr } = await run("call", "/wantedreason/add", "reason=Theft", "points=1");
    assert.match(stderr, /addon-cli data status/);
    const { exitCode, stdout } = await run("data", "status");
    assert.equal(exitCode, 1);
    assert.match(stdout, /^problem +The disk is full: \d+ bytes are free\. Make room/m);
    const status = JSON.parse((await run("--json", "data", "status")).stdout);
    assert.match(status.disk.problem, /The disk is full/);
    const backup = await run("data", "backup", "b.gz");
    assert.equal(backup.exitCode, 0, backup.stderr);
    await makeRoom();
    for (const args of [
      ["player", "add", "Bob"],
      ["data", "status"],
    ])
      assert.equal((await run(...args)).exitCode, 0);
    await desk.ok("--data", "restored", "data", "restore", "b.gz");
    assert.match(await desk.ok("--data", "restored", "player", "list"), /^Ada\t/m);
  });

  it("a start with a torn tail says to make room, and then starts", async (t) => {
    const { disk, run, fill, makeRoom } = await smallDisk(t);
    const journal = join(disk, "data", "journal-000000000001.log");
    await writeFile(journal, (await readFile(journal)).subarray(0, -10));
    await fill();
    const { stderr } = await run("player", "add", "Bob");
    assert.match(stderr, /\.broken\S*: no space left on device .*\n.*The disk is full: make room/);
    await makeRoom();
    assert.equal((await run("player", "add", "Bob")).exitCode, 0);
  });
});

describe("on a read-only disk", { skip: noMount }, () => {
  it("commands that read go on, a backup to another disk succeeds, and status names the problem", async (t) => {
    const { run } = await smallDisk(t, true);
    for (const args of [
      ["player", "list"],
      ["data", "verify"],
      ["data", "backup", "b.gz"],
    ]) {
      const { exitCode, stderr } = await run(...args);
      assert.equal(exitCode, 0, stderr);
    }
    assert.match((await run("data", "status")).stdout, /^problem +.*EROFS.*The disk is read-only/m);
    assert.match((await run("player", "add", "Bob")).stderr, /EROFS/);
  });
});

describe("on a disk that fails to read", { skip: noStrace }, () => {
  for (const line of ["player add Bob", "data verify", "data repair --yes"]) {
    it(`${line} names the file, and points to the disk`, async (t) => {
      const desk = await seededDesk(t);
      const journal = join(desk.data, "journal-000000000001.log");
      const strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", journal];
      const inject = ["-e", "inject=read,pread64:error=EIO"];
      const child = new CliProcess(desk, line.split(" "), [], [...strace, ...inject]);
      assert.equal(await child.ended, 1, child.stdout);
      const said = child.stdout + child.stderr;
      assert.ok(said.includes(journal), said);
      assert.match(said, /EIO.*\n?.*The disk failed to read or write: see `dmesg`/);
    });
  }
});

describe("a first start", { skip: noStrace }, () => {
  it("that is killed at any call for the files that it writes does not block the next", async (t) => {
    const root = await temporaryFolder(t);
    const adding = async (folder: string, name: string) => {
      await mkdir(folder, { recursive: true });
      const enter = moduleOf(`process.chdir(${JSON.stringify(folder)})`);
      return ["--import", enter, main, "player", "add", name];
    };
    const whole = join(root, "whole");
    const written = /whole\/(?:data\/)?\.?(?:routes|seed)\./;
    const { points, driven } = await callsOf(whole, await adding(whole, "Ada"), written);
    assert.equal(driven.code, 0);
    assert.ok(points.length >= 12, `${points.length} calls`);
    let killed = 0;
    const tried = sample(points);
    for (const [index, point] of tried.entries()) {
      const folder = join(root, `first-${index}`);
      const { code } = await driveUntil(point, await adding(folder, "Ada"));
      if (code === "SIGKILL") killed += 1;
      const again = await drive(process.execPath, await adding(folder, "Bob"));
      assert.equal(again.code, 0, `killed at ${point}`);
      for (const file of ["routes.yaml", "routes.schema.json", "routes.test.yaml", "data/seed.yaml"])
        assert.deepEqual(await readFile(join(folder, file)), await readFile(join(whole, file)), file);
      const left = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".tmp"));
      assert.deepEqual(left, [], `killed at ${point}`);
    }
    assert.ok(killed >= tried.length * 0.9, `${killed} of ${tried.length}`);
  });
});
