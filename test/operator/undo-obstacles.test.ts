/** What the refusal of an undo says about the records that cannot be undone. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeObstacles, refusal } from "../../src/operator/undo/undo.ts";
import type { JournalRecord, RecordChange } from "../../src/store/change.ts";
import { changeOf, recordOf } from "../audit/_history.ts";
import { one, three, two } from "./_desk.ts";

describe("the description of obstacles", () => {
  const nobody = () => undefined;
  const statistics = changeOf("statistics", one, null, {});
  const changed = { change: statistics, why: undefined };
  async function* history(...records: readonly JournalRecord[]) {
    yield* records;
  }
  const later = (...sequences: number[]) =>
    history(...sequences.map((sequence) => recordOf([statistics], { sequence, operation: "statistic.set" })));

  it("names the later changes of a record, with the one that an undo undid", async () => {
    const changes = [
      recordOf([statistics], { sequence: 8, operation: "player.register" }),
      recordOf([changeOf("statistics", two, null, {})], { sequence: 9, operation: "statistic.set" }),
      recordOf([changeOf("players", one, null, {})], { sequence: 10, operation: "statistic.set" }),
      recordOf([changeOf("players", one, null, {}), statistics], {
        sequence: 11,
        operation: "undo",
        undoes: 8,
      }),
    ];
    assert.equal(
      await describeObstacles([changed], history(...changes), nobody),
      `the statistic ${one} has since been changed by change 8 (player.add), change 11 (undo 8)`,
    );
  });

  it("names at most five changes, and the number of the others", async () => {
    const words = (count: number) =>
      Array.from({ length: count }, (_, index) => `change ${index + 2} (statistic.set)`).join(", ");
    const expected = (by: string) => `the statistic ${one} has since been changed by ${by}`;
    assert.equal(await describeObstacles([changed], later(2, 3, 4, 5, 6), nobody), expected(words(5)));
    const six = await describeObstacles([changed], later(2, 3, 4, 5, 6, 7), nobody);
    assert.equal(six, expected(`${words(5)}, 1 more`));
  });

  it("names the player of a record, also one whom a later change has removed", async () => {
    const nameOf = (uuid: string) => (uuid === one ? "Ada" : undefined);
    const rank = (uuid: string) =>
      changeOf("memberships", `GROVE/${uuid}`, null, { uuid, organisation: "GROVE" });
    const words = (...changes: RecordChange[]) =>
      describeObstacles(
        changes.map((change) => ({ change, why: undefined })),
        history(),
        nameOf,
      );
    assert.equal(await words(rank(one)), "the membership Ada (GROVE) has since been changed");
    assert.equal(await words(rank(three)), `the membership ${three} (GROVE) has since been changed`);
    assert.equal(
      await words(changeOf("players", three, null, { name: "Cleo" }), rank(three)),
      "the player Cleo has since been changed; the membership Cleo (GROVE) has since been changed",
    );
  });

  it("says the reason of an obstacle, without reading the history", async () => {
    const unread = async function* (): AsyncGenerator<JournalRecord> {
      yield await Promise.reject(new Error("the history is read"));
    };
    const obstacles = ["first", "second"].map((why) => ({ change: statistics, why }));
    assert.equal(await describeObstacles(obstacles, unread(), nobody), "first; second");
    assert.equal(
      await describeObstacles([...obstacles, changed], later(2), nobody),
      `first; second; the statistic ${one} has since been changed by change 2 (statistic.set)`,
    );
  });

  it("names at most five records, and the number of the others", async () => {
    const obstacles = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ change: statistics, why: `w${index}` }));
    assert.equal(await describeObstacles(obstacles(5), history(), nobody), "w0; w1; w2; w3; w4");
    const seven = await describeObstacles(obstacles(7), history(), nobody);
    assert.equal(seven, "w0; w1; w2; w3; w4; and 2 more records");
  });

  it("is in the refusal, which suggests --except-changed only where that undoes something", () => {
    const advice = "Undo the later changes first, or make a new change.";
    for (const [isPart, hint] of [
      [false, advice],
      [true, `${advice} \`addon-cli undo 7 --except-changed\` undoes the other records.`],
    ] as const) {
      const failure = refusal(7, "words", isPart);
      assert.deepEqual(
        [failure.code, failure.message, failure.hint],
        ["CONFLICT", "Change 7 cannot be undone: words.", hint],
      );
    }
  });
});
