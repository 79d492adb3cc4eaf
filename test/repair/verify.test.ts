/** What a verification finds, whatever the pieces in which it reads. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { verify } from "../../src/repair/verify.ts";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { chained, contentsOf, inMemory, write } from "../backup/_setup.ts";

const names = Array.from({ length: 3_000 }, (_, number) => `N${number}`);

describe("a folder", () => {
  it("is verified alike in pieces of any length", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    await write(folder, [{ A: 1 }, { Bä: 2 }, "snapshot", { A: 3 }]);
    for (const length of [1, 7, 100]) {
      const files: Files = {
        ...nodeFiles,
        readFile: (path) => assert.fail(`${path} was read as a whole`),
        async *readPieces(path, from) {
          for await (const piece of nodeFiles.readPieces?.(path, from) ?? []) {
            for (let at = 0; at < piece.length; at += length) yield piece.subarray(at, at + length);
          }
        },
      };
      const { problems, changes, records, sequence } = await verify(files, folder, { running: false });
      assert.deepEqual(
        { problems, changes, records, sequence },
        { problems: [], changes: 3, records: 2, sequence: 3 },
      );
    }
  });
});

describe("verifying", () => {
  it("reads each file once", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    await write(folder, [{ A: 1 }, "snapshot", { A: 2 }, "snapshot", { A: 3 }]);
    const read: string[] = [];
    const files: Files = {
      ...nodeFiles,
      readPieces(path, from) {
        read.push(basename(path));
        return nodeFiles.readPieces?.(path, from) ?? assert.fail();
      },
    };
    const { problems, inconsistencies } = await verify(files, folder, { running: false });
    assert.deepEqual([problems, inconsistencies], [[], []]);
    assert.deepEqual(read.toSorted(), [...(await contentsOf(folder)).keys()]);
  });

  it("finds no problem if records were removed, added again and changed between snapshots", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    const all = (points: number) => Object.fromEntries(names.map((name) => [name, points]));
    await write(folder, [all(1), "snapshot", all(-1), "snapshot", all(2), { N7: -1 }, "snapshot", { N7: 3 }]);
    const { problems, inconsistencies } = await verify(nodeFiles, folder, { running: false });
    assert.deepEqual([problems, inconsistencies], [[], []]);
  });

  it("quotes every record that a snapshot changes, lacks or adds", async (t) => {
    const [ours, theirs] = [join(await temporaryFolder(t), "data"), join(await temporaryFolder(t), "data")];
    const all = Object.fromEntries(names.map((name) => [name, 1]));
    await write(ours, [all, "snapshot", { N0: -1 }, "snapshot", { N9: 2 }]);
    await write(theirs, [{ ...all, N5: 6, N6: 7 }, { N0: -1, N8: -1, more: 1 }, "snapshot"]);
    const contents = await contentsOf(ours);
    const [name] = [...contents.keys()].filter((each) => each === "snapshot-000000000002.jsonl");
    assert.ok(name !== undefined);
    const lines = String((await contentsOf(theirs)).get(name))
      .trimEnd()
      .split("\n");
    const header = String(contents.get(name)).split("\n", 1);
    const documents = [...header, ...lines.slice(1)].map((line) => JSON.parse(line.slice(9)));
    contents.set(name, Buffer.from(chained(0, documents).text));
    const { problems } = await verify(inMemory(contents), "/data", { running: false });
    assert.deepEqual(
      problems.map(({ file, what, kind }) => `${kind} ${file}: ${what}`),
      [
        `content ${name}: wantedReasons n5 is {"reason":"N5","points":6} in the snapshot, but {"reason":"N5","points":1} in the journal`,
        `content ${name}: wantedReasons n6 is {"reason":"N6","points":7} in the snapshot, but {"reason":"N6","points":1} in the journal`,
        `content ${name}: wantedReasons more is {"reason":"more","points":1} in the snapshot, but absent in the journal`,
        `content ${name}: wantedReasons n8 is absent in the snapshot, but not in the journal`,
      ],
    );
  });

  it("ignores the order of the properties of a record", async () => {
    const header = { format: "gameaddon-journal", version: 2, first: 1, chain: 0, instant: 1 };
    const change = (sequence: number, before: unknown, after: unknown) => ({
      ...{ sequence, instant: sequence, who: "operator", operation: "test" },
      changes: [{ collection: "wantedReasons", key: "theft", before, after }],
    });
    const { text } = chained(0, [
      change(1, null, { reason: "Theft", points: 1 }),
      change(2, { points: 1, reason: "Theft" }, { reason: "Theft", points: 2 }),
    ]);
    const journal = Buffer.from(`${chained(0, [header]).text}${text}`);
    const files = inMemory(new Map([["journal-000000000001.log", journal]]));
    assert.deepEqual((await verify(files, "/data", { running: false })).problems, []);
  });

  it("reports a file without content as empty, whichever it is", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    await write(folder, [{ A: 1 }, "snapshot", { A: 2 }, "snapshot", { A: 3 }]);
    const contents = await contentsOf(folder);
    for (const name of contents.keys()) {
      const files = inMemory(new Map(contents).set(name, Buffer.alloc(0)));
      const { problems } = await verify(files, "/data", { running: false });
      assert.deepEqual(
        problems
          .filter(({ file }) => file === name)
          .map(({ offset, what, kind }) => ({ offset, what, kind })),
        name.startsWith("snapshot")
          ? [
              { offset: 0, what: "the file is empty", kind: "damage" },
              { offset: 0, what: "the last line is missing", kind: "damage" },
            ]
          : [
              {
                offset: 0,
                what: "the header is incomplete: the file has 0 bytes, and changes may be missing",
                kind: "damage",
              },
            ],
        name,
      );
    }
  });
});
