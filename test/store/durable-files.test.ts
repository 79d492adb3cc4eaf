/** Files that are written so that they survive a crash: each step is done before the next one, and before the call returns. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import {
  createDurably,
  FileError,
  hasCode,
  isMissing,
  naming,
  syncFolder,
  temporaryName,
  writeAll,
  writeDurably,
  writePieces,
} from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { type Call, oneByOne, systemError } from "./_faults.ts";

/** Pieces of these lengths; the bytes of each are its number. */
function* pieces(...lengths: readonly number[]): Generator<Uint8Array> {
  for (const [index, length] of lengths.entries()) yield Buffer.alloc(length, index);
}

const old = Buffer.from("the old file");

describe("a file that is written durably", () => {
  it("is written and synced under another name, then renamed, and its folder is synced", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "file");
    await writeFile(path, old);
    const { calls, outcome } = await oneByOne((files) => writeDurably(files, path, pieces(3, 4)));
    assert.equal(outcome, 7);
    assert.deepEqual(readFileSync(path), Buffer.from([0, 0, 0, 1, 1, 1, 1]));
    assert.deepEqual(readdirSync(folder), ["file"]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const name = basename(folder);
    assert.deepEqual(calls, [
      "open temporary file",
      "write temporary file",
      "write temporary file",
      "sync temporary file",
      "rename temporary file",
      `open ${name}`,
      `sync ${name}`,
      `close ${name}`,
      "close temporary file",
    ]);
  });

  for (const operation of ["write", "sync", "rename"] as const) {
    it(`leaves the old file and no other one when its ${operation} fails`, async (t) => {
      const folder = await temporaryFolder(t);
      const path = join(folder, "file");
      await writeFile(path, old);
      const { calls, outcome } = await oneByOne(
        (files) => writeDurably(files, path, pieces(3)),
        (call) => (call.operation === operation ? systemError("EIO") : undefined),
      );
      assert.ok(outcome instanceof FileError, `${outcome}`);
      assert.equal(outcome.code, "EIO");
      assert.match(outcome.message, /^EIO: injected '.*\/\.file\.[0-9a-f]{12}\.tmp'$/);
      assert.deepEqual(calls.slice(-3), [
        `${operation} temporary file`,
        "close temporary file",
        "unlink temporary file",
      ]);
      assert.deepEqual(readdirSync(folder), ["file"]);
      assert.deepEqual(readFileSync(path), old);
    });
  }

  it("reports the first error, even if its remains can be neither closed nor removed", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    const codes: Partial<Record<Call["operation"], string>> = {
      sync: "EIO",
      close: "EBADF",
      unlink: "EROFS",
    };
    const { outcome } = await oneByOne(
      (files) => writeDurably(files, path, pieces(3)),
      ({ operation }) => (codes[operation] === undefined ? undefined : systemError(codes[operation])),
    );
    assert.ok(hasCode(outcome, "EIO"), `${outcome}`);
  });

  it("keeps its error when what fills it fails, and no file", async (t) => {
    const folder = await temporaryFolder(t);
    const refusal = new Error("no more pieces");
    const { outcome } = await oneByOne((files) =>
      createDurably(files, join(folder, "file"), () => Promise.reject(refusal)),
    );
    assert.equal(outcome, refusal);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("is closed, and refused, when its folder cannot be synced", async (t) => {
    const folder = await temporaryFolder(t);
    const name = basename(folder);
    const { calls, outcome } = await oneByOne(
      (files) => writeDurably(files, join(folder, "file"), pieces(3)),
      ({ operation, path }) => (operation === "sync" && path === folder ? systemError("EIO") : undefined),
    );
    assert.ok(outcome instanceof FileError, `${outcome}`);
    assert.equal(outcome.message, `EIO: injected '${folder}'`);
    assert.deepEqual(calls.slice(-3), [`sync ${name}`, `close ${name}`, "close temporary file"]);
  });

  it("can have a temporary name and a mode of its own", async (t) => {
    const folder = await temporaryFolder(t);
    const [path, temporary] = [join(folder, "file"), join(folder, "half")];
    const { calls } = await oneByOne(async (files) => {
      const file = await createDurably(files, path, async () => {}, { temporary, mode: 0o640 });
      await writeAll(file, old, 0);
      await file.close();
    });
    assert.deepEqual(await readFile(path), old);
    assert.equal(statSync(path).mode & 0o777, 0o640);
    assert.ok(calls.includes("open half") && calls.includes("rename half"), `${calls}`);
  });

  it("has a hidden temporary name in its folder, another one each time", () => {
    const names = [1, 2, 3].map(() => temporaryName("/data/file", ".new"));
    for (const name of names) assert.match(name, /^\/data\/\.file\.[0-9a-f]{12}\.new$/);
    assert.equal(new Set(names).size, 3);
    assert.match(temporaryName("/data/file"), /\.tmp$/);
  });
});

