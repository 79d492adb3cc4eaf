/** Which files a rebuild reads, which of them it trusts, and which numbers it does not use again. */
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
  step,
} from "./_folder.ts";

describe("a rebuild reads", () => {
  it("the whole journal where no segment follows the newest whole snapshot", async () => {
    const folder = new Folder().journal(1, change(1, "A"), step(2, "A", 1, 2)).snapshot(2, record("A", 2));
    folder.append(1, step(3, "A", 2, 3)).spoil(journal(1), '"A","points":2');
    const rebuilt = await folder.rebuild();
    assert.deepEqual(pointsIn(rebuilt), { A: 3 });
    // The snapshot has the change that cannot be read.
    assert.deepEqual(
      lossesOf(rebuilt).filter((loss) => loss.startsWith(journal(1))),
      [],
    );
    assert.deepEqual(savedOf(rebuilt), [`${snapshot(2)}: 1 records`, `${journal(1)}: change 3`]);
  });
});

describe("a rebuild of files of which nothing can be saved is refused:", () => {
  const broken = () => {
    const folder = new Folder().journal(1, change(1, "A"));
    folder.spoil(journal(1), '"A"');
    return folder;
  };
  const folders: Readonly<Record<string, Folder>> = {
    "a segment whose only change is broken": broken(),
    "that, and a segment cut within its header": broken().journal(2).cut(journal(2), 20),
    "a snapshot and a segment cut within their headers": new Folder()
      .snapshot(0)
      .cut(snapshot(0), 80)
      .journal(1)
      .cut(journal(1), 20),
    "a snapshot without a record and its last line": new Folder().oddSnapshot(0, {}),
  };
  for (const [name, folder] of Object.entries(folders)) {
    it(name, async () => {
      await assert.rejects(folder.rebuild(), {
        code: "STORE_UNAVAILABLE",
        message: "Nothing of the data in /data can be saved.",
        hint: "Replace it with a backup: `addon-cli data repair --from <file>`; nothing was changed.",
      });
    });
  }

  it("but not that of a segment cut within its header, which may never have had a change", async () => {
    const rebuilt = await new Folder().journal(1).cut(journal(1), 20).rebuild();
    assert.deepEqual([savedOf(rebuilt), pointsIn(rebuilt), rebuilt.database.sequence], [[], {}, 0]);
    assert.equal(rebuilt.lost.length, 1);
  });

  it("nor that of a whole snapshot without records", async () => {
    const folder = new Folder()
      .journal(1, change(1, "A"), step(2, "A", 1, null))
      .snapshot(2)
      .journal(3);
    const rebuilt = await folder.without(journal(1)).rebuild();
    assert.deepEqual([savedOf(rebuilt), lossesOf(rebuilt), rebuilt.database.sequence], [[], [], 2]);
  });
});

describe("a rebuild does not use a number again", () => {
  for (const [what, folder, sequence] of [
    [
      "that the name of a damaged snapshot shows",
      new Folder().journal(1, change(1, "A")).snapshot(9).cut(snapshot(9), 60),
      9,
    ],
    [
      "that the name of a segment cut within its header shows",
      new Folder().journal(1, change(1, "A")).journal(7).cut(journal(7), 20),
      6,
    ],
    ["of the newest change", new Folder().journal(1, change(1, "A"), change(2, "B")), 2],
  ] as const) {
    it(what, async () => {
      assert.equal((await folder.rebuild()).database.sequence, sequence);
    });
  }

  it("that the bytes of an unreadable end may have had", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B"), change(3, "C"));
    // Not even their line feeds are left.
    const from = folder.offsetOf(journal(1), 2);
    const bytes = folder.files.get(journal(1)) ?? assert.fail();
    bytes.fill(0, from, bytes.length - 1);
    const rebuilt = await folder.rebuild();
    assert.deepEqual(lossesOf(rebuilt), [`${journal(1)}@${from}: change 2 and all after it are lost`]);
    assert.ok(rebuilt.database.sequence >= 3, String(rebuilt.database.sequence));
  });
});

describe("a rebuild trusts changes although the header before them is broken:", () => {
  const folder = () => new Folder().journal(1, change(1, "A"), change(2, "B"));

  it("those of the first segment", async () => {
    const data = folder();
    data.spoil(journal(1), '"chain"');
    const rebuilt = await data.rebuild();
    assert.deepEqual([lossesOf(rebuilt), pointsIn(rebuilt)], [[], { A: 1, B: 1 }]);
  });

  it("those after a segment", async () => {
    const data = folder().journal(3, change(3, "C"));
    data.spoil(journal(3), '"chain"');
    const rebuilt = await data.rebuild();
    assert.deepEqual([lossesOf(rebuilt), pointsIn(rebuilt)], [[], { A: 1, B: 1, C: 1 }]);
  });

  it("those after the snapshot with which the data begins", async () => {
    const data = folder()
      .snapshot(2, record("A"), record("B"))
      .journal(3, change(3, "C"))
      .without(journal(1));
    data.spoil(journal(3), '"chain"');
    const rebuilt = await data.rebuild();
    assert.deepEqual([lossesOf(rebuilt), pointsIn(rebuilt)], [[], { A: 1, B: 1, C: 1 }]);
  });

  it("but not those after a gap", async () => {
    const data = folder()
      .journal(3, change(3, "C"))
      .journal(4, change(4, "D"), change(5, "E"))
      .without(journal(3));
    data.spoil(journal(4), '"chain"');
    const rebuilt = await data.rebuild();
    assert.deepEqual(pointsIn(rebuilt), { A: 1, B: 1, E: 1 });
    assert.deepEqual(lossesOf(rebuilt), [
      `${journal(4)}@0: change 3: the journal before this file is missing or unreadable`,
      `${journal(4)}@${data.offsetOf(journal(4), 1)}: change 4 is lost (test, wantedReasons d, D)`,
    ]);
  });
});

