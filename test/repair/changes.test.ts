/** The changes of a damaged segment: which lines make up a change, which of them are lost, and what is said of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { change, Folder, journal, pointsIn, step } from "./_folder.ts";

const file = journal(1);
const wrong = "the checksum of the line is wrong";
const noRecord = "the line is not a record of the journal";

/** The lines of a bulk change of a number. */
const bulk = (sequence: number) => {
  const lines = ["X", "Y", "Z"].map((name) => change(sequence, name));
  const further = (index: number) => ({ sequence, changes: lines[index]?.changes });
  return [{ ...lines[0], more: true }, { ...further(1), more: true }, further(2)] as const;
};

/** What a verification finds, with lines instead of offsets, and the reasons that a repair saves. */
async function outcomeOf(folder: Folder, ...spoiled: readonly string[]) {
  for (const text of spoiled) folder.spoil(file, text);
  const lineAt = (offset: number) => String(folder.files.get(file)).slice(0, offset).split("\n").length - 1;
  const { problems } = await folder.verify();
  // Nothing of some segments can be saved, which is refused.
  const rebuilt = await folder.rebuild().catch(() => undefined);
  return {
    found: problems.map(({ offset, what, kind }) => `${kind} ${lineAt(offset)}: ${what}`),
    saved: rebuilt && Object.keys(pointsIn(rebuilt)).join(""),
    lost: rebuilt?.lost.length,
  };
}

const [x, y, z] = [
  "test, entries wantedreason/x, X",
  "entries wantedreason/y, Y",
  "entries wantedreason/z, Z",
];
const [first, second, last] = bulk(2);
const whole = () => new Folder().journal(1, change(1, "A"), ...bulk(2), change(3, "C"));
const between = (...lines: readonly object[]) =>
  new Folder().journal(1, change(1, "A"), ...lines, change(3, "C"));
const lost = (legible: string) => `damage 2: change 2 is lost here${legible && ` (legible: ${legible})`}`;

/** A segment, the texts that are spoiled in it, what a verification finds, and what is saved. */
const cases: Readonly<
  Record<string, readonly [Folder, readonly string[], readonly string[], saved: string]>
> = {
  "that is whole": [whole(), [], [], "ACXYZ"],
  "with a broken first line": [
    whole(),
    ['"X"'],
    [`damage 2: ${wrong}`, lost(`test, entries wantedreason/x; ${y}; ${z}`)],
    "AC",
  ],
  "with a broken line between": [
    whole(),
    ['"Y"'],
    [`damage 3: ${wrong}`, lost(`${x}; entries wantedreason/y; ${z}`)],
    "AC",
  ],
  "with a broken last line": [
    whole(),
    ['"Z"'],
    [`damage 4: ${wrong}`, lost(`${x}; ${y}; entries wantedreason/z`)],
    "AC",
  ],
  "after a broken change, of which it is no part": [
    whole(),
    ['"A"'],
    [`damage 1: ${wrong}`, "damage 1: change 1 is lost here (legible: test, entries wantedreason/a)"],
    "CXYZ",
  ],
  "before a broken change, of which it takes nothing": [
    whole().append(1, change(4, "D")),
    ['"C"'],
    [`damage 5: ${wrong}`, "damage 5: change 3 is lost here (legible: test, entries wantedreason/c)"],
    "ADXYZ",
  ],
  "without its last line": [between(first, second), [], [`damage 2: ${noRecord}`, lost(`${x}; ${y}`)], "AC"],
  "with a line of another number": [
    between(first, { ...last, sequence: 3 }),
    [],
    [`damage 2: ${noRecord}`, lost(`${x}; ${z}`)],
    "AC",
  ],
  "of which only a further line is there": [between(last), [], [`damage 2: ${noRecord}`, lost(z)], "AC"],
  "with a broken line at the end of the file": [
    new Folder().journal(1, change(1, "A"), first, second),
    ['"X"'],
    [
      `damage 2: ${wrong}`,
      `damage 2: change 2 and all after it are lost here (legible: test, entries wantedreason/x; ${y})`,
    ],
    "A",
  ],
};

