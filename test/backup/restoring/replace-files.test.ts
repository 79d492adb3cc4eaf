/** Replacing the files of a folder, stopped at every step: the old data, the new, or a refusal. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { replaceFiles, undoReplacement } from "../../../src/backup/replace-files.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { model } from "../../../src/domain/model.ts";
import { Database } from "../../../src/store/collection.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readState } from "../../../src/store/reading.ts";
import { sample, stride } from "../../_depth.ts";
import { randomFrom } from "../../_random.ts";
import { temporaryFolder } from "../../_setup.ts";
import { ruledFiles, segment, systemError } from "../../store/_faults.ts";
import { Disk } from "../../store/faults/_disk.ts";
import {
  contentsOf,
  copyOf,
  type History,
  instantOf,
  opened,
  type Points,
  Stopped,
  stoppingAt,
  write,
} from "../_setup.ts";

const long: History = [{ A: 1 }, { B: 2 }, "snapshot", { A: 3 }, "snapshot", { C: 4 }, "snapshot", { D: 5 }];
const longEnds: Points = { A: 3, B: 2, C: 4, D: 5 };
const other = (changes: number): History =>
  Array.from({ length: changes }, (_, index) => ({ Z: index + 10 }));

interface Case {
  readonly name: string;
  readonly old: History | undefined;
  readonly oldEnds: Points;
  /** Where the new data comes from; undefined is the old folder, at its change `at`. */
  readonly from: History | undefined;
  readonly at?: number;
  readonly newEnds: Points;
}

const earlier = (name: string, at: number, newEnds: Points): Case => {
  return { name, old: long, oldEnds: longEnds, from: undefined, at, newEnds };
};
const foreign = (name: string, changes: number): Case => {
  return { name, old: long, oldEnds: longEnds, from: other(changes), newEnds: { Z: changes + 9 } };
};

const cases: readonly Case[] = [
  earlier("an earlier state of itself", 2, { A: 1, B: 2 }),
  earlier("an earlier state that no snapshot has", 1, { A: 1 }),
  earlier("its own last state", 5, longEnds),
  foreign("other data that has more changes", 9),
  foreign("other data that has fewer changes", 1),
  foreign("other data with the number of a snapshot", 3),
  foreign("other data with the number of the newest snapshot", 4),
  foreign("other data with the number of the last change", 5),
  { ...foreign("a journal without a snapshot", 2), old: [{ A: 1 }, { A: 2 }], oldEnds: { A: 2 } },
  { ...foreign("an empty folder", 2), old: undefined, oldEnds: {} },
];

describe("replacing files, stopped at any step", () => {
  for (const { name, old, oldEnds, from, at, newEnds } of cases) {
    it(`of ${name}: the folder opens with the old or the new data, or is refused`, async (t) => {
      const base = await temporaryFolder(t);
      const template = join(base, "template");
      await nodeFiles.mkdir(template);
      if (old !== undefined) await write(template, old);
      if (from !== undefined) await write(join(base, "from"), from);
      const source = from === undefined ? template : join(base, "from");
      const seen = { old: 0, new: 0, refused: 0, part: 0 };
      let done = false;
      for (let step = 1; !done; step += stride) {
        const folder = await copyOf(template, join(base, `step-${step}`));
        const { database } = await readState(nodeFiles, source, model, { until: at });
        const { files } = stoppingAt(step);
        let says = "";
        try {
          await replaceFiles(files, folder, database, instantOf(100));
          done = true;
        } catch (error) {
          assert.ok(error instanceof Failure && error.cause instanceof Stopped, String(error));
          says = error.message;
        }
        const came = await opened(folder);
        if (says.includes("was not replaced")) assert.deepEqual(came, oldEnds, `step ${step}`);
        if (says.includes("was replaced, but")) assert.deepEqual(came, newEnds, `step ${step}`);
        if (says.includes("only in part")) seen.part += 1;
        if (came instanceof Failure) {
          assert.equal(came.code, "STORE_UNAVAILABLE");
          assert.match(came.message, /lacks the journal from change|damaged at byte/);
          assert.equal(done, false);
          seen.refused += 1;
        } else if (JSON.stringify(came) === JSON.stringify(newEnds)) {
          seen.new += 1;
        } else {
          assert.deepEqual(came, oldEnds, `step ${step}`);
          assert.equal(seen.refused + seen.new > 0 && oldEnds !== newEnds, false, `step ${step} went back`);
          seen.old += 1;
        }
        // What a repetition of the command begins with: only after the new segment has its name is there nothing to undo.
        if (old === undefined || says === "" || says.includes("was replaced, but")) continue;
        await undoReplacement(nodeFiles, folder);
        assert.deepEqual(await contentsOf(folder), await contentsOf(template), `step ${step}`);
      }
      assert.ok(seen.new > 0);
      if (oldEnds !== newEnds) assert.ok(seen.old > 0);
    });
  }
});

