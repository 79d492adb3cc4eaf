/** Replacing the files of a folder: the order of its steps, what is durable after each, and what it refuses. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { replaceFiles, requireEmpty } from "../../../src/backup/replace-files.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { model } from "../../../src/domain/model.ts";
import { Database } from "../../../src/store/collection.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readState } from "../../../src/store/reading.ts";
import { temporaryFolder } from "../../_setup.ts";
import { openFiles, ruledFiles, segment, snapshot, systemError } from "../../store/_faults.ts";
import { contentsOf, opened, write } from "../_setup.ts";

const now = Date.parse("2026-03-02T08:00:00Z");
const kept = "damaged-2026-03-02T08-00-00.000Z";

/** Data with the number of an old snapshot, and a folder whose files it is to replace, the newest snapshot with number 3. */
async function places(t: TestContext) {
  const folder = await temporaryFolder(t);
  await write(folder, [{ A: 1 }, { B: 2 }, "snapshot", { A: 3 }, "snapshot", { C: 4 }]);
  for (const name of ["unsynced", "journal-000000000001.log.broken", "seed.yaml"]) {
    await writeFile(join(folder, name), name);
  }
  const { database } = await readState(nodeFiles, folder, model, { until: 2 });
  return { folder, database };
}

describe("replacing the files of a folder", () => {
  it("keeps every data file as it was, and no other file", async (t) => {
    const { folder, database } = await places(t);
    const before = await contentsOf(folder);
    assert.equal(await replaceFiles(nodeFiles, folder, database, now), kept);
    assert.deepEqual(await contentsOf(join(folder, kept)), before);
    assert.deepEqual((await readdir(join(folder, kept))).sort(), [...before.keys(), "unsynced"].sort());
    assert.deepEqual((await readdir(folder)).sort(), [kept, segment(5), "lock", "seed.yaml", snapshot(4)]);
    assert.deepEqual(await opened(folder), { A: 1, B: 2 });
  });

  it("names the folder for the old files after the time, and never overwrites one", async (t) => {
    const { folder, database } = await places(t);
    await mkdir(join(folder, kept));
    await mkdir(join(folder, `${kept}-2`));
    assert.equal(await replaceFiles(nodeFiles, folder, database, now), `${kept}-3`);
    assert.deepEqual(await readdir(join(folder, kept)), []);
  });

  it("gives the data a number that no old snapshot has, and which it keeps if it is higher", async (t) => {
    for (const [own, number] of [
      [0, 4],
      [3, 4],
      [4, 4],
      [9, 9],
    ] as const) {
      const { folder, database } = await places(t);
      database.sequence = own;
      await replaceFiles(nodeFiles, folder, database, now);
      assert.equal(database.sequence, number);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.endsWith(".jsonl")),
        [snapshot(number)],
      );
    }
  });

  it("creates no such folder where there is no data, and leaves the other files", async (t) => {
    const folder = await temporaryFolder(t);
    for (const name of ["unsynced", "x.broken"]) await writeFile(join(folder, name), name);
    assert.equal(await replaceFiles(nodeFiles, folder, new Database(model), now), null);
    assert.deepEqual((await readdir(folder)).sort(), [segment(1), snapshot(0), "unsynced", "x.broken"]);
    assert.equal(await readFile(join(folder, "unsynced"), "utf8"), "unsynced");
  });
});