describe("a large file that is written", () => {
  const kibibyte = 1024;

  /** Returns the calls that writing pieces of these lengths makes, one letter each, and the size that is returned. */
  async function write(folder: string, ...lengths: readonly number[]): Promise<[string, number | Error]> {
    const path = join(folder, "file");
    const { calls, outcome } = await oneByOne(async (files) => {
      const file = await files.open(path, "w");
      const size = await writePieces(file, pieces(...lengths));
      await file.close();
      return size;
    });
    assert.ok(readFileSync(path).equals(Buffer.concat([...pieces(...lengths)])));
    return [calls.map((call) => call.slice(0, 1)).join(""), outcome];
  }

  it("is synced after every 64 KiB, so that no sync takes long", async (t) => {
    const folder = await temporaryFolder(t);
    for (const [lengths, calls] of [
      [[], "oc"],
      [[64 * kibibyte - 1], "owc"],
      [[64 * kibibyte], "owdc"],
      [[32, 31, 1, 63, 1, 100].map((each) => each * kibibyte), "owwwdwwdwdc"],
      [[200 * kibibyte, 1, 1], "owdwwc"],
    ] as const) {
      const size = lengths.reduce<number>((sum, each) => sum + each, 0);
      assert.deepEqual(await write(folder, ...lengths), [calls, size], `${lengths}`);
    }
  });
});

describe("writing bytes", () => {
  it("goes on after a short write, and ends where no byte is written", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    for (const [written, size, isWhole] of [
      [[2, 1, 9], 12, true],
      [[5, 0, 7], 5, false],
    ] as const) {
      const sizes = written.values();
      const { calls, outcome } = await oneByOne(
        async (files) => {
          const file = await files.open(path, "w");
          await writeAll(file, old, 0).finally(() => file.close());
        },
        ({ operation }) => (operation === "write" ? { bytes: sizes.next().value ?? 0 } : undefined),
      );
      assert.deepEqual(readFileSync(path), old.subarray(0, size));
      assert.equal(
        outcome instanceof Error ? outcome.message : "",
        isWhole ? "" : "no byte could be written",
      );
      assert.equal(calls.filter((call) => call === "write file").length, isWhole ? 3 : 2);
    }
  });

  it("begins at a position", async (t) => {
    const path = join(await temporaryFolder(t), "file");
    await writeFile(path, old);
    await oneByOne(async (files) => {
      const file = await files.open(path, "r+");
      await writeAll(file, Buffer.from("new"), 4);
      await file.close();
    });
    assert.equal(readFileSync(path, "utf8"), "the new file");
  });
});

describe("syncing a folder", () => {
  it("opens, syncs and closes it, also where the sync fails", async (t) => {
    const folder = await temporaryFolder(t);
    for (const fails of [false, true]) {
      const { calls, outcome } = await oneByOne(
        (files) => syncFolder(files, folder),
        ({ operation }) => (fails && operation === "sync" ? systemError("EIO") : undefined),
      );
      assert.deepEqual(
        calls.map((call) => call.split(" ")[0]),
        ["open", "sync", "close"],
      );
      assert.equal(outcome instanceof FileError, fails);
    }
  });
});

describe("an error of the file system", () => {
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
    assert.equal(hasCode(error, "ENOENT"), true);
    assert.equal(hasCode(error, "EIO", "ENOENT"), true);
    assert.equal(hasCode(error, "EIO"), false);
    assert.equal(hasCode(error), false);
    for (const other of [{ code: "ENOENT" }, new Error("ENOENT"), "ENOENT", undefined]) {
      assert.equal(hasCode(other, "ENOENT", "undefined"), false);
    }
    assert.equal(isMissing(error), true);
    assert.equal(isMissing(systemError("ENOTDIR")), false);
  });
});
