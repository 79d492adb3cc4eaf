/** Files that are written so that a failure or a loss of power leaves the old one or the whole new one. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { reasonOf } from "../../../src/domain/system-error.ts";
import {
  FileError,
  hasCode,
  isMissing,
  naming,
  nodeFiles,
  temporaryName,
  writeDurably,
} from "../../../src/store/folder/files.ts";
import { randomFrom } from "../../_random.ts";
import { temporaryFolder } from "../../_setup.ts";
import { type Call, openFiles, ruledFiles, systemError } from "../_faults.ts";
import { Disk } from "../faults/_disk.ts";

const old = Buffer.from("the old file");
const pieces = [Buffer.alloc(3, 1), Buffer.alloc(100_000, 2), Buffer.alloc(4, 3)];
const whole = Buffer.concat(pieces);

describe("a file that is written durably", () => {
  it("is whole and private, under a name that it gets only then", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "file");
    await writeFile(path, old);
    const seen = new Set<string>();
    const files = ruledFiles(() => {
      const bytes = readFileSync(path);
      seen.add(bytes.equals(old) ? "old" : bytes.equals(whole) ? "new" : "neither");
      return undefined;
    });
    assert.equal(await writeDurably(files, path, pieces), whole.length);
    assert.deepEqual([...seen], ["old", "new"]);
    assert.deepEqual(readdirSync(folder), ["file"]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(openFiles(folder), []);
  });

  it("is the old or the new one after a loss of power at any call, and the new one once that is written", async (t) => {
    for (let calls = 0, isDone = false; !isDone; calls += 1) {
      for (const random of [undefined, randomFrom(calls)]) {
        const [folder, left] = [await temporaryFolder(t), await temporaryFolder(t)];
        await writeFile(join(folder, "file"), old);
        const disk = await Disk.of(folder);
        const writing = writeDurably(disk.files, join(folder, "file"), pieces).then(() => true);
        isDone = await Promise.race([disk.failAfter(calls).then(() => false), writing]);
        await disk.remains(left, random);
        const bytes = await readFile(join(left, "file"));
        assert.ok(
          bytes.equals(whole) || (!isDone && bytes.equals(old)),
          `${calls} calls: ${bytes.length} bytes`,
        );
      }
    }
  });

  for (const operation of ["write", "sync", "rename"] as const) {
    it(`leaves the old file and no other one when its ${operation} fails, with the first error`, async (t) => {
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, "file"), old);
      // What fails while it is cleaned up is not what the operator must know.
      const codes: Partial<Record<Call["operation"], string>> = { [operation]: "EIO", close: "EBADF" };
      const files = ruledFiles((call) => {
        const code = codes[call.operation];
        return code === undefined ? undefined : systemError(code);
      });
      await assert.rejects(writeDurably(files, join(folder, "file"), pieces), (error) => {
        assert.ok(error instanceof FileError && hasCode(error, "EIO"), `${error}`);
        assert.match(error.message, /^EIO: injected '.*\/\.file\.[0-9a-f]{12}\.tmp'$/);
        return true;
      });
      assert.deepEqual(readdirSync(folder), ["file"]);
      assert.deepEqual(readFileSync(join(folder, "file")), old);
      assert.deepEqual(openFiles(folder), []);
    });
  }

  it("is refused when its folder cannot be synced, with the name of that, and left closed", async (t) => {
    const folder = await temporaryFolder(t);
    const files = ruledFiles(({ operation, path }) =>
      operation === "sync" && path === folder ? systemError("EIO") : undefined,
    );
    await assert.rejects(writeDurably(files, join(folder, "file"), pieces), {
      message: `EIO: injected '${folder}'`,
    });
    assert.deepEqual(openFiles(folder), []);
  });

  it("has a hidden temporary name in its folder, another one each time", () => {
    const names = [1, 2, 3].map(() => temporaryName("/data/file", ".new"));
    for (const name of names) assert.match(name, /^\/data\/\.file\.[0-9a-f]{12}\.new$/);
    assert.equal(new Set(names).size, 3);
    assert.match(temporaryName("/data/file"), /\.tmp$/);
  });

  it("is synced after every 64 KiB, so that no sync takes long", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    const kibibyte = 1024;
    const unsynced: number[] = [];
    let since = 0;
    const files = ruledFiles(({ operation, length }) => {
      if (operation === "write") since += length;
      if (operation === "datasync" || operation === "sync") unsynced.push(since / kibibyte);
      if (operation === "datasync" || operation === "sync") since = 0;
      return undefined;
    });
    const lengths = [32, 31, 1, 63, 1, 100, 10].map((length) => Buffer.alloc(length * kibibyte));
    await writeDurably(files, path, lengths);
    assert.deepEqual(unsynced, [64, 64, 100, 10, 0]);
  });
});

describe("an error of the file system", () => {
  it("is said in words, with its file and without the name of the call", async () => {
    const error = await nodeFiles.readdir("/nowhere").catch((cause: unknown) => cause);
    assert.equal(reasonOf(error), "/nowhere: no such file or directory (ENOENT)");
    assert.equal(reasonOf("anything"), "anything");
  });

  it("gets the name of its file, unless it has one", () => {
    const named = naming("/data/file", systemError("EIO"));
    assert.ok(named instanceof FileError);
    assert.deepEqual([named.message, named.code], ["EIO: injected '/data/file'", "EIO"]);
    assert.ok(hasCode(named.cause, "EIO"));
    for (const same of [
      named,
      Object.assign(systemError("EIO"), { path: "/other" }),
      new Error("without a code"),
      systemError("ERR_INVALID_ARG_TYPE"),
      Object.assign(new Error("lower"), { code: "eio" }),
      "EIO",
      undefined,
      null,
    ]) {
      assert.equal(naming("/data/file", same), same);
    }
  });

  it("has a code only if it is an error with that code", () => {
    const error = systemError("ENOENT");
    assert.deepEqual(
      [hasCode(error, "EIO", "ENOENT"), hasCode(error, "EIO"), hasCode(error)],
      [true, false, false],
    );
    for (const other of [{ code: "ENOENT" }, new Error("ENOENT"), "ENOENT", undefined]) {
      assert.equal(hasCode(other, "ENOENT", "undefined"), false);
    }
    assert.deepEqual([isMissing(error), isMissing(systemError("ENOTDIR"))], [true, false]);
  });
});