describe("replacing files, with a loss of power at any call", () => {
  it("leaves the old data, the new data, or a folder that cannot be started", async (t) => {
    const base = await temporaryFolder(t);
    await write(join(base, "template", "data"), long);
    const run = async (calls: number) => {
      const root = await copyOf(join(base, "template"), join(base, `${calls}`));
      const { database } = await readState(nodeFiles, join(root, "data"), model, { until: 3 });
      const disk = await Disk.of(root);
      const replacing = replaceFiles(disk.files, join(root, "data"), database, 0).then(() => true);
      const isDone = await Promise.race([disk.failAfter(calls).then(() => false), replacing]);
      await disk.remains(`${root}-left`, calls % 2 === 0 ? randomFrom(calls) : undefined);
      const came = await opened(join(`${root}-left`, "data"));
      if (isDone) assert.deepEqual(came, { A: 3, B: 2 });
      else if (came instanceof Failure) {
        assert.match(came.message, /lacks the journal from change|damaged at byte/);
        await undoReplacement(nodeFiles, join(`${root}-left`, "data"));
        assert.deepEqual(await opened(join(`${root}-left`, "data")), longEnds, `${calls} calls`);
      } else assert.deepEqual(came, came.C === undefined ? { A: 3, B: 2 } : longEnds, `${calls} calls`);
      return disk.calls;
    };
    const calls = await run(Number.MAX_SAFE_INTEGER);
    for (const call of sample(Array.from({ length: calls }, (_, index) => index))) await run(call);
  });
});

it("on a disk that cannot be written, the files are said to be as they were", async (t) => {
  const folder = join(await temporaryFolder(t), "data");
  await write(folder, long);
  const isWrite = (operation: string) => ["mkdir", "unlink", "rename"].includes(operation);
  const files = ruledFiles(({ operation }) => (isWrite(operation) ? systemError("EROFS") : undefined));
  await assert.rejects(replaceFiles(files, folder, new Database(model), 0), /was not replaced/);
  assert.deepEqual(await opened(folder), longEnds);
});

describe("undoing an unfinished replacement", () => {
  /** A folder whose replacement by other data failed when all files had been moved. */
  async function unfinished(folder: string): Promise<void> {
    await write(folder, long);
    const database = new Database(model);
    database.sequence = 3;
    const files = ruledFiles(({ operation, path }) =>
      operation === "rename" &&
      path.endsWith(".tmp") &&
      path.includes("/damaged-") &&
      path.includes(segment(6)) &&
      !path.includes("/..")
        ? systemError("EIO")
        : undefined,
    );
    await assert.rejects(replaceFiles(files, folder, database, 0), /replaced only in part/);
    assert.ok((await opened(folder)) instanceof Failure);
  }

  it("brings the old files back, also if it is stopped at any step and repeated", async (t) => {
    const base = await temporaryFolder(t);
    await write(join(base, "before"), long);
    const before = await contentsOf(join(base, "before"));
    await unfinished(join(base, "template"));
    let done = false;
    for (let step = 1; !done; step += stride) {
      const folder = await copyOf(join(base, "template"), join(base, `step-${step}`));
      try {
        await undoReplacement(stoppingAt(step).files, folder);
        done = true;
      } catch (error) {
        assert.ok(error instanceof Stopped, String(error));
      }
      const came = await opened(await copyOf(folder, join(base, `opened-${step}`)));
      if (!(came instanceof Failure)) assert.deepEqual(came, longEnds, `step ${step}`);
      await undoReplacement(nodeFiles, folder);
      assert.deepEqual(await contentsOf(folder), before, `step ${step}`);
      assert.deepEqual(await opened(folder), longEnds);
    }
  });
});
