/** What a rebuild saves of damaged files, and every loss that it reports, with its place and what is known of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wantedJSON } from "../_entries.ts";
import { change, Folder, journal, pointsIn, record, snapshot, step } from "./_folder.ts";

/** A folder, and what a rebuild makes of it, in short: `j1` is the journal from change 1, `s2:1` line 1 of snapshot 2. */
interface Case {
  readonly folder: Folder;
  /** The losses, and in parentheses what is known of them. */
  readonly lost?: readonly string[];
  /** The reasons, with their points unless they are 1. */
  readonly points: string;
  readonly saved?: readonly string[];
  readonly sequence?: number;
}

/** Spoils texts in files. */
function spoiled(folder: Folder, ...places: readonly (readonly [file: string, text: string])[]): Folder {
  for (const place of places) folder.spoil(...place);
  return folder;
}

/** Replaces lines of the first segment by zeros, without their line feeds. */
function zeroed(folder: Folder, from: number, to: number): Folder {
  const end = (folder.files.get(journal(1))?.length ?? 0) - 1;
  folder.files
    .get(journal(1))
    ?.fill(0, folder.offsetOf(journal(1), from), Math.min(folder.offsetOf(journal(1), to), end));
  return folder;
}

const names = "ABCDEFG".split("");
const folderOf = (...numbers: readonly number[]) =>
  new Folder().journal(1, ...numbers.map((number, index) => change(number, names[index] ?? "")));
const records = (to: number) => names.slice(0, to).map((name) => record(name));
const all = (to: number) => names.slice(0, to).join(" ");

/** A snapshot of A and B after change 2, in which B cannot be read, and the journal before and after it. */
const withDamagedSnapshot = () =>
  spoiled(
    folderOf(1)
      .journal(2, change(2, "B"))
      .snapshot(2, ...records(2))
      .journal(3, change(3, "C")),
    [snapshot(2), '"B"'],
  );
const lostRecord = "s2:2: a record (entries)";
const elsewhere = "its changes belong to other data";

const dragons = change(2, "Smaug", 9, "dragons").changes;
const removal = {
  ...change(2, "B"),
  changes: [{ collection: "dragons", key: "smaug", before: {}, after: null }],
};
const copied = folderOf(1).append(1, change(2, "B"));
copied.files.set(journal(2), folderOf(1).journal(2, change(2, "B")).files.get(journal(2)) ?? assert.fail());

