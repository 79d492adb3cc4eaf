/** `data status` and `data verify`, also beside a running service. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertIncludes } from "../_setup.ts";
import type { StatusDocument, VerifyDocument } from "./_data.ts";
import { damage, deskWithPast, running } from "./_data.ts";
import { emptyDesk, type FailureDocument, linesOf, seededDesk } from "./_setup.ts";

describe("data status", () => {
  it("when the folder has data, it shows size, records, last change and snapshot, and no holder", async (t) => {
    const desk = await deskWithPast(t);
    const status = await desk.json<StatusDocument>("data", "status");
    assert.equal(status.folder, desk.data);
    assert.equal(status.records.players, 3);
    assert.equal(status.records.names, 5);
    assert.deepEqual(status.lastChange, { sequence: 4, instant: Date.parse("2026-03-01T14:00:00Z") });
    assert.deepEqual(status.lastSnapshot, { sequence: 2, instant: Date.parse("2026-03-01T12:00:00Z") });
    assert.equal(status.journalFrom.sequence, 1);
    assert.equal(status.reachesBackTo, Date.parse("2026-03-01T12:00:00Z"));
    assert.equal(status.holder, null);
    const files = await desk.files();
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    assert.equal(status.bytes.total, bytes);
    assert.equal(status.bytes.snapshots, files.get(join(desk.data, "snapshot-000000000002.jsonl"))?.length);
    const text = await desk.ok("data", "status");
    assert.match(text, /^last change +4, 2026-03-01T14:00:00\.000Z$/m);
    assert.match(text, /no service runs on it/);
    assert.match(text, /: 1 snapshot .+, 2 segments of the journal /);
    assert.match(text, /^ {2}blacklist reasons +0$/m);
  });

  it("when earlier tables and replaced files are in the folder, only the latter count as replaced", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.json<StatusDocument>("data", "status");
    for (const [folder, bytes] of [
      ["tables", 1000],
      ["replaced-1", 200],
    ] as const) {
      await mkdir(join(desk.data, folder));
      await writeFile(join(desk.data, folder, "file"), Buffer.alloc(bytes));
    }
    const { bytes } = await desk.json<StatusDocument>("data", "status");
    assert.equal((bytes.kept ?? 0) - (before.bytes.kept ?? 0), 200);
    assert.equal((bytes.other ?? 0) - (before.bytes.other ?? 0), 1000);
  });

  it("when a service runs, it is the holder", async (t) => {
    const desk = await seededDesk(t);
    await running(desk);
    const { holder } = await desk.json<StatusDocument>("data", "status");
    assert.deepEqual(holder, {
      pid: 4711,
      url: "http://127.0.0.1:8888",
      since: Date.parse("2026-03-01T12:00:00Z"),
    });
    assertIncludes(await desk.ok("data", "status"), "process 4711 serves it at http://127.0.0.1:8888");
  });

  it("when there is no data, it reports that, and creates nothing", async (t) => {
    const desk = await emptyDesk(t);
    for (const command of ["status", "verify", "snapshot", "export", "repair --yes", "backup b.gz"]) {
      assert.match(await desk.fails("data", ...command.split(" ")), /There is no data in /, command);
    }
    assert.deepEqual(await readdir(desk.folder), []);
  });

  it("when the data is damaged, it still shows sizes, and exits with 1", async (t) => {
    const desk = await deskWithPast(t);
    await damage(desk, "journal-000000000003.log", "Bob");
    const { problem, bytes } = await desk.failsAs<StatusDocument>("data", "status");
    assert.match(problem ?? "", /is damaged at byte/);
    assert.ok((bytes.total ?? 0) > 0);
  });
});

describe("data verify", () => {
  it("when nothing is wrong, it reports that, and changes nothing", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(
      await desk.ok("data", "verify"),
      /1 snapshot with \d+ records, 2 segments with 4 changes, up to change 4: no problems\.$/m,
    );
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    assert.deepEqual(await desk.files(), before);
  });

  it("when a line is damaged, it reports file, position and cause, and exits with 1", async (t) => {
    const desk = await deskWithPast(t);
    const header = (await readFile(join(desk.data, "journal-000000000003.log"))).indexOf("\n") + 1;
    await damage(desk, "journal-000000000003.log", "Bob");
    const ran = await desk.run(["data", "verify"]);
    assert.equal(ran.exitCode, 1);
    assert.equal(
      linesOf(ran.stdout)[0],
      `journal-000000000003.log: byte ${header}: the checksum of the line is wrong`,
    );
    const { ok, problems } = await desk.failsAs<VerifyDocument>("data", "verify");
    assert.equal(ok, false);
    assert.deepEqual(
      problems.map(({ file, offset }) => [file, offset]),
      [
        ["journal-000000000003.log", header],
        ["journal-000000000003.log", header],
      ],
    );
  });

  it("when a service writes meanwhile, it reports no problem", async (t) => {
    const desk = await seededDesk(t);
    const service = await running(desk);
    const writing = Promise.all(
      Array.from({ length: 50 }, (_, index) => service.administer("player.add", { name: `Player${index}` })),
    );
    for (let round = 0; round < 5; round++) {
      assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
      await desk.ok("data", "snapshot");
    }
    await writing;
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
  });
});

describe("while a service runs on the folder", () => {
  it("when a repair is requested, it fails, and changes nothing", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    await running(desk);
    const before = await desk.files();
    for (const command of ["data repair --yes", "data repair --from b.gz --yes"]) {
      const stderr = await desk.fails(...command.split(" "));
      assert.match(stderr, /A service runs on .*: process 4711, http:\/\/127\.0\.0\.1:8888\./, command);
      assert.match(stderr, /Stop the service/, command);
      const failure = await desk.failsAs<FailureDocument>(...command.split(" "));
      assert.equal(failure.code, "STORE_UNAVAILABLE");
    }
    assert.deepEqual(await desk.files(), before);
  });
});
