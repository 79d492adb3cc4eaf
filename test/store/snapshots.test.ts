/** Snapshots while changes go on, and the moments at which they begin. */
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { Collection, Database } from "../../src/store/collection.ts";
import { type File, nodeFiles } from "../../src/store/folder/files.ts";
import { BrokenLine } from "../../src/store/journal/lines.ts";
import { readState } from "../../src/store/reading.ts";
import { readSnapshot } from "../../src/store/snapshot.ts";
import { runs } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  assertKept,
  contents,
  dataFile,
  fill,
  type Note,
  namesIn,
  notebook,
  numbered,
  openNotebook,
  origin,
  ruledFiles,
  stateAfter,
  writeLines,
} from "./_faults.ts";

describe("a snapshot", () => {
  it("has the records as they were when it began, even if others are set meanwhile", () => {
    const edit = fc.record({
      id: fc.nat({ max: 7 }).map(String),
      drops: fc.boolean(),
      after: fc.nat({ max: 8 }),
    });
    const start = fc.uniqueArray(fc.nat({ max: 7 }).map(String));
    fc.assert(
      fc.property(start, fc.array(edit, { maxLength: 12 }), (ids, edits) => {
        const collection = new Collection<Note>(notebook.notes);
        for (const id of ids) collection.set(id, { id, text: "old", topic: null });
        collection.freeze();
        const read = new Map<string, Note>();
        const walk = collection.frozen();
        let given = 0;
        for (const { id, drops, after } of edits) {
          for (; given < after; given += 1) {
            const next = walk.next();
            if (next.done !== true) read.set(next.value.id, next.value);
          }
          collection.set(id, drops ? undefined : { id, text: "new", topic: null });
        }
        for (const note of walk) read.set(note.id, note);
        assert.deepEqual([...read.keys()].sort(), [...ids].sort());
        for (const note of read.values()) assert.equal(note.text, "old");
      }),
    );
  });

  it("written while changes go on is exactly the state after its number, and loses none of them", async (t) => {
    const folder = await temporaryFolder(t);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 60 }),
        async (before, during) => {
          run += 1;
          const here = join(folder, String(run));
          // Texts that are long enough for several pieces, between which changes get their turn.
          const length = 30_000;
          const store = await openNotebook(here);
          await fill(store, before, length);
          const snapshot = store.snapshot();
          const changes: Promise<number>[] = [];
          for (let number = before + 1; number <= before + during; number += 1) {
            changes.push(store.change(origin, numbered(number, length)));
            if (number % 3 === 0) await changes.at(-1);
          }
          await Promise.all([snapshot, ...changes]);
          await store.close();
          const [name = ""] = (await namesIn(here, /^snapshot-/)).slice(-1);
          const sequence = Number(/\d+/.exec(name));
          assert.ok(sequence >= before);
          const { database } = await readState(nodeFiles, here, notebook, sequence);
          assert.equal(database.sequence, sequence);
          assert.deepEqual(contents(database.view), stateAfter(sequence, length));
          const again = await openNotebook(here);
          assertKept(again, before + during, before + during, length);
          await again.close();
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it("yields to the event loop while it is encoded, even on an instant disk", async (t) => {
    const writing = { isSnapshot: false, turns: 0 };
    const files = ruledFiles(() => undefined);
    // Of the snapshot's calls each but the last ones is done at once: whatever comes between them has its turn
    // because the snapshot gave it.
    const open: typeof files.open = async (path, flags, mode) => {
      const file = await files.open(path, flags, mode);
      if (!path.endsWith(".tmp")) return file;
      writing.isSnapshot = true;
      const write = (async (_: Uint8Array, __: number, length: number) => ({
        bytesWritten: length,
      })) as unknown as File["write"];
      const sync = async () => {
        writing.isSnapshot = false;
      };
      return { ...file, fd: file.fd, write, datasync: async () => {}, sync, close: () => file.close() };
    };
    const store = await openNotebook(await temporaryFolder(t), { files: { ...files, open } });
    await store.change(origin, (draft) => {
      for (let each = 0; each < 40_000; each += 1) {
        draft.notes.put({ id: String(each), text: "t".repeat(100), topic: null });
      }
    });
    const taken = store.snapshot();
    let isDone = false;
    const done = taken.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await setImmediate();
      if (writing.isSnapshot) writing.turns += 1;
    }
    await done;
    assert.ok(writing.turns >= 5, `${writing.turns} turns`);
    await store.close();
  });

  it("requested while another is written has every change from before the request", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    t.after(() => store.close());
    await fill(store, 5);
    const first = store.snapshot();
    while ((await namesIn(folder, /^journal-/)).length < 2) await setTimeout(1);
    await fill(store, 6);
    await Promise.all([first, store.snapshot()]);
    const newest = (await namesIn(folder, /^snapshot-/)).at(-1);
    assert.equal(newest, "snapshot-000000000006.jsonl");
  });

  it("begins when the journal has grown by the configured size, and again after the same growth", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder, { snapshotAfter: { bytes: 4000, snapshots: 0 } });
    await fill(store, 60);
    await store.close();
    const sizes: number[] = [];
    for (const name of await namesIn(folder, /^journal-/)) {
      sizes.push((await readFile(join(folder, name))).length);
    }
    assert.ok(sizes.length > 2, `${sizes}`);
    // How much is written while a snapshot begins depends on the speed of the disk.
    assert.ok(
      sizes.slice(0, -1).every((size) => size >= 4000),
      `${sizes}`,
    );
    const again = await openNotebook(folder);
    t.after(() => again.close());
    assertKept(again, 60, 60);
  });

  it("begins only when the journal is a multiple of the last one, even one from before a restart", async (t) => {
    const folder = await temporaryFolder(t);
    const sizeOf = async (name: string) => (await readFile(join(folder, name))).length;
    const first = await openNotebook(folder);
    await fill(first, 60);
    await first.close({ snapshot: true });
    const store = await openNotebook(folder, { snapshotAfter: { bytes: 1, snapshots: 3 } });
    for (let count = 61; (await namesIn(folder, /^snapshot-/)).length === 1; count += 1)
      await fill(store, count);
    await store.close();
    const [grown, limit] = [
      await sizeOf("journal-000000000061.log"),
      3 * (await sizeOf("snapshot-000000000060.jsonl")),
    ];
    const line = 400;
    assert.ok(grown >= limit && grown < limit + line, `${grown} bytes of journal, the limit is ${limit}`);
  });

  it("at a stop leaves the next start nothing to replay, and is not repeated", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await fill(store, 7);
    await store.close({ snapshot: true });
    await assert.rejects(store.snapshot(), { code: "SHUTTING_DOWN" });
    const names = await namesIn(folder, dataFile);
    assert.deepEqual(names, [
      "journal-000000000001.log",
      "journal-000000000008.log",
      "snapshot-000000000007.jsonl",
    ]);
    const identity = async () => (await stat(join(folder, "snapshot-000000000007.jsonl"))).ino;
    const before = await identity();
    const again = await openNotebook(folder);
    assert.equal(await again.snapshot(), 7);
    await again.close({ snapshot: true });
    assert.deepEqual(await namesIn(folder, dataFile), names);
    assert.equal(await identity(), before);
  });

  it("with anything after its last line is damaged, in pieces of any length", async (t) => {
    const path = join(await temporaryFolder(t), "snapshot");
    const header = { format: "gameaddon-snapshot", version: 2, sequence: 1, chain: 7, instant: 4 };
    const line = (id: string) => ({ collection: "notes", record: { id, text: id, topic: null } });
    const whole = [header, line("a"), { end: 1 }];
    await writeLines(path, whole);
    const end = (await readFile(path)).length;
    for (const [more, isWhole] of [
      [[], true],
      [[line("b")], false],
      [[{ end: 1 }], false],
    ] as const) {
      await writeLines(path, [...whole, ...more]);
      const bytes = await readFile(path);
      for (const length of [1, end, bytes.length]) {
        const reading = readSnapshot(inPieces(bytes, length), new Database(notebook));
        if (isWhole) assert.equal((await reading).sequence, 1);
        else {
          await assert.rejects(reading, (error) => {
            assert.ok(error instanceof BrokenLine, String(error));
            assert.deepEqual([error.message, error.offset], ["there is more after the last line", end]);
            return true;
          });
        }
      }
    }
  });
});

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
