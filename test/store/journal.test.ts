/** The open segment of the journal: what it creates, measures and checks, and how it moves on to the next segment. */
import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { tryLock } from "fs-native-extensions";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { FolderLock } from "../../src/store/folder/lock.ts";
import { FolderHeld } from "../../src/store/folder/lock-file.ts";
import { FolderLost, Journal, SyncFailure } from "../../src/store/journal/journal.ts";
import { headerLine } from "../../src/store/journal/segment.ts";
import { temporaryFolder } from "../_setup.ts";
import { oneByOne, segment, systemError } from "./_faults.ts";
import { Bench, isFree, line } from "./_journal.ts";

describe("a new segment", () => {
  it("appears with its header whole and durable", async (t) => {
    const folder = await temporaryFolder(t);
    const { calls, outcome } = await oneByOne((files) => Journal.create(files, folder, 7, 99, 5));
    assert.ok(outcome instanceof Journal, `${outcome}`);
    assert.deepEqual(calls, [
      `open temporary ${segment(7)}`,
      `write temporary ${segment(7)}`,
      `sync temporary ${segment(7)}`,
      `rename temporary ${segment(7)}`,
      `open ${basename(folder)}`,
      `sync ${basename(folder)}`,
      `close ${basename(folder)}`,
    ]);
    assert.deepEqual(readFileSync(join(folder, segment(7))), headerLine(7, 99, 5));
    assert.deepEqual([outcome.first, outcome.size], [7, headerLine(7, 99, 5).length]);
    await outcome.close();
  });
});

describe("an existing segment", () => {
  it("is opened for appending at an offset", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, segment(7)), "the beginning");
    const { calls, outcome } = await oneByOne(async (files) => {
      const journal = await Journal.open(files, folder, 7, 4);
      assert.deepEqual([journal.first, journal.size], [7, 4]);
      await journal.close();
    });
    assert.equal(outcome, undefined, `${outcome}`);
    assert.deepEqual(calls, [
      `open ${segment(7)}`,
      `datasync ${segment(7)}`,
      ...["open", "sync", "close"].map((operation) => `${operation} ${basename(folder)}`),
      `close ${segment(7)}`,
    ]);
    const journal = await Journal.open(nodeFiles, folder, 7, 4);
    await journal.append([line]);
    assert.equal(journal.size, 11);
    assert.equal(readFileSync(join(folder, segment(7)), "utf8"), "the a line\nng");
    await journal.close();
  });
});

describe("an existing segment that cannot be synced", () => {
  it("is not opened, since what it has may not be on the disk", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, segment(7)), "the beginning");
    const { calls, outcome } = await oneByOne(
      (files) => Journal.open(files, folder, 7, 4),
      ({ operation }) => (operation === "datasync" ? systemError("EIO") : undefined),
    );
    assert.ok(outcome instanceof SyncFailure, `${outcome}`);
    assert.match(String(outcome.cause), new RegExp(segment(7)));
    assert.deepEqual(calls, [`open ${segment(7)}`, `datasync ${segment(7)}`, `close ${segment(7)}`]);
  });
});

describe("the measurements of the journal", () => {
  it("are a sync for each piece, and each batch with its changes, or a failure", async (t) => {
    const { journal } = await Bench.open(t);
    const measured: (string | number)[] = [];
    const add = (what: string | number, milliseconds: number) => {
      measured.push(what);
      assert.ok(milliseconds >= 0 && milliseconds < 600_000, `${milliseconds}`);
    };
    journal.measureBy({
      appended: (changes, milliseconds) => add(changes, milliseconds),
      appendFailed: () => add("failed", 0),
      synced: (milliseconds) => add("synced", milliseconds),
      snapshot: () => assert.fail("no snapshot is written"),
    });
    await journal.append([line, line], 3);
    assert.deepEqual(measured.splice(0), ["synced", "synced", 3]);
    assert.equal(journal.failure, undefined);

    const refusal = new Error("no more lines");
    const failing = function* () {
      yield line;
      throw refusal;
    };
    const error = await journal.append(failing()).then(
      () => assert.fail("expected a refusal"),
      (cause: unknown) => cause,
    );
    assert.deepEqual(measured.splice(0), ["synced", "failed"]);
    assert.equal(journal.failure, error);

    await journal.append([line]);
    assert.deepEqual(measured.splice(0), ["synced", 1]);
    assert.equal(journal.failure, undefined);

    journal.measureBy(undefined);
    await journal.append([line]);
    assert.deepEqual(measured, []);
  });
});

