/** Activity: what a request changes, and whom it is reported to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Token } from "../../src/domain/model.ts";
import { Activity } from "../../src/identity/activity.ts";
import { type Memory, memory } from "../_memory.ts";

const [one, two] = ["1".repeat(32), "2".repeat(32)];
const day = 24 * 60 * 60 * 1000;
const start = 100 * day;

/** Stores a token of a player, issued long ago by default. */
function issue(data: Memory, id: string, uuid: string | null, more: Partial<Token> = {}): Token {
  const times = { issuedAt: 0, expiresAt: null, revokedAt: null };
  const token = { id, hash: id.padEnd(64, "0"), uuid, label: null, addonVersion: null, ...times, ...more };
  data.tokens.put(token);
  return token;
}

describe("a request of a client", () => {
  /** Returns activity, and a function that notes a request of one client and returns whether that was reported. */
  function watched() {
    const data = memory();
    const activity = new Activity(data);
    const note = (version: string | undefined, now: number) => {
      const before = activity.version;
      activity.note(one, version, now);
      return activity.version > before;
    };
    return { data, activity, note };
  }

  it("is reported if it changes the client: the first, another version, after 3 days, before the last", () => {
    const { activity, note } = watched();
    const steps: readonly (readonly [string | undefined, number, isNews: boolean, version: string | null])[] =
      [
        [undefined, 0, true, null],
        [undefined, 1, false, null],
        ["no version", 2, false, null],
        ["2.5.1", 3, true, "2.5.1"],
        ["2.5.1", 3, false, "2.5.1"],
        [undefined, 4, false, "2.5.1"],
        ["2", 5, false, "2.5.1"],
        ["2.6", 6, true, "2.6"],
        [undefined, 3 * day + 5, false, "2.6"],
        [undefined, 6 * day + 5, true, "2.6"],
        [undefined, 6 * day + 4, true, "2.6"],
        [undefined, 6 * day + 4, false, "2.6"],
      ];
    for (const [version, after, isNews, known] of steps) {
      assert.equal(note(version, start + after), isNews, `${version} after ${after}`);
      const { lastSeen, version: shown } = activity.of(one) ?? {};
      assert.deepEqual([lastSeen, shown], [start + after, known]);
    }
    assert.equal(activity.requests, steps.length);
  });

  it("is reported if a token was issued since the last one", () => {
    const { data, note } = watched();
    issue(data, "a", one, { issuedAt: start });
    assert.equal(note(undefined, start), true);
    assert.equal(note(undefined, start), false);
    // Another's token, and one of the same instant.
    issue(data, "x", two);
    assert.equal(note(undefined, start), false);
    issue(data, "y", one, { issuedAt: start });
    assert.equal(note(undefined, start), false);
    issue(data, "b", one, { issuedAt: start + 5 });
    assert.equal(note(undefined, start + 10), true);
    assert.equal(note(undefined, start + 11), false);
    issue(data, "c", two, { issuedAt: start + 20 });
    assert.equal(note(undefined, start + 21), false);
    // Issued in the future, by a clock that was set back: each request is before it.
    issue(data, "d", one, { issuedAt: start + 100 });
    assert.equal(note(undefined, start + 30), true);
    assert.equal(note(undefined, start + 31), true);
    assert.equal(note(undefined, start + 100), true);
    assert.equal(note(undefined, start + 101), false);
  });

  it("without a player counts, and is reported of nobody", () => {
    const { data, activity } = watched();
    const before = activity.version;
    data.counters.put({ name: "requests", value: 7 });
    activity.note(null, "2.5.1", start);
    assert.deepEqual([activity.requests, activity.version], [8, before]);
  });

  it("has the version of the newest of its token and its last request", () => {
    const { data, activity, note } = watched();
    const token = issue(data, "a", one, { issuedAt: start, addonVersion: "2.4" });
    const later = { ...token, issuedAt: start + 5, addonVersion: "2.6" };
    assert.equal(activity.versionOf(one, token), "2.4");
    note(undefined, start + 1);
    assert.equal(activity.versionOf(one, token), "2.4");
    note("2.5.1", start + 5);
    assert.equal(activity.versionOf(one, token), "2.5.1");
    assert.equal(activity.versionOf(one, later), "2.5.1");
    assert.equal(activity.versionOf(one, { ...later, issuedAt: start + 6 }), "2.6");
    assert.equal(activity.versionOf(one, { ...later, issuedAt: start + 6, addonVersion: null }), "2.5.1");
    assert.equal(activity.versionOf(one, { ...token, addonVersion: null }), "2.5.1");
  });
});
