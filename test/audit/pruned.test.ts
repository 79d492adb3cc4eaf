/** The audit while the running service deletes files past their retention: it shows the changes in the others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAuditEntry } from "../../src/audit/entry.ts";
import { findNames } from "../../src/audit/find-names.ts";
import { PlayerNames } from "../../src/audit/names.ts";
import { readNames } from "../../src/audit/read.ts";
import { model } from "../../src/domain/model.ts";
import type { JournalRecord } from "../../src/store/change.ts";
import type { Files } from "../../src/store/folder/files.ts";
import { readBackwards } from "../../src/store/journal/backwards.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { readState } from "../../src/store/reading.ts";
import { Store } from "../../src/store/store.ts";
import { type Cleanup, temporaryFolder } from "../_setup.ts";
import { ruledFiles, segment, snapshot, systemError } from "../store/_faults.ts";
import { changeOf, recordOf } from "./_history.ts";

const [ada, bob] = ["a".repeat(32), "b".repeat(32)];

/** A folder with three segments: Ada is registered in the first, Bob in the second, and both are in the snapshots. */
async function history(t: Cleanup): Promise<string> {
  const folder = await temporaryFolder(t);
  const store = await Store.open({ folder, model });
  const register = (name: string, uuid: string) =>
    store.change({ who: "operator", operation: "player.register" }, (draft) =>
      draft.players.put({ name, uuid, administrator: false, registeredAt: 0 }),
    );
  await register("Ada", ada);
  await store.snapshot();
  await register("Bob", bob);
  await store.snapshot();
  await register("Carl", "c".repeat(32));
  await store.close();
  return folder;
}

/** Files of which some cannot be opened: the first times, or always. */
function failing(names: readonly string[], code: string, times = Number.POSITIVE_INFINITY): Files {
  let left = times;
  return ruledFiles(({ operation, path }) => {
    const isMeant =
      (operation === "readPieces" || operation === "open") && names.some((name) => path.endsWith(name));
    if (!isMeant || left === 0) return undefined;
    left -= 1;
    return systemError(code);
  });
}

async function numbersOf(records: AsyncIterable<JournalRecord>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { sequence } of records) numbers.push(sequence);
  return numbers;
}

describe("a segment that is deleted while the journal is read", () => {
  it("is skipped, forwards and backwards", async (t) => {
    const folder = await history(t);
    for (const [first, rest] of [
      [1, [2, 3]],
      [2, [1, 3]],
      [3, [1, 2]],
    ] as const) {
      const files = failing([segment(first)], "ENOENT");
      assert.deepEqual(await numbersOf(readHistory(files, folder)), rest);
      assert.deepEqual(await numbersOf(readBackwards(files, folder)), rest.toReversed());
    }
  });

  it("is not skipped if it cannot be read for another reason", async (t) => {
    const folder = await history(t);
    const files = failing([segment(2)], "EIO");
    await assert.rejects(numbersOf(readHistory(files, folder)), { code: "EIO" });
    await assert.rejects(numbersOf(readBackwards(files, folder)), { code: "EIO" });
  });
});

describe("the names of players", () => {
  const entries = [ada, bob].flatMap((uuid) => {
    const record = recordOf([changeOf("entries", "wantedreason/theft", null, {})], { who: uuid });
    return toAuditEntry(record, new PlayerNames(), false) ?? [];
  });
  const namesIn = async (files: Files, folder: string) => {
    const names = await findNames(files, folder, entries);
    return [names.of(ada), names.of(bob)];
  };

  it("are found in the remaining files if one is deleted meanwhile", async (t) => {
    const folder = await history(t);
    for (const name of [segment(2), segment(3), snapshot(2)]) {
      assert.deepEqual(await namesIn(failing([name], "ENOENT"), folder), ["Ada", "Bob"], name);
    }
  });

  it("are not searched any further if a file cannot be read", async (t) => {
    const folder = await history(t);
    await assert.rejects(namesIn(failing([segment(3)], "EIO"), folder), { code: "EIO" });
  });
});

describe("the present data", () => {
  it("is read again if a file is deleted meanwhile", async (t) => {
    const folder = await history(t);
    for (const name of [snapshot(2), segment(3)]) {
      const { database } = await readState(failing([name], "ENOENT", 1), folder, model);
      assert.equal(database.sequence, 3, name);
      const { names, warnings } = await readNames(failing([snapshot(2)], "ENOENT", 1), folder);
      assert.deepEqual([names.of(ada), warnings], ["Ada", []]);
    }
  });

  it("is given up after 8 attempts, and at once if a file cannot be read", async (t) => {
    const folder = await history(t);
    for (const [times, code] of [
      [8, "ENOENT"],
      [1, "EIO"],
    ] as const) {
      await assert.rejects(readState(failing([snapshot(2)], code, times), folder, model), { code });
    }
  });
});