describe("an append whose lines end early", () => {
  it("has been cut back durably when that is reported, and the next one follows what was there", async (t) => {
    const folder = await temporaryFolder(t);
    const header = headerLine(1, 99, 5);
    const failing = function* () {
      yield Buffer.from("a longer line, which is removed again\n");
      throw new Error("no more lines");
    };
    const { outcome } = await oneByOne(async (files, calls) => {
      const journal = await Journal.create(files, folder, 1, 99, 5);
      await assert.rejects(journal.append(failing()), { code: "STORE_UNAVAILABLE" });
      const last = calls.slice(-2).map((call) => call.split(" ")[0]);
      assert.deepEqual(readFileSync(join(folder, segment(1))), header);
      assert.equal(journal.size, header.length);
      await journal.append([line]);
      await journal.close();
      return last;
    });
    assert.deepEqual(outcome, ["truncate", "datasync"], `${outcome}`);
    assert.equal(readFileSync(join(folder, segment(1)), "utf8"), `${header}a line\n`);
  });
});

describe("a check of the journal", () => {
  it("is refused where the lock file is gone, and writes nothing", async (t) => {
    const { journal, folder } = await Bench.open(t);
    journal.check();
    await rm(join(folder, "lock"));
    const before = await readFile(join(folder, segment(1)));
    assert.throws(() => journal.check(), FolderLost);
    await assert.rejects(journal.append([line]), FolderLost);
    assert.deepEqual(readdirSync(folder), [segment(1)], "the lock file is not made anew");
    assert.deepEqual(await readFile(join(folder, segment(1))), before);
  });

  it("is refused where the segment is no longer in place, and writes nothing", async (t) => {
    const bench = await Bench.open(t);
    await rename(bench.path(1), `${bench.path(1)}.moved`);
    await rm(join(bench.folder, "lock"));
    const before = await readFile(`${bench.path(1)}.moved`);
    for (const work of [
      async () => bench.journal.check(),
      () => bench.journal.append([line]),
      () => bench.journal.rotate(4, 99, 5),
    ]) {
      await assert.rejects(work, (error) => {
        assert.ok(error instanceof FolderLost, `${error}`);
        assert.ok(
          error.message.startsWith(`${bench.path(1)} was moved, deleted or replaced while it was open.`),
        );
        return true;
      });
    }
    assert.deepEqual(readdirSync(bench.folder), [`${segment(1)}.moved`]);
    assert.deepEqual(await readFile(`${bench.path(1)}.moved`), before);
  });
});

