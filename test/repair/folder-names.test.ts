/** A start and a restore agree on the files that a folder without data may contain. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { requireRoom } from "../../src/backup/replace-files.ts";
import { model } from "../../src/domain/model.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { Store } from "../../src/store/store.ts";
import { temporaryFolder } from "../_setup.ts";

/** Returns the code of a refusal, or undefined. */
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code }: { code: string }) => code,
  );

describe("a folder without data", () => {
  for (const name of [
    "routes.yaml",
    "routes.schema.json",
    "routes.test.yaml",
    "routes.yaml.bak",
    "seed.yaml",
    "tables",
    ".gitkeep",
  ]) {
    it(`${name} prevents neither a start nor a restore`, async (t) => {
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, name), "");
      await requireRoom(nodeFiles, folder);
      await (await Store.open({ folder, model })).close();
    });
  }

  for (const name of ["thesis.txt", "backup.jsonl.gz", "my-seed.yaml"]) {
    it(`${name} is foreign: a start and a restore are refused`, async (t) => {
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, name), "");
      assert.equal(await codeOf(requireRoom(nodeFiles, folder)), "CONFLICT");
      assert.equal(await codeOf(Store.open({ folder, model })), "STORE_UNAVAILABLE");
    });
  }

  for (const name of [
    "journal-000000000001.log.broken",
    "unsynced",
    "replaced-1",
    "damaged-1",
    "before-version-2",
  ]) {
    it(`${name} proves that there was data: a start is refused, a restore is not`, async (t) => {
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, name), "");
      await requireRoom(nodeFiles, folder);
      await assert.rejects(
        Store.open({ folder, model }),
        new RegExp(`no data, only remains of earlier data.*${name}`),
      );
    });
  }
});