const cases: Readonly<Record<string, Case>> = {
  "intact files, of which the newest snapshot and the journal after it are read": {
    folder: folderOf(1, 2)
      .snapshot(2, ...records(2))
      .journal(3, change(3, "C"))
      .snapshot(3, ...records(3))
      .journal(4, change(4, "D"), change(5, "E")),
    points: all(5),
    saved: ["s3 3 records", "j4 changes 4 to 5"],
  },
  "a snapshot that no segment follows, and a broken line that it has": {
    folder: spoiled(
      folderOf(1)
        .append(1, step(2, "A", 1, 2))
        .snapshot(2, record("A", 2))
        .append(1, step(3, "A", 2, 3)),
      [journal(1), '"A","points":2'],
    ),
    points: "A3",
    saved: ["s2 1 records", "j1 change 3"],
  },
  "a broken line": {
    folder: spoiled(folderOf(1, 2, 3, 4), [journal(1), '"B"']),
    lost: ["j1:2: change 2 is lost (test, entries wantedreason/b)"],
    points: "A C D",
    saved: ["j1 changes 1 to 4, 3 of them"],
    sequence: 4,
  },
  "numbers that do not follow each other": {
    folder: folderOf(1, 2, 4),
    lost: ["j1:3: change 3 is lost"],
    points: all(3),
    sequence: 4,
  },
  "a broken line before higher numbers": {
    folder: spoiled(folderOf(1, 2, 5), [journal(1), '"B"']),
    lost: ["j1:2: changes 2 to 4 are lost (test, entries wantedreason/b)"],
    points: "A C",
    sequence: 5,
  },
  "a broken line that was no change": {
    folder: spoiled(folderOf(1, 2, 2, 3), [journal(1), '"B"']),
    points: "A C D",
    sequence: 3,
  },
  "lines without line feeds": {
    folder: zeroed(folderOf(1, 2, 3, 4, 5, 6, 7), 2, 5),
    lost: [
      "j1:2: changes 2 to 6 are lost (test, entries wantedreason/e, E; test, entries wantedreason/f, F)",
    ],
    points: "A G",
  },
  "lines without line feeds at the end of a segment": {
    folder: zeroed(folderOf(1, 2, 3), 2, 4).journal(4, change(4, "D")),
    lost: ["j1:2: changes 2 to 3 are lost"],
    points: "A D",
    sequence: 4,
  },
  "an incomplete last line, although it was never acknowledged": {
    folder: folderOf(1, 2).cut(journal(1), 20),
    lost: [
      `j1:2: the line is incomplete: ${(folderOf(1, 2).files.get(journal(1))?.length ?? 0) - 20 - folderOf(1).offsetOf(journal(1), 2)} bytes that were never acknowledged`,
    ],
    points: "A",
    sequence: 1,
  },
  "a missing oldest segment without a snapshot": {
    folder: folderOf(1, 2).journal(3, change(3, "C")).without(journal(1)),
    lost: ["j3:0: the journal before change 3 and every snapshot are missing"],
    points: "C",
  },
  "a missing segment before one without changes, whose name shows them": {
    folder: folderOf(1).journal(2, change(2, "B"), change(3, "C")).journal(4).without(journal(2)),
    lost: ["j4:0: changes 2 to 3 are lost"],
    points: "A",
    sequence: 3,
  },
  "a segment that a failed snapshot created": { folder: folderOf(1, 2).journal(2), points: all(2) },
  "a broken header of the first segment": {
    folder: spoiled(folderOf(1, 2), [journal(1), '"chain"']),
    points: all(2),
  },
  "a broken header after a segment": {
    folder: spoiled(folderOf(1, 2).journal(3, change(3, "C")), [journal(3), '"chain"']),
    points: all(3),
  },
  "a broken header after a gap": {
    folder: spoiled(
      folderOf(1, 2)
        .journal(3, change(3, "C"))
        .journal(4, change(4, "D"), change(5, "E"))
        .without(journal(3)),
      [journal(4), '"chain"'],
    ),
    lost: ["j4:0: change 3 is lost", "j4:1: change 4 is lost (test, entries wantedreason/d, D)"],
    points: "A B E",
  },
  "segments of other data": {
    folder: folderOf(1, 2).branch().journal(3, change(3, "X")).journal(4, change(4, "Y"), change(5, "Z")),
    lost: [
      `j3:0: it does not follow what was written before it in ${journal(1)}: ${elsewhere}`,
      `j4:0: it follows ${journal(3)}: ${elsewhere}`,
    ],
    points: all(2),
    saved: ["j1 changes 1 to 2"],
  },
  "another change of the same number, whatever the header says": {
    folder: folderOf(1, 2).branch().journal(2, change(2, "X"), change(3, "Y")),
    lost: [`j2:1: it has another change 2 than the file before it: ${elsewhere}`],
    points: all(2),
  },
  "the same changes again from a copy of the journal": { folder: copied, points: all(2) },
  "a damaged snapshot, of which the journal has all changes": {
    folder: withDamagedSnapshot(),
    points: all(3),
    saved: ["j1 change 1", "j2 change 2", "j3 change 3"],
  },
  "a damaged snapshot with which the data begins": {
    folder: withDamagedSnapshot().without(journal(1), journal(2)),
    lost: [lostRecord],
    points: "A C",
    saved: ["s2 1 records", "j3 change 3"],
  },
  "a damaged snapshot after a gap": {
    folder: withDamagedSnapshot().without(journal(2)),
    lost: [lostRecord, "j3:0: change 2 is lost"],
    points: "A C",
  },
  "a damaged snapshot at the end of the data": {
    folder: withDamagedSnapshot().without(journal(2), journal(3)),
    lost: [
      lostRecord,
      "s2:0: change 2 is lost",
      `j3:0: the file is missing: it was created before ${snapshot(2)}, and may have had changes`,
    ],
    points: "A",
    sequence: 2,
  },
  "a snapshot without its end": {
    folder: folderOf(1, 2).oddSnapshot(2, {}, record("A")).journal(3, change(3, "C")).without(journal(1)),
    lost: ["s2:0: the end of the file, with unknown records"],
    points: "A C",
  },
  "a damaged snapshot that replaces a broken line": {
    folder: spoiled(
      folderOf(1, 2, 3)
        .snapshot(3, ...records(3))
        .journal(4, change(4, "D")),
      [journal(1), '"B"'],
      [snapshot(3), '"C"'],
    ),
    lost: ["j1:2: change 2 is lost (test, entries wantedreason/b)", "s3:3: a record (entries)"],
    points: all(4),
    saved: ["j1 changes 1 to 3, 2 of them", "s3 2 records", "j4 change 4"],
  },
  "a record of a collection that there is not, in a snapshot": {
    folder: folderOf(1)
      .snapshot(1, record("Smaug", 9, "dragons"), record("A"))
      .journal(2),
    lost: [`s1:1: a record: there is no collection "dragons" (${wantedJSON("Smaug", 9)})`],
    points: "A",
  },
  "a record of a collection that there is not, in a change": {
    folder: folderOf(1).append(
      1,
      { ...change(2, "B"), changes: [...dragons, ...change(2, "B").changes] },
      change(3, "C"),
    ),
    lost: [
      `j1:2: change 2: there is no collection "dragons" (wantedreason/smaug: ${wantedJSON("Smaug", 9)})`,
    ],
    points: all(3),
    saved: ["j1 changes 1 to 3"],
  },
  "the removal of a record of a collection that there is not": {
    folder: folderOf(1).append(1, removal),
    lost: ['j1:2: change 2: there is no collection "dragons" (smaug: absent)'],
    points: "A",
  },
  "a whole record that no start can read, beside damage": {
    folder: spoiled(
      folderOf(1)
        .append(
          1,
          {
            ...change(2, "B"),
            changes: [
              { collection: "players", key: "1".repeat(32), before: null, after: { uuid: "1".repeat(32) } },
            ],
          },
          change(3, "C"),
        )
        .append(1, change(4, "D")),
      [journal(1), '"C"'],
    ),
    lost: [
      "j1:3: change 3 is lost (test, entries wantedreason/c)",
      'j1:0: a record of players, name: Invalid key: Expected "name" but received undefined ({"uuid":"11111111111111111111111111111111"})',
    ],
    points: "A D",
  },
  "the name of a damaged snapshot, whose number is not used again": {
    folder: folderOf(1).snapshot(9).cut(snapshot(9), 60),
    points: "A",
    sequence: 9,
  },
  "the name of a segment that was cut within its header, whose number is not used again": {
    folder: folderOf(1).journal(7).cut(journal(7), 20),
    points: "A",
    sequence: 6,
  },
  "a segment that was cut within its header, which may never have had a change": {
    folder: new Folder().journal(1).cut(journal(1), 20),
    points: "",
    saved: [],
    sequence: 0,
  },
  "a whole snapshot without records": {
    folder: folderOf(1)
      .append(1, step(2, "A", 1, null))
      .snapshot(2)
      .journal(3)
      .without(journal(1)),
    points: "",
    lost: [],
    saved: ["s2 0 records"],
    sequence: 2,
  },
};

