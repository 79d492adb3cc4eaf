/** Backups in a folder: their names, and which of them are removed. */
import assert from "node:assert/strict";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { backupName, instantIn, writeRotatedBackup } from "../../src/backup/rotation.ts";
import { readBackup } from "../../src/backup/source.ts";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { ruledFiles, systemError } from "../store/_faults.ts";
import { stoppingAt, write } from "./_setup.ts";

const day = 24 * 60 * 60 * 1000;
/** Day 0 of these tests. */
const begin = Date.parse("2026-03-01T03:00:00.123Z");
const dayName = (number: number) => backupName(begin + number * day);

/** Returns data, and a folder with backups of some days. */
async function places(t: TestContext, days: readonly number[] = []) {
  const base = await temporaryFolder(t);
  const [data, folder] = [join(base, "data"), join(base, "backups")];
  await write(data, [{ A: 1 }, { B: 2 }]);
  await mkdir(folder);
  for (const number of days) await writeFile(join(folder, dayName(number)), `day ${number}`);
  return { data, folder, names: async () => (await readdir(folder)).sort() };
}

function backUp(files: Files, data: string, folder: string, number: number, keep?: number) {
  const now = () => begin + number * day;
  return writeRotatedBackup(files, data, folder, { keep, now });
}

describe("the name of a backup", () => {
  it("has its instant in UTC without colons, and sorts by it", () => {
    assert.equal(backupName(begin), "gameaddon-2026-03-01T03-00-00.123Z.jsonl.gz");
    const instants = [0, begin, begin + 1, begin + 1000, begin + 40 * day, begin + 4000 * day];
    assert.deepEqual(instants.map(backupName), instants.map(backupName).sort());
    for (const instant of instants) assert.equal(instantIn(backupName(instant)), instant);
  });

  for (const name of [
    "gameaddon-2026-03-01T03-00-00.123Z.jsonl.gz.bak",
    ".gameaddon-2026-03-01T03-00-00.123Z.jsonl.gz",
    "gameaddon-2026-03-01T03:00:00.123Z.jsonl.gz",
    "gameaddon-2026-03-01T03-00-00Z.jsonl.gz",
    "gameaddon-2026-03-01.jsonl.gz",
    "gameaddon-2026-02-30T03-00-00.123Z.jsonl.gz",
    "gameaddon-2026-13-01T03-00-00.123Z.jsonl.gz",
    "gameaddon-2026-03-01T24-00-00.000Z.jsonl.gz",
    "Gameaddon-2026-03-01T03-00-00.123Z.jsonl.gz",
    "gameaddon-.jsonl.gz",
  ]) {
    it(`is not ${name}`, () => assert.equal(instantIn(name), undefined));
  }
});

describe("a backup in a folder", () => {
  it("is complete, and removes the oldest ones beyond the number to keep", async (t) => {
    const { data, folder, names } = await places(t, [0, 1, 2, 3, 4]);
    const { file, removed, records } = await backUp(nodeFiles, data, folder, 5, 3);
    assert.equal(file, join(folder, dayName(5)));
    assert.equal((await readBackup(nodeFiles, file)).records, records);
    assert.deepEqual(
      removed,
      [0, 1, 2].map((number) => join(folder, dayName(number))),
    );
    assert.deepEqual(await names(), [3, 4, 5].map(dayName));
  });

  it("removes none without a number, nor while there are fewer", async (t) => {
    const { data, folder, names } = await places(t, [0, 1]);
    assert.deepEqual((await backUp(nodeFiles, data, folder, 2)).removed, []);
    assert.deepEqual((await backUp(nodeFiles, data, folder, 3, 4)).removed, []);
    assert.deepEqual(await names(), [0, 1, 2, 3].map(dayName));
  });

  it("removes and counts only regular files of that name", async (t) => {
    const { data, folder, names } = await places(t, [5]);
    const others = ["b.jsonl.gz", `${dayName(0)}.bak`, `my-${dayName(0)}`, "gameaddon-2026.jsonl.gz", ".x"];
    for (const name of others) await writeFile(join(folder, name), "mine");
    await mkdir(join(folder, dayName(1)));
    await symlink("b.jsonl.gz", join(folder, dayName(2)));
    await backUp(nodeFiles, data, folder, 6, 1);
    assert.deepEqual(await names(), [...others, ...[1, 2, 6].map(dayName)].sort());
  });

  it("gets a free name if there is one of the same instant", async (t) => {
    const { data, folder, names } = await places(t, [0]);
    const { file } = await backUp(nodeFiles, data, folder, 0, 5);
    assert.equal(file, join(folder, backupName(begin + 1)));
    assert.equal((await names()).length, 2);
  });
});

