/** What a verification reports of snapshots: faults of their lines, and differences from the journal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wantedJSON } from "../_entries.ts";
import { change, Folder, journal, record, snapshot, step } from "./_folder.ts";

const file = snapshot(2);
const at = (folder: Folder, line: number) => `${file}@${folder.offsetOf(file, line)}`;

/** A folder with changes 1 and 2, the snapshot after them, and the empty segment that follows it. */
const withSnapshot = (...lines: readonly unknown[]) => withHeader({}, ...lines);
const withHeader = (fields: object, ...lines: readonly unknown[]) =>
  new Folder()
    .journal(1, change(1, "A"), change(2, "B"))
    .oddSnapshot(2, fields, ...lines)
    .journal(3);

const [a, b, end] = [record("A"), record("B"), { end: 2 }];
/** B with other points, which shows whether the records are compared. */
const other = record("B", 9);
const difference = (folder: Folder, line: number) =>
  `content ${at(folder, line)}: entries wantedreason/b is ${wantedJSON("B", 9)} in the snapshot, but ${wantedJSON("B")} in the journal`;

/** Spoils a text in the snapshot. */
const spoiled = (folder: Folder, text: string) => {
  folder.spoil(file, text);
  return folder;
};
const empty = withSnapshot(a, b, end);
empty.files.set(file, Buffer.alloc(0));

/** A snapshot, what is reported, and how many of its records are counted. */
const reports: Readonly<Record<string, readonly [Folder, problems: (string | RegExp)[], counted?: number]>> =
  {
    "whose header is broken, and compares its records all the same": [
      spoiled(withSnapshot(a, other, end), '"chain"'),
      [
        `damage ${file}@0: the header: the checksum of the line is wrong`,
        difference(withSnapshot(a, other, end), 2),
      ],
    ],
    "whose header is none, once": [
      withHeader({ format: "gameaddon-journal" }, a, b, end),
      [`damage ${file}@0: the header is not that of a gameaddon-snapshot`],
    ],
    "whose header has another number than its name, and compares it with that change": [
      withHeader({ sequence: 1 }, a, other, end),
      [
        `damage ${file}@0: the header says that it contains the changes up to 1`,
        `damage ${file}@0: its change 1 differs from that of the journal`,
        /change 2 says that entries wantedreason\/b was absent, but it was/,
      ],
    ],
    "with a broken line, and neither counts nor compares its records": [
      spoiled(withSnapshot(a, other, end), '"A"'),
      [`damage ${at(withSnapshot(a, other, end), 1)}: the checksum of the line is wrong`],
      1,
    ],
    "whose last line is broken, which is not missing": [
      spoiled(withSnapshot(a, other, end), '"end"'),
      [`damage ${at(withSnapshot(a, other, end), 3)}: the checksum of the line is wrong`],
    ],
    "without its last line, and compares none of its records": [
      withSnapshot(a, other),
      [`damage ${at(withSnapshot(a, other), 3)}: the last line is missing`],
    ],
    "that is empty": [
      empty,
      [`damage ${file}@0: the file is empty`, `damage ${file}@0: the last line is missing`],
    ],
    "of which only the header is left": [
      withSnapshot(),
      [`damage ${at(withSnapshot(), 1)}: the last line is missing`],
    ],
    "with lines after the last one": [
      withSnapshot(a, b, end, record("C")),
      [
        `damage ${at(withSnapshot(a, b, end), 4)}: there is a line after the last one`,
        /expected 2 records|entries wantedreason\/c/,
      ],
    ],
    "with fewer records than its last line says": [
      withSnapshot(a, other, { end: 3 }),
      [`damage ${at(withSnapshot(a, other), 3)}: expected 3 records, got 2`],
    ],
    "with more records than its last line says": [
      withSnapshot(a, other, { end: 1 }),
      [`damage ${at(withSnapshot(a, other), 3)}: expected 1 records, got 2`],
    ],
    ...Object.fromEntries(
      [null, 7, {}, { collection: "entries" }, { end: "2" }].map((line) => [
        `with ${JSON.stringify(line)}, which is no record`,
        [
          withSnapshot(a, line, other, end),
          [`content ${at(withSnapshot(a), 2)}: the line is neither a record nor the last line`],
        ] as const,
      ]),
    ),
    ...Object.fromEntries(
      [{ ...other.record, key: [] }, null].map((impossible) => [
        `with the impossible record ${JSON.stringify(impossible)}, and compares none of its records`,
        [
          withSnapshot({ collection: "entries", record: impossible }, other, end),
          [/^content snapshot-.*: a record of entries/],
          2,
        ] as const,
      ]),
    ),
    "with a record of a collection that there is not": [
      withSnapshot(a, record("Smaug", 1, "dragons"), b, { end: 3 }),
      [`content ${at(withSnapshot(a), 2)}: there is no collection "dragons"`],
    ],
    "that a newer version wrote: nothing else of it": [
      withHeader({ version: 99 }, a, other, end),
      [
        `damage ${file}@0: The data was written in version 99 of gameaddon-snapshot; this program reads versions up to 3`,
      ],
    ],
  };

