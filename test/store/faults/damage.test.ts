/** Recovery from torn, damaged and missing files. */
import assert from "node:assert/strict";
import { cp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readSegment } from "../../../src/store/journal/segment.ts";
import { readState } from "../../../src/store/reading.ts";
import { assertIncludes, temporaryFolder } from "../../_setup.ts";
import {
  assertGoesOn,
  assertRefused,
  contents,
  filesOf,
  fill,
  ninth,
  notebook,
  openNotebook,
  ruledFiles,
  segment,
  snapshot,
  spoil,
  stateAfter,
  writeLines,
} from "../_faults.ts";

describe("a torn end", () => {
  for (const left of ["one byte", "nearly all"])
    it(`of the newest segment, ${left} of a change, is cut off and kept in another file, with a warning`, async (t) => {
      const folder = await ninth(await temporaryFolder(t));
      const path = join(folder, segment(7));
      const bytes = await readFile(path);
      const last = readSegment(bytes).records.at(-1)?.offset ?? 0;
      const torn = bytes.subarray(0, left === "one byte" ? last + 1 : -10);
      await writeFile(path, torn);
      const calls: string[] = [];
      const files = ruledFiles(({ operation, path: of }) => void calls.push(`${operation} ${of}`));
      await (await openNotebook(folder, { files })).close();
      const synced = calls.indexOf(`sync ${folder}`);
      assert.ok(
        synced >= 0 && synced < calls.indexOf(`truncate ${path}`),
        "the copy is durable before the cut",
      );
      await writeFile(path, torn);
      const [warning = ""] = await assertGoesOn(folder, 8);
      const end = readSegment(torn).end;
      for (const named of [path, `${path}.broken`, `byte ${end}`])
        assert.ok(warning.includes(named), warning);
      assert.deepEqual(await readFile(`${path}.broken`), torn.subarray(end));
    });

  it("of an older segment does not hide the moments before it", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(4));
    await truncate(path, (await readFile(path)).length - 10);
    const { database } = await readState(nodeFiles, folder, notebook, { until: 2 });
    assert.deepEqual(contents(database.view), stateAfter(2));
    await assert.rejects(readState(nodeFiles, folder, notebook, { until: 5 }), {
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
      const header = { format: "gameaddon-journal", version: 4, first, chain, instant: 0 };
      await writeLines(join(folder, segment(first)), [header]);
      assert.deepEqual(await assertGoesOn(folder, 6), []);
      const { database } = await readState(nodeFiles, folder, notebook, { until: 5 });
      assert.deepEqual(contents(database.view), stateAfter(5));
    });
  }
});

/** Returns where the changes of a segment begin, and where its bytes end. */
async function placesIn(folder: string, first: number): Promise<number[]> {
  const { records, end } = readSegment(await readFile(join(folder, segment(first))));
  return [...records.map(({ offset }) => offset), end];
}

/** Cuts bytes off the end of a file. */
async function cutOff(path: string, bytes: number): Promise<void> {
  await truncate(path, (await readFile(path)).length - bytes);
}

/** Writes other changes than those of the numbered ones, with the same numbers and files. */
async function otherFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  const store = await openNotebook(folder);
  await fill(store, 6, 4);
  await store.snapshot();
  await fill(store, 9, 4);
  await store.close();
  return folder;
}

/** What becomes of a folder with nine changes; returns which file the refusal names, undefined for the folder, and more. */
type Damage = (
  folder: string,
  t: TestContext,
) => Promise<readonly [file: string | undefined, ...words: string[]]>;