describe("a rebuild reports missing changes", () => {
  const faultsOf = async (numbers: readonly number[], ...broken: readonly string[]) => {
    const folder = new Folder().journal(
      1,
      ...numbers.map((number, index) => change(number, "ABCDEF"[index] ?? "")),
    );
    for (const text of broken) folder.spoil(journal(1), `"${text}"`);
    const { lost, database } = await folder.rebuild();
    return [...lost.map(({ what }) => what), database.sequence];
  };

  it("as a range, between whole lines and between broken ones", async () => {
    assert.deepEqual(await faultsOf([1, 2, 4]), ["change 3: missing", 4]);
    assert.deepEqual(await faultsOf([1, 2, 3, 4], "B"), ["change 2 is lost", 4]);
    assert.deepEqual(await faultsOf([1, 2, 5], "B"), ["changes 2 to 4 are lost", 5]);
    assert.deepEqual(await faultsOf([1, 2, 3, 5], "B"), ["change 2 is lost", "change 4: missing", 5]);
  });

  it("as a range, whose lines have no line feeds left, with what is legible of each", async () => {
    const folder = new Folder().journal(1, ..."ABCDEFG".split("").map((name, at) => change(at + 1, name)));
    const [from, to] = [folder.offsetOf(journal(1), 2), folder.offsetOf(journal(1), 5)];
    folder.files.get(journal(1))?.fill(0, from, to);
    // The line after the zeros is one with them, and only that one says to what the next one is chained.
    assert.deepEqual(lossesOf(await folder.rebuild()), [
      `${journal(1)}@${from}: changes 2 to 6 are lost (test, wantedReasons e, E; test, wantedReasons f, F)`,
    ]);
    assert.ok(
      (await folder.problems()).includes(
        `damage ${journal(1)}@${from}: changes 2 to 6 are lost here (legible: test, wantedReasons e, E; test, wantedReasons f, F)`,
      ),
    );
  });

  it("as a range that ends where the next segment begins", async () => {
    const folder = new Folder()
      .journal(1, change(1, "A"), change(2, "B"), change(3, "C"))
      .journal(4, change(4, "D"));
    const from = folder.offsetOf(journal(1), 2);
    folder.files.get(journal(1))?.fill(0, from);
    const rebuilt = await folder.rebuild();
    assert.deepEqual(lossesOf(rebuilt), [`${journal(1)}@${from}: changes 2 to 3 are lost`]);
    assert.equal(rebuilt.database.sequence, 4);
  });

  it("but none beside a line that was no change", async () => {
    assert.deepEqual(await faultsOf([1, 2, 2, 3], "B"), [3]);
  });

  it("before the oldest segment, without a snapshot", async () => {
    const folder = new Folder()
      .journal(1, change(1, "A"), change(2, "B"))
      .journal(3, change(3, "C"))
      .without(journal(1));
    const rebuilt = await folder.rebuild();
    assert.deepEqual(lossesOf(rebuilt), [
      `${journal(3)}@0: changes 1 to 2: the journal before this file is missing or unreadable`,
    ]);
    assert.deepEqual(pointsIn(rebuilt), { C: 1 });
  });

  it("before a segment without changes, whose name shows them", async () => {
    const folder = new Folder()
      .journal(1, change(1, "A"))
      .journal(2, change(2, "B"), change(3, "C"))
      .journal(4);
    const rebuilt = await folder.without(journal(2)).rebuild();
    assert.deepEqual(lossesOf(rebuilt), [
      `${journal(4)}@0: changes 2 to 3: the journal before this file is missing or unreadable`,
    ]);
    assert.equal(rebuilt.database.sequence, 3);
  });

  it("but none before a segment that a failed snapshot created", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B")).journal(2);
    const rebuilt = await folder.rebuild();
    assert.deepEqual([lossesOf(rebuilt), pointsIn(rebuilt)], [[], { A: 1, B: 1 }]);
  });
});

describe("a rebuild takes nothing from other data:", () => {
  it("from none of its segments", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B")).branch();
    folder.journal(3, change(3, "X")).journal(4, change(4, "Y"), change(5, "Z"));
    const rebuilt = await folder.rebuild();
    assert.deepEqual(lossesOf(rebuilt), [
      `${journal(3)}@0: ${belongsElsewhere}`,
      `${journal(4)}@0: change 3: the journal before this file is missing or unreadable`,
      `${journal(4)}@0: ${belongsElsewhere}`,
    ]);
    assert.deepEqual(savedOf(rebuilt), [`${journal(1)}: changes 1 to 2`]);
    assert.deepEqual(pointsIn(rebuilt), { A: 1, B: 1 });
  });

  it("where it has another change of the same number, whatever its header says", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B")).branch();
    folder.journal(2, change(2, "X"), change(3, "Y"));
    const rebuilt = await folder.rebuild();
    assert.deepEqual(lossesOf(rebuilt), [
      `${journal(2)}@${folder.offsetOf(journal(2), 1)}: ${belongsElsewhere}`,
    ]);
    assert.deepEqual(pointsIn(rebuilt), { A: 1, B: 1 });
  });

  it("but takes the same changes again from a copy of the journal", async () => {
    const folder = new Folder().journal(1, change(1, "A"));
    const copy = new Folder().journal(1, change(1, "A")).journal(2, change(2, "B"));
    folder.append(1, change(2, "B")).files.set(journal(2), copy.files.get(journal(2)) ?? assert.fail());
    const rebuilt = await folder.rebuild();
    assert.deepEqual([lossesOf(rebuilt), pointsIn(rebuilt)], [[], { A: 1, B: 1 }]);
  });
});
