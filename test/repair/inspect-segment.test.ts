/** The changes of a damaged segment: which lines make up a change, and which faults each has. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspectSegment } from "../../src/repair/inspect-segment.ts";
import type { SegmentEntry } from "../../src/repair/segment-entries.ts";
import { change, Folder, journal, step } from "./_folder.ts";

const file = journal(1);
const wrong = "the checksum of the line is wrong";
const noRecord = "the line is not a record of the journal";

/** The lines of a bulk change of a number. */
const bulk = (sequence: number) => {
  const lines = ["X", "Y", "Z"].map((name) => change(sequence, name));
  const further = (index: number) => ({ sequence, changes: lines[index]?.changes });
  return [{ ...lines[0], more: true }, { ...further(1), more: true }, further(2)];
};

async function inspect(folder: Folder, chains: readonly number[] = []) {
  const bytes = folder.files.get(file) ?? assert.fail();
  const found: SegmentEntry[] = [];
  const pieces = async function* () {
    for (const byte of bytes) yield Buffer.of(byte);
  };
  const segment = await inspectSegment(pieces(), 1, chains, (entries, start) => {
    assert.ok(entries.length > 0);
    assert.deepEqual([start.file, start.first], [file, 1]);
    found.push(...entries);
  });
  // It is the same in one piece.
  const whole: SegmentEntry[] = [];
  const one = async function* () {
    yield bytes;
  };
  assert.deepEqual(await inspectSegment(one(), 1, chains, (entries) => void whole.push(...entries)), segment);
  assert.deepEqual(whole, found);
  return { found, segment };
}

/** Each entry: the number of the change or those of a gap, the keys, and the line with which it begins. */
async function entriesOf(folder: Folder) {
  const { found, segment } = await inspect(folder);
  const lineAt = (offset: number) => String(folder.files.get(file)).slice(0, offset).split("\n").length - 1;
  const entries = found.map((entry) =>
    entry.record === undefined
      ? [`lost ${entry.from} to ${entry.to ?? "?"}`, "", lineAt(entry.offset)]
      : [entry.record.sequence, entry.record.changes.map(({ key }) => key).join(""), lineAt(entry.offset)],
  );
  const faults = segment.faults.map(({ offset, what, kind }) => `${kind} ${lineAt(offset)}: ${what}`);
  return { entries, faults, tail: segment.tail };
}

