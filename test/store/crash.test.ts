/**
 * Processes that really die, and disks that really fail: killed by strace at every write, sync, rename and so on that
 * reaches the data folder, in turn; I/O errors on sync; a file size limit; a full file system.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../_setup.ts";
import { assertKept, buildInto, dataFile, fill, namesIn, openNotebook, segment } from "./_faults.ts";

const endings: (() => unknown)[] = [];
const own = { after: (end: () => unknown) => void endings.push(end) } as Parameters<
  typeof temporaryFolder
>[0];
after(async () => {
  for (const end of endings) await end();
});
const root = await temporaryFolder(own);
await buildInto(root);
const driver = join(root, "test", "store", "_driver.js");

/** Whether a command works here; else why a test is skipped. */
function unavailable(command: string, ...args: string[]): string | false {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (error !== undefined) return `${command} can not be run here: ${error.message}`;
  return status === 0 ? false : `${command} may not be used here: ${stderr.trim().slice(0, 200)}`;
}

const noStrace = unavailable(
  "strace",
  "-f",
  "-qq",
  "-o",
  "/dev/null",
  "-e",
  "inject=fdatasync:error=EIO",
  "true",
);
const noLimit = unavailable("prlimit", "--fsize=65536", "true");
const noMount = unavailable("unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=64k t /mnt");

interface Driven {
  readonly lines: readonly string[];
  /** The number of the last change that the driver says was acknowledged. */
  readonly acknowledged: number;
  readonly code: number | string | null;
}

/** Runs a command line to its end. One thread does all of the process's work with files: strace counts per thread. */
function drive(command: string, args: readonly string[]): Promise<Driven> {
  const env = { PATH: process.env.PATH, UV_THREADPOOL_SIZE: "1" };
  return new Promise((resolve) => {
    execFile(command, [...args], { env, timeout: 60_000 }, (error, stdout) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      const numbers = lines.flatMap((line) => /^acknowledged (\d+)$/.exec(line)?.[1] ?? []).map(Number);
      const code = error === null ? 0 : (error.signal ?? error.code ?? null);
      resolve({ lines, acknowledged: Math.max(0, ...numbers), code });
    });
  });
}

const calls = "openat,write,pwrite64,fsync,fdatasync,rename,unlink,ftruncate,mkdir,close";

/** The calls of an undisturbed run that have to do with its data folder: each name, and its number in its thread. */
async function callsOf(folder: string, changes: number): Promise<[name: string, number: number][]> {
  const trace = `${folder}.trace`;
  const watched = ["-f", "-y", "-qq", "-o", trace, "-e", `trace=${calls}`];
  const { acknowledged } = await drive("strace", [
    ...watched,
    process.execPath,
    driver,
    folder,
    `${changes}`,
  ]);
  assert.equal(acknowledged, changes);
  const counts = new Map<string, number>();
  const found: [string, number][] = [];
  for (const line of (await readFile(trace, "utf8")).split("\n")) {
    const [, thread, name = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    const key = `${thread} ${name}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (thread !== undefined && line.includes(folder)) found.push([name, counts.get(key) ?? 0]);
  }
  return found;
}

/** Runs tasks, so many at a time. */
async function inParallel(tasks: readonly (() => Promise<void>)[], width: number): Promise<void> {
  const rest = [...tasks];
  const worker = async () => {
    for (let task = rest.shift(); task !== undefined; task = rest.shift()) await task();
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Opens what a driver has left behind, compares, and makes one more change. */
async function assertLeft(folder: string, { acknowledged }: Driven, made: number, length = 3): Promise<void> {
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
  it("killed at any call that reaches its data folder has lost nothing", { skip: noStrace }, async (t) => {
    const changes = 5;
    const points = await callsOf(join(root, "whole"), changes);
    const names = new Set(points.map(([name]) => name));
    for (const name of ["openat", "pwrite64", "fsync", "fdatasync", "rename", "unlink"]) {
      assert.ok(names.has(name), `${name} is not among ${[...names]}`);
    }
    let killed = 0;
    const tasks = points.map(([name, number], index) => async () => {
      const folder = join(root, `killed-${index}`);
      const inject = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${name}`];
      const kill = ["-e", `inject=${name}:signal=KILL:when=${number}`];
      const driven = await drive("strace", [
        ...inject,
        ...kill,
        process.execPath,
        driver,
        folder,
        `${changes}`,
      ]);
      if (driven.code === "SIGKILL") killed += 1;
      await assertLeft(folder, driven, changes).catch((error: Error) => {
        throw new Error(`killed at ${name} ${number}: ${error.message}`, { cause: error });
      });
    });
    await inParallel(tasks, 3);
    t.diagnostic(`killed at ${killed} of ${points.length} calls: ${[...names].join(", ")}`);
    assert.ok(killed >= points.length * 0.9, `${killed} of ${points.length}`);
  });

  it("whose sync fails ends, and the next start saves everything anew", { skip: noStrace }, async () => {
    const folder = join(root, "unsynced");
    const journal = join(folder, segment(1));
    const eio = ["-f", "-qq", "-o", "/dev/null", "-P", journal, "-e", "inject=fdatasync:error=EIO:when=2"];
    const driven = await drive("strace", [...eio, process.execPath, driver, folder, "9"]);
    assert.equal(driven.code, 1);
    assert.equal(driven.lines.at(-1), "fatal");
    assert.equal(driven.acknowledged, 1);
    assert.deepEqual(await namesIn(folder, /^unsynced$/), ["unsynced"]);
    const store = await openNotebook(folder);
    assertKept(store, 1, 2);
    assert.equal((await namesIn(folder, /^snapshot-/)).length, 1);
    assert.deepEqual(await namesIn(folder, /^unsynced$/), []);
    await store.close();
  });

  it("whose files may not grow any more refuses, and has lost nothing", { skip: noLimit }, async () => {
    const folder = join(root, "limited");
    const driven = await drive("prlimit", ["--fsize=20000", process.execPath, driver, folder, "99", "4000"]);
    assert.equal(driven.code, 0);
    assert.ok(driven.acknowledged > 0);
    assert.ok(
      driven.lines.some((line) => /^refused \d+ STORE_UNAVAILABLE$/.test(line)),
      `${driven.lines}`,
    );
    await assertLeft(folder, driven, 99, 4000);
  });

  it("on a full file system refuses, and goes on when there is room again", { skip: noMount }, async () => {
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
    const after = driven.lines.slice(refused).filter((line) => line.startsWith("acknowledged"));
    assert.ok(after.length > 0, `${driven.lines}`);
    assert.ok((await namesIn(left, dataFile)).length > 0);
    await assertLeft(left, driven, 12, 2000);
  });
});
