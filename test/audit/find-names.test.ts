/** Finding the names of a few players in the files: which files are read, and which name is the present one. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { toAuditEntry } from "../../src/audit/entry.ts";
import { findNames } from "../../src/audit/find-names.ts";
import { PlayerNames } from "../../src/audit/names.ts";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { segment, snapshot } from "../store/_faults.ts";
import { ada, bob, changeOf, type Keeper, openStore, recordOf } from "./_history.ts";

const cleo = "c1e0".padStart(32, "0");
const dan = "da".padStart(32, "0");

function register(store: Keeper, uuid: string, name: string): Promise<void> {
  return store.change({ who: "operator", operation: "player.add" }, (draft) =>
    draft.players.put({ uuid, name, administrator: false, registeredAt: 0 }),
  );
}

/**
 * Returns a folder with three segments and two snapshots. Ada is renamed twice in the second segment and once in the
 * third, Bob is only in the first, and Cleo is added and removed in the second.
 */
async function history(t: TestContext): Promise<string> {
  const store = await openStore(t);
  await register(store, ada, "Ada1");
  await register(store, bob, "Bob");
  await store.snapshot();
  await register(store, ada, "Ada2");
  await register(store, ada, "Ada3");
  await register(store, cleo, "Cleo");
  await store.change({ who: "operator", operation: "player.remove" }, (draft) => draft.players.delete(cleo));
  await store.snapshot();
  await register(store, ada, "Ada4");
  await store.close();
  return store.folder;
}

/** Node's files in pieces of some length, and which of them were read. */
function inPieces(length: number): { files: Files; read: string[] } {
  const read: string[] = [];
  const files: Files = {
    ...nodeFiles,
    async *readPieces(path, from = 0) {
      read.push(basename(path));
      const bytes = (await readFile(path)).subarray(from);
      // One buffer for all pieces, as with Node's files.
      const buffer = Buffer.alloc(length);
      for (let at = 0; at < bytes.length; at += length) {
        yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + length));
      }
    },
  };
  return { files, read };
}

/** Finds the names of those who made some changes. */
async function namesOf(files: Files, folder: string, ...callers: readonly string[]) {
  const change = changeOf("entries", "wantedreason/theft", null, {});
  const entries = callers.flatMap(
    (who) => toAuditEntry(recordOf([change], { who }), new PlayerNames(), false) ?? [],
  );
  const names = await findNames(files, folder, entries);
  return callers.map((who) => names.of(who));
}

describe("the present name of a player", () => {
  for (const [what, caller, name, read] of [
    ["is the last one in the newest file that has it", ada, "Ada4", [segment(7)]],
    ["is in the newest snapshot if no later change has it", bob, "Bob", [segment(7), snapshot(6)]],
    ["is in an older segment if the player was removed", cleo, "Cleo", [segment(7), snapshot(6), segment(3)]],
    ["is unknown if no file has it", dan, undefined, [segment(7), snapshot(6), segment(3), segment(1)]],
  ] as const) {
    it(what, async (t) => {
      const folder = await history(t);
      const { files, read: opened } = inPieces(1 << 20);
      assert.deepEqual(await namesOf(files, folder, caller), [name]);
      assert.deepEqual(opened, read);
    });
  }

  it("is the last one of a file that has several", async (t) => {
    const store = await openStore(t);
    for (const name of ["Ada1", "Ada2", "Ada3"]) await register(store, ada, name);
    const { files, read } = inPieces(1 << 20);
    assert.deepEqual(await namesOf(files, store.folder, ada), ["Ada3"]);
    assert.deepEqual(read, [segment(1)]);
  });

  it("is that of the player if the same change has other records with the same key", async (t) => {
    const store = await openStore(t);
    await store.change({ who: "operator", operation: "player.add" }, (draft) => {
      draft.players.put({ uuid: ada, name: "Ada", administrator: false, registeredAt: 0 });
      draft.activity.put({ uuid: ada, lastSeen: 1, version: null });
    });
    assert.deepEqual(await namesOf(nodeFiles, store.folder, ada), ["Ada"]);
  });

  it("is found in the newest segment first where there is no snapshot", async (t) => {
    const folder = await history(t);
    const files = { ...nodeFiles, readdir: async () => [segment(1), segment(3), segment(7)] };
    assert.deepEqual(await namesOf(files, folder, ada, bob, cleo), ["Ada4", "Bob", "Cleo"]);
  });

  it("is found wherever the pieces of a file end", async (t) => {
    const folder = await history(t);
    const expected = ["Ada4", "Bob", "Cleo", undefined];
    for (const length of [1, 2, 3, 7, 50, 97, 150, 200, 256, 333, 500]) {
      const { files } = inPieces(length);
      assert.deepEqual(await namesOf(files, folder, ada, bob, cleo, dan), expected, `${length} bytes`);
    }
  });

  it("of somebody whose record was changed is found by the record's key", async (t) => {
    const folder = await history(t);
    const change = changeOf("memberships", `GROVE/${bob}`, null, {
      uuid: bob,
      organisation: "GROVE",
      rank: 1,
    });
    const entry = toAuditEntry(recordOf([change]), new PlayerNames(), false);
    assert.ok(entry !== undefined);
    assert.equal((await findNames(nodeFiles, folder, [entry])).of(bob), "Bob");
  });

  it("is not searched for in any file if nobody is to be found", async (t) => {
    const folder = await history(t);
    const { files, read } = inPieces(1 << 20);
    assert.deepEqual(await namesOf(files, folder, "operator", "public"), [undefined, undefined]);
    assert.deepEqual(read, []);
  });

  it("is found although other lines of the file are damaged", async (t) => {
    const folder = await history(t);
    const path = join(folder, segment(3));
    const text = await readFile(path, "utf8");
    // Both lines are about players who are to be found, but are no JSON.
    const broken = `00000000 {"collection":"players","record":{"uuid":"${cleo}"\n00000000 ${cleo} "collection":"players",\n`;
    await writeFile(path, broken + text + broken);
    assert.deepEqual(await namesOf(nodeFiles, folder, cleo, bob), ["Cleo", "Bob"]);
  });

  it("is only that of a whole player", async (t) => {
    const folder = await history(t);
    const path = join(folder, snapshot(6));
    const others = [
      { collection: "players", record: { uuid: dan, name: "Dan" } },
      {
        end: 1,
        collection: "players",
        record: { uuid: dan, name: "Dan", administrator: false, registeredAt: 0 },
      },
    ];
    // A line begins with its checksum, which is not read.
    const lines = others.map((line) => `00000000 ${JSON.stringify(line)}\n`).join("");
    await writeFile(path, (await readFile(path, "utf8")) + lines);
    assert.deepEqual(await namesOf(nodeFiles, folder, dan, cleo), [undefined, "Cleo"]);
  });
});
