/** What a repair plans, when it is refused, and which numbers a backup gets that replaces damaged files. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { model } from "../../src/domain/model.ts";
import { planRepair, repair } from "../../src/repair/repair.ts";
import { Database } from "../../src/store/collection.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { contentsOf, inMemory, instantOf, opened } from "../backup/_setup.ts";
import { change, Folder, journal, snapshot, step } from "./_folder.ts";

const intact = () => new Folder().journal(1, change(1, "A"), change(2, "B"));
/** Says something impossible, although all of it can be read. */
const impossible = () => intact().append(1, step(3, "A", 7, 8));
/** Lacks change 2. */
const damaged = () => {
  const folder = intact().append(1, change(3, "C"));
  folder.spoil(journal(1), '"B"');
  return folder;
};
const planOf = ({ files }: Folder) => planRepair(inMemory(files), "/data");

/** Writes the files into a folder. */
async function written(t: TestContext, { files }: Folder): Promise<string> {
  const folder = join(await temporaryFolder(t), "data");
  await mkdir(folder);
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
  return folder;
}

describe("the plan of a repair", () => {
  it("is empty without a problem", async () => {
    const { damage, content } = await planOf(intact());
    assert.deepEqual([damage, content], [[], []]);
  });

  it("has no damage where only the contents are impossible", async () => {
    const { damage, content } = await planOf(impossible());
    assert.deepEqual([damage, content.length, content[0]?.kind], [[], 1, "content"]);
  });

  it("has damage and impossible contents apart, and the rebuilt data", async () => {
    const folder = impossible().append(1, change(4, "C"), change(5, "D"));
    folder.spoil(journal(1), '"C"');
    const { damage, content, rebuild } = await planOf(folder);
    const { lost, database } = rebuild();
    assert.deepEqual(
      [...damage, ...content].map(({ kind, offset }) => [kind, offset]),
      [
        ["damage", folder.offsetOf(journal(1), 4)],
        ["damage", folder.offsetOf(journal(1), 4)],
        ["content", folder.offsetOf(journal(1), 3)],
      ],
    );
    assert.equal(lost.length, 1);
    assert.equal(database.sequence, 5);
  });
});

describe("a repair", () => {
  it("replaces the files with the rebuilt data when it returns, and keeps them", async (t) => {
    const folder = await written(t, damaged());
    const plan = await planRepair(nodeFiles, folder);
    const kept = String(await repair(nodeFiles, folder, plan, plan.rebuild().database, instantOf(1)));
    assert.match(kept, /^damaged-/);
    assert.deepEqual(await contentsOf(join(folder, kept)), damaged().files);
    assert.deepEqual([...(await contentsOf(folder)).keys()], [journal(4), snapshot(3)]);
    assert.deepEqual(await opened(folder), { A: 1, C: 1 });
  });
});

describe("a backup that replaces damaged files", () => {
  /** The number of the last change after the replacement with a backup that has `own` as its last number. */
  async function sequenceAfter(t: TestContext, data: Folder, own: number) {
    const folder = await written(t, data);
    const database = new Database(model);
    database.sequence = own;
    const plan = await planRepair(nodeFiles, folder);
    const kept = await repair(nodeFiles, folder, plan, database, instantOf(1));
    assert.deepEqual(await contentsOf(join(folder, String(kept))), data.files);
    const last = database.sequence;
    assert.deepEqual([...(await contentsOf(folder)).keys()], [journal(last + 1), snapshot(last)]);
    assert.deepEqual(await opened(folder), {});
    return last;
  }

  it("keeps its own number if that is higher", async (t) => {
    assert.equal(await sequenceAfter(t, damaged(), 8), 8);
  });

  it("gets the number of the last change that can be read", async (t) => {
    assert.equal(await sequenceAfter(t, damaged(), 2), 3);
  });
});
