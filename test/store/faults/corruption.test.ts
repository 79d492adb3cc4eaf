/** Flips the bits of a small store's files and cuts them at their bytes: in memory, and in part on a disk. */
import assert from "node:assert/strict";
import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { Failure } from "../../../src/domain/errors.ts";
import type { File, Files, OpenFlags } from "../../../src/store/folder/files.ts";
import type { Journal } from "../../../src/store/journal/journal.ts";
import { encodeLine } from "../../../src/store/journal/lines.ts";
import { readSegment } from "../../../src/store/journal/segment.ts";
import { recover } from "../../../src/store/recovery.ts";
import { stride } from "../../_depth.ts";
import { temporaryFolder } from "../../_setup.ts";
import {
  contents,
  dataFile,
  fill,
  namesIn,
  notebook,
  openNotebook,
  segment,
  stateAfter,
} from "../_faults.ts";

const folder = "/data";

/** Files in memory: there are many thousands of starts to make. */
class MemoryFiles {
  readonly bytes: Map<string, Buffer>;

  constructor(bytes: Iterable<readonly [string, Buffer]>) {
    this.bytes = new Map(bytes);
  }

  /** As the store wants it. Of a file's methods there are those that recovery and the journal call. */
  get files(): Files {
    const { bytes } = this;
    const get = (path: string) => bytes.get(basename(path)) ?? Buffer.alloc(0);
    const set = (path: string, content: Buffer) => void bytes.set(basename(path), content);
    const open = async (path: string, flags: OpenFlags) => {
      const isNew =
        typeof flags === "number" && (flags & constants.O_CREAT) !== 0 && !bytes.has(basename(path));
      if (isNew) set(path, Buffer.alloc(0));
      const file = {
        async write(from: Uint8Array, offset: number, length: number, position: number) {
          const old = get(path);
          const size = Math.max(old.length, position + length);
          const content = Buffer.concat([old], size);
          content.set(from.subarray(offset, offset + length), position);
          set(path, content);
          return { bytesWritten: length };
        },
        truncate: async (length: number) => set(path, get(path).subarray(0, length)),
        datasync: async () => {},
        sync: async () => {},
        close: async () => {},
      };
      return file as unknown as File;
    };
    return {
      open,
      async *readPieces(path, from) {
        yield get(path).subarray(from);
      },
      readdir: async () => [...bytes.keys()],
      rename: async (from, to) => {
        set(to, get(from));
        bytes.delete(basename(from));
      },
      unlink: async (path) => void bytes.delete(basename(path)),
      mkdir: async () => undefined,
    };
  }
}

/** Returns the files of a store with 5 changes, and snapshots after the 2nd and the 4th. */
async function smallStore(path: string): Promise<[string, Buffer][]> {
  const store = await openNotebook(path, { now: () => 1_790_000_000_000 });
  for (const number of [2, 4]) {
    await fill(store, number, 0);
    await store.snapshot();
  }
  await fill(store, 5, 0);
  await store.close();
  return Promise.all(
    (await namesIn(path, dataFile)).map(async (name) => [name, await readFile(join(path, name))]),
  );
}

interface Started {
  readonly sequence: number;
  readonly records: ReturnType<typeof contents>;
  /** The checksum that the next line is chained to. */
  readonly chain: number;
  readonly journal: Journal;
}

const noLock = {
  lockSegment: () => {},
  begin: () => {},
  follow: async () => {},
  misplaced: undefined,
  watch: () => {},
  hasLost: () => false,
  hasLostEarlier: false,
  supersede: () => {},
};

