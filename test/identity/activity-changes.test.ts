/** Activity: what a request changes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Activity } from "../../src/identity/activity.ts";
import { memory } from "../_memory.ts";

const one = "1".repeat(32);
const start = 1_000_000;

describe("a request of a client", () => {
  it("has the time of the last one, the last valid version, and is counted", () => {
    const activity = new Activity(memory());
    const steps: readonly (readonly [string | undefined, number, version: string | null])[] = [
      [undefined, 0, null],
      ["no version", 2, null],
      ["2.5.1", 3, "2.5.1"],
      [undefined, 4, "2.5.1"],
      ["2", 5, "2.5.1"],
      ["2.6", 6, "2.6"],
      // The clock was set back.
      [undefined, 5, "2.6"],
    ];
    for (const [version, after, known] of steps) {
      activity.note(one, version, start + after);
      const { lastSeen, version: shown } = activity.of(one) ?? {};
      assert.deepEqual([lastSeen, shown], [start + after, known]);
    }
    assert.equal(activity.requests, steps.length);
  });

  it("without a player counts, and is noted of nobody", () => {
    const data = memory();
    const activity = new Activity(data);
    data.counters.put({ name: "requests", value: 7 });
    activity.note(null, "2.5.1", start);
    assert.equal(activity.requests, 8);
  });

  it("has the version that it reported, or that of a token which was issued later", () => {
    const data = memory();
    const activity = new Activity(data);
    const times = { expiresAt: null, revokedAt: null };
    const issue = (id: string, after: number, addonVersion: string | null) =>
      data.tokens.put({
        id,
        hash: id,
        uuid: one,
        label: null,
        addonVersion,
        issuedAt: start + after,
        ...times,
      });
    const version = () => activity.versionOf(one, start + 9);
    issue("a", 0, "2.4");
    assert.equal(version(), "2.4");
    activity.note(one, undefined, start + 1);
    assert.equal(version(), "2.4");
    activity.note(one, "2.5.1", start + 5);
    issue("b", 5, "2.3");
    assert.equal(version(), "2.5.1");
    issue("c", 6, "2.6");
    assert.equal(version(), "2.6");
    issue("d", 7, null);
    assert.equal(version(), "2.6");
    activity.note(one, undefined, start + 8);
    assert.equal(version(), "2.6");
  });
});
