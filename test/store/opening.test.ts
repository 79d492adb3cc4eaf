/** Starts on unusable folders, on folders of somebody else, and on other formats. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../_setup.ts";
import {
  assertGoesOn,
  assertLeft,
  assertRefused,
  type Call,
  contents,
  filesOf,
  fill,
  namesIn,
  ninth,
  openNotebook,
  ruledFiles,
  segment,
  snapshot,
  systemError,
  writeLines,
} from "./_faults.ts";

describe("a data folder", () => {
  for (const [operation, path] of [
    ["mkdir", "data"],
    ["open", "lock"],
    ["open", segment(1)],
    ["readdir", "data"],
  ] as const satisfies readonly (readonly [Call["operation"], string])[]) {
    it(`on a read-only disk, noticed at ${operation} of ${path}, is refused with its name`, async (t) => {
      const folder = join(await temporaryFolder(t), "data");
      const files = ruledFiles((call) =>
        call.operation === operation && call.path.includes(path) ? systemError("EROFS") : undefined,
      );
      const { hint } = await assertRefused(openNotebook(folder, { files }), folder, "EROFS");
      assert.match(hint ?? "", /--data/);
    });
  }

  for (const code of ["EACCES", "EPERM", "EIO"]) {
    const isRefused = code === "EIO";
    it(`in a folder that cannot be synced for ${code} is ${isRefused ? "refused" : "begun"}`, async (t) => {
      const parent = join(await temporaryFolder(t), "parent");
      const folder = join(parent, "data");
      await mkdir(parent);
      const files = ruledFiles(({ operation, path }) =>
        operation === "open" && path === parent ? systemError(code) : undefined,
      );
      const opening = openNotebook(folder, { files });
      if (isRefused) await assertRefused(opening, folder, code);
      else await (await opening).close();
    });
  }

  it("that is a file is refused with its name", async (t) => {
    const path = join(await temporaryFolder(t), "data");
    await writeFile(path, "mine");
    assert.match((await assertRefused(openNotebook(path), path)).hint ?? "", /--data/);
    assert.equal(await readFile(path, "utf8"), "mine");
    await assertRefused(openNotebook(join(path, "below")), path);
  });

  it("with files of somebody else is refused and unchanged", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, "thesis.txt"), "mine");
    const { hint } = await assertRefused(openNotebook(folder), folder, "thesis.txt");
    assert.match(hint ?? "", /--data/);
    assert.deepEqual(await namesIn(folder, /^(?!lock$)/), ["thesis.txt"]);
    await mkdir(join(folder, "tables"));
    await assertRefused(openNotebook(folder), folder, "thesis.txt");
  });

  it("with only remains of earlier data is refused", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, `${segment(1)}.broken`), "x");
    await assertLeft(folder, `${segment(1)}.broken`);
  });
});

describe("a format", () => {
  const note = { id: "a", text: "one", topic: "t" };

  it("newer than the program is refused with the file's name, and is not damage", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const snapshotHeader = { format: "gameaddon-snapshot", version: 4, sequence: 9, chain: 1, instant: 0 };
    const segmentHeader = { format: "gameaddon-journal", version: 5, first: 10, chain: 1, instant: 0 };
    const written = [
      { name: snapshot(9), lines: [{ ...snapshotHeader, more: true }, { end: 0 }], known: "up to 3" },
      { name: segment(10), lines: [segmentHeader], known: "up to 4" },
    ];
    for (const { name, lines, known } of written) {
      const path = join(folder, name);
      await writeLines(path, lines);
      const version = name === segment(10) ? "version 5" : "version 4";
      assert.match(await assertLeft(folder, path, version, known), /newer version/);
      await rm(path);
    }
    await assertGoesOn(folder, 9);
  });

  for (const version of [1, 2, 3]) {
    it(`of version ${version} is upgraded at a start, after the files are copied`, async (t) => {
      const folder = await temporaryFolder(t);
      const change = { collection: "notes", key: "a", before: null, after: note };
      const record = { sequence: 3, instant: 5, who: "operator", operation: "test", changes: [change] };
      const header = {
        format: "gameaddon-snapshot",
        version: Math.min(version, 2),
        sequence: 2,
        chain: 77,
        instant: 4,
      };
      const tally = { collection: "tallies", record: { id: "tally", text: "2", topic: null } };
      await writeLines(join(folder, snapshot(2)), [header, tally, { end: 1 }]);
      const begin = { format: "gameaddon-journal", version, first: 3, chain: 77, instant: 4 };
      await writeLines(join(folder, segment(3)), [begin, record], 77);
      const before = await filesOf(folder);
      const only = await openNotebook(folder, { onlyReads: true });
      await assert.rejects(fill(only, 4));
      await only.close();
      assert.deepEqual(await filesOf(folder), before);
      const store = await openNotebook(folder);
      assert.match(String(store.warnings), /the files from before are in before-version-4\.$/);
      assert.equal(store.sequence, 3);
      assert.deepEqual(contents(store.data), { notes: [note], tallies: [tally.record] });
      assert.deepEqual(await filesOf(join(folder, "before-version-4")), before);
      await store.close();
      for (const [name, present] of [
        [snapshot(3), 3],
        [segment(4), 4],
      ] as const) {
        const [head = ""] = (await readFile(join(folder, name), "utf8")).split("\n");
        assert.equal(JSON.parse(head.slice(9)).version, present);
      }
      const again = await openNotebook(folder);
      assert.deepEqual(contents(again.data), contents(store.data));
      assert.deepEqual(await filesOf(join(folder, "before-version-4")), before);
      await fill(again, 4);
      await again.close();
    });
  }
});