/** Returns the result of a start, or its refusal. */
async function start(memory: MemoryFiles): Promise<Started | Error> {
  try {
    const { database, journal } = await recover({ files: memory.files, folder, lock: noLock }, notebook, 0);
    const { sequence, chain, view } = database;
    return { sequence, records: contents(view), chain, journal };
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
}

/** As {@link start}, where a refusal is a failure of the test. */
async function startWhole(memory: MemoryFiles, what: string): Promise<Started> {
  const started = await start(memory);
  if (started instanceof Error) assert.fail(`${what}: ${started}`);
  return started;
}

/** Asserts a refusal that names a file of the folder, or the folder, and a place in it. */
function assertNamed(error: unknown): void {
  assert.ok(error instanceof Failure, `expected a Failure, got ${error}`);
  assert.equal(error.code, "STORE_UNAVAILABLE");
  assert.match(error.message, /^\/data\S* (?:is damaged at byte \d+: |lacks the journal from change \d+ on)/);
  assert.match(error.hint ?? "", /addon-cli data/);
}

/** Asserts the refusal of a segment that was cut within its header: it appears whole, so changes may be missing. */
function assertHeadless(error: unknown, length: number): void {
  assertNamed(error);
  assert.match(
    String(error),
    new RegExp(`at byte 0: the header is incomplete: the file has ${length} bytes`),
  );
}

/** Makes one more change, starts again, and compares. */
async function assertGoesOn(memory: MemoryFiles, { sequence, chain, journal }: Started): Promise<void> {
  const after = { id: "more", text: "more", topic: null };
  const changes = [{ collection: "notes", key: "more", before: null, after }];
  const record = { sequence: sequence + 1, instant: 0, who: "operator", operation: "test", changes };
  await journal.append([Buffer.from(encodeLine(JSON.stringify(record), chain).line)]);
  const again = await startWhole(memory, "after one more change");
  assert.equal(again.sequence, sequence + 1);
  const before = stateAfter(sequence, 0);
  assert.deepEqual(again.records, { ...before, notes: [...before.notes, after] });
}

/** Up to which change the whole lines of a segment reach. */
function reach(bytes: Buffer, before: number): number {
  if (!bytes.includes("\n")) return before;
  return readSegment(bytes).records.at(-1)?.record.sequence ?? before;
}

describe("a small store", () => {
  it("with any single bit flipped is refused, or has exactly the acknowledged changes", async (t) => {
    const whole = await smallStore(await temporaryFolder(t));
    const expected = stateAfter(5, 0);
    let refused = 0;
    for (const [name, bytes] of whole) {
      for (let bit = 0; bit < bytes.length * 8; bit += stride) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const started = await start(new MemoryFiles(new Map(whole).set(name, flipped)));
        if (started instanceof Error) {
          assertNamed(started);
          refused += 1;
        } else {
          assert.deepEqual(started.records, expected, `bit ${bit} of ${name}`);
        }
      }
    }
    // The changes in the newest snapshot are not read again: only of the last segment is every bit needed.
    const [, last] = whole.find(([name]) => name === segment(5)) ?? [];
    assert.ok(refused >= ((last?.length ?? 0) * 8 - 8) / stride, `${refused}`);
  });

  it("with its journal cut at any byte has every whole line and continues from there, or lacks a header", async (t) => {
    const path = await temporaryFolder(t);
    const store = await openNotebook(path);
    await fill(store, 6, 0);
    await store.close();
    const bytes = await readFile(join(path, segment(1)));
    for (let length = 0; length < bytes.length; length += stride) {
      const cut = bytes.subarray(0, length);
      const memory = new MemoryFiles([[segment(1), cut]]);
      if (!cut.includes("\n")) {
        assertHeadless(await start(memory), length);
        continue;
      }
      const started = await startWhole(memory, `cut at ${length}`);
      const { sequence, records } = started;
      assert.ok(sequence >= reach(cut, 0), `cut at ${length}: ${sequence}`);
      assert.deepEqual(records, stateAfter(sequence, 0));
      await assertGoesOn(memory, started);
    }
  });

  it("with any file cut at any byte is refused, or has everything up to a whole line of the newest segment", async (t) => {
    const whole = await smallStore(await temporaryFolder(t));
    for (const [name, bytes] of whole) {
      for (let length = 0; length < bytes.length; length += stride) {
        const cut = bytes.subarray(0, length);
        const memory = new MemoryFiles(new Map(whole).set(name, cut));
        const started = await start(memory);
        if (name === segment(5) && !cut.includes("\n")) assertHeadless(started, length);
        if (started instanceof Error) {
          assertNamed(started);
          continue;
        }
        const { sequence, records } = started;
        const least = name === segment(5) ? reach(cut, 4) : 5;
        assert.ok(sequence >= least, `${name} cut at ${length}: ${sequence}`);
        assert.deepEqual(records, stateAfter(sequence, 0));
        await assertGoesOn(memory, started);
      }
    }
  });
});
