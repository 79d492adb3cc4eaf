/** The number of an imported database: after every change that its records refer to, and never 0. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { formatExport, fromExport, toExport } from "../../src/backup/export-format.ts";
import { replaceFiles } from "../../src/backup/replace-files.ts";
import { model, type Target } from "../../src/domain/model.ts";
import { Database } from "../../src/store/collection.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { snapshotFile, snapshotsIn } from "../../src/store/folder/folder-names.ts";
import { Store } from "../../src/store/store.ts";
import { type Cleanup, temporaryFolder } from "../_setup.ts";

/** A folder whose data is the import of an export with a target list. */
async function imported(t: Cleanup, targets: readonly Target[]): Promise<string> {
  const source = new Database(model);
  for (const target of targets) source.collection("targets").set(model.targets.key(target), target);
  const folder = await temporaryFolder(t);
  const database = new Database(model);
  fromExport(formatExport(toExport(source, 0)), "export.json", database);
  await replaceFiles(nodeFiles, folder, database, "replaced", 0);
  return folder;
}

function target(name: string, listed: number): Target {
  return { name, uuid: null, done: false, listed };
}

it("a player who is added to the target list after an import comes after the imported ones", async (t) => {
  const folder = await imported(t, [target("First", 5), target("Second", 9)]);
  const store = await Store.open({ folder, model });
  await store.change({ who: "operator", operation: "test" }, (draft, { sequence }) =>
    draft.targets.put(target("Third", sequence)),
  );
  const targets = [...store.data.targets.values()].sort((a, b) => a.listed - b.listed);
  await store.close();
  assert.deepEqual(
    targets.map(({ name }) => name),
    ["First", "Second", "Third"],
  );
});

it("a folder with imported data never opens empty, even without its snapshot", async (t) => {
  const folder = await imported(t, []);
  const snapshots = snapshotsIn(await nodeFiles.readdir(folder));
  assert.equal(snapshots.length, 1);
  for (const sequence of snapshots) await rm(join(folder, snapshotFile(sequence)));
  await assert.rejects(Store.open({ folder, model }), { code: "STORE_UNAVAILABLE" });
});