describe("a verification reports a snapshot", () => {
  for (const [what, [folder, expected, counted]] of Object.entries(reports)) {
    it(what, async () => {
      const problems = await folder.problems();
      for (const [index, line] of expected.entries()) {
        if (typeof line === "string") assert.equal(problems[index], line);
        else assert.match(problems[index] ?? "", line);
      }
      assert.equal(problems.length, expected.length, JSON.stringify(problems));
      if (counted !== undefined) assert.equal((await folder.verify()).records, counted);
    });
  }

  it("of other data, but none of its differences", async () => {
    const [first, ...more] = await withHeader({ chain: 7 }, a, other, end).problems();
    assert.equal(first, `damage ${file}@0: its change 2 differs from that of the journal`);
    assert.ok(!more.some((line) => line.startsWith("content")), `${more}`);
  });
});

describe("a verification that finds a segment of a newer version", () => {
  it("reports it, and compares nothing with what was before", async () => {
    const folder = new Folder().journal(1, change(1, "A"));
    folder.journal(2, change(2, "B")).journal(3, step(3, "A", 7, 8), step(4, "A", 9, 10));
    const newer = JSON.stringify({ format: "gameaddon-journal", version: 99 });
    const { files } = new Folder().oddSnapshot(2, { format: "gameaddon-journal", version: 99 });
    folder.files.set(journal(2), files.get(file) ?? assert.fail(newer));
    const [version, ...more] = await folder.problems();
    assert.equal(
      version,
      `damage ${journal(2)}@0: The data was written in version 99 of gameaddon-journal; this program reads versions up to 4`,
    );
    assert.deepEqual(more, [
      `damage ${journal(3)}@0: it begins with change 3, but the journal before it lacks change 2`,
    ]);
  });
});

describe("after a snapshot that differs from the journal, a verification compares changes with the snapshot:", () => {
  const after = (next: object) => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B"));
    folder.snapshot(2, record("A", 5), record("C")).journal(3, next);
    return folder;
  };
  const differences = (folder: Folder) => [
    `content ${at(folder, 1)}: entries wantedreason/a is ${wantedJSON("A", 5)} in the snapshot, but ${wantedJSON("A")} in the journal`,
    `content ${at(folder, 2)}: entries wantedreason/c is ${wantedJSON("C")} in the snapshot, but absent in the journal`,
    `content ${file}@0: entries wantedreason/b is absent in the snapshot, but not in the journal`,
  ];
  for (const [what, next, fault] of [
    ["a record that differs", step(3, "A", 5, 6), undefined],
    [
      "a record that differs, as it was in the journal",
      step(3, "A", 1, 6),
      `a was ${wantedJSON("A")}, but it was ${wantedJSON("A", 5)}`,
    ],
    ["a record that only the snapshot has", step(3, "C", 1, 6), undefined],
    [
      "a record that only the snapshot has, as absent",
      step(3, "C", null, 6),
      `c was absent, but it was ${wantedJSON("C")}`,
    ],
    ["a record that only the journal has", step(3, "B", null, 6), undefined],
    [
      "a record that only the journal has, as it was there",
      step(3, "B", 1, 6),
      `b was ${wantedJSON("B")}, but it was absent`,
    ],
  ] as const) {
    it(what, async () => {
      const folder = after(next);
      const expected =
        fault === undefined
          ? []
          : [
              `content ${journal(3)}@${folder.offsetOf(journal(3), 1)}: change 3 says that entries wantedreason/${fault}`,
            ];
      assert.deepEqual(await folder.problems(), [...differences(folder), ...expected]);
    });
  }
});

describe("after an unreadable change, a verification", () => {
  /** Change 2 of four cannot be read, and a snapshot follows the others. */
  const damaged = (...lines: readonly object[]) => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B"), change(3, "C"), change(4, "D"));
    folder.snapshot(4, ...lines).journal(5, step(5, "A", 7, 8), step(6, "E", 1, 2));
    const offset = folder.spoil(journal(1), '"B"');
    const at = `damage ${journal(1)}@${offset}`;
    const lost = "change 2 is lost here (legible: test, entries wantedreason/b)";
    return { folder, broken: [`${at}: the checksum of the line is wrong`, `${at}: ${lost}`] };
  };
  const changesAfter = (folder: Folder, a: string) => [
    `content ${journal(5)}@${folder.offsetOf(journal(5), 1)}: change 5 says that entries wantedreason/a was ${wantedJSON("A", 7)}, but it was ${a}`,
    `content ${journal(5)}@${folder.offsetOf(journal(5), 2)}: change 6 says that entries wantedreason/e was ${wantedJSON("E")}, but it was absent`,
  ];

  it("compares no snapshot with the journal, and has all of its records then", async () => {
    for (const [records, a] of [
      [[record("A", 4), record("B", 5), record("C"), record("D")], wantedJSON("A", 4)],
      [[record("C", 9)], "absent"],
    ] as const) {
      const { folder, broken } = damaged(...records);
      assert.deepEqual(await folder.problems(), [...broken, ...changesAfter(folder, a)]);
    }
  });
});