describe("a rebuild saves all but what it reports as lost:", () => {
  for (const [what, { folder, lost, points, saved, sequence }] of Object.entries(cases)) {
    it(what, async () => {
      const rebuilt = await folder.rebuild();
      const short = (file: string) => `${file[0]}${Number(/\d+/.exec(file))}`;
      const lineAt = (file: string, offset: number) =>
        String(folder.files.get(file) ?? "")
          .slice(0, offset)
          .split("\n").length - 1;
      const losses = rebuilt.lost.map(
        ({ file, offset, what, known }) =>
          `${short(file)}:${lineAt(file, offset)}: ${what}${known === null ? "" : ` (${known})`}`,
      );
      // A number that only a name shows is said in its own words.
      if (lost !== undefined || sequence === undefined) assert.deepEqual(losses, lost ?? []);
      const found = Object.entries(pointsIn(rebuilt)).map(([reason, of]) =>
        of === 1 ? reason : `${reason}${of}`,
      );
      assert.equal(found.join(" "), points);
      const kept = rebuilt.saved.map(({ file, what }) => `${short(file)} ${what}`);
      if (saved !== undefined) assert.deepEqual(kept, saved);
      if (sequence !== undefined) assert.equal(rebuilt.database.sequence, sequence);
    });
  }
});

describe("a rebuild is refused where nothing can be saved:", () => {
  const broken = () => spoiled(folderOf(1), [journal(1), '"A"']);
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
    it(name, () =>
      assert.rejects(folder.rebuild(), {
        code: "STORE_UNAVAILABLE",
        message: "Nothing of the data in /data can be saved.",
        hint: "Replace it with a backup: `addon-cli data repair --from <file>`; nothing was changed.",
      }),
    );
  }
});

describe("a rebuild", () => {
  it("does not use the numbers again that the bytes of an unreadable end may have had", async () => {
    const rebuilt = await zeroed(folderOf(1, 2, 3), 2, 4).rebuild();
    assert.equal(rebuilt.lost[0]?.what, "change 2 and all after it are lost");
    assert.ok(rebuilt.database.sequence >= 3, String(rebuilt.database.sequence));
  });

  it("continues the chain of its last change", async () => {
    const folder = folderOf(1).snapshot(1, record("A")).journal(2);
    const header = JSON.parse(
      String(folder.files.get(snapshot(1)))
        .slice(9)
        .split("\n", 1)
        .join(""),
    );
    const { database } = await folder.rebuild();
    assert.deepEqual([database.sequence, database.chain], [1, header.chain]);
  });
});
