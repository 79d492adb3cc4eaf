/** Data folders that cannot be created or used: every command says why, and what to do. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
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

describe("a first start that fails", () => {
  const taken = createServer();
  before(() => once(taken.listen(0, "127.0.0.1"), "listening"));
  after(() => void taken.close());
  const port = () => String((taken.address() as AddressInfo).port);

  for (const [what, args, says] of [
    [
      "whose port is taken",
      () => ["--port", port()],
      /EADDRINUSE.*\nAnother program may be listening there\. .*--port/,
    ],
    [
      "on an address of another machine",
      () => ["--host", "192.0.2.1", "--port", "1"],
      /EADDRNOTAVAIL.*\nThis machine does not have that address/,
    ],
    [
      "whose port for metrics is taken",
      () => ["--metrics", `127.0.0.1:${port()}`],
      /EADDRINUSE.*\n.* --metrics/,
    ],
    ["with a missing certificate", () => ["--https", "--cert", "no.pem", "--key", "no.pem"], /no\.pem/],
    ["with a faulty table", () => ["--routes", "bad.yaml"], /bad\.yaml has .*fault/],
  ] as const) {
    it(`${what} creates nothing`, { timeout: 60_000 }, async (t) => {
      const desk = await emptyDesk(t);
      await desk.write("bad.yaml", "routes: 1\n");
      const { exitCode, stderr } = await desk.run(["serve", "--port", "0", ...args()]);
      assert.match(stderr, says);
      assert.equal(exitCode, 1);
      assert.deepEqual(await readdir(desk.folder), ["bad.yaml"]);
    });
  }
});
