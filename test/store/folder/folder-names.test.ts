/** The names in a data folder: which are data, which belong to it, and which are somebody else's. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  belongsToData,
  earlierFolder,
  foreignIn,
  hasData,
  isDataFile,
  isEarlierFolder,
  isTemporary,
  remainsIn,
  segmentFile,
  segmentsAfter,
  segmentsIn,
  snapshotFile,
  snapshotsIn,
} from "../../../src/store/folder/folder-names.ts";

type Kind = "data" | "temporary" | "belongs" | "earlier" | "remains" | "expected" | "foreign";

const names: readonly (readonly [name: string, ...kinds: Kind[]])[] = [
  ["journal-000000000001.log", "data", "foreign"],
  ["snapshot-000000000000.jsonl", "data", "foreign"],
  ["journal-1.log", "foreign"],
  ["journal-0000000000001.log", "foreign"],
  ["journal-000000000001.jsonl", "foreign"],
  ["snapshot-000000000001.log", "foreign"],
  ["a-journal-000000000001.log", "foreign"],
  ["journal-000000000001.log.broken", "belongs"],
  ["anything.broken", "belongs"],
  ["unsynced", "belongs"],
  ["unsynced.txt", "foreign"],
  ["replaced-2026", "earlier"],
  ["damaged-1", "earlier"],
  ["before-version-3", "earlier"],
  ["before", "foreign"],
  ["not-replaced-1", "foreign"],
  [".journal-000000000001.log.0123456789ab.tmp", "temporary", "expected"],
  [".snapshot-000000000001.jsonl.0123456789ab.tmp", "temporary", "expected"],
  [".journal-000000000001.log", "expected"],
  [".other.tmp", "expected"],
  ["journal-000000000001.log.tmp", "foreign"],
  ["tables", "remains"],
  ["lock", "expected"],
  ["socket", "expected"],
  ["seed.yaml", "expected"],
  ["routes.yaml", "expected"],
  ["routes.schema.json", "expected"],
  ["routes.test.yaml", "expected"],
  ["routes.yaml.bak", "expected"],
  [".gitkeep", "expected"],
  ["my-seed.yaml", "foreign"],
  ["backup.jsonl.gz", "foreign"],
  ["lock.txt", "foreign"],
  ["thesis.txt", "foreign"],
];

describe("a name in a data folder", () => {
  for (const [name, ...kinds] of names) {
    it(`${name} is ${kinds.join(" and ")}`, () => {
      const is = (kind: Kind) => kinds.includes(kind);
      assert.equal(isDataFile(name), is("data"));
      assert.equal(hasData(["lock", name]), is("data"));
      assert.equal(isTemporary(name), is("temporary"));
      assert.equal(belongsToData(name), is("belongs"));
      assert.equal(isEarlierFolder(name), is("earlier"));
      assert.equal(
        remainsIn(["lock", name]),
        is("belongs") || is("earlier") || is("remains") ? name : undefined,
      );
      assert.deepEqual(foreignIn(["lock", name]), is("foreign") ? [name] : []);
    });
  }

  it("is found wherever it is in a listing, and all foreign ones in their order", () => {
    assert.equal(hasData([]), false);
    assert.equal(remainsIn([]), undefined);
    assert.equal(remainsIn(["a.txt", "unsynced", "replaced-1"]), "unsynced");
    assert.deepEqual(foreignIn(["b", "lock", "a", "unsynced", "c"]), ["b", "a", "c"]);
  });

  it("of a folder for earlier data files says what it is for", () => {
    assert.equal(earlierFolder("before", "version-3"), "before-version-3");
  });
});

describe("the data files of a folder", () => {
  it("have numbers of twelve digits", () => {
    assert.equal(segmentFile(7), "journal-000000000007.log");
    assert.equal(snapshotFile(0), "snapshot-000000000000.jsonl");
    assert.equal(snapshotFile(123_456_789_012), "snapshot-123456789012.jsonl");
  });

  it("are listed by their numbers in ascending order", () => {
    const listing = [10, 9, 100, 1].flatMap((number) => [
      segmentFile(number),
      snapshotFile(number + 1),
      "lock",
    ]);
    assert.deepEqual(segmentsIn(listing), [1, 9, 10, 100]);
    assert.deepEqual(snapshotsIn(listing), [2, 10, 11, 101]);
    assert.deepEqual([segmentsIn(["lock"]), snapshotsIn([])], [[], []]);
  });

  it("that have the changes after a number begin with the segment of the next change", () => {
    for (const [sequence, expected] of [
      [0, []],
      [1, []],
      [2, [3, 5, 8]],
      [3, [3, 5, 8]],
      [4, [5, 8]],
      [6, [5, 8]],
      [7, [8]],
      [100, [8]],
    ] as const) {
      assert.deepEqual(segmentsAfter([3, 5, 8], sequence), expected, `${sequence}`);
    }
    assert.deepEqual(segmentsAfter([], 5), []);
  });
});
