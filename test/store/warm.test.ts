/** The store's maps, against `Map`. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { WarmMap } from "../../src/store/warm.ts";

const key = fc.integer({ min: 0, max: 11 }).map((number) => `key ${number}`);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ action: fc.constant("get" as const), key }) },
  { weight: 3, arbitrary: fc.record({ action: fc.constant("set" as const), key, value: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ action: fc.constant("delete" as const), key }) },
);

it("holds what a Map holds, in its order, with a small map beside it and without", () => {
  // From no entries on, from some on, and never; room for one entry, for some, and for all.
  const options = fc.record({ from: fc.constantFrom(0, 5, 100), most: fc.constantFrom(1, 4, 100) });
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 60 }), (chosen, steps) => {
      const [map, expected] = [new WarmMap<number>(chosen), new Map<string, number>()];
      for (const each of steps) {
        if (each.action === "set") {
          assert.equal(map.set(each.key, each.value), expected.get(each.key));
          expected.set(each.key, each.value);
        } else if (each.action === "delete") {
          assert.equal(map.delete(each.key), expected.get(each.key));
          expected.delete(each.key);
        } else {
          assert.equal(map.get(each.key), expected.get(each.key));
        }
        assert.equal(map.size, expected.size);
      }
      assert.deepEqual([...map.entries()], [...expected]);
      assert.deepEqual([...map.values()], [...expected.values()]);
      for (let number = 0; number < 12; number += 1) {
        assert.equal(map.get(`key ${number}`), expected.get(`key ${number}`));
      }
    }),
    { numRuns: 1000 },
  );
});

it("gives, while it is gone through, what comes meanwhile and not what goes", () => {
  const map = new WarmMap<number>({ from: 0, most: 10 });
  for (const number of [1, 2, 3]) map.set(`key ${number}`, number);
  const seen: [string, number][] = [];
  for (const [name, value] of map.entries()) {
    seen.push([name, value]);
    if (value !== 1) continue;
    map.delete("key 2");
    // It takes the place of the one that went.
    map.set("key 4", 4);
    map.set("key 3", 33);
  }
  assert.deepEqual(seen, [
    ["key 1", 1],
    ["key 3", 33],
    ["key 4", 4],
  ]);
});
