/** Which snapshots and segments are past the retention, to the millisecond and the change. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { prune } from "../../src/store/retention.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  dataFile,
  namesIn,
  ruledFiles,
  segment,
  snapshot,
  spoil,
  systemError,
  writeLines,
} from "./_faults.ts";

/** 10 ms, and two snapshots from before it. */
const retention = { milliseconds: 10, snapshots: 2 };

/** A folder with snapshots by number and instant, and the segments that begin with some changes. */
async function folderOf(
  t: TestContext,
  snapshots: Readonly<Record<number, number>>,
  segments: readonly number[],
): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [number, instant] of Object.entries(snapshots)) {
    const sequence = Number(number);
    const header = { format: "gameaddon-snapshot", version: 3, sequence, chain: 0, instant };
    await writeLines(join(folder, snapshot(sequence)), [header, { end: 0 }]);
  }
  for (const first of segments) {
    const header = { format: "gameaddon-journal", version: 4, first, chain: 0, instant: 0 };
    await writeLines(join(folder, segment(first)), [header]);
  }
  return folder;
}

const cases: Readonly<
  Record<string, { snapshots: Record<number, number>; segments: number[]; kept: [number[], number[]] }>
> = {
  "no snapshot": { snapshots: {}, segments: [1], kept: [[], [1]] },
  "one snapshot": { snapshots: { 1: 0 }, segments: [1, 2], kept: [[1], [1, 2]] },
  "a snapshot that is 10 ms old to the earlier of the last two": {
    snapshots: { 1: 0, 2: 1, 3: 10, 4: 20, 5: 21 },
    segments: [1, 2, 3, 4, 5, 6],
    kept: [
      [2, 3, 4, 5],
      [3, 4, 5, 6],
    ],
  },
  "a snapshot that is 9 ms old": {
    snapshots: { 1: 0, 2: 1, 3: 11, 4: 20, 5: 21 },
    segments: [1, 2, 3, 4, 5, 6],
    kept: [
      [1, 2, 3, 4, 5],
      [2, 3, 4, 5, 6],
    ],
  },
  "only one old snapshot": {
    snapshots: { 1: 0, 2: 20, 3: 21 },
    segments: [1, 2, 3, 4],
    kept: [
      [1, 2, 3],
      [1, 2, 3, 4],
    ],
  },
  "segments that begin after, with and before the change after the base": {
    snapshots: { 3: 0, 6: 1, 9: 2, 12: 20, 15: 21 },
    segments: [1, 4, 6, 8, 13],
    kept: [
      [6, 9, 12, 15],
      [6, 8, 13],
    ],
  },
  "a segment that ends with the base": {
    snapshots: { 3: 0, 6: 1, 9: 2, 12: 20, 15: 21 },
    segments: [1, 4, 7, 16],
    kept: [
      [6, 9, 12, 15],
      [7, 16],
    ],
  },
  "a segment that goes on one change behind the base": {
    snapshots: { 3: 0, 6: 1, 9: 2, 12: 20, 15: 21 },
    segments: [1, 4, 8],
    kept: [
      [6, 9, 12, 15],
      [4, 8],
    ],
  },
};

describe("pruning a folder with", () => {
  for (const [what, { snapshots, segments, kept }] of Object.entries(cases)) {
    it(`${what} keeps what the retention needs, and deletes the rest`, async (t) => {
      const folder = await folderOf(t, snapshots, segments);
      await prune(nodeFiles, folder, retention);
      assert.deepEqual(await namesIn(folder, dataFile), [...kept[1].map(segment), ...kept[0].map(snapshot)]);
    });
  }

  it("a damaged snapshot goes by the instants of the others, and deletes that one by its number", async (t) => {
    for (const [damaged, kept] of [
      [1, [3, 4, 5, 6]],
      [4, [2, 3, 4, 5, 6]],
      [5, [1, 2, 3, 4, 5, 6]],
      [6, [1, 2, 3, 4, 5, 6]],
    ] as const) {
      const folder = await folderOf(t, { 1: 0, 2: 1, 3: 2, 4: 5, 5: 20, 6: 21 }, [7]);
      await spoil(join(folder, snapshot(damaged)), 20);
      await prune(nodeFiles, folder, retention);
      assert.deepEqual(await namesIn(folder, /^snapshot/), kept.map(snapshot), `${damaged}`);
    }
  });

  it("a snapshot that cannot be read deletes nothing", async (t) => {
    const folder = await folderOf(t, { 1: 0, 2: 1, 3: 2, 4: 20, 5: 21 }, [1, 2, 3]);
    const before = await namesIn(folder, dataFile);
    const files = ruledFiles(({ operation, path }) =>
      operation === "readPieces" && path.endsWith(snapshot(5)) ? systemError("EACCES") : undefined,
    );
    await assert.rejects(prune(files, folder, retention), { code: "EACCES" });
    assert.deepEqual(await namesIn(folder, dataFile), before);
  });
});
