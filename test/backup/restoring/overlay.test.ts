/** Overlays, while both the overlay and the present data change. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { Overlay } from "../../../src/backup/overlay.ts";
import { model } from "../../../src/domain/model.ts";
import { Database } from "../../../src/store/collection.ts";
import { wantedKey, wantedReason } from "../../_entries.ts";

const reasons = Array.from({ length: 12 }, (_, number) => `k${number}`);

/** Returns a generator of pseudo-random numbers. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

function sorted(records: Iterable<unknown>): string[] {
  return Array.from(records, (record) => JSON.stringify(record)).sort();
}

it("an overlay has the records that were set, whatever becomes of the present data", async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = generator(seed);
    const present = new Database(model);
    const overlay = new Overlay(present.view);
    const expected = new Map<string, unknown>();
    const change = (database: Database): [key: string, record: unknown] => {
      const reason = reasons[random(reasons.length)] ?? "";
      const key = wantedKey(reason);
      const record = random(4) === 0 ? undefined : wantedReason(reason, random(2));
      database.collection("entries").set(key, record);
      return [key, record];
    };
    for (let count = random(30); count > 0; count -= 1) change(present);
    const source = overlay.begin();
    for (let count = random(40); count > 0; count -= 1) {
      if (random(3) === 0) change(present);
      else expected.set(...change(source));
    }
    await overlay.end();
    for (let count = random(30); count > 0; count -= 1) {
      if (random(3) === 0) expected.set(...change(source));
      else change(present);
    }
    const { entries } = overlay.view;
    const records = [...expected.values()].filter((record) => record !== undefined);
    assert.deepEqual(sorted(entries.values()), sorted(records));
    assert.equal(entries.size, records.length);
    for (const key of reasons.map(wantedKey)) {
      assert.deepEqual(entries.get(key), expected.get(key));
      assert.equal(entries.has(key), expected.get(key) !== undefined);
    }
    const differing = new Set(overlay.differing("entries"));
    for (const key of reasons.map(wantedKey)) {
      const isEqual = JSON.stringify(present.view.entries.get(key)) === JSON.stringify(expected.get(key));
      assert.ok(isEqual || differing.has(key), `seed ${seed}, ${key}`);
    }
    overlay.close();
  }
});

it("an overlay that begins again has no records from before", async () => {
  const present = new Database(model);
  const overlay = new Overlay(present.view);
  const set = (reason: string, points: number) =>
    overlay.collection("entries").set(wantedKey(reason), wantedReason(reason, points));
  overlay.begin();
  set("a", 1);
  overlay.begin();
  set("b", 2);
  await overlay.end();
  assert.deepEqual([...overlay.view.entries.values()], [wantedReason("b", 2)]);
});

it("a closed overlay no longer follows the present data", async () => {
  const present = new Database(model);
  const rows = present.collection("entries");
  const overlay = new Overlay(present.view);
  overlay.begin();
  await overlay.end();
  rows.set(wantedKey("a"), wantedReason("a"));
  overlay.close();
  rows.set(wantedKey("b"), wantedReason("b"));
  assert.deepEqual([...overlay.differing("entries")], [wantedKey("a")]);
});

it("an overlay yields each of its records, even if the present data changes meanwhile", async () => {
  // "a" and "b" are to be added, "c" and "d" stay: each is added, changed or removed before its turn has come.
  for (const taken of [0, 1, 2, 3]) {
    const present = new Database(model);
    const set = (name: string, points?: number) =>
      present
        .collection("entries")
        .set(wantedKey(name), points === undefined ? undefined : wantedReason(name, points));
    set("c", 1);
    set("d", 1);
    const overlay = new Overlay(present.view);
    const source = overlay.begin().collection("entries");
    for (const name of ["a", "b", "c", "d"]) source.set(wantedKey(name), wantedReason(name));
    await overlay.end();
    const values = overlay.view.entries.values()[Symbol.iterator]();
    const found = new Set<string>();
    const take = () => {
      const { done = false, value } = values.next();
      if (!done) found.add(JSON.stringify(value));
      return !done;
    };
    for (let count = 0; count < taken; count += 1) assert.ok(take());
    set("a", 2);
    set("b", 2);
    set("c", 2);
    set("d");
    set("e", 2);
    while (take());
    assert.deepEqual(
      [...found].sort(),
      ["a", "b", "c", "d"].map((name) => JSON.stringify(wantedReason(name))),
      `after ${taken} records`,
    );
  }
});

it("an overlay refuses to search by an index, which it does not have", async () => {
  const present = new Database(model);
  const overlay = new Overlay(present.view);
  overlay.begin();
  await overlay.end();
  const { tokens } = overlay.view;
  assert.throws(() => tokens.find("hash", "0"), { message: "an overlay has no indexes" });
});
