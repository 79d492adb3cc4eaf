/** Reading a folder without its lock, while files vanish, and up to a change. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { Database } from "../../src/store/collection.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { listData, namesIn, retryIfMissing } from "../../src/store/folder/listing.ts";
import { readState } from "../../src/store/reading.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  contents,
  ninth,
  notebook,
  ruledFiles,
  segment,
  snapshot,
  spoil,
  stateAfter,
  systemError,
} from "./_faults.ts";

/** A read that fails so often, and then has an answer. */
function failing(times: number, error: Error) {
  const read = {
    attempts: 0,
    run: async () => {
      read.attempts += 1;
      if (read.attempts <= times) throw error;
      return "answer";
    },
  };
  return read;
}

describe("reading while a running service deletes files", () => {
  for (const times of [0, 1, 7]) {
    it(`succeeds where a file has vanished ${times} times`, async () => {
      const read = failing(times, systemError("ENOENT"));
      assert.equal(await retryIfMissing(read.run), "answer");
      assert.equal(read.attempts, times + 1);
    });
  }

  it("is given up the eighth time, and at once for any other error", async () => {
    const missing = systemError("ENOENT");
    const vanishing = failing(8, missing);
    await assert.rejects(retryIfMissing(vanishing.run), missing);
    assert.equal(vanishing.attempts, 8);
    const denied = systemError("EACCES");
    const denying = failing(1, denied);
    await assert.rejects(retryIfMissing(denying.run), denied);
    assert.equal(denying.attempts, 1);
  });

  it("starts again with the files that exist by then", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    let readings = 0;
    const files = ruledFiles(async ({ operation, path }) => {
      if (operation !== "readPieces" || !path.endsWith(snapshot(6))) return undefined;
      readings += 1;
      return readings < 3 ? systemError("ENOENT") : undefined;
    });
    let empties = 0;
    const { database, warnings } = await readState(files, folder, notebook, {
      empty: () => {
        empties += 1;
        return new Database(notebook);
      },
    });
    assert.deepEqual(contents(database.view), stateAfter(9));
    assert.deepEqual([warnings, readings, empties], [[], 3, 3]);
  });
});

describe("a folder", () => {
  it("has data if it has a snapshot or a segment, not if it is missing or empty", async (t) => {
    const folder = await temporaryFolder(t);
    for (const path of [folder, join(folder, "missing")]) {
      assert.deepEqual(await namesIn(nodeFiles, path), []);
      await assert.rejects(listData(nodeFiles, path), {
        code: "UNKNOWN_ENTRY",
        message: `There is no data in ${path}.`,
        hint: "`addon-cli serve` and `player add` create it, `data restore` restores it; --data names another folder.",
      });
    }
    for (const name of [segment(1), snapshot(0)]) {
      await writeFile(join(folder, name), "");
      assert.deepEqual(await listData(nodeFiles, folder), [name]);
      await rm(join(folder, name));
    }
  });

  it("that cannot be listed does not pass for one without data", async (t) => {
    const folder = await temporaryFolder(t);
    const error = systemError("EACCES");
    const files = ruledFiles(() => error);
    const isCause = (refused: unknown) => refused instanceof Failure && refused.cause === error;
    await assert.rejects(namesIn(files, folder), isCause);
    await assert.rejects(listData(files, folder), isCause);
  });
});

describe("the data up to a change", () => {
  it("comes from the newest snapshot up to it, that of the change included", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    for (const name of [segment(1), segment(4)]) await rm(join(folder, name));
    for (const until of [6, 7, 9, undefined]) {
      const { database, warnings } = await readState(nodeFiles, folder, notebook, { until });
      assert.equal(database.sequence, until ?? 9);
      assert.deepEqual(contents(database.view), stateAfter(until ?? 9), `${until}`);
      assert.deepEqual(warnings, []);
    }
    for (const until of [1, 3, 5]) {
      await assert.rejects(readState(nodeFiles, folder, notebook, { until }), { code: "UNKNOWN_ENTRY" });
    }
  });

  it("does not read a snapshot after it, and warns of a damaged one before it", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    await spoil(join(folder, snapshot(6)), 300);
    assert.deepEqual((await readState(nodeFiles, folder, notebook, { until: 5 })).warnings, []);
    const { database, warnings } = await readState(nodeFiles, folder, notebook, { until: 7 });
    assert.deepEqual(contents(database.view), stateAfter(7));
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /snapshot-0+6\.jsonl is damaged at byte \d+ \(.*\); the one before it is used\.$/,
    );
  });
});
