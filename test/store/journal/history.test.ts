/** The journal read forwards and backwards, over segments and blocks of every kind: the same changes, gaps and damage. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Files, nodeFiles } from "../../../src/store/folder/files.ts";
import { readBackwards } from "../../../src/store/journal/backwards.ts";
import { readHistory } from "../../../src/store/journal/history.ts";
import { temporaryFolder } from "../../_setup.ts";
import { segment, systemError } from "../_faults.ts";
import { type Line, segmentOf } from "../_journal.ts";

const kibibyte = 1024;

/** Makes a folder with segments of small changes: by its first number, the numbers of each. */
async function folderOf(
  t: TestContext,
  segments: Readonly<Record<number, readonly number[]>>,
): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [first, sequences] of Object.entries(segments)) {
    const { bytes } = segmentOf(
      Number(first),
      sequences.map((sequence) => ({ sequence })),
    );
    await writeFile(join(folder, segment(Number(first))), bytes);
  }
  return folder;
}

interface Outcome {
  readonly read: readonly number[];
  readonly missing: readonly (readonly [number, number])[];
  readonly error: string | undefined;
}

type Reading = (
  onMissing: (first: number, last: number) => void,
) => AsyncIterable<{ readonly sequence: number }>;

/** Returns the numbers that are read, the gaps that are reported, and the error. */
async function outcomeOf(reading: Reading): Promise<Outcome> {
  const read: number[] = [];
  const missing: [number, number][] = [];
  let error: string | undefined;
  try {
    for await (const { sequence } of reading((...gap) => missing.push(gap))) read.push(sequence);
  } catch (cause) {
    error = cause instanceof Error ? cause.message : String(cause);
  }
  return { read, missing, error };
}

const forwards = (folder: string, after = 0, files: Files = nodeFiles) =>
  outcomeOf((onMissing) => readHistory(files, folder, after, onMissing));

const backwards = (folder: string, files: Files = nodeFiles) =>
  outcomeOf((onMissing) => readBackwards(files, folder, { onMissing }));

const three = { 1: [1, 2], 3: [3, 4], 5: [5, 6] };

/** Node's files, except that opening some segments fails; and what was read of which, from which offset on. */
function watchedFiles(code?: string, ...failing: readonly number[]) {
  const reads: [string, number][] = [];
  const fail = (path: string) => {
    if (failing.some((first) => path.endsWith(segment(first)))) throw systemError(code ?? "");
  };
  const files: Files = {
    ...nodeFiles,
    async open(path, flags) {
      fail(path);
      return nodeFiles.open(path, flags);
    },
    async *readPieces(path, from = 0) {
      fail(path);
      reads.push([path.slice(-8, -4), from]);
      yield* nodeFiles.readPieces(path, from);
    },
  };
  return { files, reads };
}

describe("the journal", () => {
  for (const [what, segments, read, missing] of [
    ["of one segment", { 1: [1, 2, 3] }, [1, 2, 3], []],
    ["without changes", { 1: [] }, [], []],
    ["without segments", {}, [], []],
    ["of three segments", three, [1, 2, 3, 4, 5, 6], []],
    ["that begins later", { 3: [3, 4], 5: [5, 6] }, [3, 4, 5, 6], []],
    ["that lacks one change", { 1: [1, 2], 4: [4, 5] }, [1, 2, 4, 5], [[3, 3]]],
    ["that lacks several changes", { 1: [1, 2], 6: [6] }, [1, 2, 6], [[3, 5]]],
    ["that lacks changes before an empty segment", { 1: [1, 2], 5: [] }, [1, 2], [[3, 4]]],
    ["that lacks changes after an empty segment", { 1: [1, 2], 3: [], 5: [5] }, [1, 2, 5], [[3, 4]]],
    [
      "with two gaps",
      { 1: [1], 3: [3], 6: [6, 7] },
      [1, 3, 6, 7],
      [
        [2, 2],
        [4, 5],
      ],
    ],
    [
      "with an empty segment that a failed snapshot left",
      { 1: [1, 2, 3, 4, 5, 6], 4: [], 7: [7] },
      [1, 2, 3, 4, 5, 6, 7],
      [],
    ],
    ["that ends with an empty segment", { 1: [1, 2], 3: [] }, [1, 2], []],
  ] as const) {
    it(`${what} is read forwards and backwards`, async (t) => {
      const folder = await folderOf(t, segments);
      assert.deepEqual(await forwards(folder), { read, missing, error: undefined });
      assert.deepEqual(await backwards(folder), {
        read: read.toReversed(),
        missing: missing.toReversed(),
        error: undefined,
      });
    });
  }

  it("is read from a change on, without the segments before it", async (t) => {
    const folder = await folderOf(t, three);
    for (const [after, read, segments] of [
      [0, [1, 2, 3, 4, 5, 6], ["0001", "0003", "0005"]],
      [1, [2, 3, 4, 5, 6], ["0001", "0003", "0005"]],
      [2, [3, 4, 5, 6], ["0003", "0005"]],
      [3, [4, 5, 6], ["0003", "0005"]],
      [5, [6], ["0005"]],
      [6, [], ["0005"]],
      [9, [], ["0005"]],
    ] as const) {
      const { files, reads } = watchedFiles();
      assert.deepEqual(await forwards(folder, after, files), { read, missing: [], error: undefined });
      assert.deepEqual(
        reads.map(([name]) => name),
        segments,
      );
    }
  });
});

