/** The sources of a restore or an import: what is read of each, and how a file that is not one is refused. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { writeBackup } from "../../src/backup/backup.ts";
import { countOf, problemsOf, readBackup, readSource, recognizeSource } from "../../src/backup/source.ts";
import { Failure } from "../../src/domain/errors.ts";
import { model } from "../../src/domain/model.ts";
import { Database } from "../../src/store/collection.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { Store } from "../../src/store/store.ts";
import { pointsOf, wantedKey, wantedReason } from "../_entries.ts";
import { temporaryFolder } from "../_setup.ts";
import { ruledFiles, segment, systemError } from "../store/_faults.ts";
import { write } from "./_setup.ts";

const instant = Date.parse("2026-03-01T03:00:00Z");

/** A folder with two changes, and its backup. */
async function places(t: TestContext) {
  const base = await temporaryFolder(t);
  const [data, file] = [join(base, "data"), join(base, "b.jsonl.gz")];
  await write(data, [{ A: 1 }, { B: 2 }]);
  await writeBackup(nodeFiles, data, file, { force: false, now: instant });
  return { base, data, file };
}

const exportOf = (collections: Readonly<Record<string, readonly unknown[]>>) =>
  JSON.stringify({ format: "gameaddon-export", version: 1, exported: 0, collections });

const statistic = { uuid: "a".repeat(32), deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
const orphan = `statistics ${statistic.uuid}: there is no player ${statistic.uuid}`;

function withoutLastLine(packed: Buffer): Buffer {
  const whole = gunzipSync(packed);
  return whole.subarray(0, whole.lastIndexOf("\n", whole.length - 2) + 1);
}

describe("a backup as a source", () => {
  it("has the records, and the instant at which it was begun", async (t) => {
    const { data, file } = await places(t);
    const source = await readSource(nodeFiles, data, { kind: "backup", file });
    assert.deepEqual(pointsOf(source.database.view.entries.values()), { A: 1, B: 2 });
    assert.deepEqual([source.records, source.instant, source.database.sequence], [2, instant, 2]);
  });

  it("may be uncompressed", async (t) => {
    const { base, file } = await places(t);
    const plain = join(base, "b.jsonl");
    await writeFile(plain, gunzipSync(await readFile(file)));
    const { records, revision } = await readBackup(nodeFiles, plain);
    assert.deepEqual([records, revision], [2, (await readBackup(nodeFiles, file)).revision]);
  });

  it("has another revision if it was begun at another time or has other changes", async (t) => {
    const { base, data, file } = await places(t);
    const revisions = new Set([(await readBackup(nodeFiles, file)).revision]);
    const again = async (name: string, now: number) => {
      const path = join(base, name);
      await writeBackup(nodeFiles, data, path, { force: false, now });
      revisions.add((await readBackup(nodeFiles, path)).revision);
    };
    await again("same", instant);
    assert.equal(revisions.size, 1);
    await again("later", instant + 1);
    assert.equal(revisions.size, 2);
    await write(data, [{ C: 3 }]);
    await again("more", instant);
    assert.equal(revisions.size, 3);
  });

  it("that cannot be read is refused with the reason", async (t) => {
    const { file } = await places(t);
    const files = ruledFiles(({ operation }) =>
      operation === "readPieces" ? systemError("EIO") : undefined,
    );
    await assert.rejects(readBackup(files, file), {
      code: "STORE_UNAVAILABLE",
      message: `${file} cannot be read: EIO: injected '${file}'.`,
    });
  });

  for (const [what, spoil, message] of [
    ["is cut off", (bytes: Buffer) => bytes.subarray(0, -20), / is damaged: /],
    ["lacks only its checksum", (bytes: Buffer) => bytes.subarray(0, -8), / is damaged: /],
    [
      "has a wrong checksum",
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8, 1)]),
      / is damaged: /,
    ],
    [
      "is damaged at its beginning",
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(9)]),
      / is damaged: /,
    ],
    ["has nothing", () => Buffer.alloc(0), /not a whole backup: at byte 0, /],
    ["has text", () => Buffer.from("hello\n"), /not a whole backup: at byte 0, /],
    [
      "has only the first byte of a compressed file",
      () => Buffer.from("\x1fhello\n"),
      /not a whole backup: at byte 0, /,
    ],
    [
      "has only its second byte",
      () => Buffer.from("a\x8bhello\n", "latin1"),
      /not a whole backup: at byte 0, /,
    ],
    ["has a single byte", () => Buffer.from("\x1f"), /not a whole backup: at byte 0, /],
    ["has compressed text", () => gzipSync("hello\n"), /not a whole backup: at byte 0, /],
    [
      "lacks its last line",
      (bytes: Buffer) => gzipSync(withoutLastLine(bytes)),
      /not a whole backup: at byte \d{3}, /,
    ],
    ["lacks its last line uncompressed", withoutLastLine, /not a whole backup: at byte \d{3}, /],
  ] as const) {
    it(`that ${what} is refused`, async (t) => {
      const { file } = await places(t);
      await writeFile(file, spoil(await readFile(file)));
      await assert.rejects(readBackup(nodeFiles, file), {
        code: "STORE_UNAVAILABLE",
        message,
        hint: /^Use another backup.*nothing was changed\.$/,
      });
    });
  }

  it("with an invalid record is refused with that record's fault", async (t) => {
    const { base } = await places(t);
    const folder = join(base, "invalid");
    const store = await Store.open({ folder, model });
    await store.change({ who: "operator", operation: "test" }, (draft) =>
      draft.entries.put(wantedReason("C", Number.NaN)),
    );
    await store.snapshot();
    await store.close();
    // A snapshot has the form of a backup.
    await assert.rejects(readBackup(nodeFiles, join(folder, "snapshot-000000000001.jsonl")), {
      message:
        /^snapshot-000000000001\.jsonl is not a whole backup: a record of entries, values\.points: .+\.$/,
      hint: /^Use another backup/,
    });
  });
});

