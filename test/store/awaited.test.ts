/** What the store asks of the file system is asked one after another, and done when the store says so. */
import assert from "node:assert/strict";
import { cp, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type File, type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  type Call,
  contents,
  ninth,
  openNotebook,
  origin,
  put,
  segment,
  snapshot,
  systemError,
  writeLines,
} from "./_faults.ts";

/** A slow disk, which knows the calls that are under way. */
class SlowDisk {
  /** The calls so far, such as `write journal-000000000001.log`. */
  readonly calls: string[] = [];
  /** Pairs of calls that were under way at once. */
  readonly overlaps: string[] = [];
  /** The number of the call that fails, unless it closes a file. */
  failing: number | undefined;
  readonly #underWay = new Set<string>();
  readonly #open = new Map<File, string>();
  readonly #folder: string;
  readonly files: Files;

  constructor(folder: string) {
    this.#folder = folder;
    const { open, readFile, readdir, rename, unlink, mkdir } = nodeFiles;
    this.files = {
      open: async (path, ...more) => {
        const file = await this.#run("open", path, () => open(path, ...more));
        this.#open.set(file, path);
        return this.#slow(file, path);
      },
      readFile: (path) => this.#run("readFile", path, () => readFile(path)),
      readdir: (path) => this.#run("readdir", path, () => readdir(path)),
      rename: (from, to) => this.#run("rename", to, () => rename(from, to)),
      unlink: (path) => this.#run("unlink", path, () => unlink(path)),
      mkdir: (path, options) => this.#run("mkdir", path, () => mkdir(path, options)),
    };
  }

  /** Asserts that nothing was asked while something else was under way, and that nothing is now. */
  assertIdle(when: string): void {
    assert.deepEqual(this.overlaps, [], when);
    assert.deepEqual([...this.#underWay], [], when);
  }

  /** Asserts that, besides, no file is open. */
  assertReleased(when: string): void {
    this.assertIdle(when);
    assert.deepEqual([...this.#open.values()], [], when);
  }

  /** Returns the calls since the last time, whose operations match. */
  since(operations: RegExp): string[] {
    return this.calls.splice(0).filter((call) => operations.test(call));
  }

  #slow(file: File, path: string): File {
    return new Proxy(file, {
      get: (_, name) => {
        const value: unknown = Reflect.get(file, name, file);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          if (name === "close") this.#open.delete(file);
          // Nothing is lost without the syncs here: the real disk need not be kept waiting.
          const isSync = name === "sync" || name === "datasync";
          return this.#run(name as Call["operation"], path, async () =>
            isSync ? undefined : value.apply(file, given),
          );
        };
      },
    });
  }

  async #run<T>(operation: Call["operation"], path: string, work: () => Promise<T>): Promise<T> {
    const call = `${operation} ${path.replace(`${this.#folder}/`, "").replace(/\.[0-9a-f]{12}\.tmp/, ".tmp")}`;
    const isFailing = this.calls.length === this.failing;
    this.calls.push(call);
    for (const other of this.#underWay) this.overlaps.push(`${call} during ${other}`);
    this.#underWay.add(call);
    try {
      for (let turns = 0; turns < 3; turns += 1) await setImmediate();
      if (isFailing && operation !== "close") throw systemError("EIO");
      return await work();
    } finally {
      this.#underWay.delete(call);
    }
  }
}

const olderHeader = { format: "gameaddon-journal", version: 2, first: 1, chain: 0, instant: 4 };
const change = { collection: "notes", key: "a", before: null, after: { id: "a", text: "a", topic: null } };
const record = { sequence: 1, instant: 5, who: "operator", operation: "test", changes: [change] };

/** What a start may find, and the last change then. */
const starts: Readonly<Record<string, (folder: string) => Promise<number>>> = {
  "no folder": async () => 0,
  "a whole folder": async (folder) => {
    await ninth(folder);
    return 9;
  },
  "an incomplete change at the end": async (folder) => {
    const path = join(await ninth(folder), segment(7));
    await truncate(path, (await readFile(path)).length - 10);
    return 8;
  },
  "a change that lacks only its line feed": async (folder) => {
    const path = join(await ninth(folder), segment(7));
    await truncate(path, (await readFile(path)).length - 1);
    return 9;
  },
  "the temporary files of two interrupted snapshots": async (folder) => {
    await ninth(folder);
    for (const each of [1, 2]) await writeFile(join(folder, `.${snapshot(9)}.${each}23456789abc.tmp`), "");
    return 9;
  },
  "the mark of a failed sync": async (folder) => {
    await writeFile(join(await ninth(folder), "unsynced"), "");
    return 9;
  },
  "an older format": async (folder) => {
    await (await openNotebook(folder)).close();
    await writeLines(join(folder, segment(1)), [olderHeader, record], 0);
    return 1;
  },
};

describe("the calls of a start", () => {
  /** A process may have been killed before it had synced what it wrote. */
  const synced = `datasync ${segment(7)}`;

  /** Returns what a start writes, syncs, renames and deletes. */
  async function stepsOf(folder: string): Promise<string[]> {
    const disk = new SlowDisk(folder);
    const store = await openNotebook(folder, { files: disk.files });
    const steps = disk.since(/^(?!mkdir|open|readFile|readdir|stat|close|\w+ lock)/);
    await store.close();
    return steps;
  }

  it("keep an incomplete change durably before they cut it off", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    await truncate(path, (await readFile(path)).length - 10);
    assert.deepEqual(await stepsOf(folder), [
      `write ${segment(7)}.broken`,
      `sync ${segment(7)}.broken`,
      `truncate ${segment(7)}`,
      `sync ${segment(7)}`,
      synced,
    ]);
  });

  it("complete a line durably", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    const whole = await readFile(path);
    await truncate(path, whole.length - 1);
    assert.deepEqual(await stepsOf(folder), [`write ${segment(7)}`, `sync ${segment(7)}`, synced]);
    assert.deepEqual(await readFile(path), whole);
  });

  it("write nothing where everything is whole, and sync the journal all the same", async (t) => {
    assert.deepEqual(await stepsOf(await ninth(await temporaryFolder(t))), [synced]);
  });
});

