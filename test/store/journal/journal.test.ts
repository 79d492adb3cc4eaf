/** The open segment of the journal: what it checks before it writes, and how it moves on to the next segment. */
import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tryLock } from "fs-native-extensions";
import { type Files, nodeFiles } from "../../../src/store/folder/files.ts";
import { FolderLock } from "../../../src/store/folder/lock.ts";
import { FolderHeld } from "../../../src/store/folder/lock-file.ts";
import { FolderLost, Journal, SyncFailure } from "../../../src/store/journal/journal.ts";
import { headerLine } from "../../../src/store/journal/segment.ts";
import { temporaryFolder } from "../../_setup.ts";
import { openFiles, ruledFiles, segment, systemError } from "../_faults.ts";
import { Bench, isFree, line } from "../_journal.ts";

describe("an existing segment", () => {
  it("is appended to at an offset, and not opened where it cannot be synced", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, segment(7)), "the ");
    const lock = await FolderLock.take(nodeFiles, folder);
    const before = openFiles(folder);
    const failing = ruledFiles(({ operation }) =>
      operation === "datasync" ? systemError("EIO") : undefined,
    );
    await assert.rejects(Journal.open({ files: failing, folder, lock }, 7, 4), (error) => {
      assert.ok(error instanceof SyncFailure, `${error}`);
      assert.match(String(error.cause), new RegExp(segment(7)));
      return true;
    });
    assert.deepEqual(openFiles(folder), before);
    const journal = await Journal.open({ files: nodeFiles, folder, lock }, 7, 4);
    await journal.append([line]);
    assert.deepEqual([journal.first, journal.size], [7, 11]);
    assert.equal(await readFile(join(folder, segment(7)), "utf8"), "the a line\n");
    await journal.close();
    await lock.release();
  });
});

describe("an append", () => {
  it("whose lines end early is cut back, and the next one follows what was there", async (t) => {
    const { journal, ...bench } = await Bench.open(t);
    const refusal = new Error("no more lines");
    const failing = function* () {
      yield Buffer.from("a longer line, which is removed again\n");
      throw refusal;
    };
    const error = await journal.append(failing()).catch((cause: unknown) => cause);
    assert.ok(error instanceof Error);
    assert.equal(journal.failure, error);
    await journal.append([line]);
    assert.equal(journal.failure, undefined);
    assert.equal(await readFile(join(bench.folder, segment(1)), "utf8"), `${headerLine(1, 99, 5)}a line\n`);
  });
});

describe("a journal whose files are not in place", () => {
  for (const [what, ...names] of [
    ["the lock file is gone", "lock"],
    ["all were moved", "lock", segment(1)],
  ]) {
    it(`writes nothing any more: ${what}`, async (t) => {
      const { journal, folder } = await Bench.open(t);
      journal.check();
      for (const name of names) await rename(join(folder, name), join(folder, `moved-${name}`));
      const named = join(folder, names.at(-1) ?? "");
      const before = await Promise.all(readdirSync(folder).map((name) => readFile(join(folder, name))));
      for (const work of [
        async () => journal.check(),
        () => journal.append([line]),
        () => journal.rotate(4, 99, 5),
      ]) {
        await assert.rejects(work, (error) => {
          assert.ok(error instanceof FolderLost, `${error}`);
          assert.ok(error.message.startsWith(`${named} was moved, deleted or replaced while`));
          return true;
        });
      }
      const after = await Promise.all(readdirSync(folder).map((name) => readFile(join(folder, name))));
      assert.deepEqual(after, before);
    });
  }
});

describe("moving on to another segment", () => {
  it("locks it, releases the old one, and follows only the new one from then on", async (t) => {
    for (const isReopened of [false, true]) {
      const folder = await temporaryFolder(t);
      const header = headerLine(1, 99, 5);
      if (isReopened) await writeFile(join(folder, segment(1)), header);
      const lock = await FolderLock.take(nodeFiles, folder);
      const journal = isReopened
        ? await Journal.open({ files: nodeFiles, folder, lock }, 1, header.length)
        : await Journal.create({ files: nodeFiles, folder, lock }, 1, 99, 5);
      await journal.append([line]);
      await journal.rotate(4, 77, 6);
      assert.deepEqual([journal.first, journal.size], [4, headerLine(4, 77, 6).length]);
      assert.deepEqual([isFree(join(folder, segment(1))), isFree(join(folder, segment(4)))], [true, false]);
      await journal.append([line]);
      assert.equal(await readFile(join(folder, segment(4)), "utf8"), `${headerLine(4, 77, 6)}a line\n`);
      assert.equal(await readFile(join(folder, segment(1)), "utf8"), `${header}a line\n`);
      await rm(join(folder, segment(1)));
      journal.check();
      await rm(join(folder, segment(4)));
      assert.equal(journal.lookForCut(), true);
      await journal.close();
      await lock.release();
      assert.deepEqual(openFiles(folder), []);
    }
  });

  for (const [what, contents, isReplaced] of [
    ["is empty", "", true],
    ["ends within its header", "a header", true],
    ["has only a header", "a header\n", true],
    ["has a change", "a header\na line\n", false],
    ["has the beginning of a change", "a header\na", false],
  ] as const) {
    it(`${isReplaced ? "replaces" : "refuses to replace"} one of that name that ${what}`, async (t) => {
      const bench = await Bench.open(t);
      await writeFile(bench.path(4), contents);
      const message = `${bench.path(4)} has changes that this process has not written`;
      const rotating = bench.journal.rotate(4, 77, 6);
      if (isReplaced) await rotating;
      else await assert.rejects(rotating, { message });
      assert.equal(bench.contents(4), isReplaced ? `${headerLine(4, 77, 6)}` : contents);
      assert.equal(bench.journal.first, isReplaced ? 4 : 1);
    });
  }

  it("of the same number replaces it, and a failure does not remove it", async (t) => {
    const bench = await Bench.open(t);
    bench.rule = ({ operation }) => (operation === "write" ? systemError("EIO") : undefined);
    await assert.rejects(bench.journal.rotate(1, 77, 6), /EIO: injected/);
    assert.equal(bench.contents(1), `${headerLine(1, 99, 5)}`);
    bench.rule = () => undefined;
    await bench.journal.rotate(1, 77, 6);
    assert.equal(bench.contents(1), `${headerLine(1, 77, 6)}`);
    assert.equal(isFree(bench.path(1)), false);
  });

  it("is refused where another process has locked it", async (t) => {
    let other: number | undefined;
    const open: Files["open"] = async (path, flags, mode) => {
      const file = await nodeFiles.open(path, flags, mode);
      if (path.includes(segment(4))) {
        other = openSync(path, "r+");
        assert.equal(tryLock(other), true);
      }
      return file;
    };
    const folder = await temporaryFolder(t);
    const files: Files = { ...nodeFiles, open };
    const lock = await FolderLock.take(files, folder);
    const journal = await Journal.create({ files, folder, lock }, 1, 99, 5);
    await assert.rejects(journal.rotate(4, 77, 6), FolderHeld);
    assert.deepEqual(readdirSync(folder).toSorted(), [segment(1), "lock"]);
    assert.equal(journal.first, 1);
    if (other !== undefined) closeSync(other);
    await journal.close();
    await lock.release();
  });
});
