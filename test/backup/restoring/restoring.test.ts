/** The results of restores and imports, what they refuse, and that nothing follows the data after them. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { writeBackup } from "../../../src/backup/backup.ts";
import { type RestoreRequest, restoreRecords } from "../../../src/backup/restore.ts";
import { model, type Token } from "../../../src/domain/model.ts";
import type { DataStore } from "../../../src/store/data.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readHistory } from "../../../src/store/journal/history.ts";
import { Store } from "../../../src/store/store.ts";
import { pointsOf, wantedReason } from "../../_entries.ts";
import { temporaryFolder } from "../../_setup.ts";
import { watchersOf } from "../_setup.ts";

const origin = { who: "operator", operation: "test" };
const instant = Date.parse("2026-03-01T03:00:00Z");
const ada = "a".repeat(32);

function token(id: string, rest: Partial<Token> = {}): Token {
  const unused = {
    uuid: null,
    label: null,
    addonVersion: null,
    issuedAt: 1,
    expiresAt: null,
    revokedAt: null,
  };
  return { id, hash: id.repeat(64).slice(0, 64), ...unused, ...rest };
}

/** A store with the reasons A and B and the token a, its backup, and then B changed, C added and the token removed. */
async function places(t: TestContext) {
  const base = await temporaryFolder(t);
  const [folder, file] = [join(base, "data"), join(base, "b.gz")];
  const store: DataStore = await Store.open({ folder, model });
  t.after(() => store.close());
  await store.change(origin, (draft) => {
    draft.entries.put(wantedReason("A", 1));
    draft.entries.put(wantedReason("B", 1));
    draft.tokens.put(token("a"));
  });
  await writeBackup(nodeFiles, folder, file, { force: false, now: instant });
  await store.change(origin, (draft) => {
    draft.entries.put(wantedReason("B", 2));
    draft.entries.put(wantedReason("C", 1));
    draft.tokens.delete("a");
  });
  const backup = (tokens: boolean, preview = false): RestoreRequest => ({
    ...{ source: { kind: "backup", file }, tokens, preview },
  });
  const points = () => pointsOf(store.data.entries.values());
  return { base, store, file, backup, points };
}

async function exportTo(path: string, collections: Readonly<Record<string, readonly unknown[]>>) {
  await writeFile(path, JSON.stringify({ format: "gameaddon-export", version: 1, exported: 0, collections }));
  return { kind: "export", file: path } as const;
}

async function lastOperation(store: DataStore): Promise<string | undefined> {
  let last: string | undefined;
  for await (const { who, operation } of readHistory(nodeFiles, store.folder))
    last = `${operation} by ${who}`;
  return last;
}

const none = { count: 0, first: [] };
const one = (name: string) => ({ count: 1, first: [name] });
const reasons = {
  resource: "entries",
  added: none,
  changed: one("wantedreason/B"),
  removed: one("wantedreason/C"),
};
const tokens = { resource: "tokens", added: one("a"), changed: none, removed: none };

