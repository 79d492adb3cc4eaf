/** `data backup` into a folder, as a timer runs it. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { backupName, instantIn } from "../../src/backup/rotation.ts";
import { describeBothWays } from "./_both-ways.ts";
import { type Desk, type FailureDocument, linesOf, seededDesk } from "./_setup.ts";

interface BackupDocument {
  readonly file: string;
  readonly sequence: number;
  readonly instant: number;
  readonly records: number;
  readonly bytes: number;
  readonly removed: readonly string[];
}

const old = ["2024-01-01", "2024-01-02", "2024-01-03"].map((date) => backupName(Date.parse(date)));

/** Creates the folder `backups` with three old backups. Returns its path and a function that lists it. */
async function folderOf(desk: Desk) {
  const folder = join(desk.folder, "backups");
  await mkdir(folder);
  for (const name of old) await writeFile(join(folder, name), "old");
  return { folder, names: async () => (await readdir(folder)).sort() };
}

describeBothWays("data backup <folder>/ --keep", (open) => {
  it("writes a backup that can be restored, removes the oldest, and prints both", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada");
    const { folder, names } = await folderOf(desk);
    const before = Date.now();
    const lines = linesOf(await desk.ok("data", "backup", "backups/", "--keep", "2"));
    const [name = ""] = (await names()).slice(-1);
    assert.deepEqual(await names(), [old[2], name]);
    assert.ok(Number(instantIn(name)) >= before);
    assert.match(lines[0] ?? "", /^Wrote \d+ records, everything up to change \d+, to /);
    assert.ok(lines[0]?.includes(join(folder, name)));
    assert.deepEqual(
      lines.slice(1),
      old.slice(0, 2).map((each) => `Removed ${join(folder, each)}.`),
    );
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
    await desk.ok("--data", "copy", "data", "restore", join("backups", name));
    assert.match(await desk.ok("--data", "copy", "player", "list"), /^Ada\t/m);
  });

  it("lists what it wrote and removed with --json", async (t) => {
    const desk = await open(t);
    const { folder, names } = await folderOf(desk);
    const document = await desk.json<BackupDocument>("data", "backup", "backups", "--keep", "3");
    const [name = ""] = (await names()).slice(-1);
    assert.deepEqual(Object.keys(document), ["file", "sequence", "instant", "records", "bytes", "removed"]);
    assert.equal(document.file, join(folder, name));
    assert.equal(document.instant, instantIn(name));
    assert.deepEqual(document.removed, [join(folder, String(old[0]))]);
    assert.equal((await names()).length, 3);
  });
});

describe("data backup into a folder", () => {
  it("removes nothing without --keep, whether the name ends with a slash or not", async (t) => {
    const desk = await seededDesk(t);
    const { names } = await folderOf(desk);
    await desk.ok("data", "backup", "backups/");
    const { removed } = await desk.json<BackupDocument>("data", "backup", "backups");
    assert.deepEqual(removed, []);
    const found = await names();
    assert.deepEqual(found.slice(0, 3), old);
    assert.equal(found.length, 5);
    assert.ok(found.every((name) => instantIn(name) !== undefined));
  });

  it("is refused where there is none: it may be on a disk that is not mounted", async (t) => {
    const desk = await seededDesk(t);
    const { code, info, hint } = await desk.failsAs<FailureDocument>(
      "data",
      "backup",
      "none/",
      "--keep",
      "3",
    );
    assert.equal(code, "UNKNOWN_ENTRY");
    assert.equal(info, `There is no folder ${join(desk.folder, "none")}.`);
    assert.match(hint ?? "", /Create it, or mount/);
    assert.ok(!(await readdir(desk.folder)).includes("none"));
  });

  it("is refused where it is a file", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("b.gz", "mine");
    assert.match(await desk.fails("data", "backup", "b.gz/"), /Expected a folder, but .*b\.gz is a file/);
    assert.equal(await readFile(join(desk.folder, "b.gz"), "utf8"), "mine");
  });

  it("removes nothing where there is no data", async (t) => {
    const desk = await seededDesk(t);
    const { names } = await folderOf(desk);
    assert.match(
      await desk.fails("--data", "other", "data", "backup", "backups/", "--keep", "1"),
      /There is no data in /,
    );
    assert.deepEqual(await names(), old);
  });

  it("warns of backups with a date in the future", async (t) => {
    const desk = await seededDesk(t);
    const { names } = await folderOf(desk);
    const later = backupName(Date.parse("2100-01-01"));
    await desk.write(join("backups", later), "later");
    const { exitCode, stderr } = await desk.run(["data", "backup", "backups/", "--keep", "1"]);
    assert.equal(exitCode, 0);
    assert.match(stderr, /^warning: .*gameaddon-2100-.* has a date in the future/);
    assert.equal((await names()).length, 2);
    assert.equal((await names())[1], later);
  });
});

describe("data backup refuses as wrong usage", () => {
  for (const [what, args, says] of [
    ["--keep with a file", ["b.gz", "--keep", "3"], /--keep requires a folder; to name one, write b\.gz\//],
    ["--keep 0", ["backups/", "--keep", "0"], /--keep.*whole number from 1/],
    ["--keep -1", ["backups/", "--keep", "-1"], /--keep/],
    ["--keep 1.5", ["backups/", "--keep", "1.5"], /--keep.*whole number from 1/],
    ["--keep without a number", ["backups/", "--keep"], /--keep/],
    ["--force with a folder", ["backups/", "--force"], /--force requires a file/],
    ["an empty name", [""], /expected a file or a folder, got an empty text/],
  ] satisfies [string, string[], RegExp][]) {
    it(what, async (t: TestContext) => {
      const desk = await seededDesk(t);
      const { names } = await folderOf(desk);
      assert.match(await desk.misused("data", "backup", ...args), says);
      assert.deepEqual(await names(), old);
    });
  }
});
