/** Bulk changes: one change of many records, in several lines of the journal, all or nothing. */
import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { JournalRecord, RecordChange } from "../../../src/store/change.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readHistory } from "../../../src/store/journal/history.ts";
import { encodeLine } from "../../../src/store/journal/lines.ts";
import { readState } from "../../../src/store/reading.ts";
import { temporaryFolder } from "../../_setup.ts";
import {
  assertLeft,
  type Call,
  contents,
  fill,
  type Note,
  type Notebook,
  notebook,
  openNotebook,
  origin,
  put,
  ruledFiles,
  segment,
  stateAfter,
} from "../_faults.ts";

const mebibyte = 1024 * 1024;

/** Notes that take about 700 bytes each: 4,000 of them need three lines. */
function many(count: number, from = 0): Note[] {
  return Array.from({ length: count }, (_, index) => {
    return { id: `b${from + index}`, text: "x".repeat(600), topic: `t${index % 5}` };
  });
}

function additions(notes: readonly Note[]): RecordChange[] {
  return notes.map((after) => ({ collection: "notes", key: after.id, before: null, after }));
}

function addInBulk(store: Notebook, notes: readonly Note[]): Promise<number | undefined> {
  return store.changeInBulk({ ...origin, operation: "bulk" }, () => additions(notes));
}

/** Where each line of a file begins, and where the last one ends. */
function beginnings(bytes: Buffer): number[] {
  const found = [0];
  for (let at = bytes.indexOf("\n"); at !== -1; at = bytes.indexOf("\n", at + 1)) found.push(at + 1);
  return found;
}

async function historyOf(folder: string): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of readHistory(nodeFiles, folder)) records.push(record);
  return records;
}

/** A folder with two changes, a bulk change of three lines, and the state before and after that. */
async function withBulk(folder: string) {
  const store = await openNotebook(folder);
  await fill(store, 2);
  const before = contents(store.data);
  assert.equal(await addInBulk(store, many(4000)), 3);
  const after = contents(store.data);
  await store.close();
  return { before, after, path: join(folder, segment(1)) };
}

describe("a bulk change", () => {
  it("is one change in several lines of at most 1 MiB each", async (t) => {
    const folder = await temporaryFolder(t);
    const { after, path } = await withBulk(folder);
    assert.equal(after.notes.length, stateAfter(2).notes.length + 4000);
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n").slice(3);
    assert.equal(lines.length, 3);
    const documents = lines.map((line) => JSON.parse(line.slice(9)));
    assert.deepEqual(
      documents.map(({ sequence, more, who }) => [sequence, more, who]),
      [
        [3, true, "operator"],
        [3, true, undefined],
        [3, undefined, undefined],
      ],
    );
    for (const line of lines) assert.ok(Buffer.byteLength(line) + 1 <= mebibyte, `${line.length}`);

    const records = await historyOf(folder);
    assert.deepEqual(
      records.map(({ sequence, operation }) => [sequence, operation]),
      [
        [1, "test"],
        [2, "test"],
        [3, "bulk"],
      ],
    );
    assert.deepEqual(records[2]?.changes, additions(many(4000)));
    const store = await openNotebook(folder);
    assert.deepEqual(contents(store.data), after);
    await put(store, "z");
    assert.equal(store.sequence, 4);
    await store.close();
    const again = await openNotebook(folder);
    assert.equal(again.data.notes.size, after.notes.length + 1);
    await again.close();
  });

  it("is in a snapshot that is asked for while it is made, even if the newest has all before it", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    await put(store, "a");
    assert.equal(await store.snapshot(), 1);
    let decide = () => {};
    const decided = new Promise<void>((resolve) => {
      decide = resolve;
    });
    const bulk = store.changeInBulk(origin, () => decided.then(() => additions(many(2))));
    const snapshot = store.snapshot();
    decide();
    assert.deepEqual([await snapshot, await bulk], [2, 2]);
    await store.close();
  });

  it("that is refused changes nothing, and waiting changes go on", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    const refusal = new Error("no");
    const bulk = store.changeInBulk(origin, () => Promise.reject(refusal));
    const other = put(store, "a");
    await assert.rejects(bulk, refusal);
    await other;
    assert.equal(store.sequence, 1);
    await store.close();
    await assert.rejects(addInBulk(store, many(1)), { code: "SHUTTING_DOWN" });
  });

  it("has every line but the last on the disk before the last one is written", async (t) => {
    const calls: Call[] = [];
    const files = ruledFiles((call) => {
      calls.push(call);
      return undefined;
    });
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder, { files });
    calls.length = 0;
    await addInBulk(store, many(4000));
    assert.deepEqual(
      calls.filter(({ operation }) => /write|sync/.test(operation)).map(({ operation }) => operation),
      ["write", "datasync", "write", "datasync", "write", "datasync"],
    );
    await store.close();
  });

  it("that is incomplete before the end of the newest segment is damage", async (t) => {
    const folder = await temporaryFolder(t);
    const { path } = await withBulk(folder);
    const bytes = await readFile(path);
    const [begin = 0, second = 0] = beginnings(bytes).slice(3);
    const chain = Number.parseInt(bytes.toString("latin1", begin, begin + 8), 16);

    // Another change after its first line.
    await writeFile(path, bytes.subarray(0, second));
    const next = { sequence: 4, instant: 1, who: "operator", operation: "test", changes: [] };
    await appendFile(path, encodeLine(JSON.stringify(next), chain).line);
    await assertLeft(folder, path, "change 3 lacks its last line");

    // Another segment after its first line.
    await writeFile(path, bytes.subarray(0, second));
    const header = { format: "gameaddon-journal", version: 4, first: 4, chain, instant: 1 };
    await writeFile(join(folder, segment(4)), encodeLine(JSON.stringify(header), 0).line);
    await assertLeft(folder, path, `byte ${begin}`, "incomplete, and later segments exist");
  });

  it("is visible in whole or not at all to readers of the files and the data", async (t) => {
    const folder = await temporaryFolder(t);
    const seen: [inMemory: number, inFiles: number][] = [];
    let store: Notebook | undefined;
    const files = ruledFiles(async ({ operation, path }) => {
      if (store === undefined || operation !== "datasync" || !path.includes(segment(1))) return undefined;
      const { database } = await readState(nodeFiles, folder, notebook);
      seen.push([store.data.notes.size, database.view.notes.size]);
      return undefined;
    });
    store = await openNotebook(folder, { files });
    await addInBulk(store, many(4000));
    assert.equal(store.data.notes.size, 4000);
    // Once its last line is written a reader may find it before it is acknowledged, as with any change.
    assert.deepEqual(seen, [
      [0, 0],
      [0, 0],
      [0, 4000],
    ]);
    await store.close();
  });
});
