/** Files that are read in pieces: which bytes come, and that the file is closed however the reading ends. */
import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { nodeFiles, piecesOf, readRange, sizeOf } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";

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

describe("a file that is read in pieces", () => {
  it("has all its bytes, from an offset on, and between two offsets", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    await writeFile(path, bytes);
    const whole = async (from?: number) => {
      const pieces: Buffer[] = [];
      for await (const piece of piecesOf(nodeFiles, path, from)) pieces.push(Buffer.from(piece));
      return Buffer.concat(pieces);
    };
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
      await read(path);
      assert.equal(openings(path), 0);
    });
  }

  it("is open while it is read, which shows that these tests work", { skip }, async (t) => {
    const path = join(await temporaryFolder(t), "file");
    await writeFile(path, bytes);
    for await (const _ of piecesOf(nodeFiles, path)) assert.equal(openings(path), 1);
  });
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
