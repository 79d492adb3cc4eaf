/** The status of a data folder: its sizes, how recent it is, how far back it reaches, and why it cannot be read. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { statusOf } from "../../src/repair/status.ts";
import { segmentFile, snapshotFile } from "../../src/store/folder/folder-names.ts";
import { temporaryFolder } from "../_setup.ts";
import { type History, instantOf, write } from "../backup/_setup.ts";

const history: History = [{ A: 1 }, "snapshot", { B: 2 }, { C: 3 }, "snapshot", { D: 4 }];

async function written(t: TestContext, entries: History = history): Promise<string> {
  const folder = join(await temporaryFolder(t), "data");
  await write(folder, entries);
  return folder;
}

/** Replaces the first text in a file. */
async function edit(path: string, text: string | RegExp, by: string): Promise<void> {
  const before = await readFile(path, "utf8");
  const after = before.replace(text, by);
  assert.notEqual(after, before);
  await writeFile(path, after);
}

/** The files of this process that are open in a folder. */
async function openIn(folder: string): Promise<string[]> {
  const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  return (await Promise.all(links)).filter((path) => path.startsWith(folder));
}

describe("the status of a folder has", () => {
  it("its records, its last change and snapshot, and the begin of its journal", async (t) => {
    const folder = await written(t);
    const { records, ...status } = await statusOf(folder);
    assert.equal(status.folder, folder);
    assert.deepEqual(status.files, { snapshots: 2, segments: 3 });
    assert.equal(records?.entries, 4);
    assert.equal(records.tokens, 0);
    assert.deepEqual(status.lastChange, { sequence: 4, instant: instantOf(4) });
    assert.deepEqual(status.lastSnapshot, { sequence: 3, instant: instantOf(3) });
    assert.deepEqual(status.journalFrom, { sequence: 1, instant: instantOf(0) });
    assert.equal(status.reachesBackTo, instantOf(0));
    assert.equal(status.problem, null);
    assert.equal(status.disk.problem, null);
    assert.ok(status.disk.free > 0);
    assert.deepEqual(await openIn(folder), []);
  });

  it("no change and no snapshot before the first", async (t) => {
    const { lastChange, lastSnapshot, journalFrom, records, problem } = await statusOf(await written(t, []));
    assert.deepEqual([lastChange, lastSnapshot, problem], [null, null, null]);
    assert.deepEqual(journalFrom, { sequence: 1, instant: instantOf(0) });
    assert.equal(records?.entries, 0);
  });

  it("the oldest snapshot that the journal follows as its reach, once older segments are gone", async (t) => {
    const folder = await written(t);
    await rm(join(folder, segmentFile(1)));
    const { journalFrom, reachesBackTo, lastChange } = await statusOf(folder);
    assert.deepEqual(journalFrom, { sequence: 2, instant: instantOf(1) });
    assert.equal(reachesBackTo, instantOf(1));
    assert.deepEqual(lastChange, { sequence: 4, instant: instantOf(4) });

    await rm(join(folder, segmentFile(2)));
    assert.equal((await statusOf(folder)).reachesBackTo, instantOf(3));
    await rm(join(folder, snapshotFile(3)));
    assert.equal((await statusOf(folder)).reachesBackTo, null);
  });

  it("the last change without its instant, where only a snapshot has it", async (t) => {
    const folder = await written(t, [{ A: 1 }, { B: 2 }, "snapshot"]);
    await rm(join(folder, segmentFile(1)));
    const { lastChange, records, problem } = await statusOf(folder);
    assert.deepEqual(lastChange, { sequence: 2, instant: null });
    assert.deepEqual([records?.entries, problem], [2, null]);
  });

  it("no begin of the journal where there is none", async (t) => {
    const folder = await written(t, [{ A: 1 }, "snapshot"]);
    for (const first of [1, 2]) await rm(join(folder, segmentFile(first)));
    const { journalFrom, reachesBackTo, lastSnapshot, files } = await statusOf(folder);
    assert.deepEqual([journalFrom, reachesBackTo], [null, null]);
    assert.deepEqual(lastSnapshot, { sequence: 1, instant: instantOf(1) });
    assert.deepEqual(files, { snapshots: 1, segments: 0 });
  });

  it("the bytes of each kind of file, without links", async (t) => {
    const folder = await written(t);
    const names = await readdir(folder);
    const sizeOf = async (pattern: RegExp) => {
      const sizes = names
        .filter((name) => pattern.test(name))
        .map(async (name) => (await stat(join(folder, name))).size);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    };
    const others = await sizeOf(/^(?!snapshot-|journal-)/);
    for (const [name, length] of [
      ["routes.yaml", 10],
      ["journal-1.log", 200],
      ["tables/abc.yaml", 3_000],
      [`damaged-2026/${snapshotFile(1)}`, 40_000],
      [`replaced-2026/deep/${segmentFile(1)}`, 500_000],
    ] as const) {
      await mkdir(join(folder, name, ".."), { recursive: true });
      await writeFile(join(folder, name), "x".repeat(length));
    }
    await symlink(join(folder, "routes.yaml"), join(folder, "link.yaml"));
    const { bytes } = await statusOf(folder);
    const snapshots = await sizeOf(/^snapshot-/);
    const journal = await sizeOf(/^journal-\d{12}\.log$/);
    assert.ok(snapshots > 0 && journal > 0);
    const expected = { snapshots, journal, kept: 540_000, other: others + 3_210 };
    assert.deepEqual(bytes, { ...expected, total: snapshots + journal + 540_000 + others + 3_210 });
  });
});

