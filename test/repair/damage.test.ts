/** Damage of every kind: a verification finds it, and a repair saves only what was written. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { examine } from "../../src/repair/verify.ts";
import { runs, stride } from "../_depth.ts";
import { pointsOf, wantedJSON, wantedKey, wantedReason } from "../_entries.ts";
import { randomFrom } from "../_random.ts";
import { temporaryFolder } from "../_setup.ts";
import { chained, contentsOf, type History, inMemory, type Points, write } from "../backup/_setup.ts";

const history: History = [
  { A: 1, B: 2 },
  { A: 3 },
  "snapshot",
  { C: 4 },
  "snapshot",
  { B: -1 },
  { A: 5, D: 6 },
];
const ends: Points = { A: 5, C: 4, D: 6 };
/** Every value that a record of the history has ever had. */
const everWritten: Readonly<Record<string, readonly number[]>> = { A: [1, 3, 5], B: [2], C: [4], D: [6] };

const check = async (contents: ReadonlyMap<string, Buffer>, running = false) =>
  (await examine(inMemory(contents), "/data", { running })).verified;

/** What can be saved: the records, and what is said to be lost. */
async function saved(contents: ReadonlyMap<string, Buffer>) {
  try {
    const { database, lost } = (await examine(inMemory(contents), "/data")).rebuild();
    return { points: pointsOf(database.view.entries.values()), lost, sequence: database.sequence };
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error;
  }
}

function changed(
  contents: ReadonlyMap<string, Buffer>,
  name: string,
  change: (bytes: Buffer) => Buffer,
): Map<string, Buffer> {
  const bytes = contents.get(name);
  assert.ok(bytes, `there is a file ${name}`);
  return new Map([...contents, [name, change(Buffer.from(bytes))]]);
}

/** Asserts that nothing is invented, and that every loss is reported. */
async function assertHonest(
  contents: ReadonlyMap<string, Buffer>,
  what: string,
  mayLose = true,
): Promise<void> {
  const result = await saved(contents);
  if (!mayLose) assert.deepEqual(result, { points: ends, lost: [], sequence: 5 }, what);
  if (result instanceof Failure) {
    assert.match(result.message, /Nothing of the data/, what);
    return;
  }
  const { points, lost, sequence } = result;
  for (const [reason, value] of Object.entries(points)) {
    assert.ok(everWritten[reason]?.includes(value), `${what}: ${reason} ${value} was never written`);
  }
  if (lost.length === 0) assert.deepEqual(points, ends, `${what}: a loss was not reported`);
  // No number is used twice.
  if (lost.length === 0) assert.equal(sequence, 5, what);
}

describe("damage of a small store", () => {
  it("no damage: there is no problem, and everything can be saved", async (t) => {
    const folder = await temporaryFolder(t);
    await write(folder, history);
    const contents = await contentsOf(folder);
    assert.deepEqual(
      [...contents.keys()],
      [
        "journal-000000000001.log",
        "journal-000000000003.log",
        "journal-000000000004.log",
        "snapshot-000000000002.jsonl",
        "snapshot-000000000003.jsonl",
      ],
    );
    const { problems, snapshots, segments, changes, records, sequence } = await check(contents);
    assert.deepEqual(problems, []);
    assert.deepEqual([snapshots, segments, changes, records, sequence], [2, 3, 5, 5, 5]);
    const result = await saved(contents);
    assert.ok(!(result instanceof Failure));
    assert.deepEqual(result, { points: ends, lost: [], sequence: 5 });
  });

  it("any flipped bit is found, and nothing is invented or silently lost", async (t) => {
    const folder = await temporaryFolder(t);
    await write(folder, history);
    const contents = await contentsOf(folder);
    for (const [name, bytes] of contents) {
      for (let bit = 0; bit < bytes.length * 8; bit += stride) {
        const byte = bit >> 3;
        const flipped = changed(contents, name, (copy) => {
          copy[byte] = (copy[byte] as number) ^ (1 << (bit & 7));
          return copy;
        });
        const what = `${name}, bit ${bit & 7} of byte ${byte}`;
        const { problems } = await check(flipped);
        const found = problems.some(({ file, kind }) => file === name && kind === "damage");
        assert.ok(found, `${what}: ${JSON.stringify(problems)}`);
        // The next line confirms a line of which only the checksum or the line feed is damaged.
        const start = byte === 0 ? 0 : bytes.lastIndexOf("\n", byte - 1) + 1;
        const isText = bytes[byte] !== 0x0a && byte >= start + 9;
        await assertHonest(flipped, what, isText || name !== "journal-000000000001.log");
      }
    }
  });

  it("any two changed places lose at most what is reported", async (t) => {
    const folder = await temporaryFolder(t);
    await write(folder, history);
    const contents = await contentsOf(folder);
    const names = [...contents.keys()];
    const random = randomFrom(Number(process.env.DAMAGE_SEED ?? 1));
    for (let run = 0; run < runs(2000); run += 1) {
      let damaged: ReadonlyMap<string, Buffer> = contents;
      const places: string[] = [];
      for (let place = 0; place < 2; place += 1) {
        const name = names[Math.floor(random() * names.length)] ?? "";
        const at = Math.floor(random() * (contents.get(name)?.length ?? 0));
        const by = ["\n", "x", "", "\n\n", "\0\0\0"][Math.floor(random() * 5)] ?? "";
        places.push(`${JSON.stringify(by)} at byte ${at} of ${name}`);
        damaged = changed(damaged, name, (copy) =>
          Buffer.concat([copy.subarray(0, at), Buffer.from(by), copy.subarray(at + 1)]),
        );
      }
      await assertHonest(damaged, places.join(", "));
    }
  });

  it("a cut at any byte of a file is found, and nothing is invented", async (t) => {
    const folder = await temporaryFolder(t);
    await write(folder, history);
    const contents = await contentsOf(folder);
    for (const [name, bytes] of contents) {
      for (let length = 0; length < bytes.length; length += stride) {
        const cut = changed(contents, name, (copy) => copy.subarray(0, length));
        const what = `${name}, cut at byte ${length}`;
        const { problems } = await check(cut);
        // Whole lines that are gone at the end of the newest segment leave no trace.
        const newest = name === "journal-000000000004.log" && (bytes[length - 1] === 0x0a || length === 0);
        if (!newest) assert.notDeepEqual(problems, [], what);
        if (name !== "journal-000000000004.log") await assertHonest(cut, what);
      }
    }
  });
});

