/** Reading the audit from the files: the names, the newest changes, and the faults that are reported. */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { AuditEntry } from "../../src/audit/entry.ts";
import { PlayerNames } from "../../src/audit/names.ts";
import { type AuditQuery, readEntries, readNames, readNewest, toSelection } from "../../src/audit/read.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { ruledFiles, segment, snapshot, spoil, systemError } from "../store/_faults.ts";
import { ada, bob, changeOf, type Keeper, openStore, recordOf, want } from "./_history.ts";

function register(store: Keeper, uuid: string, name: string): Promise<void> {
  return store.change({ who: "operator", operation: "player.add" }, (draft) =>
    draft.players.put({ uuid, name, administrator: false, registeredAt: 0 }),
  );
}

/** A closed store with Ada (change 1), a snapshot, three reasons (2 to 4), a snapshot, and Bob (5). */
async function history(t: TestContext): Promise<string> {
  const store = await openStore(t);
  await register(store, ada, "Ada");
  await store.snapshot();
  for (const reason of ["A", "B", "C"]) await want(store, reason);
  await store.snapshot();
  await register(store, bob, "Bob");
  await store.close();
  return store.folder;
}

async function entriesOf(folder: string, query: AuditQuery, onRecord?: (number: number) => void) {
  const entries: AuditEntry[] = [];
  for await (const entry of readEntries(nodeFiles, folder, query, new PlayerNames(), onRecord))
    entries.push(entry);
  return entries;
}

const numbersOf = (entries: readonly AuditEntry[]) => entries.map(({ number }) => number);

describe("the names of players in a folder", () => {
  it("come from the data and the journal, without warnings where nothing is wrong", async (t) => {
    const folder = await history(t);
    const { names, warnings } = await readNames(nodeFiles, folder);
    assert.deepEqual([...names.all].sort(), ["Ada", "Bob"]);
    assert.deepEqual(warnings, []);
  });

  it("come from the data where the journal no longer has them", async (t) => {
    const folder = await history(t);
    await rm(join(folder, segment(1)));
    const { names, warnings } = await readNames(nodeFiles, folder);
    assert.deepEqual([...names.all].sort(), ["Ada", "Bob"]);
    assert.deepEqual(warnings, []);
  });

  it("come from the journal for players who were removed", async (t) => {
    const store = await openStore(t);
    await register(store, ada, "Ada");
    await store.change({ who: "operator", operation: "player.remove" }, (draft) => draft.players.delete(ada));
    const { names } = await readNames(nodeFiles, store.folder);
    assert.deepEqual([names.all, store.data.players.size], [["Ada"], 0]);
  });

  it("come from the data alone if the journal before it is damaged", async (t) => {
    const folder = await history(t);
    await spoil(join(folder, segment(1)), 20);
    const { names, warnings } = await readNames(nodeFiles, folder);
    assert.deepEqual([names.of(ada), names.of(bob), warnings], ["Ada", "Bob", []]);
  });

  it("come from the journal up to its damage if the data cannot be read, with a warning", async (t) => {
    const folder = await history(t);
    const path = join(folder, segment(5));
    await writeFile(path, (await readFile(path, "utf8")).replace("Bob", "Bib"));
    const { names, warnings } = await readNames(nodeFiles, folder);
    assert.deepEqual(names.all, ["Ada"]);
    assert.equal(warnings.length, 1);
    const [warning = ""] = warnings;
    assert.ok(warning.startsWith(`${path} is damaged at byte `), warning);
    assert.ok(warning.endsWith(". Names come from the journal only."), warning);
  });

  it("are read with a warning for each damaged snapshot", async (t) => {
    const folder = await history(t);
    await spoil(join(folder, snapshot(4)), 20);
    const { names, warnings } = await readNames(nodeFiles, folder);
    assert.deepEqual([...names.all].sort(), ["Ada", "Bob"]);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /snapshot-000000000004\.jsonl is damaged at byte \d+ .*; the one before it is used\.$/,
    );
  });

  for (const name of [segment(1), snapshot(4)]) {
    it(`are refused if the disk cannot read ${name}`, async (t) => {
      const folder = await history(t);
      const files = ruledFiles(({ operation, path }) =>
        operation === "readPieces" && path === join(folder, name) ? systemError("EIO") : undefined,
      );
      await assert.rejects(readNames(files, folder), { code: "EIO" });
    });
  }
});