describe("a backup after the clock went backwards", () => {
  it("is not removed, and those with a later date neither count nor are removed", async (t) => {
    const { data, folder, names } = await places(t, [0, 1, 2, 900, 901]);
    for (const number of [3, 4]) {
      const { warnings } = await backUp(nodeFiles, data, folder, number, 3);
      assert.equal(warnings.length, 2);
      assert.match(warnings[0] ?? "", /has a date in the future: it is neither counted nor removed/);
    }
    assert.deepEqual(await names(), [2, 3, 4, 900, 901].map(dayName));
  });

  for (const [what, days, begins, ends, left, warned] of [
    ["is not removed if the clock goes back while it is written", [0, 1], 2, -900, [0, 1, 2], 2],
    ["has no later ones if its clock has reached them when it ends", [0, 5], 4, 5, [4, 5], 0],
  ] as const) {
    it(what, async (t) => {
      const { data, folder, names } = await places(t, days);
      const times = [begins, ends].map((number) => begin + number * day);
      const now = () => times.shift() ?? assert.fail("the clock is read more than twice");
      const { warnings } = await writeRotatedBackup(nodeFiles, data, folder, {
        keep: 1,
        now,
      });
      assert.deepEqual(await names(), left.map(dayName));
      assert.equal(warnings.length, warned);
      assert.ok(!warnings.some((warning) => warning.includes(dayName(2))));
    });
  }

  it("in the time before all others removes none", async (t) => {
    const { data, folder, names } = await places(t, [0, 1]);
    await backUp(nodeFiles, data, folder, -20_000, 1);
    assert.deepEqual(await names(), [-20_000, 0, 1].map(dayName));
  });
});

describe("old backups all stay", () => {
  for (const [what, operation, code] of [
    ["on a full disk", "write", "ENOSPC"],
    ["if the new one cannot be synced", "sync", "EIO"],
    ["if the new one cannot be read back", "readPieces", "EIO"],
    ["if the new one cannot get its name", "rename", "EIO"],
  ] as const) {
    it(what, async (t) => {
      const { data, folder, names } = await places(t, [0, 1, 2]);
      const files = ruledFiles((call) =>
        call.operation === operation && call.path.startsWith(folder) ? systemError(code) : undefined,
      );
      await assert.rejects(backUp(files, data, folder, 3, 1));
      assert.deepEqual(await names(), [0, 1, 2].map(dayName));
    });
  }

  it("if the new one is not what was written", async (t) => {
    const { data, folder, names } = await places(t, [0, 1, 2]);
    const files: Files = {
      ...nodeFiles,
      async *readPieces(path, from) {
        for await (const piece of nodeFiles.readPieces(path, from)) {
          if (path.startsWith(folder)) piece[piece.length - 9] = (piece[piece.length - 9] ?? 0) ^ 1;
          yield piece;
        }
      },
    };
    await assert.rejects(backUp(files, data, folder, 3, 1), /is damaged|is not a whole backup/);
    assert.deepEqual(await names(), [0, 1, 2].map(dayName));
  });

  it("if the data is damaged", async (t) => {
    const { data, folder, names } = await places(t, [0, 1, 2]);
    const [journal = ""] = (await readdir(data)).filter((name) => name.startsWith("journal-"));
    await writeFile(join(data, journal), "?");
    await assert.rejects(backUp(nodeFiles, data, folder, 3, 1));
    assert.deepEqual(await names(), [0, 1, 2].map(dayName));
  });
});

