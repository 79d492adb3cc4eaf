/** The revocations of tokens, which a restore keeps: from the journal, and while others change data. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { followRevocations } from "../../../src/backup/revocations.ts";
import { model, type Token } from "../../../src/domain/model.ts";
import type { Origin } from "../../../src/store/change.ts";
import type { DataStore } from "../../../src/store/data.ts";
import { nodeFiles, readBytes } from "../../../src/store/folder/files.ts";
import { Store } from "../../../src/store/store.ts";
import { wantedReason } from "../../_entries.ts";
import { temporaryFolder } from "../../_setup.ts";
import { ruledFiles, systemError } from "../../store/_faults.ts";
import { watchersOf } from "../_setup.ts";

const origin = { who: "operator", operation: "test" };

function token(id: string, revokedAt: number | null): Token {
  const unused = { uuid: null, label: null, addonVersion: null, issuedAt: 1, expiresAt: null };
  return { id, hash: id.padEnd(64, "0"), revokedAt, ...unused };
}

const put = (store: DataStore, id: string, revokedAt: number | null, by: Partial<Origin> = {}) =>
  store.change({ ...origin, ...by }, (draft) => draft.tokens.put(token(id, revokedAt)));
const remove = (store: DataStore, id: string, undoes: number | null = null) =>
  store.change({ ...origin, undoes }, (draft) => draft.tokens.delete(id));

async function openStore(t: TestContext): Promise<DataStore> {
  const store = await Store.open({ folder: await temporaryFolder(t), model });
  t.after(() => store.close());
  return store;
}

describe("the revocations in the journal", () => {
  it("are those that were not undone, with their instants, even of removed tokens", async (t) => {
    const store = await openStore(t);
    await put(store, "aa", null);
    await put(store, "aa", 5);
    await put(store, "bb", 6);
    await put(store, "bb", null);
    await put(store, "cc", 7);
    await remove(store, "cc");
    await put(store, "dd", 8);
    await put(store, "dd", 9);
    await put(store, "ee", null);
    await store.change(origin, (draft) => draft.entries.put(wantedReason("A", 1)));
    const { revocations, close } = await followRevocations(nodeFiles, store);
    close();
    assert.deepEqual(Object.fromEntries(revocations), { aa: 5, cc: 7, dd: 9 });
  });

  it("include tokens whose issue was undone last, and none that came back with a restore or a player", async (t) => {
    const store = await openStore(t);
    for (const id of ["aa", "bb", "cc", "dd"]) await put(store, id, null);
    await remove(store, "aa", 1);
    await put(store, "aa", null, { undoes: 5 });
    await remove(store, "aa", 6);
    await remove(store, "bb");
    await put(store, "bb", null, { undoes: 8 });
    await remove(store, "bb", 9);
    await remove(store, "cc");
    await put(store, "cc", null, { operation: "data.restore" });
    await remove(store, "cc", 12);
    await remove(store, "dd", 4);
    await put(store, "dd", null, { undoes: 14 });
    const { revocations, close } = await followRevocations(nodeFiles, store);
    close();
    assert.deepEqual([...revocations.keys()], ["aa"]);
  });

  it("stay up to date until they are closed", async (t) => {
    const store = await openStore(t);
    await put(store, "aa", 5);
    await put(store, "bb", 6);
    const { revocations, close } = await followRevocations(nodeFiles, store);
    await put(store, "cc", 7);
    assert.deepEqual(Object.fromEntries(revocations), { aa: 5, bb: 6, cc: 7 });
    await put(store, "aa", null);
    await remove(store, "bb");
    assert.deepEqual(Object.fromEntries(revocations), { bb: 6, cc: 7 });
    close();
    await put(store, "dd", 8);
    assert.deepEqual(Object.fromEntries(revocations), { bb: 6, cc: 7 });
  });

  it("include the changes that are made while the journal is read, which come after the others", async (t) => {
    const store = await openStore(t);
    await put(store, "aa", 5);
    await put(store, "bb", null);
    await put(store, "cc", 6);
    let isFirst = true;
    const files = ruledFiles(async ({ operation }) => {
      if (operation !== "readPieces" || !isFirst) return undefined;
      isFirst = false;
      await put(store, "aa", null);
      await put(store, "bb", 7);
      await put(store, "dd", 8);
      await remove(store, "dd");
      return undefined;
    });
    // What is read ends before these changes.
    const { readPieces } = files;
    const earlier: typeof files = {
      ...files,
      async *readPieces(path, from) {
        const before = await readBytes(nodeFiles, path);
        for await (const _ of readPieces(path, from));
        yield before.subarray(from);
      },
    };
    const { revocations, close } = await followRevocations(earlier, store);
    close();
    assert.equal(isFirst, false);
    assert.deepEqual(Object.fromEntries(revocations), { cc: 6, bb: 7, dd: 8 });
  });

  it("are not followed if the journal cannot be read", async (t) => {
    const store = await openStore(t);
    await put(store, "aa", 5);
    const watchers = watchersOf(t, store.data);
    const files = ruledFiles(({ operation }) =>
      operation === "readPieces" ? systemError("EIO") : undefined,
    );
    await assert.rejects(followRevocations(files, store), { code: "EIO" });
    assert.equal(watchers(), 0);
    const { close } = await followRevocations(nodeFiles, store);
    assert.equal(watchers(), 1);
    close();
    assert.equal(watchers(), 0);
  });
});
