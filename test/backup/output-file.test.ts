/** The output files of commands: which names are free, and writing beside other commands and killed ones. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { requireFree, writeTarget } from "../../src/backup/output-file.ts";
import { nodeFiles, type OpenFlags } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { openFiles, ruledFiles, systemError } from "../store/_faults.ts";

const pieces = [Buffer.from("new "), Buffer.from("text")];
const abandoned = ".b.json.0123456789ab.addon-cli.tmp";

describe("a name for an output file", () => {
  it("is free if no file has it, whether overwriting is allowed or not", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, "other"), "");
    for (const force of [true, false]) await requireFree(nodeFiles, join(folder, "b.json"), force);
  });

  it("of a regular file is free only if overwriting is allowed", async (t) => {
    const path = join(await temporaryFolder(t), "b.json");
    await writeFile(path, "old");
    await requireFree(nodeFiles, path, true);
    await assert.rejects(requireFree(nodeFiles, path, false), {
      code: "CONFLICT",
      message: `${path} exists already.`,
      hint: "Name another file, or give --force to overwrite it.",
    });
  });

  it("of a folder or a link is never free", async (t) => {
    const folder = await temporaryFolder(t);
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "file"), "");
    await symlink("file", join(folder, "link"));
    await symlink("nothing", join(folder, "dangling"));
    for (const name of ["folder", "link", "dangling"]) {
      for (const force of [true, false]) {
        await assert.rejects(requireFree(nodeFiles, join(folder, name), force), {
          code: "CONFLICT",
          message: `${join(folder, name)} is not a regular file.`,
          hint: "Name another file.",
        });
      }
    }
  });

  it("of a file of the service is never free", async (t) => {
    const folder = await temporaryFolder(t);
    for (const name of [
      "journal-000000000002.log",
      "journal-000000000002.log.broken",
      "snapshot-000000000002.jsonl",
      "unsynced",
      "lock",
      "socket",
    ]) {
      for (const force of [true, false]) {
        await assert.rejects(requireFree(nodeFiles, join(folder, name), force), {
          code: "CONFLICT",
          message: `${join(folder, name)} has the name of a file of a data folder.`,
          hint: "Name another file.",
        });
      }
    }
    await requireFree(nodeFiles, join(folder, "snapshot-000000000002.jsonl.gz"), false);
  });

  it("in a folder that does not exist is refused", async (t) => {
    const folder = join(await temporaryFolder(t), "none");
    await assert.rejects(requireFree(nodeFiles, join(folder, "b.json"), true), {
      code: "UNKNOWN_ENTRY",
      message: `There is no folder ${folder} to write b.json into.`,
    });
  });
});

describe("writing an output file", () => {
  it("replaces the old one, and returns the size once nothing is under way", async (t) => {
    const path = join(await temporaryFolder(t), "b.json");
    await writeFile(path, "the old text");
    assert.equal(await writeTarget(nodeFiles, path, pieces), 8);
    assert.deepEqual(openFiles(dirname(path)), []);
    assert.equal(await readFile(path, "utf8"), "new text");
  });

  it("gives it the mode that is asked for, else one for its owner only", async (t) => {
    const folder = await temporaryFolder(t);
    const before = process.umask(0o022);
    t.after(() => process.umask(before));
    const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;
    await writeTarget(nodeFiles, join(folder, "private"), pieces);
    await writeTarget(nodeFiles, join(folder, "own"), pieces, { mode: 0o640 });
    assert.deepEqual([await modeOf("private"), await modeOf("own")], [0o600, 0o640]);
  });

  it("verifies the whole file before it gets its name", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "b.json");
    await writeFile(path, "old");
    let seen = "";
    const verify = async (temporary: string) => {
      for (let turns = 0; turns < 20; turns += 1) await setImmediate();
      seen = `${await readFile(temporary, "utf8")}, ${await readFile(path, "utf8")}`;
    };
    await writeTarget(nodeFiles, path, pieces, { verify });
    assert.equal(seen, "new text, old");
  });

  it("leaves the old one, and no other, if the new one is not right or cannot be written", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "b.json");
    await writeFile(path, "old");
    const wrong = new Error("it is wrong");
    await assert.rejects(
      writeTarget(nodeFiles, path, pieces, { verify: () => Promise.reject(wrong) }),
      wrong,
    );
    for (const failing of ["write", "sync", "rename"]) {
      const files = ruledFiles(({ operation }) => (operation === failing ? systemError("EIO") : undefined));
      await assert.rejects(writeTarget(files, path, pieces), { code: "EIO" });
      assert.deepEqual(openFiles(folder), [], failing);
    }
    const failed = async function* () {
      yield Buffer.from("new");
      throw wrong;
    };
    await assert.rejects(writeTarget(nodeFiles, path, failed()), wrong);
    assert.deepEqual(await readdir(folder), ["b.json"]);
    assert.equal(await readFile(path, "utf8"), "old");
  });

  it("begins again under another name if its temporary file is deleted before it is locked", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "b.json");
    const opened: string[] = [];
    const files = {
      ...nodeFiles,
      async open(path: string, flags: OpenFlags, mode?: number) {
        const file = await nodeFiles.open(path, flags, mode);
        if (flags === "wx" && opened.push(path) <= 2) await nodeFiles.unlink(path);
        return file;
      },
    };
    let verified = 0;
    const verify = async () => {
      verified += 1;
    };
    assert.equal(await writeTarget(files, path, pieces, { verify }), 8);
    assert.equal(new Set(opened).size, 3);
    assert.equal(verified, 1);
    assert.deepEqual(await readdir(folder), ["b.json"]);
  });

  it("does not write into a temporary file that another command has locked", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "b.json");
    const others: { close(): Promise<void> }[] = [];
    t.after(() => Promise.all(others.map((file) => file.close())));
    const { tryLock } = await import("fs-native-extensions");
    const files = {
      ...nodeFiles,
      async open(path: string, flags: OpenFlags, mode?: number) {
        const file = await nodeFiles.open(path, flags, mode);
        if (flags === "wx" && others.length === 0) {
          const other = await nodeFiles.open(path, "r+");
          others.push(other);
          assert.ok(tryLock(other.fd));
        }
        return file;
      },
    };
    assert.equal(await writeTarget(files, path, pieces), 8);
    assert.equal(others.length, 1);
    assert.deepEqual(await readdir(folder), ["b.json"]);
  });
});

describe("the temporary file of a killed command", () => {
  /** A folder with an abandoned temporary file, and other files. */
  async function places(t: TestContext) {
    const folder = await temporaryFolder(t);
    for (const name of [abandoned, "a.json", ".b.json.0123456789ab.tmp"])
      await writeFile(join(folder, name), "");
    return folder;
  }

  it("is deleted before the next file is written, and only that", async (t) => {
    const folder = await places(t);
    // It is gone before the new one needs room.
    const files = ruledFiles(async ({ operation }) => {
      if (operation === "write") assert.ok(!(await readdir(folder)).includes(abandoned));
      return undefined;
    });
    await writeTarget(files, join(folder, "c.json"), pieces);
    assert.deepEqual(openFiles(folder), []);
    assert.deepEqual((await readdir(folder)).sort(), [".b.json.0123456789ab.tmp", "a.json", "c.json"]);
  });

  for (const failing of ["open", "unlink"]) {
    it(`does not prevent writing if it cannot be deleted: ${failing}`, async (t) => {
      const folder = await places(t);
      const files = ruledFiles(({ operation, path }) =>
        operation === failing && path.endsWith(abandoned) ? systemError("EACCES") : undefined,
      );
      await writeTarget(files, join(folder, "c.json"), pieces);
      assert.deepEqual(openFiles(folder), []);
      assert.ok((await readdir(folder)).includes(abandoned));
      assert.equal(await readFile(join(folder, "c.json"), "utf8"), "new text");
    });
  }
});
