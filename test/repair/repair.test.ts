/** Repairs, stopped at every step: the folder is as before, refused or repaired, and the old files are kept. */
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { planRepair, repair } from "../../src/repair/repair.ts";
import { examine } from "../../src/repair/verify.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { isFull } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  contentsOf,
  copyOf,
  type History,
  instantOf,
  opened,
  type Points,
  Stopped,
  stoppingAt,
  write,
} from "../backup/_setup.ts";

const history: History = [{ A: 1 }, "snapshot", { B: 2 }, { C: 3 }, "snapshot", { D: 4 }, { E: 5 }, { F: 6 }];
const everything: Points = { A: 1, B: 2, C: 3, D: 4, E: 5, F: 6 };

interface Case {
  readonly name: string;
  /** The file to damage, and the text in it of which the first byte changes. */
  readonly damage: readonly (readonly [file: string, text: string])[];
  /** What the damaged folder opens with; null where it is refused. */
  readonly before: Points | null;
  readonly after: Points;
}

const journal = "journal-000000000004.log";
const cases: readonly Case[] = [
  {
    name: "a change",
    damage: [[journal, '"E"']],
    before: null,
    after: { A: 1, B: 2, C: 3, D: 4, F: 6 },
  },
  {
    name: "the header of the journal",
    damage: [[journal, '"chain"']],
    before: null,
    after: everything,
  },
  {
    name: "the newest snapshot, which the one before it and the journal replace",
    damage: [["snapshot-000000000003.jsonl", '"B"']],
    before: everything,
    after: everything,
  },
  {
    name: "the newest snapshot and the journal that would replace it",
    damage: [
      ["snapshot-000000000003.jsonl", '"A"'],
      ["journal-000000000002.log", '"C"'],
    ],
    before: null,
    // A comes from the snapshot before, C from the newest one.
    after: everything,
  },
  {
    name: "every snapshot and a change",
    damage: [
      ["snapshot-000000000001.jsonl", '"A"'],
      ["snapshot-000000000003.jsonl", '"B"'],
      [journal, '"D"'],
    ],
    before: null,
    after: { A: 1, B: 2, C: 3, E: 5, F: 6 },
  },
];

describe("a repair, stopped at any step", () => {
  for (const { name, damage, before, after } of cases) {
    it(`of ${name}: the folder is as before, refused, or repaired`, async (t) => {
      const base = await temporaryFolder(t);
      const template = join(base, "template");
      await write(template, history);
      for (const [file, text] of damage) {
        const bytes = await readFile(join(template, file));
        bytes.write("!", bytes.indexOf(text));
        await writeFile(join(template, file), bytes);
      }
      const damaged = await contentsOf(template);
      let repaired = 0;
      let done = false;
      for (let step = 1; !done; step += isFull ? 1 : 3) {
        const folder = await copyOf(template, join(base, `step-${step}`));
        const plan = await planRepair(nodeFiles, folder);
        const { database, lost } = plan.rebuild();
        try {
          const kept = String(await repair(stoppingAt(step).files, folder, plan, database, instantOf(100)));
          done = true;
          assert.deepEqual(await contentsOf(join(folder, kept)), damaged);
          assert.deepEqual((await examine(nodeFiles, folder, { running: false })).verified.problems, []);
        } catch (error) {
          assert.ok(error instanceof Stopped || (error as Error).cause instanceof Stopped, String(error));
        }
        // Whatever happened, every damaged file is still there: here or where it is kept.
        const there = new Map([...(await keptContents(folder)), ...(await contentsOf(folder))]);
        for (const file of damaged.keys()) assert.ok(there.has(file), `step ${step}: ${file} is gone`);
        const came = await opened(folder);
        if (came instanceof Failure) {
          assert.equal(done, false);
          // A repetition begins with what there was: it must not lose, or say, anything else.
          const again = await planRepair(nodeFiles, folder);
          assert.deepEqual([again.damage, again.rebuild().lost], [plan.damage, lost], `step ${step}`);
          continue;
        }
        if (JSON.stringify(came) === JSON.stringify(after)) repaired += 1;
        else assert.deepEqual(came, before, `step ${step}`);
      }
      assert.ok(repaired > 0);
    });
  }
});

describe("a repair of files of which nothing can be saved", () => {
  it("changes nothing", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, "snapshot-000000000001.jsonl"), "\0".repeat(100));
    await writeFile(join(folder, journal), "\0\n".repeat(100));
    const files = await readdir(folder);
    const { rebuild } = await planRepair(nodeFiles, folder);
    assert.throws(rebuild, /Nothing of the data .* can be saved/);
    assert.deepEqual(await readdir(folder), files);
  });
});

async function keptContents(folder: string): Promise<Map<string, Buffer>> {
  const kept = (await readdir(folder)).find((name) => name.startsWith("damaged-"));
  return kept === undefined ? new Map() : contentsOf(join(folder, kept));
}