describe("a bulk change of several lines", () => {
  const folder = () => new Folder().journal(1, change(1, "A"), ...bulk(2), change(3, "C"));

  it("is one change, of which the last line has the checksum", async () => {
    assert.deepEqual(await entriesOf(folder()), {
      entries: [
        [1, "a", 1],
        [2, "xyz", 2],
        [3, "c", 5],
      ],
      faults: [],
      tail: undefined,
    });
    const { found } = await inspect(folder());
    const [, lines] = [found, String(folder().files.get(file)).split("\n")];
    assert.deepEqual(
      found.map((entry) => (entry.record === undefined ? undefined : entry.chain)),
      [1, 4, 5].map((index) => Number.parseInt(lines[index]?.slice(0, 8) ?? "", 16)),
    );
  });

  const [x, y, z] = ["test, wantedReasons x, X", "wantedReasons y, Y", "wantedReasons z, Z"];
  for (const [index, text, legible] of [
    [0, '"X"', `test, wantedReasons x; ${y}; ${z}`],
    [1, '"Y"', `${x}; wantedReasons y; ${z}`],
    [2, '"Z"', `${x}; ${y}; wantedReasons z`],
  ] as const) {
    it(`is lost with its line ${index + 1}, and nothing else is`, async () => {
      const data = folder();
      data.spoil(file, text);
      assert.deepEqual(await entriesOf(data), {
        entries: [
          [1, "a", 1],
          ["lost 2 to 2", "", 2],
          [3, "c", 5],
        ],
        faults: [`damage ${index + 2}: ${wrong}`, `damage 2: change 2 is lost here (legible: ${legible})`],
        tail: undefined,
      });
    });
  }

  it("is lost once with all its lines", async () => {
    const data = folder();
    for (const text of ['"X"', '"Y"', '"Z"']) data.spoil(file, text);
    const { entries } = await entriesOf(data);
    assert.deepEqual(entries.at(0), [1, "a", 1]);
    assert.deepEqual(entries.at(-1), [3, "c", 5]);
  });

  it("is no part of a broken change before it", async () => {
    const data = folder();
    data.spoil(file, '"A"');
    assert.deepEqual((await entriesOf(data)).entries, [
      ["lost 1 to 1", "", 1],
      [2, "xyz", 2],
      [3, "c", 5],
    ]);
  });

  it("does not take a broken change after it", async () => {
    const data = folder().append(1, change(4, "D"));
    data.spoil(file, '"C"');
    assert.deepEqual((await entriesOf(data)).entries, [
      [1, "a", 1],
      [2, "xyz", 2],
      ["lost 3 to 3", "", 5],
      [4, "d", 6],
    ]);
  });

  it("without its last line before another change is none", async () => {
    const [first = {}, second = {}] = bulk(2);
    const data = new Folder().journal(1, change(1, "A"), first, second, change(3, "C"));
    assert.deepEqual(await entriesOf(data), {
      entries: [
        [1, "a", 1],
        ["lost 2 to 2", "", 2],
        [3, "c", 4],
      ],
      faults: [`damage 2: ${noRecord}`, `damage 2: change 2 is lost here (legible: ${x}; ${y})`],
      tail: undefined,
    });
  });

  it("with a line of another number is none", async () => {
    const [first = {}, , last = {}] = bulk(2);
    const data = new Folder().journal(1, change(1, "A"), first, { ...last, sequence: 3 }, change(3, "C"));
    assert.deepEqual((await entriesOf(data)).faults, [
      `damage 2: ${noRecord}`,
      `damage 2: change 2 is lost here (legible: ${x}; ${z})`,
    ]);
  });

  for (const lines of [1, 2]) {
    it(`that ends after ${lines} of its lines is an incomplete end`, async () => {
      const data = new Folder().journal(1, change(1, "A"), ...bulk(2).slice(0, lines));
      const offset = data.offsetOf(file, 2);
      const length = (data.files.get(file)?.length ?? 0) - offset;
      assert.deepEqual(await entriesOf(data), {
        entries: [[1, "a", 1]],
        faults: [],
        tail: { offset, length, readable: false },
      });
    });
  }

  it("that ends within its last line is an incomplete end, and whole without its line feed", async () => {
    for (const [bytes, readable] of [
      [10, false],
      [1, true],
    ] as const) {
      const data = new Folder().journal(1, change(1, "A"), ...bulk(2)).cut(file, bytes);
      const offset = data.offsetOf(file, 2);
      const length = (data.files.get(file)?.length ?? 0) - offset;
      assert.deepEqual(await entriesOf(data), {
        entries: [[1, "a", 1], ...(readable ? [[2, "xyz", 2]] : [])],
        faults: [],
        tail: { offset, length, readable },
      });
    }
  });

  it("that ends without the line feed of a line before the last is an incomplete end", async () => {
    const data = new Folder().journal(1, change(1, "A"), ...bulk(2).slice(0, 2)).cut(file, 1);
    assert.equal((await entriesOf(data)).tail?.readable, false);
  });

  it("with a broken line at the end of the file is lost, but is no incomplete end", async () => {
    const data = new Folder().journal(1, change(1, "A"), ...bulk(2).slice(0, 2));
    data.spoil(file, '"X"');
    assert.deepEqual(await entriesOf(data), {
      entries: [
        [1, "a", 1],
        ["lost 2 to ?", "", 2],
      ],
      faults: [
        `damage 2: ${wrong}`,
        `damage 2: change 2 and all after it are lost here (legible: test, wantedReasons x; ${y})`,
      ],
      tail: undefined,
    });
  });
});

describe("a line of a segment that is no change", () => {
  for (const [what, line, legible] of [
    ["a number", 7, ""],
    ["an object without changes", { sequence: 2 }, ""],
    ["a further line without a first one", bulk(2)[2], " (legible: wantedReasons z, Z)"],
  ] as const) {
    it(`is reported: ${what}`, async () => {
      const data = new Folder().journal(1, change(1, "A"), Object(line), change(3, "C"));
      assert.deepEqual(await entriesOf(data), {
        entries: [
          [1, "a", 1],
          ["lost 2 to 2", "", 2],
          [3, "c", 3],
        ],
        faults: [`damage 2: ${noRecord}`, `damage 2: change 2 is lost here${legible}`],
        tail: undefined,
      });
    });
  }
});

