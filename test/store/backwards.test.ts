/** Reads the journal in pieces, forwards and backwards: the same changes, and no more of a file than necessary. */
import assert from "node:assert/strict";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { findNames } from "../../src/audit/find-names.ts";
import { readNewest } from "../../src/audit/read.ts";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { readBackwards } from "../../src/store/journal/backwards.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { headerLine } from "../../src/store/journal/segment.ts";
import { temporaryFolder } from "../_setup.ts";
import { ada, type Keeper, openStore, want } from "../audit/_history.ts";
import { ninth, segment, spoil } from "./_faults.ts";

/** Node's files, and how many bytes were read through them. */
function countedFiles(): { files: Files; bytes(): number } {
  let bytes = 0;
  const files: Files = {
    ...nodeFiles,
    async *readPieces(path, from) {
      for await (const piece of nodeFiles.readPieces?.(path, from) ?? []) {
        bytes += piece.length;
        yield piece;
      }
    },
  };
  return { files, bytes: () => bytes };
}

async function numbers(records: AsyncIterable<{ readonly sequence: number }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { sequence } of records) found.push(sequence);
  return found;
}

/** A player, bulk changes of several lines between single ones, and a snapshot: about 3 MB. */
async function longHistory(t: TestContext): Promise<Keeper> {
  const store = await openStore(t);
  await store.change({ who: "operator", operation: "player.add" }, (draft) =>
    draft.players.put({ uuid: ada, name: "Ada", administrator: false, registeredAt: 0 }),
  );
  await store.snapshot();
  for (let round = 1; round <= 3; round += 1) {
    await store.changeInBulk({ who: ada, operation: "test.bulk" }, () =>
      Array.from({ length: 9000 }, (_, each) => {
        const [before, after] = [round - 1, round].map((points) => ({ reason: `R${each}`, points }));
        return { collection: "wantedReasons", key: `r${each}`, before: round === 1 ? null : before, after };
      }),
    );
    for (let each = 0; each < 5; each += 1) await want(store, "A", round * 10 + each);
  }
  return store;
}

async function newestSegment(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith("journal-"));
  return join(folder, names.sort().at(-1) ?? "");
}

describe("reading the journal backwards", () => {
  it("yields the changes of reading it forwards, including bulk changes and several segments", async (t) => {
    const { folder } = await longHistory(t);
    const forwards = await numbers(readHistory(nodeFiles, folder));
    assert.equal(forwards.length, 19);
    assert.deepEqual(await numbers(readBackwards(nodeFiles, folder)), forwards.toReversed());
  });

  it("reads no further than the newest changes", async (t) => {
    const { folder } = await longHistory(t);
    const { files, bytes } = countedFiles();
    for await (const { sequence } of readBackwards(files, folder)) if (sequence === 16) break;
    assert.ok(bytes() <= 256 * 1024, `${bytes()} bytes were read`);
  });

  it("skips an incomplete change at its end", async (t) => {
    const { folder } = await longHistory(t);
    const path = await newestSegment(folder);
    await writeFile(path, (await readFile(path)).subarray(0, -10));
    assert.equal((await numbers(readBackwards(nodeFiles, folder)))[0], 18);
  });

  it("refuses a damaged change with its file, once that change is read", async (t) => {
    const { folder } = await longHistory(t);
    const path = await newestSegment(folder);
    const bytes = await readFile(path);
    bytes.write("x", bytes.indexOf('"points":1'));
    await writeFile(path, bytes);
    const { entries } = await readNewest(nodeFiles, folder, { limit: 2 });
    assert.deepEqual(
      entries.map(({ number }) => number),
      [18, 19],
    );
    await assert.rejects(
      numbers(readBackwards(nodeFiles, folder)),
      /journal-\d+\.log is damaged at byte \d+/,
    );
  });

  it("finds the names of players in a snapshot, without reading the changes again", async (t) => {
    const { folder } = await longHistory(t);
    const { entries, names } = await readNewest(nodeFiles, folder, { limit: 1, operation: "test.bulk" });
    assert.deepEqual(
      entries.map(({ number, name }) => [number, name]),
      [[14, "Ada"]],
    );
    assert.equal(names.of(ada), "Ada");
  });

  it("finds the name of a removed player in an older segment", async (t) => {
    const store = await longHistory(t);
    await store.change({ who: "operator", operation: "player.remove" }, (draft) => draft.players.delete(ada));
    await store.snapshot();
    const { entries } = await readNewest(nodeFiles, store.folder, { limit: 1, operation: "test.bulk" });
    assert.equal(entries[0]?.name, "Ada");
    assert.equal((await findNames(nodeFiles, store.folder, entries)).of(ada), "Ada");
  });
});

