/** Recovery from torn, damaged and missing files. */
import assert from "node:assert/strict";
import { cp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readSegment } from "../../src/store/journal/segment.ts";
import { readState } from "../../src/store/reading.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  assertGoesOn,
  assertLeft,
  contents,
  fill,
  ninth,
  notebook,
  openNotebook,
  segment,
  snapshot,
  spoil,
  stateAfter,
  writeLines,
} from "./_faults.ts";

describe("a whole line of a snapshot", () => {
  for (const line of [
    {},
    [],
    { collection: "notes" },
    { record: { id: "a", text: "a", topic: null } },
    { collection: 1, record: { id: "a", text: "a", topic: null } },
    { end: "1" },
    { end: null },
  ]) {
    it(`is damage if it is neither a record nor the last line: ${JSON.stringify(line)}`, async (t) => {
      const folder = await ninth(await temporaryFolder(t));
      const path = join(folder, snapshot(6));
      const header = { format: "gameaddon-snapshot", version: 2, sequence: 6, chain: 1, instant: 4 };
      await writeLines(path, [header, line, { end: 1 }]);
      const offset = (await readFile(path)).indexOf("\n") + 1;
      const what = "the line is neither a record nor the last line";
      assert.deepEqual(await assertGoesOn(folder, 9), [
        `${path} is damaged at byte ${offset} (${what}); the one before it is used.`,
      ]);
    });
  }
});

describe("a torn end", () => {
  it("of the newest segment is cut off and kept in another file, with a warning", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    const bytes = await readFile(path);
    const torn = bytes.subarray(0, -10);
    await writeFile(path, torn);
    const [warning = ""] = await assertGoesOn(folder, 8);
    const end = readSegment(torn).end;
    for (const named of [path, `${path}.broken`, `byte ${end}`]) assert.ok(warning.includes(named), warning);
    assert.deepEqual(await readFile(`${path}.broken`), torn.subarray(end));
  });

  it("is removed from the file, even if it is longer than the next write", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    const bytes = await readFile(path);
    const { end } = readSegment(bytes.subarray(0, -10));
    // The beginning of a line, as long as a large change makes it.
    await writeFile(path, Buffer.concat([bytes.subarray(0, end + 20), Buffer.alloc(100_000, "x")]));
    const store = await openNotebook(folder);
    assert.deepEqual(await readFile(path), bytes.subarray(0, end));
    await store.close();
    assert.deepEqual(await assertGoesOn(folder, 8), []);
  });

  it("of a line that lacks only its line feed is completed: the change is kept", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    await truncate(path, (await readFile(path)).length - 1);
    assert.deepEqual(await assertGoesOn(folder, 9), []);
  });

  it("of an older segment is damage", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    await rm(join(folder, snapshot(6)));
    const path = join(folder, segment(4));
    await truncate(path, (await readFile(path)).length - 10);
    const { end } = readSegment(await readFile(path));
    assert.match(await assertLeft(folder, path, `byte ${end}`), /addon-cli data verify/);
  });

  it("of an older segment is damage, even if only the line feed is missing", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    await rm(join(folder, snapshot(6)));
    const path = join(folder, segment(4));
    await truncate(path, (await readFile(path)).length - 1);
    await assertLeft(folder, path, "the change is incomplete, and later segments exist");
  });

  it("of an older segment does not hide the moments before it", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(4));
    await truncate(path, (await readFile(path)).length - 10);
    const { database } = await readState(nodeFiles, folder, notebook, 2);
    assert.deepEqual(contents(database.view), stateAfter(2));
    await assert.rejects(readState(nodeFiles, folder, notebook, 5), {
      code: "STORE_UNAVAILABLE",
    });
  });
});

describe("a segment without changes", () => {
  for (const first of [2, 6, 7]) {
    it(`that a failed snapshot has begun with change ${first} is passed over if the changes went on before it`, async (t) => {
      const folder = await temporaryFolder(t);
      const store = await openNotebook(folder);
      await fill(store, 6);
      await store.close();
      const { records } = readSegment(await readFile(join(folder, segment(1))));
      const chain = records[first - 2]?.chain;
      const header = { format: "gameaddon-journal", version: 3, first, chain, instant: 0 };
      await writeLines(join(folder, segment(first)), [header]);
      assert.deepEqual(await assertGoesOn(folder, 6), []);
      const { database } = await readState(nodeFiles, folder, notebook, 5);
      assert.deepEqual(contents(database.view), stateAfter(5));
    });
  }
});

