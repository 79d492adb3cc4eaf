/** Restores and imports in processes that are killed at any system call, or whose disk becomes full: all or nothing. */
import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { writeBackup } from "../../../src/backup/backup.ts";
import { formatExport, toExport } from "../../../src/backup/export-format.ts";
import { model } from "../../../src/domain/model.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readHistory } from "../../../src/store/journal/history.ts";
import { readState } from "../../../src/store/reading.ts";
import { Store } from "../../../src/store/store.ts";
import { sample } from "../../_depth.ts";
import { wantedKey, wantedReason } from "../../_entries.ts";
import { temporaryFolder } from "../../_setup.ts";
import { callsOf, type Driven, drive, driveUntil, inParallel, noStrace, unavailable } from "../../_strace.ts";
import { compiledPrograms } from "../../store/faults/_build.ts";

/** So many, and so long, that a restore of all takes two lines of the journal. */
const count = 400;
const nameOf = (index: number) => `Reason-${index}-${"x".repeat(2000)}`;

const root = await temporaryFolder({ after });
const driver = join(await compiledPrograms(), "test", "backup", "restoring", "_restore-driver.js");

/** A folder with other points than those in its backup and its export. */
const base = join(root, "base");
const files = { backup: join(root, "backup.gz"), export: join(root, "export.json") } as const;
await prepare();

async function prepare(): Promise<void> {
  const store = await Store.open({ folder: base, model });
  const set = (points: number, from: number) =>
    store.changeInBulk({ who: "operator", operation: "test" }, () =>
      Array.from({ length: count }, (_, index) => {
        const reason = nameOf(index);
        const key = wantedKey(reason);
        const before = from === 0 ? null : wantedReason(reason, from);
        return { collection: "entries", key, before, after: wantedReason(reason, points) };
      }),
    );
  await set(1, 0);
  await store.snapshot();
  await writeBackup(nodeFiles, base, files.backup, { force: false, now: Date.now() });
  const { database } = await readState(nodeFiles, base, model);
  await writeFile(files.export, formatExport(toExport(database, 1)));
  await set(2, 1);
  await store.close();
}

const sequence = 2;

/** Opens the folder that a driver left: all points are as before, or all as restored, as they must be if it reported so. */
async function assertWhole(folder: string, { lines }: Driven): Promise<"before" | "after"> {
  const store = await Store.open({ folder, model });
  const points = new Set(Array.from(store.data.entries.values(), ({ values }) => values.points));
  assert.equal(store.data.entries.size, count);
  const isDone = points.has(1);
  assert.deepEqual([...points], [isDone ? 1 : 2]);
  assert.equal(store.sequence, isDone ? sequence + 1 : sequence);
  if (lines.includes(`restored ${sequence + 1}`)) assert.ok(isDone, "it was acknowledged, and is not there");
  await store.change({ who: "operator", operation: "test" }, (draft) =>
    draft.entries.put(wantedReason("Next", 3)),
  );
  await store.close();
  const numbers: number[] = [];
  for await (const record of readHistory(nodeFiles, folder)) numbers.push(record.sequence);
  assert.deepEqual(
    numbers,
    Array.from({ length: store.sequence }, (_, index) => index + 1),
  );
  return isDone ? "after" : "before";
}

for (const kind of ["backup", "export"] as const) {
  const name = kind === "backup" ? "a restore" : "an import";
  describe(name, () => {
    it("killed at any system call on the data folder has happened in whole or not at all", {
      skip: noStrace,
    }, async () => {
      const whole = join(root, `${kind}-whole`);
      await cp(base, whole, { recursive: true });
      const { points, driven: undisturbed } = await callsOf(whole, [driver, whole, kind, files[kind]]);
      assert.deepEqual(undisturbed.lines, [`restored ${sequence + 1}`]);
      const seen = { before: 0, after: 0, killed: 0 };
      const tried = sample(points, 3);
      const tasks = tried.map((point, index) => async () => {
        const folder = join(root, `${kind}-${index}`);
        await cp(base, folder, { recursive: true });
        const driven = await driveUntil(point, [driver, folder, kind, files[kind]]);
        if (driven.code === "SIGKILL") seen.killed += 1;
        const state = await assertWhole(folder, driven).catch((error: Error) => {
          throw new Error(`killed at ${point.join(" ")}: ${error.message}`, { cause: error });
        });
        seen[state] += 1;
      });
      await inParallel(tasks, 3);
      assert.ok(seen.killed >= tried.length * 0.9 && seen.before > 0 && seen.after > 0, JSON.stringify(seen));
    });

    const noMount = unavailable("unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=64k t /mnt");
    it("on a disk that becomes full midway is refused and changes nothing", {
      skip: noMount,
    }, async () => {
      let bytes = 0;
      for (const name of await readdir(base))
        bytes += Math.ceil((await readFile(join(base, name))).length / 4096) * 4096;
      const [mount, left] = [join(root, `${kind}-small`), join(root, `${kind}-left`)];
      await mkdir(mount);
      await mkdir(left);
      // Room for the first line of two.
      const size = bytes + 1200 * 1024;
      const script = `
        mount -t tmpfs -o size=${size} t "$1"
        cp -a "$5/." "$1"
        "$2" "$3" "$1" ${kind} "$6"
        cp -a "$1/." "$4"`;
      const given = [mount, process.execPath, driver, left, base, files[kind]];
      const driven = await drive("unshare", ["-Urm", "sh", "-euc", script, "sh", ...given]);
      assert.equal(driven.code, 0);
      assert.deepEqual(driven.lines, ["refused STORE_UNAVAILABLE"]);
      assert.equal(await assertWhole(left, driven), "before");
      assert.ok(!(await readdir(left)).some((name) => name.endsWith(".broken")), "it was cut back at once");
    });
  });
}
