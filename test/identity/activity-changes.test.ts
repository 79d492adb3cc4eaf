/** Activity: what a request changes, and whom it is reported to (contract, section 3, `/mgmt`). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Token } from "../../src/domain/model.ts";
import { Activity } from "../../src/identity/activity.ts";
import { Clients } from "../../src/identity/clients.ts";
import { type Memory, memory } from "../_memory.ts";

const [one, two, three] = ["1".repeat(32), "2".repeat(32), "3".repeat(32)];
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
    const news: string[] = [];
    activity.watch((uuid) => news.push(uuid));
    const note = (version: string | undefined, now: number) => {
      news.length = 0;
      activity.note(one, version, now);
      assert.ok(news.every((uuid) => uuid === one) && news.length <= 1);
      return news.length === 1;
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
    const news: string[] = [];
    activity.watch((uuid) => news.push(uuid));
    data.counters.put({ name: "requests", value: 7 });
    activity.note(null, "2.5.1", start);
    assert.deepEqual([activity.requests, news], [8, []]);
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

describe("the counts of clients", () => {
  function counted() {
    const data = memory();
    const activity = new Activity(data);
    const clients = new Clients(data, activity);
    /** Returns the counts and the list at an instant, and whether the version has grown since the last call. */
    let version = -1;
    const at = (now: number) => {
      const { total, active, users } = clients.at(now);
      const grows = clients.version > version;
      version = clients.version;
      return { counts: [total, active, Object.fromEntries(users)], list: clients.list(), grows };
    };
    return { data, activity, clients, at };
  }
  const inactive = { active: false, version: null, current: false };

  it("change with tokens, requests, versions and time, and so does the version of the list", () => {
    const { data, activity, at } = counted();
    assert.deepEqual(at(start), { counts: [0, 0, {}], list: [], grows: true });
    assert.equal(at(start).grows, false);
    issue(data, "a", two);
    issue(data, "b", null);
    assert.deepEqual(at(start), { counts: [1, 0, {}], list: [{ uuid: two, ...inactive }], grows: true });
    issue(data, "c", two);
    assert.equal(at(start).grows, false);
    issue(data, "d", one, { addonVersion: "2.5", expiresAt: start + 10 });
    const first = { uuid: one, active: false, version: "2.5", current: false };
    assert.deepEqual(at(start), {
      counts: [2, 0, { "2.5": 1 }],
      list: [first, { uuid: two, ...inactive }],
      grows: true,
    });
    activity.note(two, "2.5", start);
    const second = { uuid: two, active: true, version: "2.5", current: false };
    assert.deepEqual(at(start), { counts: [2, 1, { "2.5": 2 }], list: [first, second], grows: true });
    activity.note(two, "2.5", start + 1);
    assert.equal(at(start + 1).grows, false);
    data.versions.put({ version: "2.5", current: true });
    const current = [first, second].map((each) => ({ ...each, current: true }));
    assert.deepEqual(at(start + 9), { counts: [2, 1, { "2.5": 2 }], list: current, grows: true });
    // The token of the first expires, and the second was seen 3 days ago.
    assert.deepEqual(at(start + 10), { counts: [1, 1, { "2.5": 1 }], list: current.slice(1), grows: true });
    assert.equal(at(start + 3 * day).grows, false);
    const last = { uuid: two, active: false, version: "2.5", current: true };
    assert.deepEqual(at(start + 1 + 3 * day), { counts: [1, 0, { "2.5": 1 }], list: [last], grows: true });
    // The clock is set back.
    assert.deepEqual(at(start + 9), { counts: [2, 1, { "2.5": 2 }], list: current, grows: true });
    data.tokens.delete("a");
    assert.deepEqual(at(start + 9).counts, [2, 1, { "2.5": 2 }]);
    data.tokens.delete("c");
    assert.deepEqual(at(start + 9).counts, [1, 0, { "2.5": 1 }]);
    assert.deepEqual(
      at(start + 9).list.map(({ uuid }) => uuid),
      [one],
    );
  });

  it("follow a token that changes hands, and saved activity", () => {
    const { data, at } = counted();
    at(start);
    const token = issue(data, "a", one);
    data.activity.put({ uuid: two, lastSeen: start, version: "2.5" });
    data.tokens.put({ ...token, uuid: two });
    assert.deepEqual(at(start).list, [{ uuid: two, active: true, version: "2.5", current: false }]);
    data.activity.put({ uuid: two, lastSeen: start - 3 * day, version: "2.6" });
    assert.deepEqual(at(start).counts, [1, 0, { "2.6": 1 }]);
    data.activity.put({ uuid: two, lastSeen: start - 3 * day, version: "2.7" });
    assert.deepEqual([at(start).grows, at(start).grows], [true, false]);
    data.activity.put({ uuid: two, lastSeen: start - 3 * day + 1, version: null });
    assert.deepEqual(at(start).counts, [1, 1, {}]);
  });

  it("are listed in pages, in the order of the UUIDs", () => {
    const { data, clients } = counted();
    issue(data, "a", two);
    clients.at(start);
    for (const [id, uuid] of [
      ["b", three],
      ["c", one],
    ] as const)
      issue(data, id, uuid);
    clients.at(start);
    const uuids = (count?: number, after?: string) => clients.list(count, after).map(({ uuid }) => uuid);
    assert.deepEqual(uuids(), [one, two, three]);
    assert.deepEqual([uuids(2), uuids(2, one), uuids(2, three)], [[one, two], [two, three], []]);
    data.tokens.delete("c");
    assert.deepEqual([uuids(1), uuids(1, two), uuids()], [[two], [three], [two, three]]);
    // Behind a client that is gone.
    assert.deepEqual(uuids(1, "15"), [two]);
    assert.deepEqual(uuids(9, one), [two, three]);
  });

  it("are those of a fresh count after many tokens have expired or been revoked", () => {
    const { data, activity, clients } = counted();
    clients.at(start);
    for (let number = 0; number < 1200; number += 1) {
      const token = issue(data, "a", one, { expiresAt: start + 900 * day - number });
      data.tokens.put({ ...token, revokedAt: start });
    }
    issue(data, "b", two, { expiresAt: start + 2 });
    issue(data, "a", one, { expiresAt: start + 3 });
    activity.note(one, undefined, start - 3 * day + 1);
    const counts = [0, 1, 2, 3].map((after) => {
      const { total, active } = clients.at(start + after);
      return [total, active];
    });
    assert.deepEqual(counts, [
      [2, 1],
      [2, 0],
      [1, 0],
      [0, 0],
    ]);
  });
});
