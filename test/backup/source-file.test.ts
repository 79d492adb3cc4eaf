/** The file of a restore or an import: which are refused before they are read, and the path that every process can use. */
import assert from "node:assert/strict";
import { constants } from "node:buffer";
import { execFile } from "node:child_process";
import { mkdir, open, rename, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { readSource } from "../../src/backup/source.ts";
import { findSourceFile } from "../../src/backup/source-file.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { ruledFiles } from "../store/_faults.ts";

const run = promisify(execFile);
const skip =
  process.platform === "win32" ? "Windows has neither named pipes nor descriptors as files" : false;

/** A file that is open, under its name and as a descriptor of this process. */
async function openFile(t: TestContext) {
  const folder = await temporaryFolder(t);
  const path = join(folder, "b.gz");
  await writeFile(path, "text");
  const file = await open(path);
  t.after(() => file.close());
  return { folder, path, descriptor: `/dev/fd/${file.fd}` };
}

describe("a file that is not regular", { skip, timeout: 60_000 }, () => {
  for (const [what, make, is] of [
    ["a directory", (path: string) => mkdir(path), "a directory"],
    ["a named pipe", (path: string) => run("mkfifo", [path]), "a pipe"],
    ["a link to a device", (path: string) => symlink("/dev/null", path), "a device"],
  ] as const) {
    it(`is refused at once: ${what}`, async (t) => {
      const folder = await temporaryFolder(t);
      const file = join(folder, "b.gz");
      await make(file);
      const refusal = {
        code: "STORE_UNAVAILABLE",
        message: `${file} is ${is} instead of a regular file.`,
        hint: /^Copy what it contains into a file first/,
      };
      await assert.rejects(findSourceFile(file), refusal);
      await assert.rejects(readSource(nodeFiles, folder, { kind: "backup", file }), refusal);
      await assert.rejects(readSource(nodeFiles, folder, { kind: "export", file }), refusal);
    });
  }
});

describe("the path of a file for any process", { skip }, () => {
  it("is its own, also for a link", async (t) => {
    const { folder, path } = await openFile(t);
    await symlink(path, join(folder, "latest.gz"));
    assert.equal(await findSourceFile(path), path);
    assert.equal(await findSourceFile(join(folder, "latest.gz")), path);
  });

  it("is that of the file behind a descriptor, also through a link", async (t) => {
    const { folder, path, descriptor } = await openFile(t);
    await symlink(descriptor, join(folder, "link"));
    assert.equal(await findSourceFile(descriptor), path);
    assert.equal(await findSourceFile(join(folder, "link")), path);
  });

  it("does not exist for a deleted file, even if another has the name that the system shows", async (t) => {
    const { folder, path, descriptor } = await openFile(t);
    const refusal = { message: `${descriptor} is a deleted file.` };
    await unlink(path);
    await assert.rejects(findSourceFile(descriptor), refusal);
    await writeFile(join(folder, "other"), "other");
    await rename(join(folder, "other"), `${path} (deleted)`);
    await assert.rejects(findSourceFile(descriptor), refusal);
  });

  it("does not exist for a missing file", async (t) => {
    const path = join(await temporaryFolder(t), "none.gz");
    const refusal = { code: "UNKNOWN_ENTRY", message: `There is no file ${path}.` };
    await assert.rejects(findSourceFile(path), refusal);
  });
});

it("an export that is longer than a string can be is refused without being read", async (t) => {
  const file = join(await temporaryFolder(t), "e.json");
  await writeFile(file, "");
  await truncate(file, constants.MAX_STRING_LENGTH + 1);
  const files = ruledFiles(({ operation }) => {
    assert.notEqual(operation, "readPieces");
  });
  await assert.rejects(readSource(files, "data", { kind: "export", file }), {
    code: "STORE_UNAVAILABLE",
    message: `${file} is too large: it has ${constants.MAX_STRING_LENGTH + 1} bytes, expected at most ${constants.MAX_STRING_LENGTH}.`,
    hint: /data backup/,
  });
});
