/** Exports as text, the problems of an import, and the faults of single records. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatExport, fromExport, toExport } from "../../src/backup/export-format.ts";
import { recordFault } from "../../src/backup/record.ts";
import { entryKey } from "../../src/domain/entry.ts";
import { Failure } from "../../src/domain/errors.ts";
import { model } from "../../src/domain/model.ts";
import { Database } from "../../src/store/collection.ts";
import { wantedKey, wantedReason } from "../_entries.ts";

const target = (name: string, listed: unknown) => ({ name, uuid: null, done: false, listed });

function textOf(collections: unknown, rest: object = {}): string {
  return JSON.stringify({ format: "gameaddon-export", version: 1, exported: 0, collections, ...rest });
}

async function imported(
  collections: Readonly<Record<string, readonly unknown[]>>,
): Promise<Database<typeof model>> {
  const database = new Database(model);
  await fromExport(textOf(collections), "e.json", database);
  return database;
}

/** Returns the refusal of an import. */
async function refusalOf(text: string) {
  try {
    await fromExport(text, "e.json", new Database(model));
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    const { code, message, problems = [] } = error;
    return { code, message, problems };
  }
  return assert.fail("expected a refusal");
}

const problemsOf = async (collections: unknown) => (await refusalOf(textOf(collections))).problems;

describe("an export", () => {
  it("has every collection, and a line for each record", async () => {
    const database = new Database(model);
    for (const record of [wantedReason("A"), wantedReason("B", 2)])
      database.collection("entries").set(entryKey(record), record);
    const document = toExport(database, 5);
    assert.deepEqual(Object.keys(document.collections), Object.keys(model));
    assert.deepEqual([document.format, document.version, document.exported], ["gameaddon-export", 1, 5]);
    const { entries = [], scores = [] } = document.collections;
    assert.equal(
      formatExport({ ...document, collections: { entries, scores } }),
      `{"format":"gameaddon-export","version":1,"exported":5,"collections":{
"entries":[
{"list":"wantedreason","key":["reason"],"values":{"reason":"A","points":1}},
{"list":"wantedreason","key":["reason"],"values":{"reason":"B","points":2}}
],
"scores":[]
}}
`,
    );
  });

  it("that is imported has the same records again", async () => {
    const database = await imported({
      entries: [wantedReason("A"), wantedReason("B", 2)],
      targets: [target("X", 3)],
    });
    const text = formatExport(toExport(database, 5));
    const again = new Database(model);
    await fromExport(text, "e.json", again);
    assert.equal(formatExport(toExport(again, 5)), text);
    assert.equal(again.view.entries.get(wantedKey("B"))?.values.points, 2);
  });
});

describe("the number of an imported database", () => {
  for (const [what, listed, expected] of [
    ["is 1 without targets", [], 1],
    ["follows the last target, wherever it is", [3, 9, 5], 10],
    ["is 1 if all targets are from before", [-4, -2], 1],
    ["is 1 if the last target has an instant in place of a number", [3, 1_790_000_000_000], 1],
  ] as const) {
    it(what, async () => {
      const targets = listed.map((number, index) => target(`T${index}`, number));
      const database = await imported({ targets, entries: [wantedReason("A", 77)] });
      assert.equal(database.sequence, expected);
      // Those that are added come after them.
      for (const one of database.view.targets.values()) assert.ok(one.listed < expected, one.name);
    });
  }
});

