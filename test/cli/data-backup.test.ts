/** `data backup` and `data restore`: from a file, and to a moment of the past. */
import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { assertIncludes } from "../_setup.ts";
import type { StatusDocument, VerifyDocument } from "./_data.ts";
import { deskWithPast, players, running } from "./_data.ts";
import { colourBegins, linesOf, seededDesk } from "./_setup.ts";

describe("data backup and data restore", () => {
  it("when a backup is restored elsewhere then the data is the same", async (t) => {
    const desk = await deskWithPast(t);
    const text = await desk.ok("data", "backup", "b.jsonl.gz");
    assert.match(text, /^Wrote 8 records, everything up to change 4, to .*b\.jsonl\.gz \(\d+ bytes\)\.$/m);
    const path = join(desk.folder, "b.jsonl.gz");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    // zcat | cut -c10- gives JSON lines.
    const lines = linesOf(gunzipSync(await readFile(path)).toString()).map((line) =>
      JSON.parse(line.slice(9)),
    );
    assert.equal(lines[0].format, "gameaddon-snapshot");
    assert.equal(lines[0].sequence, 4);
    assert.deepEqual(lines.at(-1), { end: 8 });
    assert.match(
      await desk.ok("--data", "elsewhere", "data", "restore", "b.jsonl.gz"),
      /^Restored 8 records/m,
    );
    assert.deepEqual(
      (await desk.json<{ name: string }[]>("--data", "elsewhere", "player", "list")).map(({ name }) => name),
      ["Ada", "Bob", "Cleo"],
    );
    assert.deepEqual(
      (await desk.json<StatusDocument>("--data", "elsewhere", "data", "status")).lastSnapshot?.sequence,
      4,
    );
    assert.equal((await desk.json<VerifyDocument>("--data", "elsewhere", "data", "verify")).ok, true);
  });

  it("when the file exists then it is not overwritten without --force", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("b.gz", "mine");
    assert.match(await desk.fails("data", "backup", "b.gz"), /b\.gz exists already/);
    assert.match(await desk.fails("data", "export", "b.gz"), /b\.gz exists already/);
    assert.equal(await readFile(join(desk.folder, "b.gz"), "utf8"), "mine");
    await desk.ok("data", "backup", "b.gz", "--force");
    assert.ok(gunzipSync(await readFile(join(desk.folder, "b.gz"))).length > 0);
    assert.deepEqual(
      (await readdir(desk.folder)).filter((name) => name.includes("b.gz")),
      ["b.gz"],
    );
  });

  it("when a service runs then a backup has everything that was acknowledged before", async (t) => {
    const desk = await seededDesk(t);
    const service = await running(desk);
    await service.administer("player.register", { name: "Ada" });
    const meanwhile = service.administer("player.register", { name: "Bob" });
    const { sequence } = await desk.json<{ sequence: number }>("data", "backup", "b.gz");
    await meanwhile;
    assert.ok(sequence >= 2);
    await desk.ok("--data", "copy", "data", "restore", "b.gz");
    const names = (await desk.json<{ name: string }[]>("--data", "copy", "player", "list")).map(
      ({ name }) => name,
    );
    assert.ok(names.includes("Ada"));
  });

  it("when standard error is a terminal then there is a progress bar, and none with --json or in a pipe", async (t) => {
    const desk = await seededDesk(t);
    const shown = await desk.run(["data", "backup", "1.gz"], { terminal: true });
    assertIncludes(shown.stderr, "\rWriting the backup [");
    assert.ok(shown.stderr.endsWith(`\r${colourBegins}K`));
    assert.equal((await desk.run(["data", "backup", "2.gz"])).stderr, "");
    assert.equal((await desk.run(["--json", "data", "backup", "3.gz"], { terminal: true })).stderr, "");
  });

  it("when there is data then --replace is needed, and the old files are kept", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("player", "remove", "Cleo");
    assert.match(await desk.fails("data", "restore", "b.gz"), /There is data in .*\n.*--replace/);
    assert.deepEqual(await players(desk), ["Ada", "Bob"]);
    const journal = await readFile(join(desk.data, "journal-000000000003.log"));
    const { kept } = await desk.json<{ kept: string }>("data", "restore", "b.gz", "--replace");
    assert.match(kept, /^replaced-\d{4}-/);
    assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
    assert.deepEqual(await readFile(join(desk.data, kept, "journal-000000000003.log")), journal);
    // What was kept can be worked on by itself.
    assert.deepEqual(
      (await desk.json<{ name: string }[]>("--data", join("data", kept), "player", "list")).map(
        ({ name }) => name,
      ),
      ["Ada", "Bob"],
    );
  });

  it("when a backup is damaged anywhere then it is refused before anything is touched", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("data", "backup", "b.gz");
    const plain = gunzipSync(await readFile(join(desk.folder, "b.gz")));
    const before = await desk.files();
    for (let byte = 0; byte < plain.length; byte += 37) {
      const copy = Buffer.from(plain);
      copy[byte] = (copy[byte] as number) ^ 1;
      await writeFile(join(desk.folder, "bad.jsonl"), copy);
      assert.match(
        await desk.fails("data", "restore", "bad.jsonl", "--replace"),
        /is not a whole backup: at byte/,
      );
    }
    const packed = await readFile(join(desk.folder, "b.gz"));
    await writeFile(join(desk.folder, "bad.gz"), packed.subarray(0, packed.length - 20));
    assert.match(await desk.fails("data", "restore", "bad.gz", "--replace"), /is damaged/);
    assert.match(await desk.fails("data", "restore", "none.gz", "--replace"), /There is no file/);
    assert.deepEqual(await desk.files(), before);
    // Nor does a folder come about.
    await desk.fails("--data", "new", "data", "restore", "bad.gz");
    assert.ok(!(await readdir(desk.folder)).includes("new"));
  });

  it("when the folder is somebody else's then nothing is restored into it", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("data", "backup", "b.gz");
    assert.match(
      await desk.fails("--data", ".", "data", "restore", "b.gz"),
      /is not a data folder: it has b\.gz/,
    );
  });
});

