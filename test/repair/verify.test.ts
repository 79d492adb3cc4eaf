/** What a verification finds, whatever the pieces in which it reads. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { examine } from "../../src/repair/verify.ts";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { wantedJSON, wantedKey, wantedReason } from "../_entries.ts";
import { temporaryFolder } from "../_setup.ts";
import { chained, contentsOf, inMemory, write } from "../backup/_setup.ts";
import { change, Folder, step } from "./_folder.ts";

const names = Array.from({ length: 3_000 }, (_, number) => `N${number}`);

describe("a folder", () => {
  it("is verified alike in pieces of any length", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    await write(folder, [{ A: 1 }, { Bä: 2 }, "snapshot", { A: 3 }]);
    for (const length of [1, 7, 100]) {
      const files: Files = {
        ...nodeFiles,
        async *readPieces(path, from) {
          for await (const piece of nodeFiles.readPieces(path, from)) {
            for (let at = 0; at < piece.length; at += length) yield piece.subarray(at, at + length);
          }
        },
      };
      const { problems, changes, records, sequence } = (await examine(files, folder, { running: false }))
        .verified;
      assert.deepEqual(
        { problems, changes, records, sequence },
        { problems: [], changes: 3, records: 2, sequence: 3 },
      );
    }
  });
});

describe("verifying", () => {
  it("finds no problem if records were removed, added again and changed between snapshots", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    const all = (points: number) => Object.fromEntries(names.map((name) => [name, points]));
    await write(folder, [all(1), "snapshot", all(-1), "snapshot", all(2), { N7: -1 }, "snapshot", { N7: 3 }]);
    const { problems, inconsistencies } = (await examine(nodeFiles, folder, { running: false })).verified;
    assert.deepEqual([problems, inconsistencies], [[], []]);
  });

  it("quotes every record that a snapshot changes, lacks or adds", async (t) => {
    const [ours, theirs] = [join(await temporaryFolder(t), "data"), join(await temporaryFolder(t), "data")];
    const all = Object.fromEntries(names.map((name) => [name, 1]));
    await write(ours, [all, "snapshot", { N0: -1 }, "snapshot", { N9: 2 }]);
    await write(theirs, [{ ...all, N5: 6, N6: 7 }, { N0: -1, N8: -1, more: 1 }, "snapshot"]);
    const contents = await contentsOf(ours);
    const [name] = [...contents.keys()].filter((file) => file === "snapshot-000000000002.jsonl");
    assert.ok(name !== undefined);
    const lines = String((await contentsOf(theirs)).get(name))
      .trimEnd()
      .split("\n");
    const header = String(contents.get(name)).split("\n", 1);
    const documents = [...header, ...lines.slice(1)].map((line) => JSON.parse(line.slice(9)));
    contents.set(name, Buffer.from(chained(0, documents).text));
    const { problems } = (await examine(inMemory(contents), "/data", { running: false })).verified;
    assert.deepEqual(
      problems.map(({ file, what, kind }) => `${kind} ${file}: ${what}`),
      [
        `content ${name}: entries wantedreason/n5 is ${wantedJSON("N5", 6)} in the snapshot, but ${wantedJSON("N5")} in the journal`,
        `content ${name}: entries wantedreason/n6 is ${wantedJSON("N6", 7)} in the snapshot, but ${wantedJSON("N6")} in the journal`,
        `content ${name}: entries wantedreason/more is ${wantedJSON("more")} in the snapshot, but absent in the journal`,
        `content ${name}: entries wantedreason/n8 is absent in the snapshot, but not in the journal`,
      ],
    );
  });

  it("ignores the order of the properties of a record", async () => {
    const header = { format: "gameaddon-journal", version: 4, first: 1, chain: 0, instant: 1 };
    const { list, key, values } = wantedReason("Theft");
    const theft = (sequence: number, before: unknown, after: unknown) => ({
      ...{ sequence, instant: sequence, who: "operator", operation: "test" },
      changes: [{ collection: "entries", key: wantedKey("Theft"), before, after }],
    });
    const { text } = chained(0, [
      theft(1, null, { list, key, values }),
      theft(2, { values, list, key }, wantedReason("Theft", 2)),
    ]);
    const journal = Buffer.from(`${chained(0, [header]).text}${text}`);
    const files = inMemory(new Map([["journal-000000000001.log", journal]]));
    assert.deepEqual((await examine(files, "/data", { running: false })).verified.problems, []);
  });

  it("keeps records of one key in different collections apart", async () => {
    const uuid = "0123456789abcdef0123456789abcdef";
    const player = { uuid, name: "Ada", administrator: false, registeredAt: 1 };
    const statistic = { uuid, deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
    const add = (collection: string, after: object) => ({ collection, key: uuid, before: null, after });
    const changes = [add("players", player), add("statistics", statistic)];
    const folder = new Folder().journal(1, { ...change(1, "A"), changes });
    folder.append(1, {
      ...change(2, "A"),
      changes: [{ ...add("statistics", statistic), before: statistic, after: null }],
    });
    const { problems, inconsistencies } = await folder.verify();
    assert.deepEqual([problems, inconsistencies], [[], []]);
  });

  it("quotes up to 120 characters of a record", async () => {
    const overhead = wantedJSON("").length;
    for (const length of [120, 121]) {
      const reason = "x".repeat(length - overhead);
      const json = wantedJSON(reason);
      const [problem] = await new Folder().journal(1, change(1, reason), step(2, reason, 2, 3)).problems();
      assert.ok(problem?.endsWith(`but it was ${length === 120 ? json : `${json.slice(0, 119)}…`}`), problem);
    }
  });
});