describe("the preview of a restore", () => {
  it("has the source, the changes and the tokens that are left out, and changes nothing", async (t) => {
    const { store, backup, points } = await places(t);
    const { sequence } = store;
    const { revision, ...preview } = await restoreRecords(store, backup(false, true));
    assert.deepEqual(preview, {
      resources: [reasons],
      changes: 2,
      problems: [],
      tokensLeftOut: 1,
      records: 3,
      instant,
      sequence: null,
    });
    assert.match(revision, /\S/);
    assert.deepEqual([store.sequence, points()], [sequence, { A: 1, B: 2, C: 1 }]);
  });

  it("has the tokens if they are to be restored", async (t) => {
    const { store, backup } = await places(t);
    const { resources, changes, tokensLeftOut } = await restoreRecords(store, backup(true, true));
    assert.deepEqual([resources, changes, tokensLeftOut], [[reasons, tokens], 3, 0]);
  });

  it("has the inconsistencies of the result, not of the source", async (t) => {
    const { store, file, backup } = await places(t);
    const statistic = { uuid: ada, deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
    await store.change(origin, (draft) => {
      draft.statistics.put(statistic);
      draft.tokens.put(token("b", { uuid: ada }));
    });
    const { folder } = store;
    await writeBackup(nodeFiles, folder, file, { force: true, now: instant });
    const missing = `there is no player ${ada}`;
    const { problems, tokensLeftOut } = await restoreRecords(store, backup(false, true));
    // The token is removed with its player.
    assert.deepEqual([problems, tokensLeftOut], [[`statistics ${ada}: ${missing}`], 0]);
    const withTokens = await restoreRecords(store, backup(true, true));
    assert.deepEqual(withTokens.problems, [`statistics ${ada}: ${missing}`, `tokens b: ${missing}`]);
  });
});

describe("a restore", () => {
  it("returns what it changed, once that is done, under its own name", async (t) => {
    const { store, backup, points } = await places(t);
    const { revision } = await restoreRecords(store, backup(true, true));
    assert.deepEqual(await restoreRecords(store, backup(true), revision), {
      resources: [reasons, tokens],
      changes: 3,
      problems: [],
      tokensLeftOut: 0,
      records: 3,
      instant,
      revision,
      sequence: 3,
    });
    assert.deepEqual([points(), store.data.tokens.get("a")], [{ A: 1, B: 1 }, token("a")]);
    assert.equal(await lastOperation(store), "data.restore by operator");
  });

  it("of what is there already changes nothing, and has no number", async (t) => {
    const { store, backup } = await places(t);
    await restoreRecords(store, backup(true));
    const { sequence, changes, resources } = await restoreRecords(store, backup(true));
    assert.deepEqual([sequence, changes, resources], [null, 0, []]);
    assert.equal(store.sequence, 3);
  });

  it("is refused if the source has changed since it was previewed, and changes nothing", async (t) => {
    const { store, file, backup, points } = await places(t);
    const { revision } = await restoreRecords(store, backup(false, true));
    const { folder } = store;
    await writeBackup(nodeFiles, folder, file, { force: true, now: instant + 1 });
    await assert.rejects(restoreRecords(store, backup(false), revision), {
      code: "CONFLICT",
      message: "The source has changed since it was previewed.",
      hint: "Repeat the command to see what it would change now; nothing was changed.",
    });
    assert.deepEqual([store.sequence, points()], [2, { A: 1, B: 2, C: 1 }]);
  });

  it("changes nothing if its command has ended before its change is written", async (t) => {
    const { store, backup, points } = await places(t);
    const { sequence } = store;
    const asking = new AbortController();
    const restoring = restoreRecords(store, backup(false), undefined, asking.signal);
    asking.abort();
    await assert.rejects(restoring, { name: "AbortError" });
    assert.deepEqual([store.sequence, points()], [sequence, { A: 1, B: 2, C: 1 }]);
    await restoreRecords(store, backup(false));
    assert.deepEqual(points(), { A: 1, B: 1 });
  });
});

describe("an import", () => {
  it("returns what it changed, and has its own name", async (t) => {
    const { base, store, points } = await places(t);
    const source = await exportTo(join(base, "e.json"), { entries: [wantedReason("D", 4)] });
    const { sequence, changes, instant: begun } = await restoreRecords(store, { source, tokens: false });
    assert.deepEqual([sequence, changes, begun, points()], [3, 4, null, { D: 4 }]);
    assert.equal(await lastOperation(store), "data.import by operator");
  });

  it("names the collections that it lacks, if that removes records", async (t) => {
    const { base, store } = await places(t);
    for (const [collections, expected] of [
      [{}, ["collections.entries is missing: all its records are removed"]],
      [{ entries: [] }, []],
    ] as const) {
      const source = await exportTo(join(base, "e.json"), collections);
      const { problems, changes } = await restoreRecords(store, { source, tokens: false, preview: true });
      assert.deepEqual([problems, changes > 0], [expected, true]);
    }
  });

  it("is refused if its own tokens are inconsistent, though they are not restored", async (t) => {
    const { base, store } = await places(t);
    const lost = await exportTo(join(base, "e.json"), { tokens: [token("b", { uuid: ada })] });
    for (const restored of [false, true]) {
      await assert.rejects(restoreRecords(store, { source: lost, tokens: restored }), {
        code: "PARAMETER_INVALID",
        problems: ["collections.players is missing or empty, but a record refers to it"],
      });
    }
    assert.equal(store.sequence, 2);
  });
});

it("the data is no longer followed after a preview or a restore, also where it is refused", async (t) => {
  const { base, store, backup } = await places(t);
  const watchers = watchersOf(t, store.data);
  const lost = await exportTo(join(base, "e.json"), { tokens: [token("b", { uuid: ada })] });
  const missing = { kind: "backup", file: join(base, "none.gz") } as const;
  const run = (request: RestoreRequest) => restoreRecords(store, request);
  await assert.rejects(run({ source: lost, tokens: true }), { code: "PARAMETER_INVALID" });
  await assert.rejects(run({ source: missing, tokens: true }), { code: "UNKNOWN_ENTRY" });
  for (const preview of [true, false]) for (const tokens of [false, true]) await run(backup(tokens, preview));
  assert.equal(watchers(), 0);
});
