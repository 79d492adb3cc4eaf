/** Data of before version 4 of the journal, in which four lists were collections of their own. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { readSource } from "../../src/backup/source.ts";
import type { Entry } from "../../src/domain/entry.ts";
import { model } from "../../src/domain/model.ts";
import { examine } from "../../src/repair/verify.ts";
import type { RecordChange } from "../../src/store/change.ts";
import type { Database } from "../../src/store/collection.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readState } from "../../src/store/reading.ts";
import { Store } from "../../src/store/store.ts";
import { blacklistReason, houseBanReason, naviPoint, wantedReason } from "../_entries.ts";
import { openWorld, prefix, temporaryFolder, type World } from "../_setup.ts";
import { segment, snapshot } from "../store/_faults.ts";
import { chained, contentsOf } from "./_setup.ts";

const ada = "0123456789abcdef0123456789abcdef";
const byAda = { creatorName: "Ada", creatorUUID: ada };
const byNobody = { creatorName: null, creatorUUID: null };

const put = (collection: string, key: string, after: object, before: object | null = null): RecordChange => {
  return { collection, key, before, after };
};

/** The records as version 3 of the journal had them; those of version 0.1 had no creator. */
const theft = put("wantedReasons", "theft", { reason: "Theft", points: 10 });
const hall = put("naviPoints", "city-hall", { name: "City-hall", x: 120, y: 70, z: -35, article: "das" });
const noise = put("houseBanReasons", "noise", { reason: "Noise", days: 3 });
const spam = put("houseBanReasons", "spam", { reason: "Spam", days: 7, ...byAda });
const betrayal = { faction: "GROVE", reason: "Betrayal", price: 5000, kills: 30 };
const first = [
  put("names", "faction/grove", { name: "GROVE", kind: "faction", position: 0 }),
  ...[hall, noise, spam, put("blacklistReasons", "GROVE/betrayal", betrayal)],
];
const bulk = [
  put("naviPoints", "pier", { name: "Pier", x: -1, y: 0, z: 2147483647, article: "der" }),
  put("houseBanReasons", "all", { reason: "all", days: 1, ...byNobody }),
  { ...noise, before: noise.after, after: null },
  put("blacklistReasons", "GROVE/spy/1", { faction: "GROVE", reason: "Spy/1", price: 0, kills: 1 }),
];
const raised = put("wantedReasons", "theft", { reason: "Theft", points: 20 }, theft.after as object);

/** The same records as entries, after each change. */
const old = [
  naviPoint("City-hall", 120, 70, -35),
  houseBanReason("Noise", 3, byNobody),
  houseBanReason("Spam", 7, byAda),
  blacklistReason("GROVE", "Betrayal", 5000, 30),
];
const states: readonly (readonly Entry[])[] = [
  [],
  old,
  [...old, wantedReason("Theft", 10)],
  [...old, wantedReason("Theft", 20)],
  [
    ...old.filter(({ values }) => values.reason !== "Noise"),
    wantedReason("Theft", 20),
    naviPoint("Pier", -1, 0, 2147483647, "der"),
    houseBanReason("all", 1, byNobody),
    blacklistReason("GROVE", "Spy/1", 0, 1),
  ],
];

/** The answers of the version before for this data. */
const answers = {
  "/wantedreason": '[{"reason":"Theft","points":20}]',
  "/navipoint":
    '[{"name":"City-hall","x":120,"y":70,"z":-35,"article":"das"},{"name":"Pier","x":-1,"y":0,"z":2147483647,"article":"der"}]',
  "/housebanreason": `[{"reason":"all","days":1,"creatorName":"operator","creatorUUID":""},{"reason":"Spam","days":7,"creatorName":"Ada","creatorUUID":"${ada}"}]`,
  "/blacklistreason/GROVE":
    '[{"reason":"Betrayal","price":5000,"kills":30},{"reason":"Spy/1","price":0,"kills":1}]',
};
const bundle = {
  "/bundle": `{"player":{"CEO":[],"DEV":[],"MOD":[],"SUP":[],"BETA":[],"VIP":[],"BLACKLIST":[],"TARGETLIST":[]},"targetlist":[],"houseban":[],"housebanreason":${answers["/housebanreason"]},"navipoint":${answers["/navipoint"]},"wantedreason":${answers["/wantedreason"]},"event":{"bankRob":null,"bomb":null,"gangwar":{"attacker":0,"defender":0}},"top":{"kills":[],"deaths":[],"playTime":[],"revives":[],"services":[],"kd":[]},"blacklistreason":{"GROVE":${answers["/blacklistreason/GROVE"]}}}`,
};

const change = (sequence: number, operation: string, changes: readonly RecordChange[]) => ({
  ...{ sequence, instant: sequence, who: "operator", operation },
  ...{ request: null, table: null, undoes: null, changes },
});

/** Writes a folder of that version: a segment, a snapshot, and a segment with a bulk change of two lines. */
async function writeFolder(t: TestContext, malformed: readonly RecordChange[] = []) {
  const folder = await temporaryFolder(t);
  const data = join(folder, "data");
  await mkdir(data);
  const journal = { format: "gameaddon-journal", version: 3, instant: 0 };
  const lines = [change(1, "test", first), change(2, "wantedreason.add", [theft])];
  const { text, chain } = chained(0, lines);
  const head = chained(0, [{ ...journal, first: 1, chain: 0 }]).text;
  await writeFile(join(data, segment(1)), head + text);
  const records = [...first, theft].map(({ collection, after: record }) => ({ collection, record }));
  const header = { format: "gameaddon-snapshot", version: 2, sequence: 2, chain, instant: 2 };
  await writeFile(join(data, snapshot(2)), chained(0, [header, ...records, { end: records.length }]).text);
  const later = [
    change(3, "test", [raised, ...malformed]),
    { ...change(4, "data.import", bulk.slice(0, 2)), more: true },
    { sequence: 4, changes: bulk.slice(2) },
  ];
  const next = chained(0, [{ ...journal, first: 3, chain }]).text + chained(chain, later).text;
  await writeFile(join(data, segment(3)), next);
  return { folder, data };
}

