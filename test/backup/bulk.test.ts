/** Verification and repair of a journal with a bulk change of several lines. */
import assert from "node:assert/strict";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { model } from "../../src/domain/model.ts";
import { rebuild } from "../../src/repair/rebuild.ts";
import { verify } from "../../src/repair/verify.ts";
import type { RecordChange } from "../../src/store/change.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { Store } from "../../src/store/store.ts";
import { temporaryFolder } from "../_setup.ts";
import { pointsOf } from "./_setup.ts";

const count = 20_000;

/** One change, a bulk change of several lines, and one more change; with where each line of the bulk change begins. */
async function withBulk(t: TestContext) {
  const folder = await temporaryFolder(t);
  const store = await Store.open({ folder, model });
  const origin = { who: "operator", operation: "test" };
  const put = (reason: string) =>
    store.change(origin, (draft) => draft.wantedReasons.put({ reason, points: 1 }));
  await put("first");
  const changes = Array.from({ length: count }, (_, index): RecordChange => {
    const reason = `Reason-${index}`;
    return {
      collection: "wantedReasons",
      key: `reason-${index}`,
      before: null,
      after: { reason, points: 2 },
    };
  });
  await store.changeInBulk(origin, () => changes);
  await put("last");
  await store.close();
  const path = join(folder, "journal-000000000001.log");
  const bytes = await readFile(path);
  const lines: number[] = [];
  for (let at = bytes.indexOf('{"sequence":2,'); at !== -1; at = bytes.indexOf('{"sequence":2,', at + 1)) {
    lines.push(at - 9);
  }
  assert.ok(lines.length > 2, `${lines.length} lines`);
  return { folder, path, bytes, lines };
}

describe("a bulk change in the journal", () => {
  it("is one change for `verify`, and no problem", async (t) => {
    const { folder } = await withBulk(t);
    const { problems, changes, sequence } = await verify(nodeFiles, folder, { running: false });
    assert.deepEqual([problems, changes, sequence], [[], 3, 3]);
  });

  for (const which of ["first", "middle", "last"] as const) {
    it(`is lost as a whole if its ${which} line is damaged, and nothing else is`, async (t) => {
      const { folder, path, bytes, lines } = await withBulk(t);
      const offset = lines.at(which === "first" ? 0 : which === "middle" ? 1 : -1) ?? 0;
      bytes.write("?", offset + 100);
      await writeFile(path, bytes);
      const { problems } = await verify(nodeFiles, folder, { running: false });
      assert.deepEqual(
        problems.map(({ file, offset: at, what }) => [file, at, what.replace(/ \(.*/s, "")]),
        [
          ["journal-000000000001.log", offset, "the checksum of the line is wrong"],
          ["journal-000000000001.log", lines[0], "change 2 is lost here"],
        ],
      );
      const { database, lost } = await rebuild(nodeFiles, folder);
      assert.deepEqual(pointsOf(database.view.wantedReasons.values()), { first: 1, last: 1 });
      assert.equal(database.sequence, 3);
      assert.equal(lost.length, 1);
      assert.match(lost[0]?.what ?? "", /^change 2 is lost/);
    });
  }

  it("that was cut off between two lines is reported as cut off by the next start", async (t) => {
    const { folder, path, lines } = await withBulk(t);
    await truncate(path, lines[2]);
    const { problems, changes } = await verify(nodeFiles, folder, { running: false });
    assert.equal(changes, 1);
    assert.deepEqual(
      problems.map(({ offset }) => offset),
      [lines[0]],
    );
    assert.match(problems[0]?.what ?? "", /the next start cuts them off/);
    const { remarks } = await verify(nodeFiles, folder, { running: true });
    assert.match(remarks.join(), /the service is writing it/);
    const { database, lost } = await rebuild(nodeFiles, folder);
    assert.deepEqual(pointsOf(database.view.wantedReasons.values()), { first: 1 });
    assert.match(lost[0]?.what ?? "", /incomplete/);
  });
});
