/** What a verification reports of segments: how they begin, follow each other, go on after damage, and end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wantedJSON } from "../_entries.ts";
import { begun, changes, Folder, journal, record, records, step } from "./_folder.ts";

describe("a verification reports how a segment begins:", () => {
  it("with changes that the one before it has", async () => {
    const folder = begun(2)
      .branch()
      .journal(2, step(2, "B", 7, 8));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(2)}@0: it begins with change 2, but the file before it has 2`,
      `damage ${journal(2)}@${folder.offsetOf(journal(2), 1)}: it has another change 2 than the file before it: its changes belong to other data`,
    ]);
    assert.equal((await folder.verify()).sequence, 2);
  });

  it("with other data before it", async () => {
    const folder = begun(2)
      .branch()
      .journal(3, step(3, "B", 7, 8))
      .journal(4, step(4, "B", 9, 10));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: it does not follow what was written before it in ${journal(1)}: its changes belong to other data`,
      `damage ${journal(4)}@0: it follows ${journal(3)}: its changes belong to other data`,
    ]);
  });

  it("with other data before change 1", async () => {
    assert.deepEqual(
      await new Folder()
        .branch()
        .journal(1, ...changes(1, 1))
        .problems(),
      [
        `damage ${journal(1)}@0: it does not follow what was written before it: its changes belong to other data`,
      ],
    );
  });

  it("with other data before it, although it has no changes", async () => {
    const folder = begun(2).branch().journal(3);
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: it does not follow what was written before it in ${journal(1)}`,
    ]);
  });

  it("with a number that its name does not have", async () => {
    const folder = begun(2).journal(3, ...changes(3, 3));
    const third = folder.files.get(journal(3)) ?? assert.fail();
    folder.without(journal(3)).files.set(journal(4), third);
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(4)}@0: the header says that it begins with 3`,
    ]);
  });

  it("without a readable header: only its changes are compared with what was before", async () => {
    const folder = begun(2).journal(3, step(3, "A", 7, 8));
    folder.spoil(journal(3), '"chain"');
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: the header: the checksum of the line is wrong`,
      `content ${journal(3)}@${folder.offsetOf(journal(3), 1)}: change 3 says that entries wantedreason/a was ${wantedJSON("A", 7)}, but it was ${wantedJSON("A")}`,
    ]);
  });

  it("with nothing, after a failed snapshot: a remark, and the file before it goes on", async () => {
    const folder = begun(2).branch().journal(2);
    const { problems, remarks, sequence } = await folder.verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(remarks, [
      `${journal(2)} has no changes: a failed snapshot created it, and the journal went on in the file before it.`,
    ]);
    assert.equal(sequence, 2);
    // The next segment follows the one that has the changes.
    folder.branch().journal(3, ...changes(3, 3));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: it does not follow what was written before it in ${journal(1)}: its changes belong to other data`,
    ]);
  });
});

describe("a verification reports how a segment follows a snapshot:", () => {
  it("with other data before it, where the oldest segment begins right after it", async () => {
    const folder = begun(2)
      .snapshot(2, ...records(2))
      .branch()
      .journal(3)
      .without(journal(1));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: it does not follow what was written before it`,
    ]);
  });

  it("with other data before it, where the snapshot covers a gap", async () => {
    const folder = begun(1)
      .journal(2, ...changes(2, 2))
      .snapshot(2, ...records(2))
      .branch()
      .journal(3)
      .without(journal(2));
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(3)}@0: it begins with change 3, but the journal before it lacks change 2`,
      `damage ${journal(3)}@0: it does not follow what was written before it in ${journal(1)}`,
    ]);
  });

  it("with nothing, after a gap: the number of the last change is that before it", async () => {
    const folder = begun(1)
      .journal(2, ...changes(2, 3))
      .journal(4)
      .without(journal(2));
    const gap = `damage ${journal(4)}@0: it begins with change 4, but the journal before it lacks changes 2 to 3`;
    assert.deepEqual(await folder.problems(), [gap]);
    assert.equal((await folder.verify()).sequence, 3);
  });

  it("with changes that the journal has, all of them unreadable: the last one that was read counts", async () => {
    const folder = begun(2)
      .branch()
      .journal(2, ...changes(2, 2));
    folder.spoil(journal(2), '"B"');
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(2)}@${folder.offsetOf(journal(2), 1)}: the checksum of the line is wrong`,
      `damage ${journal(2)}@0: it begins with change 2, but the file before it has 2`,
      `damage ${journal(2)}@${folder.offsetOf(journal(2), 1)}: change 3 and all after it are lost here (legible: test, entries wantedreason/b)`,
    ]);
    assert.equal((await folder.verify()).sequence, 2);
  });
});

it("unreadable changes at the end of a segment go as far as the next segment says", async () => {
  const folder = begun(1)
    .append(1, ...changes(2, 3))
    .journal(4, ...changes(4, 4));
  const offset = folder.spoil(journal(1), '"B"');
  folder.spoil(journal(1), '"C"');
  const [, , lost] = await folder.problems();
  assert.ok(lost?.startsWith(`damage ${journal(1)}@${offset}: changes 2 to 3 are lost here`), lost);
});

describe("after a line that cannot be read, a verification", () => {
  const folder = () => new Folder().journal(1, ...changes(1, 1), step(2, "A", 1, 2));

  it("compares no record with those before", async () => {
    const data = folder().append(1, step(3, "A", 8, 9), step(4, "A", 7, 8));
    const offset = data.spoil(journal(1), '"points":2');
    assert.deepEqual(await data.problems(), [
      `damage ${journal(1)}@${offset}: the checksum of the line is wrong`,
      `damage ${journal(1)}@${offset}: change 2 is lost here (legible: test, entries wantedreason/a, A)`,
    ]);
    const { changes: count, sequence } = await data.verify();
    assert.deepEqual([count, sequence], [3, 4]);
  });

  it("has the records of a snapshot that contains it", async () => {
    const data = folder()
      .snapshot(2, record("A", 2))
      .append(1, step(3, "A", 8, 9), step(4, "F", 1, 2));
    const offset = data.spoil(journal(1), '"points":2');
    const says = (line: number, what: string) =>
      `content ${journal(1)}@${data.offsetOf(journal(1), line)}: ${what}`;
    assert.deepEqual(await data.problems(), [
      `damage ${journal(1)}@${offset}: the checksum of the line is wrong`,
      `damage ${journal(1)}@${offset}: change 2 is lost here (legible: test, entries wantedreason/a, A)`,
      says(
        3,
        `change 3 says that entries wantedreason/a was ${wantedJSON("A", 8)}, but it was ${wantedJSON("A", 2)}`,
      ),
      says(4, `change 4 says that entries wantedreason/f was ${wantedJSON("F")}, but it was absent`),
    ]);
  });
});

describe("a verification reports how a segment ends:", () => {
  const cut = (bytes: number) => begun(2).cut(journal(1), bytes);

  it("in an incomplete line, with its length", async () => {
    const folder = cut(20);
    const offset = folder.offsetOf(journal(1), 2);
    const length = (folder.files.get(journal(1))?.length ?? 0) - offset;
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(1)}@${offset}: the line is incomplete: ${length} bytes that were never acknowledged; the next start cuts them off`,
    ]);
    assert.equal((await folder.verify()).changes, 1);
  });

  it("without its line feed: the change counts", async () => {
    const folder = cut(1);
    assert.deepEqual(await folder.problems(), [
      `damage ${journal(1)}@${folder.offsetOf(journal(1), 2)}: the line feed at the end is missing; the next start adds it`,
    ]);
    assert.equal((await folder.verify()).changes, 2);
  });

  for (const bytes of [1, 20]) {
    it(`${bytes} bytes early, although later segments exist`, async () => {
      const folder = cut(bytes).journal(3, ...changes(3, 3));
      const running = await folder.verify({ running: true });
      assert.deepEqual(running.problems, (await folder.verify()).problems);
      assert.deepEqual(running.remarks, []);
      assert.equal(
        (await folder.problems())[0],
        `damage ${journal(1)}@${folder.offsetOf(journal(1), 2)}: the line is incomplete, and later segments exist`,
      );
    });

    it(`${bytes} bytes early, while the service is writing it`, async () => {
      const folder = cut(bytes);
      const { problems, remarks } = await folder.verify({ running: true });
      assert.deepEqual(problems, []);
      assert.deepEqual(remarks, [
        `${journal(1)} ends in an incomplete line at byte ${folder.offsetOf(journal(1), 2)}: the service is writing it.`,
      ]);
    });
  }
});