async function textOf({ service }: World, token: string, path: string): Promise<string> {
  return (await service.fetch(new Request(`http://x${prefix}/${token}${path}`))).text();
}

function assertEntries({ view }: Database<typeof model>, expected: readonly Entry[] | undefined): void {
  const sorted = (entries: Iterable<Entry>) => Array.from(entries, (entry) => JSON.stringify(entry)).sort();
  assert.deepEqual(sorted(view.entries.values()), sorted(expected ?? []));
}

/** Asserts that the past is as it was, whatever version the files have. */
async function assertPast(data: string): Promise<void> {
  for (const [sequence, expected] of states.entries()) {
    if (sequence > 0)
      assertEntries((await readState(nodeFiles, data, model, { until: sequence })).database, expected);
  }
  const { problems, inconsistencies } = (await examine(nodeFiles, data, { running: false })).verified;
  assert.deepEqual([problems, inconsistencies], [[], []]);
}

it("a folder with the former lists opens with the same answers and past, and its changes can be undone", async (t) => {
  const { folder, data } = await writeFolder(t);
  const before = await contentsOf(data);
  await assertPast(data);
  const world = await openWorld(t, { folder });
  const { token } = await world.player("Ada", { uuid: ada, members: { GROVE: 4 } });
  for (const [path, text] of Object.entries({ ...answers, ...bundle }))
    assert.equal(await textOf(world, token, path), text);
  assert.deepEqual(await contentsOf(join(data, "before-version-4")), before);
  await assertPast(data);

  for (const sequence of [4, 3, 2]) await world.service.administer("undo", { sequence });
  assert.deepEqual([...world.service.store.data.entries.values()].map(({ list }) => list).sort(), [
    ...["blacklistreason", "housebanreason", "housebanreason", "navipoint"],
  ]);
  assert.equal(await textOf(world, token, "/wantedreason"), "[]");
  assert.match(await textOf(world, token, "/housebanreason"), /^\[\{"reason":"Noise","days":3,.*"Spam"/);
  await world.service.close();
  assert.equal((await readdir(data)).filter((name) => name.startsWith("before-")).length, 1);
  await assertPast(data);
});

it("a backup and an export with the former lists are read as entries", async (t) => {
  const { folder, data } = await writeFolder(t);
  const backup = join(folder, "b.jsonl.gz");
  await writeFile(backup, gzipSync(await readFile(join(data, snapshot(2)))));
  const collections = {
    ...{ wantedReasons: [theft.after], naviPoints: [hall.after] },
    ...{ houseBanReasons: [noise.after, spam.after], blacklistReasons: [betrayal] },
  };
  const file = join(folder, "e.json");
  const write = (document: object) =>
    writeFile(
      file,
      JSON.stringify({ format: "gameaddon-export", version: 1, exported: 0, collections: document }),
    );
  await write(collections);
  for (const source of [{ kind: "backup", file: backup } as const, { kind: "export", file } as const]) {
    const { database, missing } = await readSource(nodeFiles, data, source);
    assertEntries(database, states[2]);
    assert.ok(!missing.includes("entries"));
  }
  // An entry is the same record as one of a former list, and a malformed record has its former name and place.
  const entries = [wantedReason("THEFT"), naviPoint("Pier")];
  await write({ ...collections, entries, naviPoints: [hall.after, { name: "Bank" }] });
  await assert.rejects(readSource(nodeFiles, data, { kind: "export", file }), ({ problems }) => {
    assert.equal(problems.length, 2);
    assert.match(problems[0], /^collections\.naviPoints\[1\]: a record of naviPoints, x: /);
    assert.equal(
      problems[1],
      'collections.entries[0]: another record before it has the key "wantedreason/theft"',
    );
    return true;
  });
});

it("a malformed record of a former list is reported, and not lost when a folder is opened", async (t) => {
  const fraud = put("wantedReasons", "fraud", { reason: "Fraud", points: "many" });
  const { data } = await writeFolder(t, [fraud]);
  const before = await contentsOf(data);
  const { problems } = (await examine(nodeFiles, data, { running: false })).verified;
  assert.deepEqual(
    problems.map(({ file, what }) => `${file}: ${what}`),
    [
      `${segment(3)}: change 3: a record of wantedReasons, points: Invalid type: Expected number but received "many"`,
    ],
  );
  await assert.rejects(Store.open({ folder: data, model }), {
    code: "STORE_UNAVAILABLE",
    message: `The data folder ${data} cannot be used: there is no collection "wantedReasons".`,
    hint: "`addon-cli data verify` shows what is wrong with the data.",
  });
  assert.deepEqual(await contentsOf(data), before);
  // A change without a record before and after, which no version has written, changes nothing.
  const { data: other } = await writeFolder(t, [{ ...fraud, after: null }]);
  const store = await Store.open({ folder: other, model });
  assert.equal(store.data.entries.size, states[4]?.length);
  await store.close();
});