describe("moving on to another segment", () => {
  it("creates and locks it before it gets its name, and closes the old one", async (t) => {
    const folder = await temporaryFolder(t);
    let isLockedEarly: boolean | undefined;
    const { outcome } = await oneByOne(
      async (files, soFar) => {
        const lock = await FolderLock.take(files, folder);
        const journal = await Journal.create(files, folder, 1, 99, 5);
        journal.guardBy(lock);
        await journal.append([line]);
        const { length } = soFar;
        await journal.rotate(4, 77, 6);
        const steps = soFar.slice(length);
        assert.deepEqual([journal.first, journal.size], [4, headerLine(4, 77, 6).length]);
        assert.deepEqual(readFileSync(join(folder, segment(4))), headerLine(4, 77, 6));
        assert.deepEqual([isFree(join(folder, segment(1))), isFree(join(folder, segment(4)))], [true, false]);
        await journal.append([line]);
        await journal.close();
        await lock.release();
        return steps;
      },
      ({ operation, path }) => {
        if (operation === "rename" && path.includes(segment(4))) isLockedEarly = !isFree(path);
        return undefined;
      },
    );
    assert.ok(Array.isArray(outcome), `${outcome}`);
    assert.equal(isLockedEarly, true);
    assert.deepEqual(outcome, [
      `readdir ${basename(folder)}`,
      `open temporary ${segment(4)}`,
      `write temporary ${segment(4)}`,
      `sync temporary ${segment(4)}`,
      `rename temporary ${segment(4)}`,
      `open ${basename(folder)}`,
      `sync ${basename(folder)}`,
      `close ${basename(folder)}`,
      `close temporary ${segment(1)}`,
    ]);
    assert.equal(readFileSync(join(folder, segment(4)), "utf8"), `${headerLine(4, 77, 6)}a line\n`);
    assert.equal(readFileSync(join(folder, segment(1)), "utf8"), `${headerLine(1, 99, 5)}a line\n`);
  });

  it("releases the segment that was locked with the folder, and follows the new one from then on", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, segment(1)), headerLine(1, 99, 5));
    const { outcome } = await oneByOne(async (files, calls) => {
      const lock = await FolderLock.take(files, folder);
      const journal = await Journal.open(files, folder, 1, headerLine(1, 99, 5).length);
      journal.guardBy(lock);
      await journal.rotate(4, 77, 6);
      const last = calls.slice(-2);
      await rm(join(folder, segment(1)));
      journal.check();
      await rm(join(folder, segment(4)));
      assert.throws(() => journal.check(), FolderLost);
      await journal.close();
      await lock.release();
      return last;
    });
    assert.deepEqual(outcome, [`close ${segment(1)}`, `close ${segment(1)}`]);
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
      const rotating = bench.journal.rotate(4, 77, 6);
      if (isReplaced) {
        await rotating;
        assert.equal(bench.contents(4), `${headerLine(4, 77, 6)}`);
        assert.equal(bench.journal.first, 4);
      } else {
        await assert.rejects(rotating, {
          message: `${bench.path(4)} has changes that this process has not written`,
        });
        assert.equal(bench.contents(4), contents);
        assert.equal(bench.journal.first, 1);
      }
    });
  }

  for (const [operation, place] of [
    ["open", segment(4)],
    ["write", segment(4)],
    ["sync", segment(4)],
    ["rename", segment(4)],
    ["sync", "the folder"],
  ] as const) {
    it(`that fails at ${operation} of ${place} goes on in the present one, and leaves no other`, async (t) => {
      const bench = await Bench.open(t);
      const before = bench.journal.size;
      let isUnlinked = false;
      bench.rule = (call) => {
        if (call.operation === "unlink" && call.path === bench.path(4)) isUnlinked = true;
        const isPlace = place === segment(4) ? call.path.includes(place) : call.path === bench.folder;
        return call.operation === operation && isPlace ? systemError("EIO") : undefined;
      };
      await assert.rejects(bench.journal.rotate(4, 77, 6), /EIO: injected/);
      assert.equal(isUnlinked, true);
      assert.deepEqual(readdirSync(bench.folder).toSorted(), [segment(1), "lock"]);
      bench.rule = () => undefined;
      assert.deepEqual([bench.journal.first, bench.journal.size], [1, before]);
      await bench.journal.append([line]);
      assert.equal(bench.contents(1), `${headerLine(1, 99, 5)}a line\n`);
      await bench.journal.rotate(4, 77, 6);
      assert.equal(bench.journal.first, 4);
    });
  }

  it("that fails, and cannot remove the new one either, reports the first error once both are done", async (t) => {
    const folder = await temporaryFolder(t);
    const { calls, outcome } = await oneByOne(
      async (files: Files) => {
        const journal = await Journal.create(files, folder, 1, 99, 5);
        await journal.rotate(4, 77, 6).finally(() => journal.close());
      },
      ({ operation, path }) => {
        if (operation === "unlink") return systemError("EROFS");
        return operation === "write" && path.includes(segment(4)) ? systemError("EIO") : undefined;
      },
    );
    assert.match(String(outcome), /EIO: injected/);
    assert.deepEqual(calls.slice(-4), [
      `unlink temporary ${segment(4)}`,
      `unlink ${segment(4)}`,
      `readdir ${basename(folder)}`,
      `close temporary ${segment(1)}`,
    ]);
  });

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
    const journal = await Journal.create(files, folder, 1, 99, 5);
    journal.guardBy(lock);
    await assert.rejects(journal.rotate(4, 77, 6), FolderHeld);
    assert.deepEqual(readdirSync(folder).toSorted(), [segment(1), "lock"]);
    assert.equal(journal.first, 1);
    if (other !== undefined) closeSync(other);
    await journal.close();
    await lock.release();
  });
});