describe("an old backup that cannot be removed", () => {
  for (const [code, stuck, says, hint] of [
    ["EACCES", [0], "an older one", /permissions/],
    ["EROFS", [0, 1, 2], "3 older ones", /^The disk is read-only/],
    ["EBUSY", [1], "an older one", /^Remove the cause; the next backup removes them\.$/],
  ] as const) {
    it(`for ${code} fails the command; the new one is complete, and others are removed`, async (t) => {
      const { data, folder, names } = await places(t, [0, 1, 2]);
      const paths: string[] = stuck.map((number) => join(folder, dayName(number)));
      const files = ruledFiles(({ operation, path }) =>
        operation === "unlink" && paths.includes(path) ? systemError(code) : undefined,
      );
      const file = join(folder, dayName(3));
      await assert.rejects(backUp(files, data, folder, 3, 1), {
        code: "STORE_UNAVAILABLE",
        message: `Wrote the backup ${file}, but could not remove ${says}: ${code}: injected.`,
        hint,
      });
      assert.deepEqual(await names(), [...stuck, 3].map(dayName));
      await readBackup(nodeFiles, file);
    });
  }

  it("because another command has removed it is no failure", async (t) => {
    const { data, folder, names } = await places(t, [0, 1]);
    const files = ruledFiles(async ({ operation, path }) => {
      if (operation === "unlink" && path === join(folder, dayName(0))) await nodeFiles.unlink(path);
      return undefined;
    });
    const { removed } = await backUp(files, data, folder, 2, 1);
    assert.deepEqual(removed, [join(folder, dayName(1))]);
    assert.deepEqual(await names(), [dayName(2)]);
  });
});

describe("two backups at once", () => {
  for (const [what, order, left] of [
    ["both, if the later one ends first: neither removes its own", [1, 2], [1, 2]],
    ["the later one, if it ends last", [2, 1], [2]],
  ] as const) {
    it(`leave ${what}`, async (t) => {
      const { data, folder, names } = await places(t, [0]);
      const [outer, inner] = order;
      let isNested = false;
      const files = ruledFiles(async ({ operation, path }) => {
        if (operation !== "rename" || isNested || !path.startsWith(folder)) return undefined;
        isNested = true;
        await backUp(nodeFiles, data, folder, inner, 1);
        return undefined;
      });
      const now = () => begin + outer * day + (isNested ? 3 * day : 0);
      await writeRotatedBackup(files, data, folder, { keep: 1, now });
      assert.ok(isNested);
      assert.deepEqual(await names(), left.map(dayName));
    });
  }
});

it("many backups at once leave the newest ones, whole", async (t) => {
  const { data, folder, names } = await places(t, [0]);
  await Promise.all([4, 1, 3, 2, 5].map((number) => backUp(nodeFiles, data, folder, number, 2)));
  const found = await names();
  assert.deepEqual(found.slice(-2), [4, 5].map(dayName));
  for (const name of found.slice(-2)) await readBackup(nodeFiles, join(folder, name));
});

describe("a killed backup in a folder", () => {
  it("leaves at any step whole backups, and what the next one deletes", async (t) => {
    const { data, folder, names } = await places(t);
    for (const number of [0, 1]) await backUp(nodeFiles, data, folder, number, 2);
    const { files: whole, steps } = stoppingAt(Number.POSITIVE_INFINITY);
    await backUp(whole, data, folder, 2, 2);
    assert.ok(steps() > 5, `${steps()} steps`);
    let left = 0;
    for (let step = 1; step <= steps(); step += 1) {
      const number = 1 + 2 * step;
      await backUp(stoppingAt(step).files, data, folder, number, 2).catch(() => {});
      const found = await names();
      left += found.filter((name) => name.endsWith(".tmp")).length;
      const backups = found.filter((name) => instantIn(name) !== undefined);
      assert.ok(backups.length >= 2, `step ${step}`);
      for (const name of backups) await readBackup(nodeFiles, join(folder, name));
      await backUp(nodeFiles, data, folder, number + 1, 2);
      const after = await names();
      assert.equal(after.length, 2, `step ${step}: ${after}`);
    }
    assert.ok(left > 2, `${left} were left`);
  });
});