describe("the problems of an import", () => {
  it("are all reported, each with its place, and counted", async () => {
    const { problems, message, code } = await refusalOf(
      textOf({
        nothing: [{}],
        entries: [
          wantedReason("A"),
          wantedReason("B", Number.NaN),
          wantedReason("a"),
          "text",
          wantedReason("C"),
          wantedReason("A", 3),
        ],
        targets: [target("X", "1"), target("x", 2)],
      }),
    );
    assert.equal(problems.length, 6);
    assert.deepEqual(
      [problems[0], problems[2], problems[4]],
      [
        'collections.nothing: there is no collection "nothing"',
        'collections.entries[2]: another record before it has the key "wantedreason/a"',
        'collections.entries[5]: another record before it has the key "wantedreason/a"',
      ],
    );
    assert.match(problems[1] ?? "", /^collections\.entries\[1\]: a record of entries, values\.points: ./);
    assert.match(problems[3] ?? "", /^collections\.entries\[3\]: a record of entries: ./);
    assert.match(problems[5] ?? "", /^collections\.targets\[0\]: a record of targets, listed: ./);
    assert.deepEqual([code, message], ["PARAMETER_INVALID", "e.json has 6 problems; nothing was changed."]);
  });

  it("are an unknown key, at any depth, with the nearest name", async () => {
    const player = { uuid: "a".repeat(32), name: "Ada", administrator: false, registeredAt: 1 };
    const { name: _, ...nameless } = player;
    const ban = { name: "Mallory", uuid: null, startTime: 1 };
    const creator = { creatorName: null, creatorUUID: null };
    assert.deepEqual(
      await problemsOf({
        players: [player, { ...nameless, nme: "Ada" }],
        houseBans: [{ ...ban, reasons: [{ reason: "Theft", days: 1, ...creator, day: 2 }] }],
        entrys: [],
      }),
      [
        'collections.players[1]: unknown key "nme"; did you mean "name"?',
        'collections.houseBans[0]: unknown key "reasons.0.day"; did you mean "days"?',
        'collections.entrys: there is no collection "entrys"; did you mean "entries"?',
      ],
    );
  });

  it("are an unknown key beside the collections, with the nearest name", async () => {
    const text = textOf({}).replace('"collections"', '"colections"');
    assert.deepEqual(
      (await refusalOf(text)).problems.at(-1),
      'colections: unknown key; did you mean "collections"?',
    );
  });

  it("may be a single one", async () => {
    const { message, problems } = await refusalOf(textOf({ nothing: [] }));
    assert.equal(message, "e.json has a problem; nothing was changed.");
    assert.deepEqual(problems, ['collections.nothing: there is no collection "nothing"']);
  });

  it("are those of no record whose name every object has", async () => {
    for (const name of ["toString", "hasOwnProperty", "valueOf"]) {
      assert.deepEqual(await problemsOf({ [name]: [{}] }), [
        `collections.${name}: there is no collection "${name}"`,
      ]);
    }
  });

  it("are that it is not JSON", async () => {
    const { problems } = await refusalOf("{");
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /^it is not JSON: ./);
  });

  const expected = '; expected {"format":"gameaddon-export","version":1,"exported":…,"collections":{…}}';
  for (const [what, text, places] of [
    ["a number", "5", ["the document"]],
    ["a list", "[]", ["format", "version", "exported", "collections"]],
    ["no document", "null", ["the document"]],
    ["another format", textOf({}, { format: "other" }), ["format"]],
    ["another version", textOf({}, { version: 2 }), ["version"]],
    ["no time", textOf({}, { exported: undefined }), ["exported"]],
    ["a collection that is no list", textOf({ players: {} }), ["collections.players"]],
    ["an unknown key", textOf({}, { note: "x" }), ["note"]],
    ["two faults", textOf({}, { version: 2, format: "x" }), ["format", "version"]],
  ] as const) {
    it(`are its form if it has ${what}`, async () => {
      const { problems } = await refusalOf(text);
      assert.deepEqual(
        problems.map((problem) => problem.slice(0, problem.indexOf(": "))),
        places,
      );
      for (const problem of problems) assert.ok(problem.endsWith(expected), problem);
    });
  }
});

describe("the fault of a record", () => {
  const token = { id: "1a", hash: "0", uuid: null };
  for (const [what, collection, record, key, fault] of [
    ["is none of a valid record", "entries", wantedReason("A"), undefined, /^none$/],
    ["is none under its own key", "entries", wantedReason("A"), wantedKey("A"), /^none$/],
    [
      "is the key under which it is stored",
      "entries",
      wantedReason("A"),
      "A",
      /^a record of entries is stored under the key "A", but its own is "wantedreason\/a"$/,
    ],
    [
      "is an empty key",
      "entries",
      wantedReason("A"),
      "",
      /^a record of entries is stored under the key "", but its own is "wantedreason\/a"$/,
    ],
    ["is a field", "entries", wantedReason("A", Number.NaN), "a", /^a record of entries, values\.points: ./],
    ["is the first of several fields", "tokens", token, "1a", /^a record of tokens, hash: ./],
    ["is the record itself", "entries", "text", "a", /^a record of entries: ./],
    ["is a collection that there is not", "nothing", {}, undefined, /^there is no collection "nothing"$/],
    [
      "is a collection that every object has",
      "toString",
      {},
      undefined,
      /^there is no collection "toString"$/,
    ],
  ] as const) {
    it(what, () => assert.match(recordFault(collection, record, key) ?? "none", fault));
  }
});
