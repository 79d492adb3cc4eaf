/** Clocks that were set back: the warning about it, and the last change at or before an instant. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ClockSteps, findMoment } from "../../src/store/clock.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { fill, openNotebook, segment, snapshot } from "./_faults.ts";

const minute = 60_000;
/** 2026-11-21, at noon. */
const noon = Date.UTC(2026, 10, 21, 12);

/** The warning about changes at some instants, the first of which has number 1. */
function warningAbout(...instants: readonly number[]): string | undefined {
  const steps = new ClockSteps();
  for (const [index, instant] of instants.entries()) steps.take({ sequence: index + 1, instant });
  return steps.warning;
}

/** The sentence about some steps. */
const sentence = (steps: string) =>
  `The clock went backwards by more than a minute at ${steps}: ` +
  "changes are in the order of their numbers, not of their instants.";

describe("the warning about a clock that went backwards", () => {
  const named = (number: number, time: string, after: string) =>
    `change ${number} (2026-11-21T${time}Z, after 2026-11-21T${after}Z)`;

  for (const [what, instants, steps] of [
    ["is absent without changes", [], undefined],
    ["is absent with one", [noon], undefined],
    ["is absent where it went forward", [noon, noon, noon + 90 * minute], undefined],
    ["is absent where it went back by a minute", [noon, noon - minute, noon - 2 * minute], undefined],
    ["names a longer step", [noon, noon - minute - 1], named(2, "11:58:59.999", "12:00:00.000")],
    [
      "compares with the change before",
      [noon, noon - minute - 1, noon - minute],
      named(2, "11:58:59.999", "12:00:00.000"),
    ],
    [
      "names an instant that is no date",
      [1e300, noon],
      "change 2 (2026-11-21T12:00:00.000Z, after 1e+300 ms)",
    ],
    [
      "names several steps",
      [noon, noon - 2 * minute, noon - 4 * minute],
      `${named(2, "11:58:00.000", "12:00:00.000")}, ${named(3, "11:56:00.000", "11:58:00.000")}`,
    ],
  ] as const) {
    it(what, () => assert.equal(warningAbout(...instants), steps && sentence(steps)));
  }

  it("names five steps and counts the others", () => {
    const text = (number: number) => new Date(noon - number * 2 * minute).toISOString();
    const named = [1, 2, 3, 4, 5].map(
      (number) => `change ${number + 1} (${text(number)}, after ${text(number - 1)})`,
    );
    const instants = Array.from({ length: 8 }, (_, index) => noon - index * 2 * minute);
    assert.equal(warningAbout(...instants.slice(0, 6)), sentence(named.join(", ")));
    assert.equal(warningAbout(...instants.slice(0, 7)), sentence(`${named.join(", ")} and 1 more`));
    assert.equal(warningAbout(...instants), sentence(`${named.join(", ")} and 2 more`));
  });
});

/** A folder with a change at each instant, and a snapshot after the change of a number. */
async function folderOf(t: TestContext, instants: readonly number[], snapshotAfter = 0): Promise<string> {
  const folder = await temporaryFolder(t);
  let time = instants[0] ?? 0;
  const store = await openNotebook(folder, { now: () => time });
  for (const [index, instant] of instants.entries()) {
    time = instant;
    await fill(store, index + 1);
    if (index + 1 === snapshotAfter) await store.snapshot();
  }
  await store.close();
  return folder;
}

describe("a start", () => {
  it("warns of a clock that went backwards, and of nothing else", async (t) => {
    const [back, forth] = [
      [noon, noon - 5 * minute, noon - 4 * minute],
      [noon, noon + minute],
    ];
    const warning = sentence("change 2 (2026-11-21T11:55:00.000Z, after 2026-11-21T12:00:00.000Z)");
    for (const [instants, expected] of [
      [back, [warning]],
      [forth, []],
    ] as const) {
      const store = await openNotebook(await folderOf(t, instants));
      await store.close();
      assert.deepEqual(store.warnings, expected);
    }
  });
});

describe("the last change at or before an instant", () => {
  it("is found by the order of numbers, with what is later before it and where the clock went back", async (t) => {
    const [ten, twenty, thirty] = [noon + 10 * minute, noon + 20 * minute, noon + 30 * minute];
    for (const [instants, instant, expected] of [
      [[noon, ten, twenty], noon - 1, undefined],
      [[noon, ten, twenty], noon, { sequence: 1, later: 0, steps: [] }],
      [[noon, ten, twenty], ten - 1, { sequence: 1, later: 0, steps: [] }],
      [[noon, ten, twenty], ten, { sequence: 2, later: 0, steps: [] }],
      [[noon, ten, twenty], thirty, { sequence: 3, later: 0, steps: [] }],
      [[noon, thirty, ten, ten], ten, { sequence: 4, later: 1, steps: [3] }],
      [[noon, thirty, thirty, ten, thirty, noon, thirty], ten, { sequence: 6, later: 3, steps: [4, 6] }],
      [[thirty, noon], ten, { sequence: 2, later: 1, steps: [2] }],
    ] as const) {
      const folder = await folderOf(t, instants);
      const found = await findMoment(nodeFiles, folder, instant);
      assert.deepEqual(found, expected, `${instants} at ${instant}`);
    }
  });

  it("names the first five steps of the clock", async (t) => {
    const instants = Array.from({ length: 14 }, (_, index) => noon + (index % 2 === 0 ? 5 * minute : 0));
    const folder = await folderOf(t, instants);
    assert.deepEqual(await findMoment(nodeFiles, folder, noon), {
      sequence: 14,
      later: 7,
      steps: [2, 4, 6, 8, 10],
    });
  });

  it("is that of the snapshot before the journal where that was taken by then", async (t) => {
    const folder = await folderOf(t, [noon, noon + minute, noon + 9 * minute], 2);
    await rm(join(folder, segment(1)));
    const at = (instant: number) => findMoment(nodeFiles, folder, instant);
    assert.equal(await at(noon + minute - 1), undefined);
    assert.deepEqual(await at(noon + minute), { sequence: 2, later: 0, steps: [] });
    assert.deepEqual(await at(noon + 9 * minute), { sequence: 3, later: 0, steps: [] });
    await rm(join(folder, snapshot(2)));
    assert.equal(await at(noon + minute), undefined);
  });
});