describe("the numbers of changes", () => {
  const faultsOf = async (numbers: readonly number[], broken?: string) => {
    const names = "ABCDEFG";
    const data = new Folder().journal(
      1,
      ...numbers.map((number, index) => change(number, names[index] ?? "")),
    );
    if (broken !== undefined) data.spoil(file, `"${broken}"`);
    return (await entriesOf(data)).faults.filter((fault) => !fault.endsWith(wrong));
  };

  it("follow each other", async () => {
    assert.deepEqual(await faultsOf([1, 2, 3]), []);
    assert.deepEqual(await faultsOf([2, 3]), ["damage 1: expected change 1, got 2"]);
    assert.deepEqual(await faultsOf([1, 3, 4]), ["damage 2: expected change 2, got 3"]);
    assert.deepEqual(await faultsOf([1, 1, 2]), ["damage 2: expected change 2, got 1"]);
  });

  it("go on with any higher number after a broken line, once", async () => {
    const lost = (numbers: string) => `damage 2: ${numbers} lost here (legible: test, wantedReasons b)`;
    assert.deepEqual(await faultsOf([1, 2, 3], "B"), [lost("change 2 is")]);
    assert.deepEqual(await faultsOf([1, 2, 5, 6], "B"), [lost("changes 2 to 4 are")]);
    assert.deepEqual(await faultsOf([1, 2, 2, 3], "B"), []);
    assert.deepEqual(await faultsOf([1, 2, 1], "B"), ["damage 3: expected change 2, got 1"]);
    assert.deepEqual(await faultsOf([1, 2, 3, 5], "B"), [
      lost("change 2 is"),
      "damage 4: expected change 4, got 5",
    ]);
  });
});

describe("the changes of a long segment", () => {
  it("are passed on while it is read, and then those at its end", async () => {
    const data = new Folder().journal(1, ..."ABCDEF".split("").map((name, index) => change(index + 1, name)));
    const bytes = data.files.get(file) ?? assert.fail();
    const seen: number[] = [];
    let before: readonly number[] = [];
    const pieces = async function* () {
      yield bytes.subarray(0, data.offsetOf(file, 4) + 10);
      before = [...seen];
      yield bytes.subarray(data.offsetOf(file, 4) + 10);
    };
    await inspectSegment(pieces(), 1, [], (entries) => {
      for (const { record } of entries) if (record !== undefined) seen.push(record.sequence);
    });
    // The last one that was read may still be the incomplete end.
    assert.deepEqual(before, [1]);
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
  });
});

describe("the records of changes", () => {
  it("are checked, except those that are removed", async () => {
    const impossible = { ...change(2, "B"), changes: change(2, "B", 1, "dragons").changes };
    const removal = { ...step(3, "A", 1, null) };
    const stray = {
      ...removal,
      changes: removal.changes.map((each) => ({ ...each, collection: "dragons" })),
    };
    const data = new Folder().journal(1, change(1, "A"), impossible, stray, removal);
    assert.deepEqual((await entriesOf(data)).faults, [
      'content 2: change 2: there is no collection "dragons"',
      "damage 4: expected change 4, got 3",
    ]);
  });
});

describe("the header of a segment", () => {
  const faultsOf = async (folder: Folder, chains: readonly number[] = []) => {
    const { found, segment } = await inspect(folder, chains);
    return [found.length, segment.chain, segment.headless, ...segment.faults.map(({ what }) => what)];
  };
  const folder = () => new Folder().journal(1, change(1, "A"), change(2, "B"));

  it("says to what the first change is chained", async () => {
    assert.deepEqual(await faultsOf(folder(), [7]), [2, 0, false]);
  });

  it("can be broken: the caller knows to what the first change may be chained", async () => {
    const data = folder();
    data.spoil(file, '"first"');
    assert.deepEqual(await faultsOf(data, [7, 0]), [2, undefined, false, `the header: ${wrong}`]);
    assert.deepEqual(await faultsOf(data), [
      ...[2, undefined, false, `the header: ${wrong}`, wrong],
      "change 1 is lost here (legible: test, wantedReasons a, A)",
    ]);
  });

  it("can lack its line feed or have another byte there, without a loss", async () => {
    const data = folder();
    const bytes = data.files.get(file) ?? assert.fail();
    bytes[data.offsetOf(file, 1) - 1] = 0x20;
    assert.deepEqual(await faultsOf(data), [
      2,
      0,
      false,
      "the header: the line feed at the end of the line has become another byte",
    ]);
  });

  it("can be all that there is, or be incomplete", async () => {
    assert.deepEqual(await faultsOf(new Folder().journal(1)), [0, 0, false]);
    for (const bytes of [1, 20]) {
      const data = new Folder().journal(1).cut(file, bytes);
      const { length } = data.files.get(file) ?? assert.fail();
      const { segment } = await inspect(data);
      assert.deepEqual(segment, {
        ...{ file, first: 1, chain: undefined, length, headless: true, tail: undefined },
        faults: [
          {
            ...{ file, offset: 0, kind: "damage" },
            what: `the header is incomplete: the file has ${length} bytes, and changes may be missing`,
          },
        ],
      });
    }
  });
});
