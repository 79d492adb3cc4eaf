/** Restores while others change data, and from other data. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { writeBackup } from "../../../src/backup/backup.ts";
import { restoreRecords } from "../../../src/backup/restore.ts";
import { readSource } from "../../../src/backup/source.ts";
import { model } from "../../../src/domain/model.ts";
import { examine } from "../../../src/repair/verify.ts";
import type { DataStore } from "../../../src/store/data.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { readState } from "../../../src/store/reading.ts";
import { Store } from "../../../src/store/store.ts";
import { pointsOf, wantedReason } from "../../_entries.ts";
import { temporaryFolder } from "../../_setup.ts";
import { ruledFiles, segment, systemError } from "../../store/_faults.ts";
import { compiledPrograms } from "../../store/faults/_build.ts";
import { putLongTokens } from "../_setup.ts";

const origin = { who: "operator", operation: "test" };

function put(store: DataStore, reason: string, points: number): Promise<void> {
  return store.change(origin, (draft) => draft.entries.put(wantedReason(reason, points)));
}

it("a restore includes the changes of others since it was prepared", async (t) => {
  const root = await temporaryFolder(t);
  const folder = join(root, "data");
  const file = join(root, "b.gz");
  const store = await Store.open({ folder, model });
  for (let index = 0; index < 50; index += 1) await put(store, `R${index}`, 1);
  await store.snapshot();
  await writeBackup(nodeFiles, folder, file, { force: false, now: Date.now() });
  for (let index = 25; index < 75; index += 1) await put(store, `R${index}`, 2);

  const request = { source: { kind: "backup", file }, tokens: false } as const;
  const { revision } = await restoreRecords(store, { ...request, preview: true });
  let isOver = false;
  const restoring = restoreRecords(store, request, revision).finally(() => {
    isOver = true;
  });
  let others = 0;
  for (; !isOver; others += 1) await put(store, `R${others % 100}`, 3 + others);
  const { sequence } = await restoring;
  assert.ok(sequence !== null);
  await put(store, "last", 1);
  await store.close();

  // Every change says what each record was before it: `verify` compares that with the change before.
  const { problems } = (await examine(nodeFiles, folder, { running: false })).verified;
  assert.deepEqual(problems, []);
  const { previous, restored } = await statesAround(folder, sequence);
  assert.ok(others > 0);
  assert.notDeepEqual(previous, restored);
  assert.deepEqual(restored, Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`R${index}`, 1])));
});

/** Returns the points before and after a change. */
async function statesAround(folder: string, sequence: number) {
  const pointsAt = async (until: number) => {
    const { database } = await readState(nodeFiles, folder, model, { until });
    return pointsOf(database.view.entries.values());
  };
  return { previous: await pointsAt(sequence - 1), restored: await pointsAt(sequence) };
}

it("a target that is added after a restore of other data comes after the restored ones", async (t) => {
  const root = await temporaryFolder(t);
  const file = join(root, "b.gz");
  const list = (store: DataStore, name: string) =>
    store.change(origin, (draft, { sequence }) =>
      draft.targets.put({ name, uuid: null, done: false, listed: sequence }),
    );
  const other = await Store.open({ folder: join(root, "other"), model });
  for (let index = 0; index < 9; index += 1) await put(other, `R${index}`, 1);
  await list(other, "First");
  await list(other, "Second");
  await other.close({ snapshot: true });
  await writeBackup(nodeFiles, join(root, "other"), file, {
    force: false,
    now: Date.now(),
  });

  const store = await Store.open({ folder: join(root, "data"), model });
  await put(store, "R", 1);
  await restoreRecords(store, { source: { kind: "backup", file }, tokens: false });
  await list(store, "Third");
  const targets = [...store.data.targets.values()].sort((a, b) => a.listed - b.listed);
  assert.deepEqual(
    targets.map(({ name }) => name),
    ["First", "Second", "Third"],
  );
  await store.close();
});

it("a moment is read again if a snapshot deletes its files meanwhile", async (t) => {
  const folder = await temporaryFolder(t);
  const store = await Store.open({ folder, model });
  await put(store, "A", 1);
  await put(store, "B", 2);
  await store.close();
  let dropped = 0;
  const files = ruledFiles(({ operation, path }) => {
    if (operation !== "readPieces" || !path.endsWith(segment(1)) || dropped > 0) return undefined;
    dropped += 1;
    return systemError("ENOENT");
  });
  const { database } = await readSource(files, folder, { kind: "moment", sequence: 1 });
  assert.equal(dropped, 1);
  assert.deepEqual([...database.view.entries.values()], [wantedReason("A")]);
});

it("a restore takes memory for its changes, not for another copy of the data", async (t) => {
  const root = await temporaryFolder(t);
  const [folder, file] = [join(root, "data"), join(root, "b.gz")];
  const store = await Store.open({ folder, model });
  await putLongTokens(store, 1_500, 20_000);
  await put(store, "A", 1);
  await writeBackup(nodeFiles, folder, file, { force: false, now: Date.now() });
  await put(store, "A", 2);
  await store.close({ snapshot: true });
  const script = join(await compiledPrograms(), "test", "backup", "restoring", "_restore-driver.js");
  // The labels take 30 MB, once.
  const args = ["--max-old-space-size=44", script, folder, "backup", file];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /^restored \d+$/m);
});

it("a restore of tokens keeps each revocation, and each token that was revoked since the backup, even if it was removed", async (t) => {
  const root = await temporaryFolder(t);
  const [folder, file] = [join(root, "data"), join(root, "b.gz")];
  const store = await Store.open({ folder, model });
  t.after(() => store.close());
  const unused = { uuid: null, addonVersion: null, issuedAt: 1, expiresAt: null };
  const token = (digit: string, label: string, revokedAt: number | null = null) => {
    return { id: `t${digit}`, hash: digit.repeat(64), label, revokedAt, ...unused };
  };
  const putTokens = (...tokens: ReturnType<typeof token>[]) =>
    store.change(origin, (draft) => tokens.forEach((token) => void draft.tokens.put(token)));
  await putTokens(token("1", "before"), token("2", "before"), token("3", "before", 3), token("6", "before"));
  await writeBackup(nodeFiles, folder, file, { force: false, now: Date.now() });
  await putTokens(
    token("1", "since"),
    token("2", "since", 7),
    token("3", "since", 3),
    token("4", "since"),
    token("5", "since", 8),
    token("6", "since", 9),
  );
  await store.change(origin, (draft) => draft.tokens.delete("t6"));
  await restoreRecords(store, { source: { kind: "backup", file }, tokens: true });
  assert.deepEqual(
    [...store.data.tokens.values()],
    [
      token("1", "before"),
      token("2", "before", 7),
      token("3", "before", 3),
      token("5", "since", 8),
      // It was removed since: the journal has its revocation.
      token("6", "before", 9),
    ],
  );
});
