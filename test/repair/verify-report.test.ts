/** What a verification counts, and how it reports missing files. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wantedJSON } from "../_entries.ts";
import { begun, changes, Folder, journal, record, records, snapshot, step } from "./_folder.ts";

describe("a verification counts", () => {
  it("files, changes and records, and names the last change", async () => {
    const folder = begun(2)
      .snapshot(2, ...records(2))
      .journal(3, ...changes(3, 3))
      .snapshot(3, ...records(3))
      .journal(4, ...changes(4, 5));
    assert.deepEqual(await folder.verify(), {
      ...{ problems: [], inconsistencies: [], remarks: [] },
      ...{ snapshots: 2, segments: 3, changes: 5, records: 5, sequence: 5 },
    });
  });

  it("no change of a journal that has none yet", async () => {
    assert.deepEqual(await new Folder().journal(1).verify(), {
      ...{ problems: [], inconsistencies: [], remarks: [] },
      ...{ snapshots: 0, segments: 1, changes: 0, records: 0, sequence: 0 },
    });
  });

  it("the changes since the snapshot with which pruned data begins", async () => {
    const folder = begun(2)
      .snapshot(2, ...records(2))
      .journal(3, ...changes(3, 4))
      .without(journal(1));
    assert.deepEqual(await folder.verify(), {
      ...{ problems: [], inconsistencies: [], remarks: [] },
      ...{ snapshots: 1, segments: 1, changes: 2, records: 2, sequence: 4 },
    });
  });
});

describe("a verification of a file with thousands of lines of something else", () => {
  it("lists the first 20 and the last, counts those between, and says what is lost", async () => {
    const folder = new Folder().journal(1, ...changes(1, 2));
    const whole = folder.files.get(journal(1)) ?? Buffer.alloc(0);
    const garbage = Buffer.from("nothing\n".repeat(5_000));
    folder.files.set(journal(1), Buffer.concat([whole, garbage]));
    const problems = await folder.problems();
    assert.equal(problems.length, 22);
    const last = whole.length + garbage.length - 8;
    assert.deepEqual(problems.slice(-2), [
      `damage ${journal(1)}@${last}: the checksum of the line is wrong (and 4979 more like it since the line above)`,
      `damage ${journal(1)}@${whole.length}: change 3 and all after it are lost here`,
    ]);
  });
});

describe("a verification reports missing files:", () => {
  it("the whole journal after each snapshot", async () => {
    const folder = begun(2)
      .snapshot(2, ...records(2))
      .journal(3, ...changes(3, 3))
      .snapshot(3, ...records(3));
    folder.without(journal(1), journal(3));
    assert.deepEqual(await folder.problems(), [
      `damage ${snapshot(3)}@0: it contains change 3, but the journal ends with 2`,
      `damage ${journal(4)}@0: the file is missing: it was created before ${snapshot(3)}, and may have had changes`,
    ]);
    const { sequence, records: count, segments } = await folder.verify();
    assert.deepEqual([sequence, count, segments], [3, 5, 0]);
  });

  it("the journal between a snapshot and the oldest segment, whose changes are compared with nothing", async () => {
    const folder = begun(1)
      .snapshot(1, ...records(1))
      .journal(2, ...changes(2, 3))
      .journal(4, step(4, "A", 7, 8), step(5, "A", 8, 9))
      .without(journal(1), journal(2));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(4)}@0: it begins with change 4, but the journal before it lacks changes 2 to 3`,
    ]);
    assert.equal((await folder.verify()).sequence, 5);
  });

  it("nothing where the oldest segment begins right after the oldest snapshot", async () => {
    const folder = begun(3).snapshot(3, ...records(3));
    assert.deepEqual(
      await folder
        .journal(4, ...changes(4, 4))
        .without(journal(1))
        .problems(),
      [],
    );
  });

  it("the begin of the journal and every snapshot", async () => {
    const folder = begun(2).journal(3, step(3, "A", 1, 2), step(4, "A", 2, 3));
    assert.deepEqual(await folder.without(journal(1)).problems(), [
      `damage ${journal(3)}@0: the journal before change 3 and every snapshot are missing`,
    ]);
  });

  it("a segment between two others, after which no record is compared", async () => {
    const folder = begun(1)
      .journal(2, step(2, "A", 1, 2), step(3, "A", 2, 3))
      .journal(4, step(4, "A", 9, 4), step(5, "A", 8, 5))
      .without(journal(2));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(4)}@0: it begins with change 4, but the journal before it lacks changes 2 to 3`,
    ]);
    const { changes: count, sequence } = await folder.verify();
    assert.deepEqual([count, sequence], [3, 5]);
  });

  it("a segment between two others, for which a snapshot has the records", async () => {
    const folder = begun(1)
      .journal(2, step(2, "A", 1, 2))
      .snapshot(2, record("A", 2))
      .journal(3, step(3, "A", 9, 4))
      .without(journal(2));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: it begins with change 3, but the journal before it lacks change 2`,
      `content ${journal(3)}@${folder.offsetOf(journal(3), 1)}: change 3 says that entries wantedreason/a was ${wantedJSON("A", 9)}, but it was ${wantedJSON("A", 2)}`,
    ]);
  });

  it("the newest segment, which was created before the newest snapshot", async () => {
    const folder = begun(2).snapshot(2, ...records(2));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: the file is missing: it was created before ${snapshot(2)}, and may have had changes`,
    ]);
    assert.deepEqual(await folder.journal(3).problems(), []);
  });

  it("the end of the journal, which a snapshot shows", async () => {
    const folder = begun(2)
      .journal(3, ...changes(3, 4))
      .snapshot(4, ...records(4))
      .without(journal(3));
    assert.deepEqual(await folder.problems(), [
      `damage ${snapshot(4)}@0: it contains change 4, but the journal ends with 2`,
      `damage ${journal(5)}@0: the file is missing: it was created before ${snapshot(4)}, and may have had changes`,
    ]);
    assert.equal((await folder.verify()).sequence, 4);
  });
});
