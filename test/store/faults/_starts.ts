/** What a start may find: a whole folder, one with something to finish, or none. */
import assert from "node:assert/strict";
import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeLine } from "../../../src/store/journal/lines.ts";
import { changeInBulk, filesOf, fill, namesIn, ninth, openNotebook, segment, snapshot } from "../_faults.ts";

/** Something that a start may find. */
export interface Start {
  /** Makes the folder. Returns an assertion of what a start that succeeds has made of it. */
  readonly prepare: (folder: string) => Promise<(folder: string) => Promise<void>>;
  /** The number of the last change. */
  readonly last: number;
  /** Whether that is durable. The copy of an incomplete change, which was never acknowledged, need not be. */
  readonly isDurable?: false;
}

const nothing = async () => {};

/** Cuts the newest segment of nine changes off; asserts that what was cut into is kept in another file. */
async function cut(
  folder: string,
  lengthOf: (bytes: Buffer) => number,
  lines = 1,
): Promise<(folder: string) => Promise<void>> {
  const path = join(folder, segment(7));
  const bytes = await readFile(path);
  const length = lengthOf(bytes);
  await truncate(path, length);
  let from = length;
  for (let line = 0; line < lines; line += 1) from = bytes.lastIndexOf("\n", from - 1);
  const torn = bytes.subarray(from + 1, length);
  return async (left) => {
    const kept = await readFile(join(left, `${segment(7)}.broken`));
    assert.ok(kept.equals(torn), `${kept.length} bytes were kept, ${torn.length} were cut off`);
  };
}

/** Replaces the header of a segment by that of an older version. */
export async function makeOlder(path: string, version: number): Promise<void> {
  const [header = "", ...lines] = (await readFile(path, "utf8")).split("\n");
  const older = { ...JSON.parse(header.slice(9)), version };
  await writeFile(path, encodeLine(JSON.stringify(older), 0).line + lines.join("\n"));
}

export const starts: Readonly<Record<string, Start>> = {
  "no folder": { prepare: async () => nothing, last: 0 },
  "a whole folder": {
    prepare: async (folder) => {
      await ninth(folder);
      return nothing;
    },
    last: 9,
  },
  "an incomplete change at the end": {
    prepare: async (folder) => cut(await ninth(folder), ({ length }) => length - 10),
    last: 8,
    isDurable: false,
  },
  "an incomplete bulk change at the end": {
    prepare: async (folder) => {
      const store = await openNotebook(await ninth(folder));
      await changeInBulk(store);
      await store.close();
      // Its first line is whole.
      return cut(folder, (bytes) => bytes.lastIndexOf("\n", -2) + 20, 2);
    },
    last: 9,
    isDurable: false,
  },
  "a change that lacks only its line feed": {
    prepare: async (folder) => {
      const path = join(await ninth(folder), segment(7));
      await truncate(path, (await readFile(path)).length - 1);
      return async (left) => assert.deepEqual(await namesIn(left, /broken/), []);
    },
    last: 9,
    isDurable: false,
  },
  "the temporary files of two interrupted snapshots": {
    prepare: async (folder) => {
      await ninth(folder);
      for (const index of [1, 2])
        await writeFile(join(folder, `.${snapshot(9)}.${index}23456789abc.tmp`), "");
      return async (left) => assert.deepEqual(await namesIn(left, /tmp$/), []);
    },
    last: 9,
  },
  "the mark of a failed sync": {
    prepare: async (folder) => {
      await writeFile(join(await ninth(folder), "unsynced"), "");
      return async (left) => {
        assert.deepEqual(await namesIn(left, /^unsynced$/), []);
        assert.ok((await stat(join(left, snapshot(9)))).size > 0, "everything was written again");
      };
    },
    last: 9,
  },
  "an older format": {
    prepare: async (folder) => {
      const store = await openNotebook(folder);
      await fill(store, 3);
      await store.close();
      await makeOlder(join(folder, segment(1)), 2);
      const before = await filesOf(folder);
      return async (left) => {
        const copies = (await readdir(left)).filter((name) => name.startsWith("before-version-4"));
        assert.ok(copies.length > 0, "the old files were copied");
        assert.deepEqual(await filesOf(join(left, copies.at(-1) ?? "")), before);
      };
    },
    last: 3,
  },
};
