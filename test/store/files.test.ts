/** Files that are read in pieces: which bytes come, and that the file is closed however the reading ends. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { closeSync, constants, openSync, readdirSync, readlinkSync } from "node:fs";
import fs, { writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import {
  FileError,
  type Files,
  nodeFiles,
  piecesOf,
  readRange,
  readWhole,
  sizeOf,
} from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { oneByOne, systemError } from "./_faults.ts";

/** More than two pieces. */
const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));

const skip = process.platform === "linux" ? false : "only Linux lists the open files of a process";

/** Returns how often this process has a file open. */
function openings(path: string): number {
  const isOpen = (descriptor: string) => {
    try {
      return readlinkSync(join("/proc/self/fd", descriptor)) === path;
    } catch {
      // Listing the folder has a descriptor of its own, which is closed by now.
      return false;
    }
  };
  return readdirSync("/proc/self/fd").filter(isOpen).length;
}

/** Has closing a file take several turns of the event loop until the end of the test. */
function closeSlowly(t: TestContext): void {
  const { open } = fs;
  t.mock.method(fs, "open", async (...given: Parameters<typeof open>) => {
    const file = await open(...given);
    const close = file.close.bind(file);
    file.close = async () => {
      for (let turns = 0; turns < 5; turns += 1) await setImmediate();
      return close();
    };
    return file;
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

/** Returns copies of all pieces. */
async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer[]> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return copies;
}

describe("a file that is read in pieces", () => {
  it("has all its bytes, from an offset on, and between two offsets", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    await writeFile(path, bytes);
    const whole = async (from?: number) => Buffer.concat(await all(piecesOf(nodeFiles, path, from)));
    assert.ok((await whole()).equals(bytes));
    assert.ok((await whole(599_990)).equals(bytes.subarray(599_990)));
    assert.ok((await whole(600_000)).equals(Buffer.alloc(0)));
    for (const [from, to] of [
      [0, 1],
      [10, 300_000],
      [262_143, 262_145],
      [599_990, 700_000],
    ] as const) {
      assert.ok((await readRange(nodeFiles, path, from, to)).equals(bytes.subarray(from, to)), `${from}`);
    }
  });

  for (const [how, read] of [
    ["it is read to its end", async (path: string) => void (await sizeOfPieces(path))],
    ["only its beginning is read", (path: string) => readRange(nodeFiles, path, 0, 10)],
    ["its reader throws", (path: string) => assert.rejects(sizeOfPieces(path, 1), /enough/)],
    ["its size is read", (path: string) => sizeOf(nodeFiles, path)],
  ] as const) {
    it(`is closed after ${how}`, { skip }, async (t) => {
      const path = join(await temporaryFolder(t), "file");
      await writeFile(path, bytes);
      closeSlowly(t);
      await read(path);
      assert.equal(openings(path), 0);
    });
  }

  it("is open while it is read, which shows that these tests work", { skip }, async (t) => {
    const path = join(await temporaryFolder(t), "file");
    await writeFile(path, bytes);
    for await (const _ of piecesOf(nodeFiles, path)) assert.equal(openings(path), 1);
  });

  it("does not wait for a writer if it is a named pipe", { skip, timeout: 60_000 }, async (t) => {
    // Should it wait after all, a writer releases it before the folder is removed.
    let release = () => {};
    t.after(() => release());
    const path = join(await temporaryFolder(t), "pipe");
    await promisify(execFile)("mkfifo", [path]);
    release = () => closeSync(openSync(path, constants.O_RDWR));
    await assert.rejects(all(piecesOf(nodeFiles, path)), { name: "UnexpectedFile" });
  });
});

/** Node's file system, which does not read in pieces. */
function wholeFiles(): Files {
  const { readPieces: _, ...files } = nodeFiles;
  return files;
}

describe("a file system that reads whole files", () => {
  it("yields a file as one piece, from an offset on", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    await writeFile(path, bytes);
    for (const from of [0, 599_990, 600_000]) {
      const pieces = await all(piecesOf(wholeFiles(), path, from));
      assert.equal(pieces.length, 1);
      assert.ok(bytes.subarray(from).equals(pieces[0] ?? Buffer.alloc(1)), `${from}`);
    }
    assert.ok((await readRange(wholeFiles(), path, 10, 20)).equals(bytes.subarray(10, 20)));
  });
});

describe("a range of a file", () => {
  it("is read without the pieces after it", async () => {
    let taken = 0;
    const files: Files = {
      ...nodeFiles,
      async *readPieces(_, from) {
        for (let at = from ?? 0; ; at += 10) {
          taken += 1;
          yield bytes.subarray(at, at + 10);
        }
      },
    };
    assert.ok((await readRange(files, "/file", 5, 25)).equals(bytes.subarray(5, 25)));
    assert.equal(taken, 2);
    assert.ok((await readRange(files, "/file", 5, 26)).equals(bytes.subarray(5, 26)));
    assert.equal(taken, 5);
  });
});

describe("the size of a file", () => {
  it("is read from the open file, which is closed then, also where that fails", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    await writeFile(path, bytes);
    for (const fails of [false, true]) {
      const { calls, outcome } = await oneByOne(
        (files) => sizeOf(files, path),
        ({ operation }) => (fails && operation === "stat" ? systemError("EIO") : undefined),
      );
      assert.deepEqual(calls, ["open file", "stat file", "close file"]);
      if (fails) assert.match(String(outcome), new RegExp(`^FileError: EIO: injected '${path}'$`));
      else assert.equal(outcome, 600_000);
    }
  });
});

describe("an error while a file is read", () => {
  const failing: Files = {
    ...wholeFiles(),
    readFile: () => Promise.reject(systemError("EIO")),
  };
  const failingInPieces: Files = {
    ...nodeFiles,
    async *readPieces() {
      yield bytes.subarray(0, 10);
      throw systemError("EIO");
    },
  };
  for (const [how, read] of [
    ["as a whole", () => readWhole(failing, "/data/file")],
    ["by a file system without pieces", () => all(piecesOf(failing, "/data/file"))],
    ["in pieces", () => all(piecesOf(failingInPieces, "/data/file"))],
    ["between two offsets", () => readRange(failingInPieces, "/data/file", 0, 20)],
  ] as const) {
    it(`${how} names that file`, () =>
      assert.rejects(read(), (error) => {
        assert.ok(error instanceof FileError, `${error}`);
        assert.equal(error.message, "EIO: injected '/data/file'");
        return true;
      }));
  }
});

/** Adds the lengths of the pieces; throws after `most` of them. */
async function sizeOfPieces(path: string, most = Number.POSITIVE_INFINITY): Promise<number> {
  let count = 0;
  let size = 0;
  for await (const piece of piecesOf(nodeFiles, path)) {
    size += piece.length;
    count += 1;
    if (count >= most) throw new Error("enough");
  }
  return size;
}
