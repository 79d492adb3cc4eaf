/** Segments that end within their header. A segment appears whole, so this is always damage and never an empty start. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../_setup.ts";
import {
  assertGoesOn,
  assertKept,
  assertLeft,
  type Call,
  fill,
  namesIn,
  ninth,
  openNotebook,
  ruledFiles,
  segment,
  snapshot,
  systemError,
} from "./_faults.ts";

/** Returns the length of a segment's header without its line feed. */
async function headerLength(path: string): Promise<number> {
  return (await readFile(path)).indexOf("\n");
}

/** Asserts that a start refuses the segment, however much of its header is left. */
async function assertRefusedAtEveryByte(folder: string, first: number): Promise<void> {
  const path = join(folder, segment(first));
  for (let length = await headerLength(path); length >= 0; length -= 1) {
    await truncate(path, length);
    const hint = await assertLeft(folder, path, "byte 0", "header is incomplete", `${length} bytes`);
    assert.match(hint, /addon-cli data verify.*addon-cli data repair/);
  }
}

describe("a segment cut at any byte of its header", () => {
  it("is refused if it is the only file", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await fill(store, 3);
    await store.close();
    await assertRefusedAtEveryByte(folder, 1);
  });

  it("is refused if it is the newest of several, after a snapshot", async (t) => {
    await assertRefusedAtEveryByte(await ninth(await temporaryFolder(t)), 7);
  });

  it("is refused if it is the newest of several, without a snapshot", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    for (const each of [3, 6]) await rm(join(folder, snapshot(each)));
    await assertRefusedAtEveryByte(folder, 7);
  });

  it("is refused if it is between others and no snapshot has its changes", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    await rm(join(folder, snapshot(6)));
    await assertRefusedAtEveryByte(folder, 4);
  });

  it("is refused if it is the newest and never had a change", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await fill(store, 3);
    await store.close({ snapshot: true });
    await assertRefusedAtEveryByte(folder, 4);
  });
});

describe("a first start", () => {
  const changing: ReadonlySet<Call["operation"]> = new Set([
    "open",
    "mkdir",
    "write",
    "sync",
    "rename",
    "truncate",
  ]);

  it("that stops before any system call leaves a folder that starts", async (t) => {
    const calls: Call[] = [];
    const counting = ruledFiles((call) => {
      if (changing.has(call.operation)) calls.push(call);
      return undefined;
    });
    const started = await openNotebook(join(await temporaryFolder(t), "data"), { files: counting });
    const count = calls.length;
    await started.close();
    assert.ok(count > 5, `${count} calls`);
    for (let index = 0; index < count; index += 1) {
      const folder = join(await temporaryFolder(t), "data");
      await mkdir(folder);
      let call = -1;
      // From that call on nothing is done any more, as after a kill: nothing is cleaned up either.
      const files = ruledFiles(({ operation }) => {
        if (changing.has(operation)) call += 1;
        return call >= index && operation !== "close" ? systemError("EIO") : undefined;
      });
      await assert.rejects(openNotebook(folder, { files }));
      const store = await openNotebook(folder);
      assertKept(store, 0, 0);
      await store.close();
      assert.deepEqual(await namesIn(folder, /\.tmp$/), []);
      await assertGoesOn(folder, 0);
    }
  });
});

describe("a new segment", () => {
  it("does not replace one that has changes", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    t.after(() => store.close());
    await fill(store, 2);
    const other = await temporaryFolder(t);
    const foreign = await openNotebook(other);
    await fill(foreign, 2);
    await foreign.snapshot();
    await fill(foreign, 4);
    await foreign.close();
    await copyFile(join(other, segment(3)), join(folder, segment(3)));
    const bytes = await readFile(join(folder, segment(3)));
    await assert.rejects(store.snapshot(), /has changes/);
    assert.deepEqual(await readFile(join(folder, segment(3))), bytes);
  });
});
