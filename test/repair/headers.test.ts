/** A segment that ends within its header: the messages of the commands, and a repair that loses nothing else. */
import assert from "node:assert/strict";
import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { planRepair, repair } from "../../src/repair/repair.ts";
import { statusOf } from "../../src/repair/status.ts";
import { examine } from "../../src/repair/verify.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { segmentFile } from "../../src/store/folder/folder-names.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { temporaryFolder } from "../_setup.ts";
import { copyOf, type History, opened, type Points, write } from "../backup/_setup.ts";

interface Case {
  readonly history: History;
  /** The number with which the segment begins. */
  readonly first: number;
  /** What is left without it. */
  readonly left: Points;
}

const cases: Readonly<Record<string, Case>> = {
  "that is the only file": { history: [{ A: 1 }, { B: 2 }], first: 1, left: {} },
  "that is the newest, after a snapshot": {
    history: [{ A: 1 }, "snapshot", { B: 2 }],
    first: 2,
    left: { A: 1 },
  },
  "that never had a change": { history: [{ A: 1 }, { B: 2 }, "snapshot"], first: 3, left: { A: 1, B: 2 } },
};

describe("a segment cut within its header", () => {
  for (const [name, { history, first, left }] of Object.entries(cases)) {
    it(`${name} is named by verify, status and audit, and repaired without any other loss`, async (t) => {
      const base = await temporaryFolder(t);
      await write(join(base, "whole"), history);
      const file = segmentFile(first);
      const header = (await readFile(join(base, "whole", file))).indexOf("\n");
      for (const length of [0, header]) {
        const folder = await copyOf(join(base, "whole"), join(base, String(length)));
        await truncate(join(folder, file), length);

        for (const running of [false, true]) {
          const { problems } = (await examine(nodeFiles, folder, { running })).verified;
          const [problem] = problems.filter((problem) => problem.file === file);
          assert.equal(problem?.kind, "damage");
          assert.equal(problem.offset, 0);
          assert.match(problem.what, new RegExp(`header is incomplete: the file has ${length} bytes`));
        }
        const { problem } = await statusOf(folder);
        assert.match(problem ?? "", new RegExp(`${file} is damaged at byte 0`));
        const history = readHistory(nodeFiles, folder);
        const readAll = async () => {
          for await (const _ of history);
        };
        await assert.rejects(readAll(), { message: new RegExp(`${file} is damaged at byte 0`) });

        const plan = await planRepair(nodeFiles, folder);
        const { lost, database } = plan.rebuild();
        const [loss] = lost;
        assert.equal(loss?.file, file);
        assert.match(loss.what, new RegExp(`${length} bytes of its header are left`));
        const kept = String(await repair(nodeFiles, folder, plan, database, Date.now()));
        assert.equal((await readFile(join(folder, kept, file))).length, length);
        assert.deepEqual(await opened(folder), left);
        assert.deepEqual((await examine(nodeFiles, folder, { running: false })).verified.problems, []);
      }
    });
  }
});