describe("the instant of a file", () => {
  it("is unknown if its header is damaged, or the file is empty", async (t) => {
    for (const [text, by] of [
      ["{", "!"],
      [/^.*$/s, ""],
    ] as const) {
      const folder = await written(t, [{ A: 1 }, "snapshot"]);
      await edit(join(folder, snapshotFile(1)), text, by);
      assert.deepEqual((await statusOf(folder)).lastSnapshot, { sequence: 1, instant: null });
    }
  });

  it("is a failure with the path, if the file cannot be read", async (t) => {
    const folder = await written(t, [{ A: 1 }, "snapshot"]);
    await rm(join(folder, snapshotFile(1)));
    await mkdir(join(folder, snapshotFile(1)));
    await assert.rejects(statusOf(folder), {
      message: new RegExp(`${snapshotFile(1)} is a directory instead of a regular file`),
    });
    assert.deepEqual(await openIn(folder), []);
  });
});

describe("the status of a folder that cannot be read", () => {
  it("says why, and has the sizes all the same", async (t) => {
    const folder = await written(t);
    await edit(join(folder, segmentFile(4)), '"D"', '"!"');
    const { records, lastChange, problem, files, journalFrom } = await statusOf(folder);
    assert.deepEqual([records, lastChange], [null, null]);
    assert.match(problem ?? "", new RegExp(`${segmentFile(4)} is damaged at byte \\d+: .*\\.$`));
    assert.deepEqual(files, { snapshots: 2, segments: 3 });
    assert.equal(journalFrom?.sequence, 1);
  });

  it("is not told where a file is gone: the folder is read again", async (t) => {
    const folder = await written(t);
    await rm(join(folder, segmentFile(4)));
    await symlink(join(folder, "nothing"), join(folder, segmentFile(4)));
    await assert.rejects(statusOf(folder), {
      message: new RegExp(`${segmentFile(4)} is a broken symbolic link`),
    });
  });

  it("is refused where there is no data", async (t) => {
    const folder = await temporaryFolder(t);
    await assert.rejects(statusOf(folder), {
      code: "UNKNOWN_ENTRY",
      message: `There is no data in ${folder}.`,
    });
  });
});