describe("reading backwards in blocks", () => {
  /** Writes one segment, which begins with change 1, and returns its folder. */
  async function write(t: TestContext, bytes: Buffer): Promise<string> {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, segment(1)), bytes);
    return folder;
  }

  /** Changes of these lengths in KiB; a list is a bulk change with a line for each. */
  function linesOf(...lengths: readonly (number | readonly number[])[]): Line[] {
    return lengths.flatMap((length, index): Line[] => {
      const all = typeof length === "number" ? [length] : length;
      return all.map((change, line) => ({
        sequence: index + 1,
        length: change * kibibyte,
        ...(line > 0 ? { further: true } : {}),
        ...(line < all.length - 1 ? { more: true } : {}),
      }));
    });
  }

  const shapes: readonly (readonly (number | readonly number[])[])[] = [
    [0, 0, 0, 0, 0],
    [300],
    [300, 0, 0],
    [0, 0, 300],
    [0, 600, 0, 0, 600, 0],
    [100, 100, 100, 100, 100, 100, 100, 100],
    [127, 127, 127, 127, 127],
    [255, 255, 255],
    [0, [200, 200, 200], 0, 0],
    [[0, 0, 0], [300, 0], [0, 300], [100, 100, 100, 100], 100],
    [1000, 0, 200, [0, 500], 200, 0, [500, 0], 0],
  ];
  for (const shape of shapes) {
    it(`yields the changes of ${JSON.stringify(shape)} KiB`, async (t) => {
      const folder = await write(t, segmentOf(1, linesOf(...shape)).bytes);
      const read = shape.map((_, index) => index + 1);
      assert.deepEqual(await forwards(folder), { read, missing: [], error: undefined });
      assert.deepEqual(await backwards(folder), { read: read.toReversed(), missing: [], error: undefined });
    });
  }

  it("reads nothing before the block of the changes that are taken", async (t) => {
    const { bytes } = segmentOf(1, linesOf(...Array<number>(10).fill(100)));
    const folder = await write(t, bytes);
    const { files, reads } = watchedFiles();
    for await (const { sequence } of readBackwards(files, folder)) if (sequence === 10) break;
    assert.deepEqual(reads, [["0001", bytes.length - 256 * kibibyte]]);
  });

  it("skips a torn end", async (t) => {
    const { bytes, starts } = segmentOf(1, linesOf(100, 100, 100, [100, 100, 0]));
    for (const length of [
      bytes.length - 5,
      (starts[5] ?? 0) + 3,
      starts[5],
      starts[4],
      (starts[3] ?? 0) + 5,
    ]) {
      const folder = await write(t, bytes.subarray(0, length));
      assert.deepEqual(
        await backwards(folder),
        { read: [3, 2, 1], missing: [], error: undefined },
        `${length}`,
      );
    }
  });

  it("refuses damage at the offset at which reading forwards does", async (t) => {
    const lines = linesOf(100, 0, [100, 100], 0, 300, 0);
    const { bytes, starts } = segmentOf(1, lines);
    for (const [index, start] of starts.entries()) {
      const end = starts[index + 1] ?? bytes.length;
      for (const at of [start + 9, end - 2]) {
        const spoiled = Buffer.from(bytes);
        spoiled[at] = (spoiled[at] ?? 0) ^ 1;
        const folder = await write(t, spoiled);
        const { error } = await backwards(folder);
        const path = join(folder, segment(1));
        assert.equal(error, `${path} is damaged at byte ${start}: the checksum of the line is wrong.`);
        const read = Array.from({ length: (lines[index]?.sequence ?? 0) - 1 }, (_, offset) => offset + 1);
        assert.deepEqual(await forwards(folder), { read, missing: [], error });
      }
    }
  });

  it("refuses a bulk change that lacks its last line, at its first line", async (t) => {
    const lines: Line[] = [
      { sequence: 1 },
      { sequence: 2, length: 300 * kibibyte, more: true },
      { sequence: 2, further: true, more: true },
      { sequence: 3 },
    ];
    const { bytes, starts } = segmentOf(1, lines);
    const folder = await write(t, bytes);
    const path = join(folder, segment(1));
    assert.deepEqual(await backwards(folder), {
      read: [3],
      missing: [],
      error: `${path} is damaged at byte ${starts[1]}: the change lacks its last line.`,
    });
  });
});