describe("whole files with impossible contents", () => {
  const header = { format: "gameaddon-journal", version: 4, first: 1, chain: 0, instant: 1 };
  const record = (sequence: number, before: unknown, after: unknown, key = wantedKey("Theft")) => ({
    sequence,
    instant: sequence,
    who: "operator",
    operation: "test",
    request: null,
    table: null,
    undoes: null,
    changes: [{ collection: "entries", key, before, after }],
  });
  const journalOf = (records: readonly unknown[]) => {
    const { text } = chained(0, records);
    return `${chained(0, [header]).text}${text}`;
  };
  const theft = (points: number) => wantedReason("Theft", points);
  const only = (text: string) => new Map([["journal-000000000001.log", Buffer.from(text)]]);
  const contentOf = async (records: readonly unknown[]) =>
    (await check(only(journalOf(records)))).problems.map(({ what, kind }) => `${kind}: ${what}`);

  it("a change with a wrong earlier value is reported", async () => {
    assert.deepEqual(await contentOf([record(1, null, theft(1)), record(2, theft(7), theft(2))]), [
      `content: change 2 says that entries wantedreason/theft was ${wantedJSON("Theft", 7)}, but it was ${wantedJSON("Theft")}`,
    ]);
  });

  it("a record with a wrong schema, key or collection is reported", async () => {
    assert.deepEqual(await contentOf([record(1, null, { ...theft(1), values: "many" })]), [
      'content: change 1: a record of entries, values: Invalid type: Expected Object but received "many"',
    ]);
    assert.deepEqual(await contentOf([record(1, null, theft(1), "murder")]), [
      'content: change 1: a record of entries is stored under the key "murder", but its own is "wantedreason/theft"',
    ]);
    const stray = {
      ...record(1, null, theft(1)),
      changes: [{ collection: "dragons", key: "a", before: null, after: {} }],
    };
    assert.deepEqual(await contentOf([stray]), ['content: change 1: there is no collection "dragons"']);
  });

  it("a file of a newer version of the program is reported, and nothing is rebuilt", async () => {
    const newer = only(chained(0, [{ ...header, version: 99 }]).text);
    assert.match((await check(newer)).problems[0]?.what ?? "", /version 99 of gameaddon-journal/);
    const result = await saved(newer);
    assert.ok(result instanceof Failure);
    assert.match(result.message, /version 99/);
  });
});

describe("verifying while a service writes", () => {
  it("an incomplete last line is a remark, and a problem without a service", async (t) => {
    const folder = await temporaryFolder(t);
    await write(folder, [{ A: 1 }, { A: 2 }]);
    const name = "journal-000000000001.log";
    const contents = changed(await contentsOf(folder), name, (bytes) => bytes.subarray(0, bytes.length - 5));
    const beside = await check(contents, true);
    assert.deepEqual(beside.problems, []);
    assert.match(beside.remarks.join(), /the service is writing it/);
    assert.match((await check(contents)).problems[0]?.what ?? "", /never acknowledged/);
  });
});