describe("replacing files that fails", () => {
  const refusal = async (work: Promise<unknown>): Promise<Failure> => {
    const error = await work.then(
      () => assert.fail("expected a refusal"),
      (cause: unknown) => cause,
    );
    assert.ok(error instanceof Failure, String(error));
    return error;
  };

  for (const [what, fails] of [
    ["a segment", segment(1)],
    ["a snapshot", snapshot(3)],
  ] as const) {
    it(`to move ${what} tells to repeat the command, and leaves no temporary file`, async (t) => {
      const { folder, database } = await places(t);
      const files = ruledFiles(({ operation, path }) =>
        operation === "rename" && path === join(folder, fails) ? systemError("EIO") : undefined,
      );
      const { code, message, hint, cause } = await refusal(replaceFiles(files, folder, database, now));
      assert.deepEqual(
        [code, message, hint],
        [
          "STORE_UNAVAILABLE",
          `The data in ${folder} was replaced only in part: EIO: injected.`,
          `Check the disk, and repeat the command: it first moves the files of ${join(folder, kept)} back.`,
        ],
      );
      assert.match(String(cause), /EIO/);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.endsWith(".tmp")),
        [],
      );
    });
  }

  it("in a folder without data tells to empty it", async (t) => {
    const folder = await temporaryFolder(t);
    const files = ruledFiles(({ operation, path }) =>
      operation === "rename" && isStaged(path) ? systemError("EIO") : undefined,
    );
    const { message, hint } = await refusal(replaceFiles(files, folder, new Database(model), now));
    assert.equal(message, `The data in ${folder} was replaced only in part: EIO: injected.`);
    assert.equal(hint, "Empty the folder, and repeat the command.");
    assert.deepEqual(await readdir(folder), [snapshot(0)]);
  });

  it("at the last sync says that the folder has the new data", async (t) => {
    const { folder, database } = await places(t);
    let isNamed = false;
    const files = ruledFiles(({ operation, path }) => {
      if (operation === "rename" && isStaged(path)) isNamed = true;
      return operation === "sync" && isNamed ? systemError("EIO") : undefined;
    });
    const { message, hint } = await refusal(replaceFiles(files, folder, database, now));
    assert.equal(
      message,
      `The data in ${folder} was replaced, but the last step failed: EIO: injected '${folder}'.`,
    );
    assert.match(
      hint ?? "",
      /^It has the new data now, .* `addon-cli data snapshot`, which syncs it\. The earlier files are in/,
    );
    assert.deepEqual(await opened(folder), { A: 1, B: 2 });
  });

  for (const [what, operation, name] of [
    ["the folder for the old files cannot be created", "mkdir", kept],
    ["the new snapshot cannot be written", "rename", snapshot(4)],
  ] as const) {
    it(`if ${what} changes nothing, and leaves no temporary file`, async (t) => {
      const { folder, database } = await places(t);
      const before = await contentsOf(folder);
      const files = ruledFiles((call) =>
        call.operation === operation && call.path.includes(name) ? systemError("EIO") : undefined,
      );
      await assert.rejects(replaceFiles(files, folder, database, now), {
        message: new RegExp(`^The data in ${folder} was not replaced: EIO: injected`),
        hint: "Its files are as they were. Make room or check the disk, and repeat the command.",
      });
      assert.deepEqual(openFiles(folder), []);
      assert.deepEqual(await contentsOf(folder), before);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.endsWith(".tmp")),
        [],
      );
    });
  }
});

/** Returns whether a temporary file is the new segment, whole, before it gets its name. */
function isStaged(path: string): boolean {
  return /\/\.journal-\d{12}\.log\.[0-9a-f]{12}\.tmp$/.test(path);
}

describe("room for data", () => {
  for (const [names, refusal] of [
    [undefined, undefined],
    [[], undefined],
    [["seed.yaml", "routes.yaml", ".hidden", "lock"], undefined],
    [["replaced-2026", "damaged-2026", "x.broken", "unsynced"], undefined],
    [[segment(1)], /^There is data in .* now\.$/],
    [[snapshot(0)], /^There is data in .* now\.$/],
    [["thesis.txt"], /thesis\.txt/],
  ] as const) {
    it(`is ${refusal === undefined ? "" : "not "}in a folder with ${names?.join(", ") ?? "no name yet"}`, async (t) => {
      const folder = join(await temporaryFolder(t), "data");
      if (names !== undefined) await mkdir(folder);
      for (const name of names ?? []) await writeFile(join(folder, name), "");
      const required = requireEmpty(nodeFiles, folder);
      if (refusal === undefined) await required;
      else await assert.rejects(required, { code: "CONFLICT", message: refusal });
    });
  }
});
