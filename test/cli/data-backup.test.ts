/** `data backup`, and restoring a backup into an empty folder. */
import assert from "node:assert/strict";
import { lstat, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { assertIncludes } from "../_setup.ts";
import type { StatusDocument, VerifyDocument } from "./_data.ts";
import { deskWithPast, running } from "./_data.ts";
import { colourBegins, linesOf, seededDesk } from "./_setup.ts";

describe("data backup and data restore", () => {
  it("when a backup is restored elsewhere, the data is the same", async (t) => {
    const desk = await deskWithPast(t);
    const text = await desk.ok("data", "backup", "b.jsonl.gz");
    assert.match(text, /^Wrote 8 records, everything up to change 4, to .*b\.jsonl\.gz \(\d+ bytes\)\.$/m);
    const path = join(desk.folder, "b.jsonl.gz");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    // `zcat | cut -c10-` prints JSON lines.
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

  it("when the file exists, it is not overwritten without --force", async (t) => {
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

  it("when the file is a link, it is not replaced even with --force", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("b.gz", "mine");
    const link = join(desk.folder, "link.gz");
    await symlink("b.gz", link);
    for (const command of ["backup", "export"]) {
      const refusal = await desk.fails("data", command, "link.gz", "--force");
      assert.match(refusal, /link\.gz is not a regular file/);
      // Without --force, it is not proposed.
      assert.doesNotMatch(await desk.fails("data", command, "link.gz"), /--force/);
    }
    assert.ok((await lstat(link)).isSymbolicLink());
    assert.equal(await readFile(join(desk.folder, "b.gz"), "utf8"), "mine");
  });

  it("when a service runs, a backup contains every change acknowledged before", async (t) => {
    const desk = await seededDesk(t);
    const service = await running(desk);
    await service.administer("player.add", { name: "Ada" });
    const meanwhile = service.administer("player.add", { name: "Bob" });
    const { sequence } = await desk.json<{ sequence: number }>("data", "backup", "b.gz");
    await meanwhile;
    assert.ok(sequence >= 2);
    await desk.ok("--data", "copy", "data", "restore", "b.gz");
    const names = (await desk.json<{ name: string }[]>("--data", "copy", "player", "list")).map(
      ({ name }) => name,
    );
    assert.ok(names.includes("Ada"));
  });

  it("when standard error is a terminal, it and its relatives show progress, and none with --json or in a pipe", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    for (const [args, ...shown] of [
      [["data", "backup", "1.gz", "--force"], "Writing the backup [", "100%"],
      [["data", "verify"], "Verifying [", "100%"],
      [["data", "export", "e.json", "--force"], "Reading the data [", "100%"],
      [["data", "repair"], "Repairing ["],
      [["data", "restore", "--at", "#1", "--yes"], "Comparing 0 s", "Changing 0 s"],
      [["data", "import", "e.json", "--yes"], "Comparing 0 s", "Changing 0 s"],
      [["--data", "two", "data", "restore", "1.gz"], "Reading 0 s", "Restoring 0 s"],
    ] as const) {
      await rm(join(desk.folder, "two"), { recursive: true, force: true });
      const { stderr, exitCode } = await desk.run(args, { terminal: true });
      assert.equal(exitCode, 0, stderr);
      for (const text of shown) assertIncludes(stderr, text);
      // Nothing of it remains beside what the command says.
      const left = stderr.split("\n").map((line) => line.split(`${colourBegins}K`).at(-1));
      assert.doesNotMatch(left.join("\n"), /\[#|\d s$/m);
      const silent = ["--json", ...args];
      await rm(join(desk.folder, "two"), { recursive: true, force: true });
      assert.equal((await desk.run(silent, { terminal: true })).stderr, "");
      await rm(join(desk.folder, "two"), { recursive: true, force: true });
      assert.ok(!(await desk.run(args)).stderr.includes("\r"));
    }
  });

  it("when a backup is damaged anywhere, it is refused before any change", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("data", "backup", "b.gz");
    const plain = gunzipSync(await readFile(join(desk.folder, "b.gz")));
    const before = await desk.files();
    for (let byte = 0; byte < plain.length; byte += 37) {
      const copy = Buffer.from(plain);
      copy[byte] = (copy[byte] as number) ^ 1;
      await writeFile(join(desk.folder, "bad.jsonl"), copy);
      assert.match(await desk.fails("data", "restore", "bad.jsonl"), /is not a whole backup: at byte/);
    }
    const packed = await readFile(join(desk.folder, "b.gz"));
    await writeFile(join(desk.folder, "bad.gz"), packed.subarray(0, packed.length - 20));
    assert.match(await desk.fails("data", "restore", "bad.gz"), /is damaged/);
    assert.match(await desk.fails("data", "restore", "none.gz"), /There is no file/);
    assert.deepEqual(await desk.files(), before);
    // It creates no folder, either.
    await desk.fails("--data", "new", "data", "restore", "bad.gz");
    assert.ok(!(await readdir(desk.folder)).includes("new"));
  });

  it("when the folder contains files of another program, nothing is restored to it", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("data", "backup", "b.gz");
    assert.match(
      await desk.fails("--data", ".", "data", "restore", "b.gz"),
      /is not a data folder of this service: it contains b\.gz/,
    );
  });
});