describe("reading the journal forwards", () => {
  it("yields changes before the whole file is read", async (t) => {
    const { folder } = await longHistory(t);
    const { files, bytes } = countedFiles();
    for await (const { sequence } of readHistory(files, folder, 1)) if (sequence === 2) break;
    const { length } = await readFile(await newestSegment(folder));
    assert.ok(bytes() < length / 2, `${bytes()} of ${length} bytes were read`);
  });

  it("yields every change before damage, and refuses the damaged one", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    const [header = "", seventh = ""] = (await readFile(path, "utf8")).split(/(?<=\n)/);
    await spoil(path, Buffer.byteLength(header + seventh) + 20);
    const found: number[] = [];
    const reading = async () => {
      for await (const { sequence } of readHistory(nodeFiles, folder)) found.push(sequence);
    };
    await assert.rejects(reading(), { code: "STORE_UNAVAILABLE" });
    assert.equal(found.at(-1), 7);
  });
});

describe("a journal that lacks a segment", () => {
  /** Changes 1 and 2, 3 and 4, 5 and 6, each two in a segment of their own. */
  async function threeSegments(t: TestContext): Promise<Keeper> {
    const store = await openStore(t);
    for (let each = 1; each <= 6; each += 1) {
      await want(store, `R${each}`);
      if (each % 2 === 0) await store.snapshot();
    }
    return store;
  }

  /** Returns the changes that are read, and those that are reported missing, forwards and backwards. */
  async function bothWays(folder: string) {
    const missing: number[][] = [[], []];
    const forwards = await numbers(readHistory(nodeFiles, folder, 0, (...each) => missing[0]?.push(...each)));
    const backwards = await numbers(readBackwards(nodeFiles, folder, (...each) => missing[1]?.push(...each)));
    assert.deepEqual(backwards, forwards.toReversed());
    assert.deepEqual(missing[1], missing[0]);
    return { read: forwards, missing: missing[0] };
  }

  it("reports the changes that are missing between others", async (t) => {
    const { folder } = await threeSegments(t);
    await rm(join(folder, "journal-000000000003.log"));
    assert.deepEqual(await bothWays(folder), { read: [1, 2, 5, 6], missing: [3, 4] });
  });

  it("reports them before an empty segment, too", async (t) => {
    const { folder } = await threeSegments(t);
    await rm(join(folder, "journal-000000000005.log"));
    assert.deepEqual(await bothWays(folder), { read: [1, 2, 3, 4], missing: [5, 6] });
  });

  it("does not report changes before the oldest segment", async (t) => {
    const { folder } = await threeSegments(t);
    await rm(join(folder, "journal-000000000001.log"));
    assert.deepEqual(await bothWays(folder), { read: [3, 4, 5, 6], missing: [] });
  });

  it("does not report changes after a segment that a failed snapshot created", async (t) => {
    const { folder } = await threeSegments(t);
    await writeFile(join(folder, "journal-000000000004.log"), headerLine(4, 0, 0));
    assert.deepEqual(await bothWays(folder), { read: [1, 2, 3, 4, 5, 6], missing: [] });
  });
});