describe("data restore --at", () => {
  it("when a moment is named then the data is as it was then", async (t) => {
    for (const [moment, expected] of [
      ["2026-03-01T13:30:00Z", ["Ada", "Bob"]],
      ["2026-03-01T14:00:00+01:00", ["Ada", "Bob"]],
      [String(Date.parse("2026-03-01T12:59:59.999Z")), ["Ada"]],
      ["2026-03-01T14:00:00Z", ["Ada", "Bob", "Cleo"]],
    ] as const) {
      const desk = await deskWithPast(t);
      await desk.ok("data", "restore", "--at", moment, "--replace");
      assert.deepEqual(await players(desk), expected, moment);
      assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    }
  });

  it("when nothing was changed since then it says so, and changes nothing", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(
      await desk.ok("data", "restore", "--at", "2026-03-01T14:00:00Z", "--replace"),
      /^The data is as it was at 2026-03-01T14:00:00\.000Z: nothing was changed since\.$/m,
    );
    assert.deepEqual(await desk.files(), before);
  });

  it("when the moment is before the data, to come, or none then it is refused", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(
      await desk.fails("data", "restore", "--at", "2026-02-01T00:00:00Z", "--replace"),
      /there was no data/,
    );
    assert.match(
      await desk.fails("data", "restore", "--at", "2999-01-01T00:00:00Z", "--replace"),
      /still to come/,
    );
    assert.match(
      await desk.misused("data", "restore", "--at", "yesterday", "--replace"),
      /ISO 8601 with a zone/,
    );
    assert.match(
      await desk.misused("data", "restore", "--at", "2026-03-01T12:00:00", "--replace"),
      /ISO 8601/,
    );
    assert.match(
      await desk.misused("data", "restore", "--at", "2026-03-01T12:00:00Z"),
      /--at goes with --replace/,
    );
    assert.match(await desk.misused("data", "restore"), /one of <file> and --at/);
    assert.match(
      await desk.misused("data", "restore", "b.gz", "--at", "0", "--replace"),
      /one of <file> and --at/,
    );
    assert.deepEqual(await desk.files(), before);
  });
});
