/** `data restore` and `data import` of what is not a regular file, and of standard input, offline and beside a service. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdir, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { assertIncludes } from "../_setup.ts";
import { deskWithPast, players, running } from "./_data.ts";
import { CliProcess } from "./_process.ts";
import { type Desk, toDocument } from "./_setup.ts";

const skip = process.platform === "win32" ? "Windows has neither named pipes nor /dev" : false;

/** Returns a desk with a named pipe. Should a reader wait for a writer after all, it gets one at the end of the test. */
async function deskWithPipe(t: TestContext): Promise<Desk> {
  const desk = await deskWithPast(t);
  const pipe = join(desk.folder, "pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  desk.beforeClear(async () => closeSync(openSync(pipe, constants.O_RDWR)));
  return desk;
}

for (const { command, make, file } of [
  { command: "restore", make: "backup", file: "b.gz" },
  { command: "import", make: "export", file: "e.json" },
]) {
  for (const where of ["offline", "beside a running service"]) {
    describe(`data ${command} ${where}`, { skip, timeout: 60_000 }, () => {
      it("refuses what is not a regular file, and changes nothing", async (t) => {
        const desk = await deskWithPipe(t);
        if (where !== "offline") await running(desk);
        const before = await desk.files();
        for (const [source, is] of [
          ["pipe", "not a regular file"],
          ["/dev/null", "not a regular file"],
          [".", "a directory"],
        ] as const) {
          const stderr = await desk.fails("data", command, source, "--yes");
          assertIncludes(stderr, "Expected a regular file, but ");
          assertIncludes(stderr, ` is ${is}.`);
          assertIncludes(stderr, "Copy what it contains into a file first");
        }
        assert.deepEqual(await desk.files(), before);
      });

      it("reads the standard input of the command if that is a file", async (t) => {
        const desk = await deskWithPast(t);
        await desk.ok("data", make, file);
        await desk.ok("player", "add", "Dora");
        if (where !== "offline") await running(desk);
        const child = new CliProcess(
          desk,
          ["--json", "data", command, "/dev/stdin", "--yes"],
          [],
          ["sh", "-c", `exec "$@" < ${file}`, "sh"],
        );
        assert.equal(await child.ended, 0, child.stderr);
        const document = toDocument<{ file: string; changes: number }>(child.stdout);
        assert.equal(document.file, await realpath(join(desk.folder, file)));
        assert.equal(document.changes, 1);
        assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
      });

      it("refuses a pipe as standard input", async (t) => {
        const desk = await deskWithPast(t);
        await desk.ok("data", make, file);
        if (where !== "offline") await running(desk);
        const child = new CliProcess(
          desk,
          ["data", command, "/dev/stdin", "--yes"],
          [],
          ["sh", "-c", `cat ${file} | "$@"`, "sh"],
        );
        assert.equal(await child.ended, 1, child.stdout);
        assertIncludes(child.stderr, "Expected a regular file, but /dev/stdin is not a regular file.");
      });
    });
  }
}

describe("a named pipe under the name of a file that a command reads", { skip, timeout: 60_000 }, () => {
  for (const args of [
    ["--routes", "pipe", "routes", "check"],
    ["routes", "diff", "pipe"],
    ["routes", "test", "pipe"],
    ["seed", "groups", "pipe"],
    ["--data", "planted", "player", "list"],
    ["--data", "planted", "data", "verify"],
  ]) {
    it(`is refused: ${args.join(" ")}`, async (t) => {
      const desk = await deskWithPipe(t);
      await mkdir(join(desk.folder, "planted"));
      await symlink("../pipe", join(desk.folder, "planted", "snapshot-000000000001.jsonl"));
      assertIncludes(await desk.fails(...args), "is a pipe instead of a regular file");
    });
  }

  it("is left alone, and does not keep a service from starting, if it is the editor schema", async (t) => {
    const desk = await deskWithPipe(t);
    await symlink("pipe", join(desk.folder, "routes.schema.json"));
    const serving = desk.serve();
    await serving.shows(/http:/);
    assertIncludes(serving.stderr.text, "is a pipe instead of a regular file");
  });
});
