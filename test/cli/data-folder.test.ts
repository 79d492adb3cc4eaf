/** Data folders that cannot be created or used: every command says why, and what to do. */
import assert from "node:assert/strict";
import { readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { emptyDesk } from "./_setup.ts";

const onLinux = process.platform === "linux" ? false : "there is no /proc";

describe("a data folder that cannot be created", () => {
  for (const [what, folder, why, skip = false] of [
    [
      "in /proc, which takes no folders",
      "/proc/data",
      /no folder can be created there \(ENOENT\)\./,
      onLinux,
    ],
    [
      "below a device",
      "/dev/null/data",
      /a file or a broken symbolic link is in its path \((?:EEXIST|ENOTDIR)\)\./,
    ],
    [
      "whose name a file has",
      "file",
      /a file or a broken symbolic link is in its path \((?:EEXIST|ENOTDIR)\)\./,
    ],
    [
      "that is a link to nothing",
      "dangling",
      /a file or a broken symbolic link is in its path \((?:EEXIST|ENOTDIR)\)\./,
    ],
    ["that is a link to itself", "loop", /symbolic links in its path form a loop \(ELOOP\)\./],
  ] as const) {
    it(`${what}, ends each command with a sentence, and no file is written`, {
      skip,
      timeout: 60_000,
    }, async (t) => {
      const desk = await emptyDesk(t);
      await writeFile(join(desk.folder, "file"), "");
      await symlink("nowhere", join(desk.folder, "dangling"));
      await symlink("loop", join(desk.folder, "loop"));
      for (const command of ["serve --port 0", "player add Ada", "seed groups"]) {
        const { exitCode, stderr } = await desk.run(["--data", folder, ...command.split(" ")]);
        assert.match(stderr, /^error: The data folder \S+ cannot be used: /, command);
        assert.match(stderr, why);
        assert.match(stderr, /\nExpected a folder that you may write to; name another one with --data\.\n$/);
        assert.equal(exitCode, 1);
      }
      for (const command of ["player list", "data status", "audit"]) {
        const { exitCode, stderr } = await desk.run(["--data", folder, ...command.split(" ")]);
        assert.match(stderr, /^error: (?:There is no data in|The data folder) .*--data.*\n$/s, command);
        assert.equal(exitCode, 1);
      }
      assert.deepEqual((await readdir(desk.folder)).sort(), ["dangling", "file", "loop"]);
    });
  }
});