describe("a start that finds", () => {
  for (const [what, prepare] of Object.entries(starts)) {
    it(`${what} has done everything when it returns, and so has each call after it`, async (t) => {
      const folder = join(await temporaryFolder(t), "data");
      const last = await prepare(folder);
      const disk = new SlowDisk(folder);
      const store = await openNotebook(folder, {
        files: disk.files,
        retention: { milliseconds: -1, snapshots: 1 },
      });
      disk.assertIdle("open");
      assert.equal(store.sequence, last);
      assert.equal(store.isNew, what === "no folder");
      const works: Readonly<Record<string, () => Promise<unknown>>> = {
        change: () => put(store, "b", `after ${last}`),
        snapshot: () => store.snapshot(),
        check: () => store.check(),
        "bulk change": () =>
          store.changeInBulk(origin, () => [{ collection: "notes", key: "b", before: null, after: null }]),
        close: () => store.close({ snapshot: true }),
      };
      for (const [name, work] of Object.entries(works)) {
        await work();
        disk.assertIdle(name);
      }
      disk.assertReleased("close");
      const again = await openNotebook(folder);
      assert.deepEqual(contents(again.data), contents(store.data));
      await again.close();
    });

    it(`${what} and fails at any call leaves nothing open and nothing under way`, async (t) => {
      const base = await temporaryFolder(t);
      const whole = join(base, "whole");
      const last = await prepare(whole);
      for (let failing = 0; ; failing += 1) {
        const folder = join(base, String(failing));
        if (what !== "no folder") await cp(whole, folder, { recursive: true });
        const disk = new SlowDisk(folder);
        disk.failing = failing;
        const store = await openNotebook(folder, { files: disk.files }).catch(() => undefined);
        const call = disk.calls[failing];
        const when = `${what}: ${call}`;
        disk.failing = undefined;
        if (store === undefined) disk.assertReleased(when);
        else disk.assertIdle(when);
        await store?.close();
        disk.assertReleased(when);
        if (call === undefined) break;
        const again = await openNotebook(folder);
        assert.equal(again.sequence, last, when);
        await again.close();
      }
    });
  }
});
