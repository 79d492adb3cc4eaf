/**
 * Real crashes and real disk failures: strace kills a process at every system call that reaches the data folder, in turn;
 * I/O errors on sync; a file size limit; a full file system.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { sample } from "../../_depth.ts";
import { temporaryFolder } from "../../_setup.ts";
import { callsOf, type Driven, drive, driveUntil, inParallel, noStrace, unavailable } from "../../_strace.ts";
import { assertKept, dataFile, fill, namesIn, openNotebook, segment } from "../_faults.ts";
import { compiledPrograms } from "./_build.ts";

const root = await temporaryFolder({ after });
const compiled = await compiledPrograms();
const driver = join(compiled, "test", "store", "faults", "_driver.js");

const noLimit = unavailable("prlimit", "--fsize=65536", "true");
const noMount = unavailable("unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=64k t /mnt");

/** The number of the last change that the driver says was acknowledged. */
function acknowledgedIn({ lines }: Driven): number {
  const numbers = lines.flatMap((line) => /^acknowledged (\d+)$/.exec(line)?.[1] ?? []).map(Number);
  return Math.max(0, ...numbers);
}

/** Opens the folder that a driver left, compares its data, and makes one more change. */
async function assertLeft(folder: string, driven: Driven, made: number, length = 3): Promise<void> {
  const acknowledged = acknowledgedIn(driven);
  const store = await openNotebook(folder);
  assertKept(store, acknowledged, made, length);
  const { sequence } = store;
  await fill(store, sequence + 1, length);
  await store.close();
  const again = await openNotebook(folder);
  assertKept(again, sequence + 1, sequence + 1, length);
  await again.close();
}

describe("a process", () => {
  it("killed at any system call on its data folder loses nothing", { skip: noStrace }, async (t) => {
    const changes = 5;
    const { points: all, driven: whole } = await callsOf(join(root, "whole"), [
      driver,
      join(root, "whole"),
      `${changes}`,
    ]);
    assert.equal(acknowledgedIn(whole), changes);
    const names = new Set(all.map(([name]) => name));
    for (const name of ["pwrite64", "fsync", "rename", "unlink"]) {
      assert.ok(names.has(name), `${name} is not among ${[...names]}`);
    }
    const points = sample(all);
    let killed = 0;
    const tasks = points.map(([name, number], index) => async () => {
      const folder = join(root, `killed-${index}`);
      const driven = await driveUntil([name, number], [driver, folder, `${changes}`]);
      if (driven.code === "SIGKILL") killed += 1;
      await assertLeft(folder, driven, changes).catch((error: Error) => {
        throw new Error(`killed at ${name} ${number}: ${error.message}`, { cause: error });
      });
    });
    await inParallel(tasks, 3);
    t.diagnostic(`killed at ${killed} of ${points.length} calls: ${[...names].join(", ")}`);
    assert.ok(killed >= points.length * 0.9, `${killed} of ${points.length}`);
  });

  it("whose sync fails ends, and the next start writes everything again", { skip: noStrace }, async () => {
    const folder = join(root, "unsynced");
    const journal = join(folder, segment(1));
    // A write that is durable when it returns fails as its sync does.
    const eio = ["-f", "-qq", "-o", "/dev/null", "-P", journal, "-e", "inject=pwrite64:error=EIO:when=2"];
    const driven = await drive("strace", [...eio, process.execPath, driver, folder, "9"]);
    assert.equal(driven.code, 1);
    assert.equal(driven.lines.at(-1), "fatal");
    assert.equal(acknowledgedIn(driven), 1);
    assert.deepEqual(await namesIn(folder, /^unsynced$/), ["unsynced"]);
    const store = await openNotebook(folder);
    assertKept(store, 1, 2);
    assert.equal((await namesIn(folder, /^snapshot-/)).length, 1);
    assert.deepEqual(await namesIn(folder, /^unsynced$/), []);
    await store.close();
  });

  it("at its file size limit refuses changes and loses nothing", { skip: noLimit }, async () => {
    const folder = join(root, "limited");
    const driven = await drive("prlimit", ["--fsize=20000", process.execPath, driver, folder, "99", "4000"]);
    assert.equal(driven.code, 0);
    assert.ok(acknowledgedIn(driven) > 0);
    assert.ok(
      driven.lines.some((line) => /^refused \d+ STORE_UNAVAILABLE$/.test(line)),
      `${driven.lines}`,
    );
    await assertLeft(folder, driven, 99, 4000);
  });

  it("on a full file system refuses changes, and continues when there is room again", {
    skip: noMount,
  }, async () => {
    const mount = join(root, "small");
    const left = join(root, "left");
    await mkdir(mount);
    await mkdir(left);
    const script = `
      mount -t tmpfs -o size=128k t "$1"
      head -c 70000 /dev/zero > "$1/ballast"
      "$2" "$3" "$1/data" 12 2000 "$1/ballast"
      cp -a "$1/data/." "$4"`;
    const sh = ["-Urm", "sh", "-euc", script, "sh", mount, process.execPath, driver, left];
    const driven = await drive("unshare", sh);
    assert.equal(driven.code, 0);
    const refused = driven.lines.findIndex((line) => line.includes("STORE_UNAVAILABLE"));
    assert.ok(refused > 0, `${driven.lines}`);
    assert.match(driven.lines[refused + 1] ?? "", /^problem The disk is full: \d+ bytes are free\.$/);
    const after = driven.lines.slice(refused).filter((line) => line.startsWith("acknowledged"));
    assert.ok(after.length > 0, `${driven.lines}`);
    assert.ok((await namesIn(left, dataFile)).length > 0);
    await assertLeft(left, driven, 12, 2000);
  });
});

describe("a file system", { skip: noMount }, () => {
  for (const [options, free, shortage] of [
    ["size=128k", 131_072, null],
    ["size=124k", 126_976, "126976 bytes are free"],
    ["size=1m,nr_inodes=1", 1_048_576, "it can hold no more files"],
    // It does not count files.
    ["size=1m,nr_inodes=0", 1_048_576, null],
  ] as const) {
    it(`with ${options} ${shortage === null ? "has room for changes" : `has no room: ${shortage}`}`, async (t) => {
      const mount = await temporaryFolder(t);
      const module = JSON.stringify(join(compiled, "src", "store", "folder", "disk.js"));
      const print = `import(${module}).then(async ({ spaceFor }) => {
        const { free, shortage = null } = await spaceFor(process.argv[1]);
        console.log(JSON.stringify({ free, shortage }));
      })`;
      const script = `mount -t tmpfs -o ${options} t "$1" && "$2" -e "$3" "$1"`;
      const { lines } = await drive("unshare", [
        "-Urm",
        "sh",
        "-euc",
        script,
        "sh",
        mount,
        process.execPath,
        print,
      ]);
      assert.deepEqual(JSON.parse(lines.join()), { free, shortage });
    });
  }
});