const damages: Readonly<Record<string, Damage>> = {
  "a change within the newest segment": async (folder) => {
    const [, second = 0] = await placesIn(folder, 7);
    await spoil(join(folder, segment(7)), second + 30);
    return [segment(7), `byte ${second}`, "checksum"];
  },
  "the line feed of the last line, which was acknowledged": async (folder) => {
    const [, , third = 0, end = 0] = await placesIn(folder, 7);
    await spoil(join(folder, segment(7)), end - 1);
    return [segment(7), `byte ${third}`, "checksum"];
  },
  "the end of the last line": async (folder) => {
    const end = (await placesIn(folder, 7)).at(-1) ?? 0;
    await spoil(join(folder, segment(7)), end - 20);
    return [segment(7), "checksum"];
  },
  "a torn end of an older segment": async (folder) => {
    await rm(join(folder, snapshot(6)));
    const [, , third] = await placesIn(folder, 4);
    await cutOff(join(folder, segment(4)), 10);
    return [segment(4), `byte ${third}`, "the change is incomplete, and later segments exist"];
  },
  "the missing line feed of an older segment": async (folder) => {
    await rm(join(folder, snapshot(6)));
    await cutOff(join(folder, segment(4)), 1);
    return [segment(4), "the change is incomplete, and later segments exist"];
  },
  "the header of a segment": async (folder) => {
    await spoil(join(folder, segment(7)), 20);
    return [segment(7), "byte 0"];
  },
  "the incomplete header of a segment without changes": async (folder) => {
    const store = await openNotebook(folder);
    await store.close({ snapshot: true });
    await truncate(join(folder, segment(10)), 40);
    return [segment(10), "byte 0", "header is incomplete", "40 bytes"];
  },
  "a segment with the name of another": async (folder) => {
    await cp(join(folder, segment(4)), join(folder, segment(7)));
    return [segment(7), "begins with 4"];
  },
  "a segment of another folder with the right numbers": async (folder, t) => {
    await cp(join(await otherFolder(t), segment(7)), join(folder, segment(7)));
    return [segment(7), "does not follow"];
  },
  "a snapshot of another folder, at the change that it is to contain": async (folder, t) => {
    for (const name of [snapshot(3), snapshot(6), segment(1), segment(4), segment(7)])
      await rm(join(folder, name));
    const store = await openNotebook(folder);
    await fill(store, 9);
    await store.close();
    await cp(join(await otherFolder(t), snapshot(6)), join(folder, snapshot(6)));
    return [segment(1), `byte ${(await placesIn(folder, 1))[5]}`, "it does not follow the snapshot"];
  },
  "a gap in the numbers within a segment": async (folder) => {
    const path = join(folder, segment(7));
    const { chain, records } = readSegment(await readFile(path));
    const [first, , third] = records;
    const header = { format: "gameaddon-journal", version: 2, first: 7, chain, instant: 0 };
    await writeLines(path, [header, first?.record ?? {}, third?.record ?? {}], chain);
    return [segment(7), "expected change 8, got 9"];
  },
  "a missing segment between others": async (folder) => {
    for (const name of [snapshot(6), segment(4)]) await rm(join(folder, name));
    return [segment(7), "4 is missing"];
  },
  "changes that a snapshot has but the segment before it lacks": async (folder) => {
    const store = await openNotebook(folder);
    await store.close({ snapshot: true });
    for (const name of [snapshot(9), segment(7)]) await rm(join(folder, name));
    const [, , third] = await placesIn(folder, 4);
    await truncate(join(folder, segment(4)), third);
    return [segment(4), "its last change is 5, but the snapshot contains 6"];
  },
  "a missing newest segment, which is created before the snapshot": async (folder) => {
    await rm(join(folder, segment(7)));
    return [undefined, "from change 7 on", "addon-cli data repair --from"];
  },
  "two missing newest segments": async (folder) => {
    for (const first of [7, 4]) await rm(join(folder, segment(first)));
    return [undefined, "from change 7 on"];
  },
  "a missing journal": async (folder) => {
    for (const first of [7, 4, 1]) await rm(join(folder, segment(first)));
    return [undefined, "from change 7 on"];
  },
  "a journal without the snapshot before it: it never starts empty": async (folder) => {
    for (const name of [snapshot(3), snapshot(6), segment(1)]) await rm(join(folder, name));
    return [undefined, "from change 1 on"];
  },
  "the newest snapshot and the segment that would replace it": async (folder) => {
    await spoil(join(folder, snapshot(6)), 300);
    await rm(join(folder, segment(4)));
    return [segment(7), "4 is missing"];
  },
  "the newest snapshot and the newest segment": async (folder) => {
    await spoil(join(folder, snapshot(6)), 300);
    await rm(join(folder, segment(7)));
    return [undefined, "from change 7 on"];
  },
  "the newest snapshot and the begin of everything": async (folder) => {
    await spoil(join(folder, snapshot(6)), 300);
    for (const name of [segment(1), snapshot(3)]) await rm(join(folder, name));
    return [undefined, "from change 1 on"];
  },
};

describe("a start refuses with the file, the place and the next command, and changes nothing:", () => {
  for (const [what, damage] of Object.entries(damages)) {
    it(what, async (t) => {
      const folder = await ninth(await temporaryFolder(t));
      const [file, ...words] = await damage(folder, t);
      const before = await filesOf(folder);
      const { message, hint = "" } = await assertRefused(openNotebook(folder), join(folder, file ?? ""));
      for (const word of words) assertIncludes(`${message} ${hint}`, word);
      assert.match(hint, /addon-cli data/);
      assert.deepEqual(await filesOf(folder), before);
    });
  }
});

describe("damage", () => {
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
});
