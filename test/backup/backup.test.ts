/** Backups of full disks, and the temporary files of killed backups. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { writeBackup } from "../../src/backup/backup.ts";
import { readBackup } from "../../src/backup/source.ts";
import { model } from "../../src/domain/model.ts";
import { type Files, nodeFiles, piecesOf } from "../../src/store/folder/files.ts";
import { Store } from "../../src/store/store.ts";
import { pointsOf, wantedReason } from "../_entries.ts";
import { temporaryFolder } from "../_setup.ts";
import { ruledFiles, snapshot, spoil, systemError } from "../store/_faults.ts";
import { contentsOf, write } from "./_setup.ts";

/** A folder with data beside an empty one for backups. */
async function places(t: TestContext): Promise<{ data: string; target: string; elsewhere: string }> {
  const base = await temporaryFolder(t);
  const data = join(base, "data");
  await write(data, [{ A: 1 }, "snapshot", { B: 2 }]);
  await mkdir(join(base, "elsewhere"));
  return { data, elsewhere: join(base, "elsewhere"), target: join(base, "elsewhere", "b.gz") };
}

const backUp = (files: Files, data: string, target: string) =>
  writeBackup(files, data, target, { force: true, now: 1 });

async function pointsIn(backup: string) {
  const { database } = await readBackup(nodeFiles, backup);
  return pointsOf(database.view.entries.values());
}

const writing = new Set(["write", "sync", "datasync", "truncate", "rename", "unlink", "mkdir"]);

describe("a backup", () => {
  for (const code of ["ENOSPC", "EROFS", "EIO"]) {
    it(`to another disk has every change, although the disk of the data refuses writes: ${code}`, async (t) => {
      const { data, target } = await places(t);
      const before = await contentsOf(data);
      const files = ruledFiles(({ operation, path }) =>
        path.startsWith(data) && writing.has(operation) ? systemError(code) : undefined,
      );
      const { sequence, records } = await backUp(files, data, target);
      assert.deepEqual([sequence, records], [2, 2]);
      assert.deepEqual(await pointsIn(target), { A: 1, B: 2 });
      assert.deepEqual(await contentsOf(data), before);
    });
  }

  it("needs no lock, and has the acknowledged changes of a running service", async (t) => {
    const { data, target } = await places(t);
    const store = await Store.open({ folder: data, model });
    t.after(() => store.close());
    await store.change({ who: "operator", operation: "test" }, (draft) =>
      draft.entries.put(wantedReason("C", 3)),
    );
    await backUp(nodeFiles, data, target);
    assert.deepEqual(await pointsIn(target), { A: 1, B: 2, C: 3 });
  });

  it("that is read back with fewer or more records is refused, and leaves none", async (t) => {
    const { data, target, elsewhere } = await places(t);
    const others = join(elsewhere, "..", "others");
    await write(others, [{ A: 1 }]);
    const fewer = join(elsewhere, "..", "fewer.gz");
    await backUp(nodeFiles, others, fewer);
    const files: Files = {
      ...nodeFiles,
      readPieces: (path, from) => piecesOf(nodeFiles, path.startsWith(elsewhere) ? fewer : path, from),
    };
    await assert.rejects(backUp(files, data, target), { message: "expected 2 records, got 1" });
    assert.deepEqual(await readdir(elsewhere), []);
    const { bytes, instant, warnings } = await backUp(nodeFiles, data, target);
    assert.deepEqual([bytes, instant, warnings], [(await readFile(target)).length, 1, []]);
  });

  it("of data with a damaged snapshot is complete, with a warning", async (t) => {
    const { data, target } = await places(t);
    await spoil(join(data, snapshot(1)), 20);
    const { warnings, records } = await backUp(nodeFiles, data, target);
    assert.equal(records, 2);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /snapshot-000000000001\.jsonl is damaged at byte \d+ .*; the one before it is used\.$/,
    );
  });

  it("on a full disk names the file, leaves none, and keeps the previous backup", async (t) => {
    const { data, target, elsewhere } = await places(t);
    await writeFile(target, "the old one");
    const files = ruledFiles(({ operation, path }) =>
      path.startsWith(elsewhere) && operation === "write" ? systemError("ENOSPC") : undefined,
    );
    await assert.rejects(backUp(files, data, target), { code: "ENOSPC", message: new RegExp(elsewhere) });
    assert.deepEqual(await readdir(elsewhere), ["b.gz"]);
  });

  it("of data with an invalid record is refused", async (t) => {
    const { data, target, elsewhere } = await places(t);
    const store = await Store.open({ folder: data, model });
    await store.change({ who: "operator", operation: "test" }, (draft) =>
      draft.entries.put(wantedReason("C", Number.NaN)),
    );
    await store.close();
    await assert.rejects(backUp(nodeFiles, data, target), /is invalid: a record of entries, values\.points/);
    assert.deepEqual(await readdir(elsewhere), []);
  });
});

describe("a killed backup", () => {
  it("does not make the next one delete files that are being written, or any others", async (t) => {
    const { data, target, elsewhere } = await places(t);
    const foreign = [".b.gz.0123456789ab.tmp", ".addon-cli.tmp", "b.gz.0123456789ab.addon-cli.tmp", ".vimrc"];
    for (const name of foreign) await writeFile(join(elsewhere, name), "mine");
    // Another backup is under way, and waits while this one comes and goes.
    const files = ruledFiles(async ({ operation, path }) => {
      if (operation !== "write" || !path.startsWith(elsewhere)) return undefined;
      await backUp(nodeFiles, data, join(elsewhere, "c.gz"));
      return undefined;
    });
    await backUp(files, data, target);
    assert.deepEqual(await pointsIn(target), { A: 1, B: 2 });
    assert.deepEqual((await readdir(elsewhere)).sort(), [...foreign, "b.gz", "c.gz"].sort());
  });
});

describe("reading a backup", () => {
  it("refuses a small file that decompresses to an endless line", async (t) => {
    const { target } = await places(t);
    await writeFile(target, gzipSync(Buffer.alloc(32 * 1024 * 1024)));
    await assert.rejects(readBackup(nodeFiles, target), /at byte 0, the line is longer than 16777216 bytes/);
  });
});
