/** Files that are read in pieces: which bytes come, and that the file is closed however the reading ends. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import {
  FileError,
  type Files,
  nodeFiles,
  piecesOf,
  readBytes,
  sizeOf,
} from "../../../src/store/folder/files.ts";
import { temporaryFolder } from "../../_setup.ts";
import { openFiles, ruledFiles, systemError } from "../_faults.ts";

/** More than two pieces. */
const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));

/** Returns copies of all pieces. */
async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer[]> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return copies;
}

describe("a file that is read in pieces", () => {
  it("has all its bytes, from an offset on, and between two offsets, and is closed then", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "file");
    await writeFile(path, bytes);
    for (const from of [0, 599_990, 600_000]) {
      const found = Buffer.concat(await all(piecesOf(nodeFiles, path, from)));
      assert.ok(found.equals(bytes.subarray(from)), `${from}`);
    }
    for (const [from, to] of [
      [0, 1],
      [10, 300_000],
      [262_143, 262_145],
      [599_990, 700_000],
    ] as const) {
      assert.ok((await readBytes(nodeFiles, path, from, to)).equals(bytes.subarray(from, to)), `${from}`);
    }
    assert.ok((await readBytes(nodeFiles, path)).equals(bytes));
    assert.deepEqual(openFiles(folder), []);
  });

  it("is open while it is read, and closed when its reader throws", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, "file"), bytes);
    const reading = async () => {
      for await (const _ of piecesOf(nodeFiles, join(folder, "file"))) {
        if (process.platform === "linux") assert.equal(openFiles(folder).length, 1);
        throw new Error("enough");
      }
    };
    await assert.rejects(reading(), /enough/);
    assert.deepEqual(openFiles(folder), []);
  });

  const skip = process.platform === "win32" ? "Windows has no named pipes" : false;
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
    assert.ok((await readBytes(files, "/file", 5, 25)).equals(bytes.subarray(5, 25)));
    assert.equal(taken, 2);
    assert.ok((await readBytes(files, "/file", 5, 26)).equals(bytes.subarray(5, 26)));
    assert.equal(taken, 5);
  });
});

describe("the size of a file", () => {
  it("is that of the open file, which is closed then, also where that fails", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "file");
    await writeFile(path, bytes);
    assert.equal(await sizeOf(nodeFiles, path), 600_000);
    const failing = ruledFiles(({ operation }) => (operation === "stat" ? systemError("EIO") : undefined));
    await assert.rejects(sizeOf(failing, path), { name: "FileError", message: `EIO: injected '${path}'` });
    assert.deepEqual(openFiles(folder), []);
  });
});

describe("an error while a file is read", () => {
  const failing: Files = {
    ...nodeFiles,
    async *readPieces() {
      yield bytes.subarray(0, 10);
      throw systemError("EIO");
    },
  };
  for (const [how, read] of [
    ["as a whole", () => readBytes(failing, "/data/file")],
    ["in pieces", () => all(piecesOf(failing, "/data/file"))],
    ["between two offsets", () => readBytes(failing, "/data/file", 0, 20)],
  ] as const) {
    it(`${how} names that file`, () =>
      assert.rejects(read(), (error) => {
        assert.ok(error instanceof FileError, `${error}`);
        assert.equal(error.message, "EIO: injected '/data/file'");
        return true;
      }));
  }
});