describe("an export as a source", () => {
  it("has the records, no instant, and a revision for its text", async (t) => {
    const file = join(await temporaryFolder(t), "e.json");
    const revisions = new Set<string>();
    for (const points of [1, 1, 2]) {
      await writeFile(file, exportOf({ entries: [wantedReason("A", points)] }));
      const read = await readSource(nodeFiles, "/none", { kind: "export", file });
      assert.deepEqual(pointsOf(read.database.view.entries.values()), { A: points });
      assert.deepEqual([read.records, read.instant], [1, null]);
      revisions.add(read.revision);
    }
    assert.equal(revisions.size, 2);
  });
});

it("a source that does not exist is unknown", async (t) => {
  const file = join(await temporaryFolder(t), "none");
  for (const kind of ["backup", "export"] as const) {
    await assert.rejects(readSource(nodeFiles, "/none", { kind, file }), {
      code: "UNKNOWN_ENTRY",
      message: `There is no file ${file}.`,
    });
  }
});

describe("a moment as a source", () => {
  const moment = (sequence: number) => ({ kind: "moment", sequence }) as const;

  it("has the records after that change, and a revision of its own", async (t) => {
    const { data } = await places(t);
    const first = await readSource(nodeFiles, data, moment(1));
    assert.deepEqual(pointsOf(first.database.view.entries.values()), { A: 1 });
    const second = await readSource(nodeFiles, data, moment(2));
    assert.deepEqual(pointsOf(second.database.view.entries.values()), { A: 1, B: 2 });
    assert.deepEqual([first.records, second.records, second.instant], [1, 2, null]);
    assert.notEqual(first.revision, second.revision);
    assert.equal((await readSource(nodeFiles, data, moment(1))).revision, first.revision);
  });

  it("has only the records of the attempt that succeeds, if files are deleted meanwhile", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await Store.open({ folder, model });
    t.after(() => store.close());
    const origin = { who: "operator", operation: "test" };
    await store.change(origin, (draft) => draft.entries.put(wantedReason("A", 1)));
    await store.snapshot();
    await store.change(origin, (draft) => draft.entries.delete(wantedKey("A")));
    let attempts = 0;
    const files = ruledFiles(async ({ operation, path }) => {
      if (operation !== "readPieces" || !path.endsWith(segment(2)) || attempts > 0) return undefined;
      attempts += 1;
      await store.snapshot();
      return systemError("ENOENT");
    });
    const { database, records } = await readSource(files, folder, moment(2));
    assert.equal(attempts, 1);
    assert.deepEqual([[...database.view.entries.values()], records], [[], 0]);
  });

  it("after the last change is unknown", async (t) => {
    const { data } = await places(t);
    await assert.rejects(readSource(nodeFiles, data, moment(3)), {
      code: "UNKNOWN_ENTRY",
      message: "There is no change 3 yet; the last one is 2.",
      hint: "`addon-cli audit` lists the changes.",
    });
  });
});

describe("the encoding of an export", () => {
  it("must be UTF-8, so that no name is changed by reading it", async (t) => {
    const file = join(await temporaryFolder(t), "e.json");
    await writeFile(file, Buffer.from(exportOf({ entries: [wantedReason("Störung")] }), "latin1"));
    await assert.rejects(readSource(nodeFiles, "/none", { kind: "export", file }), {
      message: `${file} is not UTF-8.`,
    });
  });

  it("may begin with a byte-order mark", async (t) => {
    const file = join(await temporaryFolder(t), "e.json");
    await writeFile(file, `\ufeff${exportOf({ entries: [wantedReason("Störung")] })}`);
    const source = await recognizeSource(nodeFiles, file);
    assert.equal(source.kind, "export");
    assert.equal((await readSource(nodeFiles, "/none", source)).records, 1);
  });
});

describe("an inconsistent source", () => {
  it("that is an export is refused with every problem", async (t) => {
    const file = join(await temporaryFolder(t), "e.json");
    await writeFile(file, exportOf({ statistics: [statistic] }));
    const source = { kind: "export", file } as const;
    const problems = async () =>
      problemsOf(source, (await readSource(nodeFiles, "/none", source)).database.view);
    await assert.rejects(problems(), (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.message, `${file} has a problem; nothing was changed.`);
      assert.deepEqual(error.problems, [
        "collections.players is missing or empty, but a record refers to it",
      ]);
      return true;
    });
    await writeFile(file, exportOf({ entries: [wantedReason("A")] }));
    assert.deepEqual(await problems(), []);
  });

  it("that is a backup or a moment is read, with every problem", async (t) => {
    const base = await temporaryFolder(t);
    const [folder, file] = [join(base, "data"), join(base, "b.gz")];
    const store = await Store.open({ folder, model });
    await store.change({ who: "operator", operation: "test" }, (draft) => draft.statistics.put(statistic));
    await store.close();
    await writeBackup(nodeFiles, folder, file, { force: false, now: instant });
    for (const source of [{ kind: "backup", file } as const, { kind: "moment", sequence: 1 } as const]) {
      const read = await readSource(nodeFiles, folder, source);
      assert.equal(read.records, 1);
      assert.deepEqual(await problemsOf(source, read.database.view), [orphan]);
    }
  });
});

it("the records of a database are counted in all of its collections", () => {
  const database = new Database(model);
  assert.equal(countOf(database), 0);
  database.collection("statistics").set("a", statistic);
  database.collection("entries").set(wantedKey("A"), wantedReason("A"));
  database.collection("entries").set(wantedKey("B"), wantedReason("B"));
  assert.equal(countOf(database), 3);
});
