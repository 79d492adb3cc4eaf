/** What a rebuild reports of each file: what it saved, and every loss with its place and what is known of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Rebuilt } from "../../src/repair/rebuild.ts";
import { pointsOf } from "../backup/_setup.ts";
import { change, Folder, journal, record, snapshot } from "./_folder.ts";

const reasonsOf = ({ database }: Rebuilt) => Object.keys(pointsOf(database.view.wantedReasons.values()));

describe("a rebuild reports what it saved", () => {
  it("of an intact folder: the newest snapshot, and the changes after it", async () => {
    const folder = new Folder()
      .journal(1, change(1, "A"), change(2, "B"))
      .snapshot(2, record("A"), record("B"));
    folder.journal(3, change(3, "C")).snapshot(3, record("A"), record("B"), record("C"));
    const rebuilt = await folder.journal(4, change(4, "D"), change(5, "E")).rebuild();
    assert.deepEqual(rebuilt.saved, [
      { file: snapshot(3), what: "3 records" },
      { file: journal(4), what: "changes 4 to 5" },
    ]);
    assert.deepEqual(rebuilt.lost, []);
    assert.deepEqual(reasonsOf(rebuilt), ["A", "B", "C", "D", "E"]);
  });

  it("of a segment with a damaged line: the number of changes between the first and the last", async () => {
    const folder = new Folder().journal(
      1,
      ...["A", "B", "C", "D"].map((name, index) => change(index + 1, name)),
    );
    const offset = folder.spoil(journal(1), '"B"');
    const rebuilt = await folder.rebuild();
    assert.deepEqual(rebuilt.saved, [{ file: journal(1), what: "changes 1 to 4, 3 of them" }]);
    assert.deepEqual(rebuilt.lost, [
      {
        file: journal(1),
        offset,
        what: "change 2 is lost",
        known: "test, wantedReasons b",
      },
    ]);
  });
});

describe("a rebuild reports as lost", () => {
  it("a record of a collection that there is not, in a snapshot, and saves the others", async () => {
    const folder = new Folder()
      .journal(1, change(1, "A"))
      .snapshot(1, record("Smaug", 9, "dragons"), record("A"));
    const rebuilt = await folder.journal(2).rebuild();
    assert.deepEqual(rebuilt.lost, [
      {
        file: snapshot(1),
        offset: folder.offsetOf(snapshot(1), 1),
        what: 'a record: there is no collection "dragons"',
        known: '{"reason":"Smaug","points":9}',
      },
    ]);
    assert.deepEqual(reasonsOf(rebuilt), ["A"]);
  });

  it("a record of a collection that there is not, in a change, and saves the others", async () => {
    const { changes, ...rest } = change(2, "B");
    const both = { ...rest, changes: [...change(2, "Smaug", 9, "dragons").changes, ...changes] };
    const folder = new Folder().journal(1, change(1, "A"), both, change(3, "C"));
    const rebuilt = await folder.rebuild();
    assert.deepEqual(rebuilt.lost, [
      {
        file: journal(1),
        offset: folder.offsetOf(journal(1), 2),
        what: 'change 2: there is no collection "dragons"',
        known: 'smaug: {"reason":"Smaug","points":9}',
      },
    ]);
    assert.deepEqual(rebuilt.saved, [{ file: journal(1), what: "changes 1 to 3" }]);
    assert.deepEqual(reasonsOf(rebuilt), ["A", "B", "C"]);
  });

  it("each damaged record of the snapshot that replaces a gap of the journal", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B"), change(3, "C"));
    const gap = folder.spoil(journal(1), '"B"');
    folder.snapshot(3, record("A"), record("B"), record("C")).journal(4, change(4, "D"));
    const offset = folder.spoil(snapshot(3), '"C"');
    const rebuilt = await folder.rebuild();
    assert.deepEqual(rebuilt.lost, [
      {
        file: journal(1),
        offset: gap,
        what: "change 2 is lost",
        known: "test, wantedReasons b",
      },
      { file: snapshot(3), offset, what: "a record", known: "wantedReasons" },
    ]);
    assert.deepEqual(rebuilt.saved, [
      { file: journal(1), what: "changes 1 to 3, 2 of them" },
      { file: snapshot(3), what: "2 records" },
      { file: journal(4), what: "change 4" },
    ]);
    // B comes from the snapshot, C from the journal.
    assert.deepEqual(reasonsOf(rebuilt), ["A", "B", "C", "D"]);
  });

  it("an incomplete last line, although it was never acknowledged", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B"));
    const whole = folder.files.get(journal(1)) ?? assert.fail();
    folder.files.set(journal(1), whole.subarray(0, -20));
    const offset = folder.offsetOf(journal(1), 2);
    const rebuilt = await folder.rebuild();
    assert.deepEqual(rebuilt.lost, [
      {
        file: journal(1),
        offset,
        what: `an incomplete line of ${whole.length - 20 - offset} bytes, which was never acknowledged`,
        known: null,
      },
    ]);
    assert.equal(rebuilt.database.sequence, 1);
  });
});
