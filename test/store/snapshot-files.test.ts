/** The files of snapshots, without a store: what is read from their bytes, and how these are written. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Database } from "../../src/store/collection.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { numberInHeader } from "../../src/store/journal/decoding.ts";
import { BrokenLine } from "../../src/store/journal/lines.ts";
import {
  encodeSnapshot,
  readSnapshot,
  type SnapshotOptions,
  writeSnapshot,
} from "../../src/store/snapshot.ts";
import { temporaryFolder } from "../_setup.ts";
import { contents, notebook, snapshot, writeLines } from "./_faults.ts";

const note = (id: string, text = id) => ({ id, text, topic: null });
const line = (id: string) => ({ collection: "notes", record: note(id) });
const header = { format: "gameaddon-snapshot", version: 3, sequence: 6, chain: 77, instant: 4 };

/** Returns the bytes of a file of lines, and where each line begins. */
async function bytesOf(
  lines: readonly object[],
  folder: string,
): Promise<{ bytes: Buffer; starts: number[] }> {
  const path = join(folder, "lines");
  await writeLines(path, lines);
  const bytes = await readFile(path);
  const starts = [0];
  for (let at = bytes.indexOf("\n"); at !== -1; at = bytes.indexOf("\n", at + 1)) starts.push(at + 1);
  return { bytes, starts };
}

async function* piecesIn(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Asserts that pieces are damaged, how and where. */
async function assertBroken(
  pieces: readonly Uint8Array[],
  message: string,
  offset: number | undefined,
  options?: SnapshotOptions,
): Promise<void> {
  const error = await readSnapshot(piecesIn(...pieces), new Database(notebook), options).catch(
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof BrokenLine, String(error));
  assert.deepEqual([error.message, error.offset], [message, offset]);
}

describe("a snapshot that is read", () => {
  it("has its records, the number and the checksum of its last change, in pieces of any length", async (t) => {
    const { bytes } = await bytesOf([header, line("a"), line("b"), { end: 2 }], await temporaryFolder(t));
    const empty = Buffer.alloc(0);
    const halves = [bytes.subarray(0, 100), bytes.subarray(100)] as const;
    for (const pieces of [[bytes], [empty, bytes, empty], [halves[0], empty, halves[1], empty, empty]]) {
      const database = new Database(notebook);
      const seen: unknown[] = [];
      const read = await readSnapshot(piecesIn(...pieces), database, {
        sequence: 6,
        check: (...given) => seen.push([...given, database.collection("notes").size]),
      });
      assert.deepEqual(read, { ...header });
      assert.deepEqual(contents(database.view), { notes: [note("a"), note("b")], tallies: [] });
      assert.deepEqual([database.sequence, database.chain], [6, 77]);
      assert.deepEqual(seen, [
        ["notes", note("a"), 0],
        ["notes", note("b"), 1],
      ]);
    }
  });

  it("is damaged by anything after a last line that ends with a piece, but not by an empty piece", async (t) => {
    // As long as what is decoded together.
    const length = 64 * 1024;
    const folder = await temporaryFolder(t);
    const padded = async (text: string) =>
      (await bytesOf([header, { ...line("a"), text }, { end: 1 }], folder)).bytes;
    const bytes = await padded("x".repeat(length - (await padded("")).length));
    assert.equal(bytes.length, length);
    const empty = Buffer.alloc(0);
    assert.deepEqual(await readSnapshot(piecesIn(bytes, empty, empty), new Database(notebook)), header);
    for (const more of ["\n", "x", bytes.toString("utf8")]) {
      await assertBroken([bytes, Buffer.from(more)], "there is more after the last line", length);
    }
  });

  it("ends where its reader does not accept a record", async (t) => {
    const { bytes } = await bytesOf([header, line("a"), { end: 1 }], await temporaryFolder(t));
    const refusal = new Error("not this one");
    const check = () => {
      throw refusal;
    };
    const database = new Database(notebook);
    await assert.rejects(readSnapshot(piecesIn(bytes), database, { check }), refusal);
    assert.equal(database.collection("notes").size, 0);
  });

  it("is damaged where its lines do not fit together, which names the place", async (t) => {
    const folder = await temporaryFolder(t);
    const { bytes, starts } = await bytesOf([header, line("a"), line("b"), { end: 2 }], folder);
    const [, , second = 0, last = 0] = starts;
    await assertBroken([], "the header is not that of a gameaddon-snapshot", 0);
    await assertBroken([bytes.subarray(0, last)], "the last line is missing", last);
    await assertBroken([bytes.subarray(0, second)], "the last line is missing", second);
    await assertBroken([bytes.subarray(0, last + 12)], "the line is incomplete", last);
    await assertBroken([bytes], "the header is that of snapshot 6", 0, { sequence: 5 });
    for (const end of [1, 3]) {
      const counted = await bytesOf([header, line("a"), line("b"), { end }], folder);
      await assertBroken([counted.bytes], `expected ${end} records, got 2`, counted.starts[3]);
    }
    const longer = await bytesOf([header, line("a"), { end: 1 }, line("b")], folder);
    await assertBroken([longer.bytes], "there is more after the last line", longer.starts[3]);
    const other = await bytesOf([header, line("a"), { other: true }, { end: 2 }], folder);
    await assertBroken([other.bytes], "the line is neither a record nor the last line", other.starts[2]);
  });
});

describe("a snapshot that is written", () => {
  function databaseOf(...texts: readonly string[]): Database<typeof notebook> {
    const database = new Database(notebook);
    for (const [index, text] of texts.entries()) {
      database.collection("notes").set(String(index), note(String(index), text));
    }
    database.collection("tallies").set("t", note("t"));
    database.sequence = 6;
    database.chain = 77;
    return database;
  }

  it("is read as it was, says when it was begun, and preserves nothing any more", async (t) => {
    const folder = await temporaryFolder(t);
    const database = databaseOf("a", "b");
    const size = await writeSnapshot(nodeFiles, folder, database, 4);
    const path = join(folder, snapshot(6));
    const bytes = await readFile(path);
    assert.equal(size, bytes.length);
    assert.equal(await numberInHeader(nodeFiles, path), 4);
    const again = new Database(notebook);
    assert.deepEqual(await readSnapshot(piecesIn(bytes), again, { sequence: 6 }), header);
    assert.deepEqual(contents(again.view), contents(database.view));
    for (const collection of database.collections.values()) assert.throws(() => collection.frozen().next());
  });

  it("comes in pieces of 64 KiB, of which none is longer than that and a record", async () => {
    const lengths: number[] = [];
    const database = databaseOf(...Array.from({ length: 500 }, () => "x".repeat(1000)));
    for await (const piece of encodeSnapshot(database, 4)) lengths.push(piece.length);
    assert.ok(lengths.length > 5 && lengths.length < 12, `${lengths}`);
    assert.ok(Math.max(...lengths) < 64 * 1024 + 1200, `${lengths}`);
  });
});
