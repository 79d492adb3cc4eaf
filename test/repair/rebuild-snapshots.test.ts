/** What a rebuild takes from snapshots, whole and damaged ones, and how it quotes lost records. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  belongsElsewhere,
  change,
  Folder,
  journal,
  lossesOf,
  pointsIn,
  record,
  savedOf,
  snapshot,
} from "./_folder.ts";

describe("a rebuild with a whole snapshot", () => {
  it("has the number and the checksum of its last change, to which the next one is chained", async () => {
    const folder = new Folder().journal(1, change(1, "A")).snapshot(1, record("A")).journal(2);
    const { chain } = JSON.parse(
      String(folder.files.get(snapshot(1)))
        .slice(9)
        .split("\n", 1)
        .join(""),
    );
    assert.equal(typeof chain, "number");
    const { database } = await folder.rebuild();
    assert.deepEqual([database.sequence, database.chain], [1, chain]);
  });
});

describe("a rebuild with a damaged snapshot", () => {
  /** A snapshot of A and B after change 2, in which B cannot be read, and the journal before and after it. */
  const damaged = () => {
    const folder = new Folder().journal(1, change(1, "A")).journal(2, change(2, "B"));
    folder.snapshot(2, record("A"), record("B")).journal(3, change(3, "C"));
    const offset = folder.spoil(snapshot(2), '"B"');
    return { folder, lostRecord: `${snapshot(2)}@${offset}: a record (wantedReasons)` };
  };

  it("loses nothing if the journal has all changes", async () => {
    const { folder } = damaged();
    const rebuilt = await folder.rebuild();
    assert.deepEqual([lossesOf(rebuilt), pointsIn(rebuilt)], [[], { A: 1, B: 1, C: 1 }]);
    assert.deepEqual(
      savedOf(rebuilt),
      [1, 2, 3].map((number) => `${journal(number)}: change ${number}`),
    );
  });

  it("loses its damaged records if the journal begins after it", async () => {
    const { folder, lostRecord } = damaged();
    const rebuilt = await folder.without(journal(1), journal(2)).rebuild();
    assert.deepEqual([lossesOf(rebuilt), pointsIn(rebuilt)], [[lostRecord], { A: 1, C: 1 }]);
    assert.deepEqual(savedOf(rebuilt), [`${snapshot(2)}: 1 records`, `${journal(3)}: change 3`]);
  });

  it("says which changes the journal lacks before it", async () => {
    const { folder, lostRecord } = damaged();
    const rebuilt = await folder.without(journal(2)).rebuild();
    assert.deepEqual(lossesOf(rebuilt), [
      `${snapshot(2)}@0: change 2: the journal lacks them; this snapshot has the remaining records`,
      lostRecord,
    ]);
    assert.deepEqual(pointsIn(rebuilt), { A: 1, C: 1 });
  });

  it("at the end of the data has its records too", async () => {
    const { folder, lostRecord } = damaged();
    const rebuilt = await folder.without(journal(2), journal(3)).rebuild();
    assert.deepEqual(lossesOf(rebuilt), [
      `${snapshot(2)}@0: change 2: the journal lacks them; this snapshot has the remaining records`,
      lostRecord,
      `${journal(3)}@0: the file is missing, with the changes that it may have had`,
    ]);
    assert.deepEqual(pointsIn(rebuilt), { A: 1 });
    assert.equal(rebuilt.database.sequence, 2);
  });

  it("without its end loses records that nobody knows", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B"));
    folder.oddSnapshot(2, {}, record("A")).journal(3, change(3, "C")).without(journal(1));
    const rebuilt = await folder.rebuild();
    assert.deepEqual(lossesOf(rebuilt), [`${snapshot(2)}@0: the end of the file, with unknown records`]);
    assert.deepEqual(pointsIn(rebuilt), { A: 1, C: 1 });
  });

  it("takes nothing of other data after it", async () => {
    const { folder, lostRecord } = damaged();
    folder.branch().journal(3, change(3, "X")).without(journal(1), journal(2));
    const rebuilt = await folder.rebuild();
    assert.deepEqual(lossesOf(rebuilt), [lostRecord, `${journal(3)}@0: ${belongsElsewhere}`]);
    assert.deepEqual(pointsIn(rebuilt), { A: 1 });
  });
});

describe("a lost record is quoted", () => {
  for (const [length, isWhole] of [
    [120, true],
    [121, false],
  ] as const) {
    it(`with its first 120 characters, if it has ${length}`, async () => {
      const overhead = JSON.stringify({ reason: "", points: 1 }).length;
      const reason = "x".repeat(length - overhead);
      const json = JSON.stringify({ reason, points: 1 });
      const folder = new Folder().journal(1).snapshot(0, record("A"), record(reason, 1, "dragons"));
      const [loss, ...more] = (await folder.rebuild()).lost;
      assert.deepEqual(more, []);
      assert.equal(loss?.known, isWhole ? json : `${json.slice(0, 119)}…`);
    });
  }

  it("as nothing, if it was removed", async () => {
    const removal = {
      ...change(2, "B"),
      changes: [{ collection: "dragons", key: "smaug", before: {}, after: null }],
    };
    const rebuilt = await new Folder().journal(1, change(1, "A"), removal).rebuild();
    assert.deepEqual(
      rebuilt.lost.map(({ known }) => known),
      ["smaug: null"],
    );
  });
});