describe("a journal that lacks changes", () => {
  it("is reported with the first and the last of them", async (t) => {
    const folder = await history(t);
    await rm(join(folder, segment(2)));
    const lost = `The journal in ${folder} lacks changes 2 to 4: they are not shown. A file was lost or could not be repaired.`;
    assert.deepEqual((await readNames(nodeFiles, folder)).warnings, [lost]);
    const { entries, warnings } = await readNewest(nodeFiles, folder, { limit: 9 });
    assert.deepEqual([numbersOf(entries), warnings], [[1, 5], [lost]]);
  });

  it("is reported with the only one", async (t) => {
    const store = await openStore(t);
    for (const reason of ["A", "B", "C"]) {
      await want(store, reason);
      await store.snapshot();
    }
    await rm(join(store.folder, segment(2)));
    const lost = `The journal in ${store.folder} lacks change 2: it is not shown. A file was lost or could not be repaired.`;
    const { entries, warnings } = await readNewest(nodeFiles, store.folder, { limit: 9 });
    assert.deepEqual([numbersOf(entries), warnings], [[1, 3], [lost]]);
  });

  it("is not reported if the newest changes are enough", async (t) => {
    const folder = await history(t);
    await rm(join(folder, segment(2)));
    const { entries, warnings } = await readNewest(nodeFiles, folder, { limit: 1 });
    assert.deepEqual([numbersOf(entries), warnings], [[5], []]);
  });
});

describe("the newest changes", () => {
  for (const [limit, all, reasons] of [
    [undefined, [1, 2, 3, 4, 5], [2, 3, 4]],
    [0, [], []],
    [1, [5], [4]],
    [2, [4, 5], [3, 4]],
    [3, [3, 4, 5], [2, 3, 4]],
    [4, [2, 3, 4, 5], [2, 3, 4]],
    [5, [1, 2, 3, 4, 5], [2, 3, 4]],
    [6, [1, 2, 3, 4, 5], [2, 3, 4]],
  ] as const) {
    it(`are limited to ${limit ?? "nothing"}, oldest first, read in either direction`, async (t) => {
      const folder = await history(t);
      const operation = "wantedreason";
      assert.deepEqual(numbersOf(await entriesOf(folder, { limit })), all);
      assert.deepEqual(numbersOf(await entriesOf(folder, { limit, operation })), reasons);
      if (limit === undefined) return;
      assert.deepEqual(numbersOf((await readNewest(nodeFiles, folder, { limit })).entries), all);
      assert.deepEqual(
        numbersOf((await readNewest(nodeFiles, folder, { limit, operation })).entries),
        reasons,
      );
    });
  }

  it("of none need no file", async () => {
    const files = ruledFiles(({ operation }) =>
      operation === "readPieces" ? systemError("EIO") : undefined,
    );
    const listed = { ...files, readdir: async () => [segment(1)] };
    const { entries, warnings } = await readNewest(listed, "/none", { limit: 0 });
    assert.deepEqual([entries, warnings], [[], []]);
  });

  it("are reported by number as they are read, whether they are shown or not", async (t) => {
    const folder = await history(t);
    for (const limit of [1, undefined]) {
      const seen: number[] = [];
      await entriesOf(folder, { limit, operation: "player" }, (number) => void seen.push(number));
      assert.deepEqual(seen, [1, 2, 3, 4, 5]);
    }
  });

  it("without a limit come before the rest of the journal is read", async (t) => {
    const folder = await history(t);
    const seen: number[] = [];
    const entries = readEntries(nodeFiles, folder, {}, new PlayerNames(), (number) => void seen.push(number));
    assert.equal((await entries.next()).value?.number, 1);
    assert.deepEqual(seen, [1]);
    await entries.return(undefined);
  });
});

describe("the selection of a query", () => {
  it("has the names that are known, and not the earlier ones in its records", () => {
    const names = new PlayerNames();
    const select = toSelection({}, names);
    const player = recordOf([changeOf("players", ada, null, { uuid: ada, name: "Ada" })], { who: ada });
    assert.equal(select(player)?.name, null);
    names.learn(recordOf([changeOf("players", ada, null, { uuid: ada, name: "Eva" })]));
    assert.equal(select(player)?.name, "Eva");
  });

  const noted = recordOf([changeOf("activity", ada, null, { uuid: ada, lastSeen: 1, version: null })]);
  for (const [what, query, isShown] of [
    ["without `all` or its collection excludes bookkeeping", {}, false],
    ["with `all` has bookkeeping", { all: true }, true],
    ["with its collection has bookkeeping", { record: "activity" }, true],
    ["with another collection excludes bookkeeping", { record: "players" }, false],
    ["with `all` and another operation excludes bookkeeping", { all: true, operation: "other" }, false],
    ["with `all: false` excludes bookkeeping", { all: false }, false],
  ] as const) {
    it(what, () => assert.equal(toSelection(query, new PlayerNames())(noted) !== undefined, isShown));
  }
});