describe("damage", () => {
  it("within the newest segment is refused with the file, the offset and the next command", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    const [, second] = readSegment(await readFile(path)).records;
    await spoil(path, (second?.offset ?? 0) + 30);
    const hint = await assertLeft(folder, path, `byte ${second?.offset}`, "checksum");
    assert.match(hint, /addon-cli data verify.*addon-cli data repair/);
  });

  it("of the last line is not a torn end: the line was acknowledged", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    const bytes = await readFile(path);
    for (const offset of [bytes.length - 1, bytes.length - 2, bytes.length - 20]) {
      await writeFile(path, bytes);
      await spoil(path, offset);
      await assertLeft(folder, path, "checksum");
    }
  });

  it("of a segment's header is refused", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    await spoil(path, 20);
    await assertLeft(folder, path, "byte 0");
  });

  it("by a segment with the name of another is refused", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    await cp(join(folder, segment(4)), join(folder, segment(7)));
    await assertLeft(folder, join(folder, segment(7)), "begins with 4");
  });

  it("by a segment of another folder with the right numbers is refused", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const other = await temporaryFolder(t);
    const store = await openNotebook(other);
    await fill(store, 6, 4);
    await store.snapshot();
    await fill(store, 9, 4);
    await store.close();
    await cp(join(other, segment(7)), join(folder, segment(7)));
    await assertLeft(folder, join(folder, segment(7)), "does not follow");
  });

  it("by a snapshot of another folder with the right numbers is refused at the change that it is to contain", async (t) => {
    const [folder, other] = [await temporaryFolder(t), await temporaryFolder(t)];
    for (const [path, length] of [
      [folder, 3],
      [other, 4],
    ] as const) {
      const store = await openNotebook(path);
      await fill(store, 6, length);
      if (path === other) await store.snapshot();
      await fill(store, 9, length);
      await store.close();
    }
    const path = join(folder, segment(1));
    const { records } = readSegment(await readFile(path));
    await cp(join(other, snapshot(6)), join(folder, snapshot(6)));
    await assertLeft(folder, path, `byte ${records[5]?.offset}`, "it does not follow the snapshot");
  });

  it("by a gap in the numbers within a segment is refused with its offset", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    const { records } = readSegment(await readFile(path));
    const header = { format: "gameaddon-journal", version: 2, first: 7, chain: 5, instant: 0 };
    await writeLines(path, [header, records[0]?.record ?? {}, records[2]?.record ?? {}], 5);
    await assertLeft(folder, path, "expected change 8, got 9");
  });

  it("by a missing segment between others is refused with the missing number", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    for (const name of [snapshot(6), segment(4)]) await rm(join(folder, name));
    await assertLeft(folder, join(folder, segment(7)), "4 is missing");
  });

  it("by changes that a snapshot has but the segment before it lacks is refused with that segment", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    for (const each of [3, 6, 9]) {
      await fill(store, each);
      await store.snapshot();
    }
    await store.close();
    for (const name of [snapshot(9), segment(7)]) await rm(join(folder, name));
    const path = join(folder, segment(4));
    const { records } = readSegment(await readFile(path));
    await truncate(path, records[2]?.offset ?? 0);
    await assertLeft(folder, path, "its last change is 5, but the snapshot contains 6");
  });

  it("by a missing newest segment is refused: it is created before the snapshot", async (t) => {
    for (const missing of [[segment(7)], [segment(7), segment(4)], [segment(7), segment(4), segment(1)]]) {
      const folder = await ninth(await temporaryFolder(t));
      for (const name of missing) await rm(join(folder, name));
      assert.match(await assertLeft(folder, folder, "from change 7 on"), /addon-cli data repair --from/);
    }
  });

  it("by a missing newest segment is refused even if the one before it begins with the last change", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    for (const each of [5, 6, 8]) {
      await fill(store, each);
      if (each < 8) await store.snapshot();
    }
    await store.close();
    await rm(join(folder, segment(7)));
    await assertLeft(folder, folder, "from change 7 on");
  });

  it("by a journal without the snapshot before it is refused, and never starts empty", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    for (const name of [snapshot(3), snapshot(6), segment(1)]) await rm(join(folder, name));
    await assertLeft(folder, folder, "from change 1 on");
  });

  it("of the newest snapshot is bridged by the previous one and all changes since", async (t) => {
    for (const damage of [
      (path: string) => spoil(path, 300),
      (path: string) => spoil(path, 3),
      (path: string) => truncate(path, 300),
      (path: string) => truncate(path, 0),
      async (path: string) => truncate(path, (await readFile(path)).lastIndexOf("\n", -2) + 1),
    ]) {
      const folder = await ninth(await temporaryFolder(t));
      const path = join(folder, snapshot(6));
      await damage(path);
      const warnings = await assertGoesOn(folder, 9);
      assert.ok(
        warnings.some((warning) => warning.includes(path) && /at byte \d+/.test(warning)),
        `${warnings}`,
      );
    }
  });

  it("of all snapshots is bridged by a whole journal", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    await spoil(join(folder, snapshot(3)), 300);
    await spoil(join(folder, snapshot(6)), 300);
    assert.equal((await assertGoesOn(folder, 9)).length, 2);
  });

  it("of the newest snapshot is refused if changes since the previous one are missing", async (t) => {
    const cases: [string, string[]][] = [
      ["4 is missing", [segment(4)]],
      ["from change 7 on", [segment(7)]],
      ["from change 7 on", [segment(4), segment(7)]],
      ["from change 1 on", [segment(1), snapshot(3)]],
    ];
    for (const [expected, missing] of cases) {
      const folder = await ninth(await temporaryFolder(t));
      await spoil(join(folder, snapshot(6)), 300);
      for (const name of missing) await rm(join(folder, name));
      await assertLeft(folder, folder, expected);
    }
  });
});
