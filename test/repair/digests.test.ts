/** The digests of records: what they keep of each record, and of which records they keep the values. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { quote, RecordDigests, toJSON } from "../../src/repair/digests.ts";

/** Records, some of them set. */
function digests(
  isComplete: boolean,
  values: Readonly<Record<string, unknown>> = {},
  suspects = new Set<string>(),
) {
  const records = new RecordDigests(isComplete, suspects);
  for (const [key, value] of Object.entries(values)) records.set("tokens", key, value);
  return { records, suspects, has: (key: string, value: unknown) => records.equals("tokens", key, value) };
}
const keysOf = (records: RecordDigests, ...seen: number[]) =>
  [...records.without(new Set(seen))].map(([collection, key]) => `${collection}:${key}`);

describe("the JSON of a record", () => {
  it("is that of an absent one for null and undefined", () => {
    assert.deepEqual(
      [toJSON(null), toJSON(undefined), toJSON({ a: 1 }), toJSON(0)],
      ["null", "null", '{"a":1}', "0"],
    );
  });

  it("is quoted with up to 80 characters", () => {
    assert.equal(quote("null"), "absent");
    assert.equal(quote("x".repeat(80)), "x".repeat(80));
    assert.equal(quote("x".repeat(81)), `${"x".repeat(77)}…`);
  });
});

describe("digests of all records", () => {
  it("know each value, and that any other record is absent", () => {
    const { has, suspects } = digests(true, { a: { n: 1 }, b: { n: 2 } });
    assert.deepEqual(
      [has("a", { n: 1 }), has("b", { n: 2 }), has("c", null), has("c", undefined)],
      Array(4).fill(true),
    );
    assert.deepEqual([...suspects], []);
    assert.deepEqual([has("a", { n: 2 }), has("b", null), has("c", { n: 1 })], [false, false, false]);
    assert.deepEqual([...suspects], ["tokens a", "tokens b", "tokens c"]);
  });

  it("keep records of the same key in different collections apart", () => {
    const { records, has } = digests(true, { a: 1 });
    records.set("players", "a", 2);
    assert.deepEqual([has("a", 1), records.equals("players", "a", 2)], [true, true]);
    assert.deepEqual(keysOf(records), ["tokens:a", "players:a"]);
  });

  it("forget what was removed, and use its place again", () => {
    const { records, has } = digests(true, { a: 1, b: 2, c: 3 });
    records.set("tokens", "a", null);
    assert.equal(records.indexOf("tokens", "a"), undefined);
    // Nothing is there to be removed.
    records.set("tokens", "a", null);
    records.set("tokens", "z", undefined);
    records.set("tokens", "d", 4);
    assert.equal(records.indexOf("tokens", "d"), 0);
    records.set("tokens", "e", 5);
    assert.equal(records.indexOf("tokens", "e"), 3);
    for (const [key, value] of Object.entries({ a: null, b: 2, c: 3, d: 4, e: 5, z: null })) {
      assert.equal(has(key, value), true, key);
    }
    assert.deepEqual(keysOf(records), ["tokens:b", "tokens:c", "tokens:d", "tokens:e"]);
  });

  it("have room for any number of records", () => {
    const count = 5_000;
    const values = Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
    const { records, has } = digests(true, values);
    for (let n = 0; n < count; n += 1) {
      assert.equal(records.indexOf("tokens", `k${n}`), n);
      assert.equal(has(`k${n}`, n), true);
      assert.equal(has(`k${n}`, n + 1), false);
    }
  });

  it("list the records, except those of some indexes", () => {
    const { records } = digests(true, { a: 1, "b c  d": 2, e: 3 });
    assert.deepEqual(keysOf(records), ["tokens:a", "tokens:b c  d", "tokens:e"]);
    assert.deepEqual(keysOf(records, 0, 2), ["tokens:b c  d"]);
    assert.deepEqual(keysOf(records, 0, 1, 2), []);
  });
});

describe("digests of some records", () => {
  it("know nothing of the others", () => {
    const { has, suspects } = digests(false, { a: 1 });
    assert.deepEqual(
      [has("a", 1), has("a", 2), has("b", 1), has("b", null)],
      [true, false, undefined, undefined],
    );
    assert.deepEqual([...suspects], ["tokens a"]);
  });

  it("know what was removed, and do not list it", () => {
    const { records, has } = digests(false, { a: 1, b: 2 });
    records.set("tokens", "a", null);
    records.set("tokens", "c", null);
    assert.deepEqual([has("a", null), has("c", null), has("a", 1), has("c", 3)], [true, true, false, false]);
    assert.deepEqual([records.indexOf("tokens", "a"), records.indexOf("tokens", "c")], [0, 2]);
    assert.deepEqual(keysOf(records), ["tokens:b"]);
  });
});

describe("the values of suspects", () => {
  it("are kept, and no others", () => {
    const { records } = digests(true, { a: { n: 1 }, b: { n: 2 } }, new Set(["tokens a"]));
    assert.deepEqual([records.valueOf("tokens", "a"), records.valueOf("tokens", "b")], ['{"n":1}', "null"]);
    records.set("tokens", "a", { n: 3 });
    assert.equal(records.valueOf("tokens", "a"), '{"n":3}');
    records.set("tokens", "a", null);
    assert.equal(records.valueOf("tokens", "a"), "null");
  });

  it("are compared without the order of their properties, which a digest cannot ignore", () => {
    const value = { n: 1, m: { x: 1, y: 2 } };
    const turned = { m: { y: 2, x: 1 }, n: 1 };
    const { has, suspects } = digests(true, { a: value });
    assert.equal(has("a", turned), false);
    const again = digests(true, { a: value }, suspects);
    assert.equal(again.has("a", turned), true);
    assert.equal(again.has("a", value), true);
    assert.equal(again.has("a", { ...turned, n: 2 }), false);
    assert.deepEqual([...suspects], ["tokens a"]);
  });
});

describe("the check for consistency", () => {
  it("gets each record", () => {
    const { records } = digests(true);
    const player = {
      uuid: "d8d5a923-7b20-43d8-883b-1150148d6955",
      name: "Ada",
      administrator: false,
      registeredAt: 1,
    };
    records.set("players", player.uuid, player);
    assert.equal(records.checked.data.players.get(player.uuid)?.name, "Ada");
    records.set("players", player.uuid, null);
    assert.equal(records.checked.data.players.has(player.uuid), false);
  });
});