describe("a bulk change of several lines", () => {
  for (const [what, [folder, spoiled, found, saved]] of Object.entries(cases)) {
    it(`${what} is reported, and saved whole or not at all`, async () => {
      assert.deepEqual(await outcomeOf(folder, ...spoiled), {
        found,
        saved,
        lost: found.length === 0 ? 0 : 1,
      });
    });
  }

  for (const [what, lines, bytes, isWhole] of [
    ["after its first line", 1, 0, false],
    ["after its second line", 2, 0, false],
    ["without the line feed of its second line", 2, 1, false],
    ["within its last line", 3, 10, false],
    ["without its last line feed", 3, 1, true],
  ] as const) {
    it(`that ends ${what} ${isWhole ? "has happened" : "is an incomplete end"}`, async () => {
      const folder = new Folder().journal(1, change(1, "A"), ...bulk(2).slice(0, lines));
      if (bytes > 0) folder.cut(file, bytes);
      const { found, saved } = await outcomeOf(folder);
      assert.equal(saved, isWhole ? "AXYZ" : "A");
      assert.equal(found.length, 1);
      assert.match(
        found[0] ?? "",
        isWhole ? /^damage 2: the line feed at the end is missing/ : /^damage 2: .*never acknowledged/,
      );
    });
  }
});

describe("a line of a segment that is no change", () => {
  for (const line of [7, { sequence: 2 }]) {
    it(`is reported: ${JSON.stringify(line)}`, async () => {
      const { found, saved } = await outcomeOf(between(Object(line)));
      assert.deepEqual([found, saved], [[`damage 2: ${noRecord}`, lost("")], "AC"]);
    });
  }
});

describe("the numbers of changes", () => {
  const faultsOf = async (numbers: readonly number[], ...broken: readonly string[]) => {
    const changes = numbers.map((number, index) => change(number, "ABCDEFG"[index] ?? ""));
    const { found } = await outcomeOf(new Folder().journal(1, ...changes), ...broken);
    return found.filter((fault) => !fault.endsWith(wrong));
  };

  it("follow each other", async () => {
    assert.deepEqual(await faultsOf([1, 2, 3]), []);
    assert.deepEqual(await faultsOf([2, 3]), ["damage 1: expected change 1, got 2"]);
    assert.deepEqual(await faultsOf([1, 3, 4]), ["damage 2: expected change 2, got 3"]);
    const repeated = "damage 2: expected change 2, got 1 (legible: test, entries wantedreason/b, B)";
    assert.deepEqual(await faultsOf([1, 1, 2]), [repeated]);
  });

  it("go on with any higher number after a broken line, once", async () => {
    const gone = (numbers: string) =>
      `damage 2: ${numbers} lost here (legible: test, entries wantedreason/b)`;
    assert.deepEqual(await faultsOf([1, 2, 3], '"B"'), [gone("change 2 is")]);
    assert.deepEqual(await faultsOf([1, 2, 5, 6], '"B"'), [gone("changes 2 to 4 are")]);
    assert.deepEqual(await faultsOf([1, 2, 2, 3], '"B"'), []);
    assert.deepEqual(await faultsOf([1, 2, 1], '"B"'), [
      "damage 3: expected change 2, got 1 (legible: test, entries wantedreason/c, C)",
      "damage 2: change 2 and all after it are lost here (legible: test, entries wantedreason/b)",
    ]);
    assert.deepEqual(await faultsOf([1, 2, 3, 5], '"B"'), [
      gone("change 2 is"),
      "damage 4: expected change 4, got 5",
    ]);
  });
});

describe("the records of changes", () => {
  it("are checked, except those that are removed", async () => {
    const impossible = { ...change(2, "B"), changes: change(2, "B", 1, "dragons").changes };
    const removal = step(3, "A", 1, null);
    const stray = {
      ...removal,
      changes: removal.changes.map((change) => ({ ...change, collection: "dragons" })),
    };
    const { found } = await outcomeOf(new Folder().journal(1, change(1, "A"), impossible, stray));
    assert.equal(found[0], 'content 2: change 2: there is no collection "dragons"');
    assert.ok(!found.some((line) => line.startsWith("content 3: change 3: ")), `${found}`);
  });
});

describe("the header of a segment", () => {
  it("whose line feed has become another byte causes no loss", async () => {
    const folder = new Folder().journal(1, change(1, "A"), change(2, "B"));
    const bytes = folder.files.get(file) ?? assert.fail();
    bytes[folder.offsetOf(file, 1) - 1] = 0x20;
    const what = "the header: the line feed at the end of the line has become another byte";
    assert.deepEqual(await outcomeOf(folder), { found: [`damage 0: ${what}`], saved: "AB", lost: 0 });
  });
});
